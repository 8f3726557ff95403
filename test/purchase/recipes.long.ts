import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Mcp from '../journeys/mcp-client.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Chain from '../support/chain.ts';
import * as Customer from '../support/customer.ts';
import * as Facilitator from '../support/facilitator.ts';
import * as Payer from '../support/payer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Network from './network.ts';
import * as Recipe from './recipe.ts';

let upstream: Upstream.ScriptedUpstream;
let facilitator: Facilitator.FacilitatorDouble;
let chain: Chain.ChainDouble;
let shop: Shop.Shop;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":20}')));
  facilitator = await Facilitator.open();
  chain = await Chain.open(() => facilitator.settled);
  const env = {
    ...Agent.shopEnv,
    X402_PAY_TO: '0x00000000000000000000000000000000000000aa',
    X402_FACILITATOR_URL: facilitator.url,
    X402_RPC_URL: chain.url,
  };
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml', env });
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await Promise.all([facilitator?.close(), upstream?.close(), chain?.close()]);
});

/** The calls that a new account is refused, by the code of the refusal. */
const refusedCalls = {
  plan_required: { path: '/v1/reserved', tool: 'POST_v1_reserved', body: {}, status: 403 },
  credit_exhausted: { path: '/v1/list', tool: 'POST_v1_list', body: { max: 40 }, status: 402 },
};
type Code = keyof typeof refusedCalls;
const codes = Object.keys(refusedCalls) as Code[];

const call = (customer: Customer.Customer, code: Code) =>
  Customer.call(customer, 'POST', shop.url + refusedCalls[code].path, refusedCalls[code].body);

/** A new account, and the request of its refusal that buys credit. */
async function refused(code: Code): Promise<{ customer: Customer.Customer; purchase: Customer.Request }> {
  const customer = await Customer.register(shop.url);
  const answer = await call(customer, code);
  expect(answer.status).toBe(refusedCalls[code].status);
  expect(answer.body.code).toBe(code);
  const requests = Recipe.requestsIn(answer.body);
  expect(requests).toHaveLength(answer.body.plans.length);
  return { customer, purchase: answer.body.plans[0].purchase };
}

const accountsOf = async () => (await shop.sql`SELECT count(*)::integer AS all FROM shop.account`)[0]?.all;

/** Checks that the payment has reached the account that was refused, that no other was opened, and that the call now works. */
async function expectCredited(customer: Customer.Customer, code: Code, accountsBefore: number) {
  const { body } = await Customer.call(customer, 'GET', `${shop.url}/account`);
  expect(body.balance_usd).toBe('0.50');
  expect(await accountsOf()).toBe(accountsBefore);
  expect((await call(customer, code)).status).toBe(200);
}

