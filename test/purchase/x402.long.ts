import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import * as Sluice from '../cli/sluice.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Chain from '../support/chain.ts';
import * as Customer from '../support/customer.ts';
import * as Facilitator from '../support/facilitator.ts';
import * as Payer from '../support/payer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';

let upstream: Upstream.ScriptedUpstream;
let facilitator: Facilitator.FacilitatorDouble;
let chain: Chain.ChainDouble;
let shop: Shop.Shop;
let other: string;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  facilitator = await Facilitator.open();
  chain = await Chain.open(() => facilitator.settled);
  const env = {
    ...Agent.shopEnv,
    X402_PAY_TO: '0x00000000000000000000000000000000000000aa',
    X402_FACILITATOR_URL: facilitator.url,
    X402_RPC_URL: chain.url,
  };
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml', env });
  other = await shop.addStorefront();
});
beforeEach(() => facilitator.setMood('honest'));
afterAll(async () => {
  await shop?.stop();
  await Promise.all([facilitator?.close(), upstream?.close(), chain?.close()]);
});

let requests = 0;

/** Sends each request from its own address, because these tests are not about the limit per address. */
function post(
  url: string,
  body: string,
  headers: Record<string, string>,
  plan = 'credit',
): Promise<Customer.Answer> {
  return fetch(`${url}/plans/${plan}/purchase`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': `198.51.100.${requests++ % 250}`,
      ...headers,
    },
    body,
  }).then(Customer.read);
}

/** Returns a priced 402, and a payment for it by a new wallet. */
async function offered(body = '{}', headers: Record<string, string> = {}) {
  const answer = await post(shop.url, body, headers);
  expect(answer.status).toBe(402);
  const required = JSON.parse(Buffer.from(answer.headers.get('payment-required') ?? '', 'base64').toString());
  const wallet = Payer.payer();
  const payment = await Payer.pay2(wallet, required.accepts[0], { nowMs: Date.now() }, required.resource);
  const nonce = payment.payload.authorization.nonce;
  const send = (url = shop.url, sent = body, more = headers) =>
    post(url, sent, { ...more, 'payment-signature': Payer.base64(payment) });
  return {
    answer,
    required,
    wallet,
    payment,
    send,
    settled: () => facilitator.settled.filter((one) => one.nonce === nonce),
  };
}

test('one 402 carries both rails at one price, and Accept-Payment leaves out what is not wanted', async () => {
  const { answer, required } = await offered('{"amount_usd":"2.50"}');
  expect(required.accepts[0]).toMatchObject({ amount: '2500000', network: 'eip155:84532' });
  expect(answer.headers.get('www-authenticate')).toContain('method="stripe"');
  expect(answer.body).toMatchObject({ x402Version: 1, purchase: { amount_usd: '2.50' } });
  expect(answer.body.accepts[0].maxAmountRequired).toBe('2500000');
  const card = await post(shop.url, '{}', { 'accept-payment': 'stripe/charge' });
  expect(card.headers.get('payment-required')).toBeNull();
  const coin = await post(shop.url, '{}', { 'accept-payment': 'evm/charge' });
  expect(coin.headers.get('www-authenticate')).toBeNull();
});

test('is settled first, granted once, and answered the same however often it comes', async () => {
  const sale = await offered();
  const [first, ...others] = await Promise.all(
    Array.from({ length: 50 }, (_, at) => sale.send(at % 2 ? other : shop.url)),
  );
  for (const answer of [first, ...others]) expect(answer?.status).toBe(200);
  expect(sale.settled()).toHaveLength(1);
  const again = await sale.send(other);
  expect(again.status).toBe(200);
  const made = [first, ...others].filter((answer) => answer?.body.account);
  expect(made).toHaveLength(1);
  expect(made[0]?.body).toMatchObject({ balance_usd: '0.50', access_token: expect.any(String) });
  const response = JSON.parse(Buffer.from(again.headers.get('payment-response') ?? '', 'base64').toString());
  expect(response).toMatchObject({ success: true, transaction: sale.settled()[0]?.transaction });
  expect(await Books.lotsOf(shop.sql, again.body.purchase.id)).toEqual([500_000]);
  await Books.proves(shop.sql);
});

