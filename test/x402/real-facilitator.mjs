import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator';

const lateMs = 33_000;
const bodyCharsMax = 65_536;

/**
 * The official facilitator packages behind HTTP, on a local chain. `setFault(payer, fault)` makes it fail for one payer, so that
 * many faults can be tried at once:
 *   down          500 before it does anything           broken        settles, then answers 500
 *   cut           settles, then closes the connection   late          settles, and answers after 33 s
 *   redirecting   307                                   unauthorized  401
 *   lying         a made-up transaction                 boasting      the transaction of another payment
 *   batching      waits for a second payment, and settles both in one transaction
 */
export async function open(chain) {
  const signer = toFacilitatorEvmSigner({
    ...chain.settler,
    address: chain.settler.account.address ?? chain.settler.account,
  });
  const official = registerExactEvmScheme(new x402Facilitator(), {
    signer,
    networks: 'eip155:84532',
    eip6492AllowedFactories: [chain.factory],
  });
  const faults = new Map();
  const asked = new Map();
  const waiting = [];
  let lastTransaction = null;

  async function settle({ paymentPayload, paymentRequirements }) {
    const settled = await official.settle(paymentPayload, paymentRequirements);
    if (settled.success) lastTransaction = settled.transaction;
    return settled;
  }

  /** Both payments of a batch are answered when their one transaction is there. */
  async function settleTogether({ paymentPayload, paymentRequirements }) {
    const { promise, resolve } = Promise.withResolvers();
    waiting.push({ payment: paymentPayload.payload, resolve });
    if (waiting.length === 2) {
      const both = waiting.splice(0);
      const { transactionHash } = await chain.settleTogether(both.map(({ payment }) => payment));
      for (const one of both) one.resolve(transactionHash);
    }
    return success(paymentRequirements, paymentPayload, await promise);
  }

  async function answer(request, response) {
    const say = (status, body) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/supported') return say(200, official.getSupported());
    let text = '';
    for await (const chunk of request) text = (text + chunk).slice(0, bodyCharsMax);
    const sent = JSON.parse(text);
    const payer = sent.paymentPayload.payload.authorization.from.toLowerCase();
    asked.set(payer, (asked.get(payer) ?? 0) + 1);
    switch (faults.get(payer)) {
      case 'down':
        return say(500, { error: 'out of order' });
      case 'unauthorized':
        return say(401, { error: 'unauthorized' });
      case 'redirecting':
        return response.writeHead(307, { location: '/elsewhere' }).end();
      case 'lying':
        return say(
          200,
          success(sent.paymentRequirements, sent.paymentPayload, `0x${randomBytes(32).toString('hex')}`),
        );
      case 'boasting':
        return say(200, success(sent.paymentRequirements, sent.paymentPayload, lastTransaction));
      case 'batching':
        return say(200, await settleTogether(sent));
      case 'broken':
        await settle(sent);
        return say(500, { error: 'out of order' });
      case 'cut':
        await settle(sent);
        return response.destroy();
      case 'late': {
        const [settled] = await Promise.all([settle(sent), sleep(lateMs)]);
        return say(200, settled);
      }
      default:
        return say(200, await settle(sent));
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** From now on; null ends it. */
    setFault: (payer, fault) => faults.set(payer.toLowerCase(), fault),
    asked: (payer) => asked.get(payer.toLowerCase()) ?? 0,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function success({ network, amount }, { payload }, transaction) {
  return {
    success: true,
    transaction,
    network,
    payer: payload.authorization.from,
    ...(amount && { amount }),
  };
}
