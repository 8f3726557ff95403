import { expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import type * as Shop from '../support/shop.ts';
import type * as Agent from './agent.ts';
import * as Books from './books.ts';
import type * as Network from './network.ts';
import type { Subscriber } from './subscription-shop.ts';
import * as SubscriptionShop from './subscription-shop.ts';

const monthSeconds = 31 * 24 * 60 * 60;

let shop: Shop.Shop;
let network: Network.Network;
SubscriptionShop.openForEachTest((opened) => {
  ({ shop, network } = opened);
});

const subscribed = (plan = 'small') => SubscriptionShop.subscribe(shop, plan);
const use = (agent: Agent.Agent, units: number) => SubscriptionShop.useUnits(shop, agent, units);

async function account(agent: Agent.Agent) {
  return (await Customer.call({ token: agent.token ?? '' }, 'GET', `${shop.url}/account`)).body;
}

function decide(agent: Agent.Agent, path: string, body = '{}'): Promise<Customer.Answer> {
  return Customer.call({ token: agent.token ?? '' }, 'POST', `${shop.url}/account/plans/${path}`, body);
}

/** The lots of an account's periods, the oldest first. */
async function lots(agent: Subscriber): Promise<{ amount: number; ends: Date; resets: Date }[]> {
  return [
    ...(await shop.sql<{ amount: number; ends: Date; resets: Date }[]>`
      SELECT p.amount, k.expires_at AS ends, k.resets_at AS resets FROM ledger.posting p
        JOIN ledger.lot k ON k.account_id = p.account_id AND k.id = p.lot_id
      WHERE p.account_id = ${agent.account} AND p.kind = 'purchase' ORDER BY k.resets_at`),
  ];
}

test('a person subscribes on the hosted page, and the plan renews by itself', async () => {
  const agent = await subscribed();
  const before = await account(agent);
  expect(before).toMatchObject({ included_remaining: 100 });
  expect(before.subscriptions).toMatchObject([{ plan: 'small', status: 'active', renews: true }]);
  await network.control('/clock', { advance_seconds: monthSeconds });
  await expect.poll(async () => (await lots(agent)).length).toBe(2);
  const [first, second] = await lots(agent);
  // The first period's units end where the second begins.
  expect(first?.ends.getTime()).toBeLessThanOrEqual(first?.resets.getTime() ?? 0);
  expect(second?.amount).toBe(100);
  expect(second?.ends.getTime()).toBe((second?.resets.getTime() ?? 0) + 3 * 86_400_000);
  const receipts = (await Customer.call(agent, 'GET', `${shop.url}/account/receipts`)).body.receipts;
  expect(receipts.map(({ rail }: { rail: string }) => rail)).toEqual(['invoice', 'card']);
  await Books.proves(shop.sql);
});

test('a plan that is cancelled ends with its period, and goes on when it is resumed', async () => {
  const agent = await subscribed();
  expect((await decide(agent, 'small/cancel')).body.subscription).toMatchObject({
    cancel_at_period_end: true,
    renews: false,
  });
  const [ending] = await lots(agent);
  expect(ending?.ends).toEqual(ending?.resets);
  expect((await decide(agent, 'small/resume')).body.subscription).toMatchObject({
    cancel_at_period_end: false,
    renews: true,
  });
  expect((await decide(agent, 'small/cancel')).status).toBe(200);
  await network.control('/clock', { advance_seconds: monthSeconds });
  await expect.poll(async () => (await account(agent)).subscriptions[0].status).toBe('canceled');
  expect(await lots(agent)).toHaveLength(1);
});

test('a key of the account cancels a plan and decides nothing else of it', async () => {
  const agent = await subscribed();
  const made = await Customer.call(agent, 'POST', `${shop.url}/account/keys`, { name: 'robot' });
  const robot = { ...agent, token: made.body.key as string };
  expect((await decide(robot, 'small/change', '{"plan":"large"}')).body.code).toBe('key_not_allowed');
  expect((await decide(robot, 'small/cancel')).body.subscription).toMatchObject({ renews: false });
  expect((await decide(robot, 'small/resume')).body.code).toBe('key_not_allowed');
});

test('a dearer plan begins at once, for what is left of the old one less', async () => {
  const agent = await subscribed();
  await use(agent, 75);
  const changed = await decide(agent, 'small/change', '{"plan":"large"}');
  expect(changed.status, changed.text).toBe(200);
  await expect.poll(async () => (await account(agent)).included_remaining).toBe(1_000);
  const [newest] = (await Customer.call(agent, 'GET', `${shop.url}/account/receipts`)).body.receipts;
  expect(newest).toMatchObject({ plan: 'large', amount_usd: '37.50', rail: 'invoice' });
  await Books.proves(shop.sql);
});

test('a change whose answer is lost is charged once, however often it is asked for', async () => {
  const agent = await subscribed();
  await use(agent, 40);
  await network.fault('POST /v1/subscriptions/:id', 'cut_after', 3);
  expect((await decide(agent, 'small/change', '{"plan":"large"}')).status).toBe(503);
  await use(agent, 10);
  const again = await Promise.all([1, 2, 3].map(() => decide(agent, 'small/change', '{"plan":"large"}')));
  // The notice may have been quicker: then the plan is not `small` any more.
  for (const { status } of again) expect([200, 404]).toContain(status);
  // The ten are of the old plan, or of the new one where the notice was quicker.
  await expect.poll(async () => (await account(agent)).included_remaining).toBeGreaterThanOrEqual(990);
  const { receipts } = (await Customer.call(agent, 'GET', `${shop.url}/account/receipts`)).body;
  expect(receipts.map(({ amount_usd }: { amount_usd: string }) => amount_usd)).toEqual(['34.00', '10.00']);
  await Books.proves(shop.sql);
});

test('a card that is declined changes nothing, and another one does', async () => {
  const agent = await subscribed();
  const [row] = await shop.sql<
    { id: string }[]
  >`SELECT id FROM shop.subscription WHERE account_id = ${agent.account}`;
  const { customer, default_payment_method: good } = await network.stripe.subscriptions.retrieve(
    row?.id ?? '',
  );
  const bad = await network.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
    customer: String(customer),
  });
  await network.stripe.subscriptions.update(row?.id ?? '', { default_payment_method: bad.id });
  expect((await decide(agent, 'small/change', '{"plan":"large"}')).status).toBe(402);
  expect((await account(agent)).included_remaining).toBe(100);
  await network.stripe.subscriptions.update(row?.id ?? '', { default_payment_method: String(good) });
  expect((await decide(agent, 'small/change', '{"plan":"large"}')).status).toBe(200);
  await expect.poll(async () => (await account(agent)).included_remaining).toBe(1_000);
});

