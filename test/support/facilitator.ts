import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { recoverTypedDataAddress } from 'viem/utils';

/** Misbehaviour of a facilitator. Those that start with `settled` settle the payment all the same. */
export type Mood =
  | 'honest'
  /** Settles all payments in one transaction. */
  | 'batching'
  /** Settles on the chain and never responds. */
  | 'settled_silent'
  /** Settles on the chain and cuts the connection. */
  | 'settled_cut'
  /** Settles on the chain and reports an unexpected error. */
  | 'settled_unexpected'
  /** Sends the header section of a response and then nothing. */
  | 'stuck'
  | 'redirecting'
  | 'broken'
  | 'endless'
  | 'not_json'
  /** Reports a settlement that it did not make: of another payer, network or amount, or without a transaction. */
  | 'other_payer'
  | 'other_network'
  | 'other_amount'
  | 'no_transaction'
  | 'poor'
  | 'expired'
  /** Rejects the shop's credentials. */
  | 'unauthorized'
  | 'forbidden'
  | 'wrong_network';

export type Settled = {
  x402Version: number;
  network: string;
  from: string;
  to: string;
  value: bigint;
  nonce: string;
  transaction: string;
};

/** The network that settles x402 payments, as a shop sees it: it verifies with viem, and accepts a nonce once. */
export type FacilitatorDouble = {
  url: string;
  /** The payments on the chain. */
  settled: Settled[];
  /** Number of requests, whatever their outcome. */
  asked(): number;
  /** The Authorization field of the last request, '' when it had none. */
  authorization(): string;
  /** Sets the behaviour from now on. */
  setMood(mood: Mood): void;
  close(): Promise<void>;
};

type Hex = `0x${string}`;
const chainIds: Record<string, number> = {
  base: 8453,
  'base-sepolia': 84532,
  'eip155:8453': 8453,
  'eip155:84532': 84532,
};
const uint256 = <N extends string>(name: N) => ({ name, type: 'uint256' }) as const;
const address = <N extends string>(name: N) => ({ name, type: 'address' }) as const;
const transfer = [
  address('from'),
  address('to'),
  uint256('value'),
  uint256('validAfter'),
  uint256('validBefore'),
  { name: 'nonce', type: 'bytes32' },
] as const;

export async function open(port = 0): Promise<FacilitatorDouble> {
  const settled: Settled[] = [];
  let asked = 0;
  let mood: Mood = 'honest';
  let authorization = '';
  const server = createServer((request, response) => {
    asked += 1;
    authorization = request.headers.authorization ?? '';
    const now = mood;
    answer(request, response, now, settled).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    settled,
    asked: () => asked,
    authorization: () => authorization,
    setMood: (next) => {
      mood = next;
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  mood: Mood,
  settled: Settled[],
): Promise<void> {
  const say = (status: number, body: object | string) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  let text = '';
  for await (const chunk of request) text += chunk;
  if (request.method === 'GET' && request.url === '/settled') return say(200, settledJson(settled));
  if (request.method !== 'POST' || request.url !== '/settle') return say(404, { error: 'not found' });
  const { x402Version, paymentPayload, paymentRequirements } = JSON.parse(text);
  const network = String(paymentRequirements.network);
  const payer = String(paymentPayload.payload.authorization.from);
  const failed = (errorReason: string) =>
    say(400, { success: false, errorReason, transaction: '', network, payer });
  switch (mood) {
    case 'redirecting':
      response.writeHead(307, { location: `http://127.0.0.1:${request.socket.localPort}/elsewhere` });
      return void response.end();
    case 'broken':
      return say(500, 'Error: connect ECONNREFUSED 10.0.0.1\r\nset-cookie: evil=1');
    case 'not_json':
      return say(200, '<html>ok</html>');
    case 'unauthorized':
      return say(401, { error: 'unauthorized' });
    case 'forbidden':
      return say(403, 'Forbidden');
    case 'wrong_network':
      return failed('invalid_network');
    case 'poor':
      return failed('insufficient_funds');
    case 'expired':
      return failed('invalid_exact_evm_payload_authorization_valid_before');
    case 'stuck':
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.write('{"success":');
    case 'endless':
      response.writeHead(200, { 'content-type': 'application/json' });
      while (!response.destroyed) if (!response.write('x'.repeat(65_536))) await once(response, 'drain');
      return;
  }
  const reason = await fault(x402Version, paymentPayload, paymentRequirements);
  if (reason !== null) return failed(reason);
  const { from, to, value, nonce } = paymentPayload.payload.authorization;
  if (settled.some((one) => one.nonce === nonce && one.from === from))
    return failed('invalid_exact_evm_nonce_already_used');
  const batch = mood === 'batching' ? settled.at(-1) : undefined;
  const transaction = batch?.transaction ?? `0x${randomBytes(32).toString('hex')}`;
  const good = { success: true, transaction, network, payer, ...(x402Version === 2 && { amount: value }) };
  if (mood === 'other_payer') return say(200, { ...good, payer: to });
  if (mood === 'other_network') return say(200, { ...good, network: 'eip155:1' });
  if (mood === 'other_amount') return say(200, { ...good, amount: '1' });
  if (mood === 'no_transaction') return say(200, { ...good, transaction: '0x1\r\nset-cookie: evil=1' });
  settled.push({ x402Version, network, from, to, value: BigInt(value), nonce, transaction });
  if (mood === 'settled_silent') return;
  if (mood === 'settled_cut') return void response.destroy();
  if (mood === 'settled_unexpected') return failed('unexpected_settle_error');
  return say(200, good);
}

function settledJson(settled: readonly Settled[]): object {
  return { settled: settled.map((one) => ({ ...one, value: String(one.value) })) };
}

/** Returns the reason why a payment cannot be settled, in the words of a published facilitator. */
// biome-ignore lint/suspicious/noExplicitAny: what was sent is looked at, member by member.
async function fault(version: number, sent: any, required: any): Promise<string | null> {
  const { authorization, signature } = sent.payload;
  const amount = version === 2 ? required.amount : required.maxAmountRequired;
  const chainId = chainIds[required.network];
  if (sent.x402Version !== version) return 'invalid_x402_version';
  if ((version === 2 ? sent.accepted.network : sent.network) !== required.network) return 'invalid_network';
  if (chainId === undefined || required.network.includes(':') !== (version === 2)) return 'invalid_network';
  if (authorization.to.toLowerCase() !== required.payTo.toLowerCase())
    return 'invalid_exact_evm_recipient_mismatch';
  if (authorization.value !== amount) return 'invalid_exact_evm_authorization_value';
  if (Number(authorization.validBefore) * 1000 < Date.now() + 6_000)
    return 'invalid_exact_evm_payload_authorization_valid_before';
  const signer = await recoverTypedDataAddress({
    domain: {
      name: required.extra.name,
      version: required.extra.version,
      chainId,
      verifyingContract: required.asset,
    },
    types: { TransferWithAuthorization: transfer },
    primaryType: 'TransferWithAuthorization',
    message: {
      from: authorization.from,
      to: authorization.to,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce,
    },
    signature: signature as Hex,
  });
  return signer.toLowerCase() === authorization.from.toLowerCase() ? null : 'invalid_exact_evm_signature';
}
