import { expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import type * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import type * as Network from './network.ts';
import * as SubscriptionShop from './subscription-shop.ts';

const monthSeconds = 31 * 24 * 60 * 60;
const admin = { token: 'adm_of_the_test_and_long_enough' };
const slow = { timeout: 15_000 };

let shop: Shop.Shop;
let network: Network.Network;
SubscriptionShop.openForEachTest(
  (opened) => {
    ({ shop, network } = opened);
  },
  { catalog: 'dollars.yaml', env: { ADMIN_TOKEN: admin.token } },
);

type Buyer = Agent.Agent & { token: string; account: string };

const subscribed = (plan = 'usage') => SubscriptionShop.subscribe(shop, plan);
const use = (agent: Agent.Agent, units: number) => SubscriptionShop.useUnits(shop, agent, units);

async function account({ token }: Pick<Buyer, 'token'>) {
  return (await Customer.call({ token }, 'GET', `${shop.url}/account`)).body;
}

/** The prepaid credit, and the rest of the included dollars. */
async function left(agent: Buyer): Promise<[credit: string, included: string]> {
  const { balance_usd, included_usd } = await account(agent);
  return [balance_usd, included_usd];
}

type Period = { asset: string; kind: string; amount: number; ends: Date; resets: Date };

/** The lots of an account's periods, the oldest first. */
async function periods({ account }: Buyer): Promise<Period[]> {
  return shop.sql<Period[]>`
    SELECT k.asset, k.kind, p.amount, k.expires_at AS ends, k.resets_at AS resets FROM ledger.posting p
      JOIN ledger.lot k ON k.account_id = p.account_id AND k.id = p.lot_id
    WHERE p.account_id = ${account} AND p.kind = 'purchase' ORDER BY k.resets_at`;
}

async function buyCredit(agent: Buyer, amount: string): Promise<string> {
  const offer = await Agent.offer(agent, { amount_usd: amount });
  expect((await Agent.pay(agent, offer, await network.mint())).status).toBe(200);
  return offer.order;
}

function change(agent: Buyer, from: string, to: string): Promise<Customer.Answer> {
  return Customer.call(agent, 'POST', `${shop.url}/account/plans/${from}/change`, `{"plan":"${to}"}`);
}

function refund(purchase: string, amount?: string): Promise<Customer.Answer> {
  const body = { purchase, subscription: 'keep', ...(amount && { amount_usd: amount }) };
  return Customer.call(admin, 'POST', `${shop.url}/admin/refunds`, body);
}

test('a new account has the dollars of the trial, and a call draws its price from them', async () => {
  const { body } = await Customer.send({
    method: 'POST',
    url: `${shop.url}/agent/auth`,
    headers: { 'content-type': 'application/json' },
    body: { type: 'anonymous' },
  });
  expect(body.plan).toMatchObject({ id: 'trial', included_remaining: null, included_usd: '0.05' });
  const { headers } = await Customer.call(
    { token: body.access_token },
    'GET',
    `${shop.url}/v1/search?max=10`,
  );
  const said = ['cost-usd', 'included-usd', 'balance-usd', 'included-remaining', 'plan'];
  expect(said.map((name) => headers.get(`storefront-${name}`))).toEqual([
    ...['0.010000', '0.040000', '0.000000', '0', 'trial'],
  ]);
  await Books.proves(shop.sql);
});

test('the dollars of the trial go first, then those of the subscription, then credit; after that a call is refused', async () => {
  const agent = await subscribed();
  await buyCredit(agent, '0.50');
  expect(await left(agent)).toEqual(['0.50', '0.55']);
  await use(agent, 50);
  const { plans } = await account(agent);
  expect(plans).toMatchObject([
    { id: 'trial', included_usd: '0.00' },
    { id: 'credit', balance_usd: '0.50' },
    { id: 'usage', included_usd: '0.50' },
  ]);
  await use(agent, 480);
  expect(await left(agent)).toEqual(['0.50', '0.02']);
  await use(agent, 50);
  expect(await left(agent)).toEqual(['0.47', '0.00']);
  await use(agent, 470);
  const refused = await Customer.call(agent, 'GET', `${shop.url}/v1/search?max=1`);
  expect(refused.status).toBe(402);
  await Books.proves(shop.sql);
});

test('included units go before included dollars, also within one call', async () => {
  const agent = await subscribed();
  const { checkoutUrl: _, ...offer } = await Agent.offer(agent, {}, 'small');
  expect((await Agent.pay(agent, offer, await network.mint(), 'small')).status).toBe(200);
  await use(agent, 80);
  expect(await account(agent)).toMatchObject({ included_remaining: 20, included_usd: '0.55' });
  await use(agent, 50);
  expect(await account(agent)).toMatchObject({ included_remaining: 0, included_usd: '0.52' });
  await Books.proves(shop.sql);
});

test('each paid period brings its dollars, and those left of the last one are gone', async () => {
  const agent = await subscribed();
  await use(agent, 350);
  expect(await left(agent)).toEqual(['0.00', '0.20']);
  await network.control('/clock', { advance_seconds: monthSeconds });
  await expect.poll(async () => (await periods(agent)).length, slow).toBe(2);
  const [first, second] = await periods(agent);
  // The database's clock stays: the first period's dollars end where the second begins.
  expect(first?.ends.getTime()).toBeLessThanOrEqual(first?.resets.getTime() ?? 0);
  expect(second).toMatchObject({ asset: 'usd', kind: 'allowance', amount: 500_000 });
  await Books.proves(shop.sql);
});

test('dollars left over stay for one more period where the plan says so', async () => {
  const agent = await subscribed('rolling');
  await use(agent, 150);
  expect(await left(agent)).toEqual(['0.00', '0.20']);
  await network.control('/clock', { advance_seconds: monthSeconds });
  await expect.poll(() => left(agent), slow).toEqual(['0.00', '0.50']);
  const [first, second] = await periods(agent);
  expect(first?.ends).toEqual(second?.resets);
  await Books.proves(shop.sql);
});

test('a refund of half of the price takes half of the dollars', async () => {
  const agent = await subscribed();
  expect((await refund(agent.order, '10.00')).status).toBe(200);
  await expect.poll(() => left(agent), slow).toEqual(['0.00', '0.30']);
  await Books.proves(shop.sql);
});

test('a refund of credit takes credit and pays out no included dollars', async () => {
  const agent = await subscribed();
  const order = await buyCredit(agent, '1.00');
  await use(agent, 100);
  expect(await left(agent)).toEqual(['1.00', '0.45']);
  const unspent = await shop.sql`SELECT shop.unspent_value(o) AS value FROM shop.purchase o
    WHERE account_id = ${agent.account} ORDER BY amount`;
  // The 0.45 dollars left of 0.50 are worth 18 of the 20 dollars that were paid for them.
  expect(unspent.map(({ value }) => value)).toEqual([1_000_000, 18_000_000]);
  await refund(order, '1.00');
  await expect.poll(() => left(agent), slow).toEqual(['0.00', '0.45']);
  await use(agent, 50);
  expect((await refund(agent.order, '20.00')).status).toBe(200);
  await expect.poll(() => left(agent), slow).toEqual(['0.00', '0.00']);
  await Books.proves(shop.sql);
});

test('a dearer plan costs less by the dollars left of the old one, at the price that was paid for them', async () => {
  const agent = await subscribed();
  await use(agent, 300);
  expect((await change(agent, 'usage', 'bigger')).status).toBe(200);
  await expect.poll(() => left(agent), slow).toEqual(['0.00', '2.00']);
  const [newest] = (await Customer.call(agent, 'GET', `${shop.url}/account/receipts`)).body.receipts;
  expect(newest).toMatchObject({ plan: 'bigger', amount_usd: '30.00' });
  await Books.proves(shop.sql);
});

test('a plan of units changes into a plan of dollars by the worth of the units left', async () => {
  const agent = await subscribed('small');
  await use(agent, 50);
  expect((await change(agent, 'small', 'usage')).status).toBe(200);
  await expect.poll(async () => (await account(agent)).included_remaining, slow).toBe(0);
  const [newest] = (await Customer.call(agent, 'GET', `${shop.url}/account/receipts`)).body.receipts;
  expect(newest).toMatchObject({ plan: 'usage', amount_usd: '15.00' });
  await Books.proves(shop.sql);
});

test('every listing says dollars of usage and no number of units', async () => {
  const page = await (await fetch(shop.url, { headers: { accept: 'text/html' } })).text();
  expect(page).toContain('0.50 USD of usage per month');
  expect(page).toContain('0.05 USD of usage, once');
  const { body: manifest } = await Customer.send({ method: 'GET', url: `${shop.url}/manifest.json` });
  expect(manifest.plans.find(({ id }: { id: string }) => id === 'usage')).toMatchObject({
    included: null,
    included_usd: '0.50',
  });
  const llms = await (await fetch(`${shop.url}/llms-full.txt`)).text();
  expect(llms).toContain('20.00 USD a month, 0.50 USD of usage');
  const auth = await (await fetch(`${shop.url}/auth.md`)).text();
  expect(auth).toContain('20.00 USD a month, 0.50 USD of usage included');
  const service = await Customer.send({ method: 'GET', url: `${shop.url}/services/lists` });
  const row = service.body.plans.find(({ plan }: { plan: string }) => plan === 'usage');
  expect(row).toMatchObject({ included_units: null, included_usd: '0.50', price_per_unit_usd: '0.001' });
  for (const text of [page, llms, auth, JSON.stringify(manifest)]) {
    expect(text).not.toMatch(/500[ ,_]?000|50[ ,_]?000|\[object/);
  }
});