test('a cheaper plan begins with the next period, and nothing is paid back', async () => {
  const agent = await subscribed('large');
  const changed = await decide(agent, 'large/change', '{"plan":"small"}');
  expect(changed.body.subscription).toMatchObject({ plan: 'large', next_plan: 'small' });
  expect((await decide(agent, 'large/change', '{"plan":"large"}')).body.subscription).toMatchObject({
    next_plan: null,
  });
  expect((await decide(agent, 'large/change', '{"plan":"small"}')).status).toBe(200);
  expect((await account(agent)).included_remaining).toBe(1_000);
  await network.control('/clock', { advance_seconds: monthSeconds });
  await expect.poll(async () => (await lots(agent)).map(({ amount }) => amount)).toEqual([1_000, 100]);
});

test('while a renewal is not paid the old units live on for the days of grace, and nothing new is granted', async () => {
  const agent = await subscribed();
  const [row] = await shop.sql<
    { id: string }[]
  >`SELECT id FROM shop.subscription WHERE account_id = ${agent.account}`;
  const { customer } = await network.stripe.subscriptions.retrieve(row?.id ?? '');
  const failing = await network.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
    customer: String(customer),
  });
  await network.stripe.subscriptions.update(row?.id ?? '', { default_payment_method: failing.id });
  await network.control('/clock', { advance_seconds: monthSeconds });
  await expect.poll(async () => (await account(agent)).subscriptions[0].status).toBe('past_due');
  const [only, ...others] = await lots(agent);
  expect(others).toEqual([]);
  expect(only?.ends.getTime()).toBe((only?.resets.getTime() ?? 0) + 3 * 86_400_000);
});

test('notices that come twice and in reverse change nothing', async () => {
  await network.control('/webhooks/pause');
  const agent = await subscribed();
  await network.control('/clock', { advance_seconds: monthSeconds });
  await network.control('/clock', { advance_seconds: monthSeconds });
  await network.control('/webhooks/duplicate', { copies: 1 });
  await network.control('/webhooks/deliver-in-reverse');
  await network.control('/webhooks/duplicate', { copies: 0 });
  await network.control('/webhooks/resume');
  await expect.poll(async () => (await lots(agent)).map(({ amount }) => amount)).toEqual([100, 100, 100]);
  const [first, second, third] = await lots(agent);
  expect(first?.ends.getTime()).toBeLessThanOrEqual(first?.resets.getTime() ?? 0);
  expect(second?.ends.getTime()).toBeLessThanOrEqual(second?.resets.getTime() ?? 0);
  expect(third?.ends.getTime()).toBeGreaterThan(third?.resets.getTime() ?? 0);
  await Books.proves(shop.sql);
});

test('a renewal of which no notice came is found', async () => {
  await network.control('/webhooks/pause');
  const agent = await subscribed();
  await network.control('/clock', { advance_seconds: monthSeconds });
  const sub =
    (
      await shop.sql<{ id: string }[]>`SELECT id FROM shop.subscription WHERE account_id = ${agent.account}`
    )[0]?.id ?? '';
  // As if its period had ended some hours ago.
  await shop.sql`UPDATE shop.subscription SET period_end = now() - interval '3 hours', period_start = now() - interval '1 month' WHERE id = ${sub}`;
  await expect.poll(async () => (await lots(agent)).length, { timeout: 40_000, interval: 1_000 }).toBe(2);
  await network.control('/webhooks/resume');
});
