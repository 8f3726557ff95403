import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Facilitator from '../support/facilitator.ts';
import * as Payer from '../support/payer.ts';
import { freePort } from '../support/program.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';

/** A shop of two processes on several networks, without an RPC node, whose facilitator fails and recovers. */

let upstream: Upstream.ScriptedUpstream;
let facilitator: Facilitator.FacilitatorDouble | null = null;
let port: number;
let shop: Shop.Shop;
let other: string;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  port = await freePort();
  const env = {
    ...Agent.shopEnv,
    X402_PAY_TO: '0x00000000000000000000000000000000000000aa',
    X402_FACILITATOR_URL: `http://127.0.0.1:${port}`,
    X402_NETWORK: 'eip155:84532, eip155:8453, eip155:42161',
  };
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml', env });
  other = await shop.addStorefront();
});
afterAll(async () => {
  await shop?.stop();
  await Promise.all([facilitator?.close(), upstream?.close()]);
});

let requests = 0;

async function post(url: string, headers: Record<string, string>): Promise<Customer.Answer> {
  requests += 1;
  const from = { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${requests}` };
  return Customer.read(
    await fetch(`${url}/plans/credit/purchase`, {
      method: 'POST',
      headers: { ...from, ...headers },
      body: '{}',
    }),
  );
}

/** Signs a payment on a network without sending it. */
async function signed(network: string, validSeconds = 300) {
  const offer = await post(shop.url, {});
  const required = JSON.parse(Buffer.from(offer.headers.get('payment-required') ?? '', 'base64').toString());
  const accepted = required.accepts.find((one: Payer.Requirement) => one.network === network);
  const authorization = { validBefore: String(Math.floor(Date.now() / 1000) + validSeconds) };
  const payment = await Payer.pay2(Payer.payer(), accepted, { nowMs: Date.now(), authorization });
  const send = (url = shop.url) => post(url, { 'payment-signature': Payer.base64(payment) });
  return { offer, required, payment, send };
}

const stateOf = async (id: string) =>
  (await Customer.send({ method: 'GET', url: `${shop.url}/purchases/${id}` })).body.state;
const inTheEnd = { timeout: 60_000, interval: 500 };

test('every network is offered at once, to clients of version 1 those that it has a name for', async () => {
  const { offer, required } = await signed('eip155:8453');
  const names = (accepts: { network: string }[]) => accepts.map(({ network }) => network);
  expect(names(required.accepts)).toEqual(['eip155:84532', 'eip155:8453', 'eip155:42161']);
  expect(names(offer.body.accepts)).toEqual(['base-sepolia', 'base']);
});

test('a payment is settled by the shop itself when its facilitator is there again, once, by one of two processes', async () => {
  const sales = await Promise.all([signed('eip155:8453'), signed('eip155:84532'), signed('eip155:84532')]);
  const answers = await Promise.all(sales.map(({ send }, at) => send(at % 2 ? other : shop.url)));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  facilitator = await Facilitator.open(port);
  for (const { body } of answers)
    await expect.poll(() => stateOf(body.purchase.id), inTheEnd).toBe('granted');
  const settled = () => facilitator?.settled.map(({ network }) => network).sort();
  expect(settled()).toEqual(['eip155:8453', 'eip155:84532', 'eip155:84532']);
  const again = await sales[0].send(other);
  expect(again.status).toBe(200);
  // A repeated payment gets the receipt only, because anyone can read the payment on the chain.
  expect(again.body).toMatchObject({ success: true, receipt: { method: 'x402' } });
  expect(again.body).not.toHaveProperty('access_token');
  expect(settled()).toHaveLength(3);
  await Books.proves(shop.sql);
});

test('a facilitator that does not serve the shop is no decline, and the same payment pays when it does', async () => {
  const sale = await signed('eip155:84532');
  const before = facilitator?.settled.length;
  for (const mood of ['unauthorized', 'forbidden', 'wrong_network'] as const) {
    facilitator?.setMood(mood);
    const answer = await sale.send();
    expect([answer.status, answer.body.code]).toEqual([503, 'payment_unavailable']);
    expect(answer.headers.get('retry-after')).not.toBeNull();
    expect(answer.headers.get('payment-required')).toBeNull();
  }
  facilitator?.setMood('honest');
  expect(facilitator?.settled).toHaveLength(before ?? -1);
  expect((await sale.send(other)).status).toBe(200);
});

test('a payment that was never sent is declined with its end, and one in doubt is not', async () => {
  const doubted = await signed('eip155:84532', 25);
  facilitator?.setMood('broken');
  const doubt = await doubted.send();
  await facilitator?.close();
  const unsent = await signed('eip155:84532', 18);
  const answer = await unsent.send();
  expect([doubt.status, answer.status]).toEqual([202, 202]);
  await expect.poll(() => stateOf(answer.body.purchase.id), inTheEnd).toBe('declined');
  const again = await unsent.send();
  expect(again.status).toBe(402);
  expect(await stateOf(doubt.body.purchase.id)).toBe('claimed');
  expect((await doubted.send()).status).toBe(202);
});

test('a contract wallet is told that it is one', async () => {
  const { payment } = await signed('eip155:84532');
  const { authorization } = payment.payload;
  const wrapped = { ...payment, payload: { authorization, signature: `0x${'12'.repeat(200)}` } };
  const { body, status } = await post(shop.url, { 'payment-signature': Payer.base64(wrapped) });
  expect(status).toBe(402);
  expect(body.detail).toContain('contract wallet');
});