test('the token that it brings spends what it paid', async () => {
  const { body } = await (await offered()).send();
  const call = await Customer.call({ token: body.access_token }, 'POST', `${shop.url}/v1/list`, '{}');
  expect(call.status).toBe(200);
  expect(call.headers.get('storefront-balance-usd')).toBe('0.499000');
});

test('a payment for one purchase pays for no other', async () => {
  const agent = await Agent.registered(shop.url);
  const sale = await offered();
  expect((await sale.send(shop.url, '{"amount_usd":"5.00"}')).status).toBe(402);
  expect(sale.settled()).toEqual([]);
  expect((await sale.send()).status).toBe(200);
  const another = await sale.send(shop.url, '{}', { authorization: `Bearer ${agent.token}` });
  expect(another.status).toBe(402);
  expect(sale.settled()).toHaveLength(1);
});

test('version 1 pays by its own header', async () => {
  const { required } = await offered();
  const wallet = Payer.payer();
  const payment = await Payer.pay1(wallet, required.accepts[0], { nowMs: Date.now() });
  const answer = await post(shop.url, '{}', { 'x-payment': Payer.base64(payment) });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-payment-response')).not.toBeNull();
});

test('a wallet that cannot pay is declined with a fresh offer, and buys nothing', async () => {
  facilitator.setMood('poor');
  const sale = await offered();
  const answer = await sale.send();
  expect(answer.status).toBe(402);
  expect(answer.body.code).toBe('payment_declined');
  expect(answer.headers.get('payment-required')).not.toBeNull();
});

test.each([
  'settled_cut',
  'settled_unexpected',
  'broken',
  'redirecting',
  'other_payer',
  'no_transaction',
  'endless',
] as const)(
  'never asks for money again where the facilitator is %s, and the chain ends the doubt',
  async (mood) => {
    facilitator.setMood(mood);
    const sale = await offered();
    const answer = await sale.send();
    // A settled payment may be found on the chain at once. Anything else must not be granted.
    expect(sale.settled().length > 0 ? [200, 202] : [202]).toContain(answer.status);
    facilitator.setMood('poor');
    expect([200, 202]).toContain((await sale.send(other)).status);
    facilitator.setMood('honest');
    const last = sale.settled().length > 0;
    await expect.poll(async () => (await sale.send()).status, { timeout: 60_000, interval: 1_000 }).toBe(200);
    expect(sale.settled()).toHaveLength(1);
    expect(last || sale.settled().length === 1).toBe(true);
    await Books.proves(shop.sql);
  },
  90_000,
);

test('two payments in one request are refused', async () => {
  const { required } = await offered();
  const payment = Payer.base64(await Payer.pay2(Payer.payer(), required.accepts[0], { nowMs: Date.now() }));
  const both = await post(shop.url, '{}', { 'payment-signature': payment, authorization: 'Payment e30' });
  expect(both.status).toBe(400);
});

test('reconcile compares what was granted with the chain, and finds what is not there', async () => {
  const { body } = await (await offered()).send();
  const env = {
    DATABASE_URL: shop.databaseUrl,
    STRIPE_SECRET_KEY: 'sk_test_mine',
    STRIPE_API_BASE: shop.sandboxUrl,
    X402_PAY_TO: '0x00000000000000000000000000000000000000aa',
    X402_FACILITATOR_URL: facilitator.url,
    X402_RPC_URL: chain.url,
  };
  const compare = async () => {
    const { out, err } = await Sluice.here(['reconcile', '--json'], env);
    if (out === '') throw new Error(err);
    return JSON.parse(out);
  };
  const before = await compare();
  expect(before.differences).toEqual([]);
  expect(before.taken.processor).toBe(before.taken.books);
  chain.forget();
  const { differences, taken } = await compare();
  expect(taken).toEqual({ processor: 0, books: before.taken.books });
  const payment = body.receipt.reference;
  expect(differences).toContainEqual(
    expect.objectContaining({ kind: 'not_paid', order: body.purchase.id, payment, state: 'person' }),
  );
});