describe.each(codes)('the purchase in a refusal %s, sent as it stands', (code) => {
  test('and paid with a card token, credits the account that was refused', async () => {
    const { customer, purchase } = await refused(code);
    const before = await accountsOf();
    const { challenge } = Agent.readOffer(await Customer.send(purchase), undefined);
    const spt = await Network.of(shop.sandboxUrl).mint();
    const field = challenge.header ?? 'authorization';
    const headers = { ...purchase.headers, [field]: Agent.credential(challenge, { spt }) };
    const paid = await Customer.send({ ...purchase, headers });
    expect(paid.status).toBe(200);
    expect(paid.body).not.toHaveProperty('access_token');
    expect(paid.body).not.toHaveProperty('balance_usd');
    await expectCredited(customer, code, before);
  });

  test('and paid by x402, credits the account that was refused', async () => {
    const { customer, purchase } = await refused(code);
    const before = await accountsOf();
    const offer = await Customer.send(purchase);
    expect(offer.status, offer.text).toBe(402);
    const required = JSON.parse(
      Buffer.from(offer.headers.get('payment-required') ?? '', 'base64').toString(),
    );
    const payment = await Payer.pay2(
      Payer.payer(),
      required.accepts[0],
      { nowMs: Date.now() },
      required.resource,
    );
    const headers = { ...purchase.headers, 'payment-signature': Payer.base64(payment) };
    const paid = await Customer.send({ ...purchase, headers });
    expect(paid.status).toBe(200);
    expect(paid.body).not.toHaveProperty('access_token');
    const again = await Customer.send({ ...purchase, headers });
    expect(again.status).toBe(200);
    await expectCredited(customer, code, before);
  });

  test('and paid by a person on the card page, credits that account, and its status says so', async () => {
    const { customer, purchase } = await refused(code);
    const before = await accountsOf();
    const offer = await Customer.send(purchase);
    expect(offer.status, offer.text).toBe(402);
    const page = offer.body.rails.find(({ rail }: { rail: string }) => rail === 'checkout');
    expect((await Customer.send(page.status)).body.state).toBe('offered');
    const shown = await Customer.pay(page.url);
    expect(shown.text).not.toContain('access_token');
    expect((await Customer.send(page.status)).body.state).toBe('granted');
    const own = await Customer.send({
      ...page.status,
      headers: { ...page.status.headers, authorization: `Bearer ${customer.token}` },
    });
    expect(own.body.account).toBe(customer.account);
    await expectCredited(customer, code, before);
  });

  test('with the bearer of the caller too, shows that caller its balance', async () => {
    const { customer, purchase } = await refused(code);
    const authorization = `Bearer ${customer.token}`;
    const mine = { ...purchase, headers: { ...purchase.headers, authorization } };
    const { challenge } = Agent.readOffer(await Customer.send(mine), undefined);
    const spt = await Network.of(shop.sandboxUrl).mint();
    const field = challenge.header ?? 'authorization';
    const headers = { ...mine.headers, [field]: Agent.credential(challenge, { spt }) };
    const paid = await Customer.send({ ...mine, headers });
    expect(paid.body).toMatchObject({ account: customer.account, balance_usd: '0.50' });
  });

  test('by another account, is refused and charges nothing', async () => {
    const { purchase } = await refused(code);
    const stranger = await Customer.register(shop.url);
    const headers = { ...purchase.headers, authorization: `Bearer ${stranger.token}` };
    const answer = await Customer.send({ ...purchase, headers });
    expect(answer.status).toBe(422);
    expect(answer.body.errors[0].field).toBe('account');
  });

  test('over MCP, credits the account that was refused', async () => {
    const customer = await Customer.register(shop.url);
    const client = await Mcp.connect(shop.url, customer.token, 'auto');
    const { tool, body } = refusedCalls[code];
    const answer = await Mcp.call(client, tool, { body });
    expect(answer.body.code).toBe(code);
    const before = await accountsOf();
    const offer = await Customer.send(answer.body.plans[0].purchase);
    await Customer.pay(offer.body.checkout_url);
    await expectCredited(customer, code, before);
  });
});

test('a changed or foreign account reference buys nothing', async () => {
  const { purchase } = await refused('plan_required');
  const other = await Customer.register(shop.url);
  const url = new URL(purchase.url);
  const reference = url.searchParams.get('account') ?? '';
  const swapped = `${other.account}.${reference.split('.').at(-1)}`;
  for (const account of [swapped, '', 'x', reference.slice(0, -1), `${reference}.`, other.account]) {
    url.searchParams.set('account', account);
    const answer = await Customer.send({ ...purchase, url: url.href });
    expect(answer.status, account).toBe(422);
  }
});

test('an account reference opens nothing but payments: no return address, no balance, no call', async () => {
  const { purchase } = await refused('plan_required');
  const back = { ...purchase, body: { return_url: 'https://elsewhere.example/' } };
  expect((await Customer.send(back)).status).toBe(422);
  const reference = new URL(purchase.url).searchParams.get('account') ?? '';
  for (const path of ['/account', '/v1/key']) {
    const headers = { authorization: `Bearer ${reference}` };
    expect((await Customer.send({ method: 'GET', url: shop.url + path, headers })).status).toBe(401);
  }
});

test('the registration in a 401 opens an account, and its retry is the refused request', async () => {
  const url = `${shop.url}/v1/list?a=1`;
  const request = { method: 'POST', url, headers: { 'content-type': 'application/json' }, body: { max: 5 } };
  const { status, body } = await Customer.send(request);
  expect(status).toBe(401);
  const { then, ...registration } = body.registration;
  const registered = await Customer.send(registration);
  expect(registered.status).toBe(201);
  const known: Recipe.Known = registered.body;
  const retry = Recipe.fill({ ...request, ...then.retry }, known);
  expect(retry.url).toBe(url);
  const { header, value } = Recipe.fill(then.send, known);
  const headers = { ...request.headers, [header]: value };
  expect((await Customer.send({ ...retry, headers })).status).toBe(200);
  const renewed = await Customer.send(Recipe.fill(then.renew, known));
  expect(renewed.status).toBe(200);
  expect(renewed.body.access_token).not.toBe(registered.body.access_token);
  expect(renewed.body).toHaveProperty('identity_assertion');
});
