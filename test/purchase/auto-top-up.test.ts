import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../relay/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

const wish = { below_usd: '0.98', amount_usd: '1.00', monthly_max_usd: '3.00' };
/** 3-D Secure at every payment. */
const challengingCard = '4000 0027 6000 3184';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let network: Network.Network;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket, head }) => {
    const max = Number(/max=(\d+)/.exec(head)?.[1] ?? 1);
    socket.write(Upstream.http(200, JSON.stringify({ count: max })));
  });
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'periods.yaml',
    env: Agent.shopEnv,
  });
  network = Network.of(shop.sandboxUrl);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

type Buyer = Agent.Agent & { token: string; account: string };

/** Someone who has bought 1.00 USD on the hosted page. */
async function buyer(card?: string): Promise<Buyer> {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, { amount_usd: '1.00' });
  const page = await Person.open(offer.checkoutUrl);
  const answer = await Person.submit(page, card);
  let next = answer.headers.get('location') ?? '';
  if (next.includes('/challenge/')) {
    const body = new URLSearchParams({ outcome: 'complete' });
    next = (await fetch(next, { method: 'POST', body, redirect: 'manual' })).headers.get('location') ?? '';
  }
  expect((await fetch(next)).status).toBe(200);
  return agent;
}

function put(agent: Buyer, body: unknown): Promise<Customer.Answer> {
  return Customer.call(agent, 'PUT', `${shop.url}/account/auto-top-up`, body);
}

async function use(agent: Buyer, units: number): Promise<void> {
  const { status, text } = await Customer.call(agent, 'GET', `${shop.url}/v1/search?max=${units}`);
  expect(status, text).toBe(200);
}

async function overview(agent: Buyer) {
  return (await Customer.call(agent, 'GET', `${shop.url}/account`)).body;
}

/** The payments of all top-ups of an account, as the processor has them. */
async function charges(agent: Buyer) {
  const all = await network.stripe.paymentIntents.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 });
  return all.filter(({ metadata }) => metadata.challenge?.startsWith(`topup_${agent.account}_`));
}

test('it is off until it is agreed to, and needs a card that a person has left', async () => {
  const agent = await Agent.registered(shop.url);
  expect((await overview(agent)).auto_top_up).toEqual({ state: 'off' });
  const refused = await put(agent, wish);
  expect([refused.status, refused.body.code]).toEqual([409, 'no_card_on_file']);
  const { method, url, headers, body } = refused.body.purchase;
  const offered = await Customer.call(agent, method, url, body, headers);
  expect([offered.status, typeof offered.body.checkout_url]).toEqual([402, 'string']);
});

test('a key of the account may look, and agrees to nothing', async () => {
  const agent = await buyer();
  const made = await Customer.call(agent, 'POST', `${shop.url}/account/keys`, { name: 'a helper' });
  const token: string = made.body.key;
  expect((await Customer.call({ token }, 'GET', `${shop.url}/account/auto-top-up`)).status).toBe(200);
  const refused = await Customer.call({ token }, 'PUT', `${shop.url}/account/auto-top-up`, wish);
  expect([refused.status, refused.body.code]).toEqual([403, 'key_not_allowed']);
});

test.each([
  [{ ...wish, amount_usd: '0.10', below_usd: '0.05' }, 'amount_usd'],
  [{ ...wish, below_usd: '2.00' }, 'below_usd'],
  [{ ...wish, monthly_max_usd: '0.99' }, 'monthly_max_usd'],
  [{ ...wish, amount_usd: 1 }, 'amount_usd'],
  [{ ...wish, below_usd: '0.001' }, 'below_usd'],
  [{ below_usd: '1.00' }, 'amount_usd'],
  [{ ...wish, below: '1.00' }, 'body'],
  [{ enabled: 'yes' }, 'enabled'],
  [[], 'body'],
])('refuses %o', async (body, field) => {
  const answer = await put(await Agent.registered(shop.url), body);
  expect(answer.status).toBe(422);
  expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
});

test('a call that leaves less than was agreed is followed by one charge of the card', async () => {
  const agent = await buyer();
  const agreed = await put(agent, wish);
  expect(agreed.body.auto_top_up).toEqual({
    state: 'on',
    ...wish,
    charged_this_month_usd: '0.00',
    card: { brand: 'visa', last4: '4242' },
  });
  await shop.addStorefront();
  await use(agent, 30);
  await expect.poll(async () => (await overview(agent)).balance_usd, { timeout: 10_000 }).toBe('1.97');
  expect((await charges(agent)).map(({ status }) => status)).toEqual(['succeeded']);
  const receipts = (await Customer.call(agent, 'GET', `${shop.url}/account/receipts`)).body.receipts;
  expect(receipts.map(({ rail, amount_usd }: Record<string, string>) => [rail, amount_usd])).toEqual([
    ['top_up', '1.00'],
    ['card', '1.00'],
  ]);
  expect((await put(agent, {})).body.auto_top_up).toMatchObject({
    state: 'off',
    charged_this_month_usd: '1.00',
  });
  await Books.proves(shop.sql);
});

test.each([
  ['that wants 3-D Secure', challengingCard, null, 'authenticat'],
  ['that is declined by now', undefined, 'pm_card_chargeDeclined', 'declined'],
  ['that is no longer kept', undefined, 'pm_gone', 'no longer be charged'],
])('a card %s stops it, with the reason, until it is agreed to anew', async (_, number, method, reason) => {
  const agent = await buyer(number);
  expect((await put(agent, wish)).status).toBe(200);
  if (method)
    await shop.sql`UPDATE shop.top_up SET saved_card = jsonb_set(saved_card, '{method}', to_jsonb(${method}::text)) WHERE account_id = ${agent.account}`;
  await use(agent, 30);
  const stops = () =>
    expect.poll(async () => (await overview(agent)).auto_top_up.state, { timeout: 10_000 }).toBe('stopped');
  await stops();
  const told = (await Customer.call(agent, 'GET', `${shop.url}/account/auto-top-up`)).body.auto_top_up;
  expect(told.reason).toContain(reason);
  expect(told.charged_this_month_usd).toBe('0.00');
  expect((await overview(agent)).balance_usd).toBe('0.97');
  if (method) return;
  expect((await put(agent, wish)).body.auto_top_up.state).toBe('on');
  await stops();
  expect(await charges(agent)).toHaveLength(2);
});

test('a process that is killed in the middle of a charge leaves one payment, which is granted once', async () => {
  const agent = await buyer();
  await put(agent, wish);
  await network.control('/webhooks/pause');
  await network.fault('POST /v1/payment_intents', 'timeout_after', 1);
  await use(agent, 30);
  await expect.poll(async () => (await charges(agent)).length, { timeout: 10_000 }).toBe(1);
  await Promise.all(shop.storefronts.map((storefront) => storefront.kill()));
  const [row] =
    await shop.sql`SELECT state FROM shop.purchase WHERE account_id = ${agent.account} AND rail = 'top_up'`;
  expect(row?.state).toBe('claimed');
  const url = await shop.addStorefront();
  const balance = async () => (await Customer.call(agent, 'GET', `${url}/account`)).body.balance_usd;
  await expect.poll(balance, { timeout: 40_000, interval: 500 }).toBe('1.97');
  expect(await charges(agent)).toHaveLength(1);
  await network.control('/webhooks/resume');
  await Books.proves(shop.sql);
}, 60_000);
