import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

const token = 'adm_of_the_test_and_long_enough';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let network: Network.Network;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'periods.yaml',
    env: { ...Agent.shopEnv, ADMIN_TOKEN: token },
  });
  network = Network.of(shop.sandboxUrl);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

type Subscriber = Agent.Agent & { token: string; account: string; order: string; subscription: string };

async function subscribed(): Promise<Subscriber> {
  const agent = await Agent.registered(shop.url);
  const { order, checkoutUrl } = await Agent.offer(agent, {}, 'small');
  expect((await fetch(await Person.pay(await Person.open(checkoutUrl)))).status).toBe(200);
  const [row] = await shop.sql<
    { id: string }[]
  >`SELECT id FROM shop.subscription WHERE account_id = ${agent.account}`;
  return { ...agent, order, subscription: row?.id ?? '' };
}

function refund(body: object): Promise<Customer.Answer> {
  return Customer.call({ token }, 'POST', `${shop.url}/admin/refunds`, body);
}

/** Returns the state of the subscription at the processor. */
async function atProcessor({ subscription }: Subscriber): Promise<string> {
  const { status, cancel_at_period_end } = await network.stripe.subscriptions.retrieve(subscription);
  return cancel_at_period_end ? 'ends with its period' : status;
}

test('a refund of the whole period ends its subscription now, and the listing says so before', async () => {
  const agent = await subscribed();
  const { purchases } = (
    await Customer.call({ token }, 'GET', `${shop.url}/admin/purchases?account=${agent.account}`)
  ).body;
  expect(purchases[0].refund_ends).toEqual({ subscription: agent.subscription, when: 'now' });
  const refunded = await refund({ purchase: agent.order });
  expect(refunded.body.subscription).toMatchObject({ id: agent.subscription, ends: 'now', done: true });
  expect(await atProcessor(agent)).toBe('canceled');
  const { subscriptions } = (await Customer.call(agent, 'GET', `${shop.url}/account`)).body;
  expect(subscriptions).toMatchObject([{ status: 'canceled', renews: false }]);
  await Books.proves(shop.sql);
});

test('a refund of a part ends it with its period', async () => {
  const agent = await subscribed();
  const refunded = await refund({ purchase: agent.order, amount_usd: '4.00' });
  expect(refunded.body.subscription).toMatchObject({ ends: 'period_end', done: true });
  expect(await atProcessor(agent)).toBe('ends with its period');
});

test('a seller who keeps it lets it renew', async () => {
  const agent = await subscribed();
  const refunded = await refund({ purchase: agent.order, subscription: 'keep' });
  expect([refunded.status, refunded.body.subscription]).toEqual([200, null]);
  expect(await atProcessor(agent)).toBe('active');
  expect((await refund({ purchase: agent.order, subscription: 'maybe' })).status).toBe(422);
});

test('a refund that could not end it says so, and ends it when it is repeated under its key', async () => {
  const agent = await subscribed();
  await network.fault('DELETE /v1/subscriptions/:id', '500_before', 3);
  const first = await refund({ purchase: agent.order, key: 'ticket-1' });
  expect(first.body.subscription).toMatchObject({ done: false });
  expect(await atProcessor(agent)).toBe('active');
  const again = await refund({ purchase: agent.order, key: 'ticket-1' });
  expect(again.body.subscription).toMatchObject({ ends: 'now', done: true });
  expect(await atProcessor(agent)).toBe('canceled');
});

test('a refund of credit ends no subscription', async () => {
  const agent = await subscribed();
  const offer = await Agent.offer(agent, { amount_usd: '2.00' });
  expect((await Agent.pay(agent, offer, await network.mint())).status).toBe(200);
  expect((await refund({ purchase: offer.order })).body.subscription).toBeNull();
  expect(await atProcessor(agent)).toBe('active');
});
