import { Agent } from 'undici';
import { z } from 'zod';
import type { JsonObject } from '../payment/canonical-json.ts';
import type { Checked } from '../payment/x402/exact-evm.ts';
import type { Facilitator, Failure, Settlement } from '../payment/x402/facilitator.ts';
import { toJson, toLegacyJson } from '../payment/x402/requirement.ts';
import type { Resource } from '../payment/x402/resource.ts';

/** An x402 facilitator over HTTP, of both versions. It is believed only where it says in full what we asked for. */

const connectTimeoutMs = 5_000;
/** With the wait for the chain. */
const settleTimeoutMs = 30_000;
const answerBytesMax = 64 * 1024;
const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Nothing was sent yet: without a connection there is nobody to have settled. */
const notConnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|\w+_CERT\w*|\w+_SIGNATURE)$/;

/**
 * What a facilitator says of a payment that it has looked at and not put on the chain. Whatever else it says,
 * the transaction may be on its way.
 */
const certain: ReadonlyMap<string, Failure> = new Map([
  ['insufficient_funds', 'insufficient_funds'],
  ['invalid_exact_evm_insufficient_balance', 'insufficient_funds'],
  ['payment_expired', 'expired'],
  ['invalid_exact_evm_payload_authorization_valid_before', 'expired'],
  ['invalid_exact_evm_payload_authorization_valid_after', 'refused'],
  ['invalid_exact_evm_payload_authorization_value', 'refused'],
  ['invalid_exact_evm_authorization_value', 'refused'],
  ['invalid_exact_evm_payload_signature', 'refused'],
  ['invalid_exact_evm_signature', 'refused'],
  ['invalid_exact_evm_payload_recipient_mismatch', 'refused'],
  ['invalid_exact_evm_recipient_mismatch', 'refused'],
  ['invalid_exact_evm_network_mismatch', 'refused'],
  ['invalid_exact_evm_scheme', 'refused'],
  ['invalid_network', 'refused'],
  ['invalid_payload', 'refused'],
  ['invalid_payment_requirements', 'refused'],
  ['invalid_scheme', 'refused'],
  ['invalid_x402_version', 'refused'],
  ['unsupported_scheme', 'refused'],
]);

export type FacilitatorSettings = {
  /** https, or http on this machine; without query and credentials. */
  url: string;
  settleTimeoutMs?: number;
};

/** Opens the way to a facilitator; connects when first used. Throws TypeError on an address that money should not go to. */
export function open(settings: FacilitatorSettings): Facilitator {
  const url = parseUrl(settings.url);
  const timeoutMs = settings.settleTimeoutMs ?? settleTimeoutMs;
  // A connection for each settlement: one that went stale between two would leave the second in doubt.
  const agent = new Agent({
    connect: { timeout: Math.min(connectTimeoutMs, timeoutMs) },
    pipelining: 0,
    maxResponseSize: answerBytesMax,
  });

  async function ask(payment: Checked, resource: Resource): Promise<Settlement> {
    const answer = await agent.request({
      origin: url.origin,
      path: `${url.pathname.replace(/\/+$/, '')}/settle`,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(request(payment, resource)),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300 && answer.statusCode < 400)
      return unknown(`answered ${answer.statusCode}, which is not followed`);
    return judge(payment, answer.statusCode, text);
  }

  return {
    settle: (payment, resource) => ask(payment, resource).catch(fault),
    close: () => agent.close(),
  };
}

function parseUrl(text: string): URL {
  const url = new URL(text);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && loopback.includes(url.hostname));
  if (!isSafe || url.search + url.hash + url.username + url.password !== '')
    throw new TypeError('the facilitator is an https address without query and credentials');
  return url;
}

/** What is asked for, in the version that the buyer speaks, and nothing that the buyer said but what was verified. */
function request({ payload, requirement }: Checked, resource: Resource): JsonObject {
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
  const signed = {
    signature: payload.signature,
    authorization: {
      from,
      to,
      value: String(value),
      validAfter: String(validAfter),
      validBefore: String(validBefore),
      nonce,
    },
  };
  if (payload.version === 1) {
    const { scheme = '', network = '' } = toLegacyJson(requirement, resource);
    return {
      x402Version: 1,
      paymentPayload: { x402Version: 1, scheme, network, payload: signed },
      paymentRequirements: toLegacyJson(requirement, resource),
    };
  }
  const accepted = toJson(requirement);
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, resource, accepted, payload: signed },
    paymentRequirements: accepted,
  };
}

const answerShape = z.object({
  success: z.boolean(),
  transaction: z.string().nullish(),
  network: z.string().nullish(),
  payer: z.string().nullish(),
  amount: z.string().nullish(),
  errorReason: z.string().nullish(),
});

function judge({ payload, requirement }: Checked, status: number, text: string): Settlement {
  const answer = answerShape.safeParse(parseJson(text)).data;
  if (!answer) return unknown(`answered ${status} with something else than a settlement`);
  const { success, transaction, network, payer, amount, errorReason } = answer;
  if (!success) {
    const failure = transaction ? undefined : certain.get(errorReason ?? '');
    return failure
      ? { kind: 'failed', reason: failure }
      : unknown(`not settled: ${(errorReason ?? 'no reason').slice(0, 100)}`);
  }
  const { id, legacyName } = requirement.network;
  const isWhole =
    status === 200 &&
    /^0x[0-9a-fA-F]{64}$/.test(transaction ?? '') &&
    network === (payload.version === 2 ? id : legacyName) &&
    (payer ?? payload.authorization.from).toLowerCase() === payload.authorization.from &&
    (amount ?? String(requirement.amount)) === String(requirement.amount);
  return isWhole && transaction
    ? { kind: 'succeeded', transaction: transaction.toLowerCase() }
    : unknown('says that it settled, and not this payment');
}

function fault(error: unknown): Settlement {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string' && notConnected.test(code)) return { kind: 'failed', reason: 'unreachable' };
  return unknown(`gave no answer: ${typeof code === 'string' ? code : String(name)}`);
}

function unknown(detail: string): Settlement {
  return { kind: 'unknown', detail: `the facilitator ${detail}` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
