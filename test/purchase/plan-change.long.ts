import { expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import type * as Shop from '../support/shop.ts';
import * as Books from './books.ts';
import type * as Network from './network.ts';
import type { Subscriber } from './subscription-shop.ts';
import * as SubscriptionShop from './subscription-shop.ts';

const monthSeconds = 31 * 24 * 60 * 60;
const daySeconds = 24 * 60 * 60;
/** Number of times that Stripe's client sends a request that fails. */
const attempts = 3;
/** Micro-dollars per unit at the list price of each plan of periods.yaml. */
const unitPrice = { small: 100_000, large: 40_000 };
const update = 'POST /v1/subscriptions/:id';

let shop: Shop.Shop;
let network: Network.Network;
SubscriptionShop.openForEachTest((opened) => {
  ({ shop, network } = opened);
});

const subscribed = (plan: string) => SubscriptionShop.subscribe(shop, plan);
const use = (agent: Subscriber, units: number) => SubscriptionShop.useUnits(shop, agent, units);

function change(agent: Subscriber, from: string, to: string): Promise<Customer.Answer> {
  return Customer.call(agent, 'POST', `${shop.url}/account/plans/${from}/change`, { plan: to });
}

async function left(agent: Subscriber): Promise<number> {
  return (await Customer.call(agent, 'GET', `${shop.url}/account`)).body.included_remaining;
}

/** Returns the amount that the processor charged to the account's card, in micro-dollars. */
async function paid(agent: Subscriber): Promise<number> {
  const [row] = await shop.sql<
    { id: string }[]
  >`SELECT processor_id AS id FROM shop.subscription WHERE account_id = ${agent.account} AND processor_id IS NOT NULL`;
  const { customer } = await network.stripe.subscriptions.retrieve(row?.id ?? '');
  const intents = await network.stripe.paymentIntents.list({ limit: 100 });
  return intents.data
    .filter((intent) => intent.customer === customer)
    .reduce((sum, intent) => sum + intent.amount_received * 10_000, 0);
}

/** Checks that no pending item at the processor makes a later invoice cheaper. */
async function nothingWaits(): Promise<void> {
  expect((await network.stripe.invoiceItems.list({ pending: true })).data).toEqual([]);
}

/** Checks that the account has not received more, at list price, than was paid. */
async function valueIsPaid(agent: Subscriber, usedOfSmall: number): Promise<void> {
  const received = usedOfSmall * unitPrice.small + (await left(agent)) * unitPrice.large;
  expect(received).toBeLessThanOrEqual(await paid(agent));
  await Books.proves(shop.sql);
}

test('a request that read its period before another one replaced it charges nothing more', async () => {
  const agent = await subscribed('small');
  const gate = 4_242;
  await shop.sql.begin(async (sql) => {
    await sql`CREATE SEQUENCE public.requests`;
    await sql`ALTER FUNCTION shop.begin_plan_change(text, text, text, jsonb) RENAME TO begin_plan_change_now`;
    await sql`CREATE FUNCTION shop.begin_plan_change(p_id text, p_change text, p_plan text, p_replaces jsonb) RETURNS shop.plan_change LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('public.requests') = 1 THEN PERFORM pg_advisory_xact_lock(4242); END IF;
        RETURN shop.begin_plan_change_now(p_id, p_change, p_plan, p_replaces);
      END $$`;
  });
  const held = await shop.sql.reserve();
  await held`SELECT pg_advisory_lock(${gate})`;
  const late = change(agent, 'small', 'large');
  const waits = () =>
    shop.sql`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${gate} AND NOT granted`;
  await expect.poll(async () => (await waits()).length).toBe(1);
  expect((await change(agent, 'small', 'large')).status).toBe(200);
  const once = await paid(agent);
  await held`SELECT pg_advisory_unlock(${gate})`;
  held.release();
  expect((await late).status).toBe(200);
  expect(await paid(agent)).toBe(once);
  expect(await shop.sql`SELECT state FROM shop.plan_change`).toEqual([{ state: 'made' }]);
  await valueIsPaid(agent, 0);
});

test('units used while the processor is asked for the change come off the new plan', async () => {
  const agent = await subscribed('small');
  await network.fault(update, 'delay_before', 1, 1_500);
  const changing = change(agent, 'small', 'large');
  await expect.poll(() => network.isStriking(update)).toBe(false);
  await use(agent, 100);
  expect((await changing).status).toBe(200);
  await expect.poll(() => left(agent)).toBeGreaterThan(100);
  await valueIsPaid(agent, 100);
});

test('a change that failed and is asked for again counts nothing that was used in between', async () => {
  const agent = await subscribed('small');
  await network.fault(update, '500_before', attempts);
  expect((await change(agent, 'small', 'large')).status).toBe(503);
  await use(agent, 100);
  expect((await change(agent, 'small', 'large')).status).toBe(200);
  await expect.poll(() => left(agent)).toBeGreaterThan(100);
  await valueIsPaid(agent, 100);
});

test('a change that the processor never made leaves nothing that makes the next renewal cheaper', async () => {
  const agent = await subscribed('small');
  await network.fault(update, '500_before', attempts);
  expect((await change(agent, 'small', 'large')).status).toBe(503);
  await nothingWaits();
  await network.control('/clock', { advance_seconds: monthSeconds });
  await expect.poll(() => paid(agent)).toBe(20_000_000);
});

test('a lock that the processor could not get leaves the plan as it was, and the change can be asked for again', async () => {
  const agent = await subscribed('small');
  await network.fault(update, 'lock_timeout');
  expect((await change(agent, 'small', 'large')).status).toBe(503);
  expect(await paid(agent)).toBe(10_000_000);
  expect((await change(agent, 'small', 'large')).status).toBe(200);
  await expect.poll(() => left(agent)).toBeGreaterThan(990);
  await valueIsPaid(agent, 0);
});

test('a change whose answer is lost is made once, also when it is asked for again after the processor has forgotten it', async () => {
  const agent = await subscribed('small');
  await network.control('/webhooks/pause');
  await network.fault(update, 'cut_after', attempts);
  expect((await change(agent, 'small', 'large')).status).toBe(503);
  await network.control('/clock', { advance_seconds: 2 * daySeconds });
  expect((await change(agent, 'small', 'large')).status).toBe(200);
  await expect.poll(() => left(agent)).toBeGreaterThan(990);
  expect(await paid(agent)).toBeLessThanOrEqual(40_010_000);
  await valueIsPaid(agent, 0);
  await nothingWaits();
});

test('a change whose answer is lost is found and booked when nobody asks again', async () => {
  const agent = await subscribed('small');
  await network.control('/webhooks/pause');
  await network.fault(update, 'cut_after', attempts);
  expect((await change(agent, 'small', 'large')).status).toBe(503);
  await shop.sql`UPDATE shop.plan_change SET asked_at = asked_at - interval '10 minutes'`;
  await expect.poll(() => left(agent), { timeout: 40_000, interval: 500 }).toBeGreaterThan(990);
  await valueIsPaid(agent, 0);
});

test('a change that the processor never made is given up when nobody asks again', async () => {
  const agent = await subscribed('small');
  await network.fault(update, '500_before', attempts);
  expect((await change(agent, 'small', 'large')).status).toBe(503);
  await shop.sql`UPDATE shop.plan_change SET asked_at = asked_at - interval '10 minutes'`;
  const open = async () => (await shop.sql`SELECT FROM shop.plan_change WHERE state = 'open'`).length;
  await expect.poll(open, { timeout: 40_000, interval: 500 }).toBe(0);
  expect(await paid(agent)).toBe(10_000_000);
  // Another plan can be requested now.
  expect((await change(agent, 'small', 'large')).status).toBe(200);
});

test('a renewal grants what its invoice charges, whatever plan the subscription was set to afterwards', async () => {
  const agent = await subscribed('large');
  expect((await change(agent, 'large', 'small')).status).toBe(200);
  await network.control('/webhooks/pause');
  // The renewal is a draft for an hour, at the price of the smaller plan.
  const [one] = (await network.stripe.subscriptions.list({ limit: 1 })).data;
  const ends = one?.items.data[0]?.current_period_end ?? 0;
  await network.control('/clock', { advance_seconds: ends - Math.floor(Date.now() / 1000) + 60 });
  const drafts = await network.stripe.invoices.list({ status: 'draft' });
  expect(drafts.data.map(({ amount_due }) => amount_due)).toEqual([1_000]);
  await change(agent, 'large', 'large');
  await network.control('/clock', { advance_seconds: 2 * 3_600 });
  await network.control('/webhooks/resume');
  await expect
    .poll(
      async () =>
        (await shop.sql`SELECT FROM ledger.posting WHERE account_id = ${agent.account} AND kind = 'purchase'`)
          .length,
    )
    .toBe(2);
  const amounts = await shop.sql<{ amount: number }[]>`SELECT amount FROM ledger.posting
    WHERE account_id = ${agent.account} AND kind = 'purchase' ORDER BY amount`;
  expect(amounts.map(({ amount }) => amount)).toEqual([100, 1_000]);
});

test('a change that names another price than that of now is refused with both prices, and charges nothing', async () => {
  const agent = await subscribed('small');
  const [one] = (await Customer.call(agent, 'GET', `${shop.url}/account`)).body.subscriptions;
  const paths = ['plans/small', `subscriptions/${one.id}`];
  const pinned = (path: string, price: unknown) =>
    Customer.call(agent, 'POST', `${shop.url}/account/${path}/change`, { plan: 'large', price_usd: price });
  for (const path of paths) {
    for (const price of ['39.99', '40.01', '0'])
      expect(await pinned(path, price)).toMatchObject({
        status: 409,
        body: {
          code: 'price_changed',
          plan: 'large',
          price_usd: '40.00',
          expected_price_usd: expect.any(String),
        },
      });
    for (const price of [40, '-40', '4e1', '', null])
      expect(await pinned(path, price), String(price)).toMatchObject({
        status: 422,
        body: { code: 'invalid_request' },
      });
  }
  const { body } = await pinned('plans/small', '39.99');
  expect(body.expected_price_usd).toBe('39.99');
  expect(body.message).toContain('40.00 USD');
  expect(body.message).toContain('39.99 USD');
  expect(await shop.sql`SELECT FROM shop.plan_change`).toHaveLength(0);
  expect(await paid(agent)).toBe(10_000_000);
  expect((await pinned('plans/small', '40')).status).toBe(200);
  await expect.poll(() => paid(agent)).toBeGreaterThan(10_000_000);
  await valueIsPaid(agent, 0);
});

test('plans of one kind share a product and a price, and invoices of a changed plan name the new one', async () => {
  const agent = await subscribed('small');
  await subscribed('small');
  expect((await change(agent, 'small', 'large')).status).toBe(200);
  const products = (await network.stripe.products.list({ limit: 100 })).data.map(({ name }) => name);
  expect(products.sort()).toEqual(['Large at Periods', 'Small at Periods']);
  const prices = (await network.stripe.prices.list({ limit: 100, active: true })).data;
  expect(prices.map(({ unit_amount }) => unit_amount).sort()).toEqual([1_000, 4_000]);
  const [invoice] = (await network.stripe.invoices.list({ limit: 1 })).data;
  expect(invoice?.lines.data.map(({ description }) => description)).toContain('1 × Large at Periods');
});

test('a plan whose renewal is unpaid is not changed: the refusal has the page of its invoice', async () => {
  const agent = await subscribed('small');
  const before = await paid(agent);
  await SubscriptionShop.failRenewal(shop, network);
  const refused = await change(agent, 'small', 'large');
  expect([refused.status, refused.body.code]).toEqual([409, 'renewal_unpaid']);
  expect(refused.body.pay_url).toMatch(/^http/);
  expect(await paid(agent)).toBe(before);
});

test('a plan that is cancelled before its renewal is charged ends, and the drafted renewal is not charged', async () => {
  const agent = await subscribed('small');
  const before = await paid(agent);
  await network.control('/webhooks/pause');
  const [one] = (await network.stripe.subscriptions.list({ limit: 1 })).data;
  const ends = one?.items.data[0]?.current_period_end ?? 0;
  await network.control('/clock', { advance_seconds: ends - Math.floor(Date.now() / 1000) + 60 });
  expect((await network.stripe.invoices.list({ status: 'draft' })).data).toHaveLength(1);
  // The shop's clock stays, so its period is over here.
  await shop.sql`UPDATE shop.subscription SET period_start = period_start - interval '31 days',
    period_end = clock_timestamp() - interval '1 minute'`;
  expect((await change(agent, 'small', 'large')).body).toMatchObject({
    code: 'renewal_unpaid',
    pay_url: null,
  });
  const cancelled = await Customer.call(agent, 'POST', `${shop.url}/account/plans/small/cancel`, {});
  expect([cancelled.status, cancelled.body.subscription.status]).toEqual([200, 'canceled']);
  await network.control('/clock', { advance_seconds: 2 * 3_600 });
  await network.control('/webhooks/resume');
  const state = async () => (await network.stripe.subscriptions.retrieve(one?.id ?? '')).status;
  const invoices = (await network.stripe.invoices.list({})).data;
  expect(invoices.map(({ status }) => status)).toEqual(['void', 'paid']);
  expect([await state(), await paid(agent)]).toEqual(['canceled', before]);
});
