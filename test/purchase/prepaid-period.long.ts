import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openOrders } from '../../src/adapters/postgres/orders.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

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

async function buy(agent: Agent.Agent, plan: string, body: unknown = {}): Promise<Customer.Answer> {
  const offer = await Agent.offer(agent, body, plan);
  const answer = await Agent.pay(agent, offer, await network.mint(), plan);
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

/** Makes calls that use `units` in all. */
async function use(agent: Agent.Agent, units: number): Promise<Customer.Answer[]> {
  const answers: Customer.Answer[] = [];
  for (let left = units; left > 0; left -= 50) {
    const max = Math.min(50, left);
    answers.push(
      await Customer.call({ token: agent.token ?? '' }, 'GET', `${shop.url}/v1/search?max=${max}`),
    );
  }
  return answers;
}

async function overview(agent: Agent.Agent) {
  return (await Customer.call({ token: agent.token ?? '' }, 'GET', `${shop.url}/account`)).body;
}

test('one period is bought for its price, with its units and its end', async () => {
  const agent = await Agent.registered(shop.url);
  const { body } = await buy(agent, 'small');
  expect(body.purchase).toMatchObject({ plan: 'small', amount_usd: '10.00' });
  expect(body.plan).toMatchObject({
    id: 'small',
    kind: 'subscription',
    status: 'active',
    included_remaining: 100,
  });
  const days = (Date.parse(body.plan.period_end) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(27.9);
  expect(days).toBeLessThan(31.1);
  const [subscription] = (await overview(agent)).subscriptions;
  expect(subscription).toMatchObject({
    plan: 'small',
    status: 'active',
    renews: false,
    period_end: body.plan.period_end,
  });
});

test('included units go before credit, and credit when they are gone', async () => {
  const agent = await Agent.registered(shop.url);
  await buy(agent, 'small');
  await buy(agent, 'credit', { amount_usd: '1.00' });
  const calls = await use(agent, 120);
  expect(calls.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(calls.at(-1)?.headers.get('storefront-cost-usd')).toBe('0.020000');
  expect(await overview(agent)).toMatchObject({ balance_usd: '0.98', included_remaining: 0 });
  await Books.proves(shop.sql);
});

test('a second period of the same plan follows the first, and its units are there at once', async () => {
  const agent = await Agent.registered(shop.url);
  const first = (await buy(agent, 'small')).body.plan;
  const second = (await buy(agent, 'small')).body.plan;
  expect(Date.parse(second.period_end)).toBeGreaterThan(Date.parse(first.period_end) + 27 * 86_400_000);
  expect((await overview(agent)).included_remaining).toBe(200);
});

test('a larger plan in place of a smaller one costs less by what is neither past nor used', async () => {
  const agent = await Agent.registered(shop.url);
  await buy(agent, 'small');
  await use(agent, 75);
  const offer = await Agent.offer(agent, { replaces: 'small' }, 'large');
  expect(offer.answer.body.purchase.amount_usd).toBe('37.50');
  const answer = await Agent.pay(agent, offer, await network.mint(), 'large');
  expect(answer.body.plan).toMatchObject({ id: 'large', included_remaining: 1_000 });
  expect((await overview(agent)).included_remaining).toBe(1_000);
  await Books.proves(shop.sql);
});

test('a plan that is used up counts for nothing when a larger one takes its place, and is no hindrance', async () => {
  const agent = await Agent.registered(shop.url);
  await buy(agent, 'small');
  await use(agent, 100);
  const offer = await Agent.offer(agent, { replaces: 'small' }, 'large');
  expect(offer.answer.body.purchase.amount_usd).toBe('40.00');
  const answer = await Agent.pay(agent, offer, await network.mint(), 'large');
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.plan.included_remaining).toBe(1_000);
  await Books.proves(shop.sql);
});

test('who pays for a larger plan on the hosted page pays the difference once, and nothing renews at that price', async () => {
  const agent = await Agent.registered(shop.url);
  await buy(agent, 'small');
  const offer = await Agent.offer(agent, { replaces: 'small' }, 'large');
  const page = await Person.open(offer.checkoutUrl);
  expect((await fetch(await Person.pay(page))).status).toBe(200);
  const { subscriptions, included_remaining } = await overview(agent);
  expect(included_remaining).toBe(1_000);
  expect(subscriptions.map(({ renews }: { renews: boolean }) => renews)).not.toContain(true);
});

test.each(['agent', 'person'])(
  'a larger plan at a discount is paid once, by who comes first: the %s',
  async (first) => {
    const agent = await Agent.registered(shop.url);
    await buy(agent, 'small');
    const offer = await Agent.offer(agent, { replaces: 'small' }, 'large');
    const page = await Person.open(offer.checkoutUrl);
    const token = await network.mint();
    if (first === 'agent') {
      expect((await Agent.pay(agent, offer, token, 'large')).status).toBe(200);
      await expect(Person.pay(page)).rejects.toThrow('the page answers');
    } else {
      await Person.pay(page);
      expect((await Agent.pay(agent, offer, token, 'large')).status).toBe(200);
    }
    expect(await network.takenFor(offer.order)).toBe(1);
    expect((await overview(agent)).included_remaining).toBe(1_000);
    const [payment] = await network.paymentsOf(offer.order);
    expect(JSON.parse(payment?.metadata.terms ?? '')).toMatchObject({
      units: 1_000,
      replaces: { credit: 9_990_000 },
    });
    await Books.proves(shop.sql);
  },
);

test('a plan in place of one that is as dear is refused, with the reason', async () => {
  const agent = await Agent.registered(shop.url);
  await buy(agent, 'small');
  await use(agent, 90);
  const answer = await Agent.ask(agent, { replaces: 'small' }, 'small');
  expect(answer.status).toBe(422);
  expect(answer.body.message).toContain('Only a more expensive plan can replace a running period');
});

test('who uses the old plan up between the offer and the payment gets so much less of the new one', async () => {
  const agent = await Agent.registered(shop.url);
  await buy(agent, 'small');
  const offer = await Agent.offer(agent, { replaces: 'small' }, 'large');
  expect(offer.answer.body.purchase.amount_usd).toBe('30.01');
  await use(agent, 100);
  const answer = await Agent.pay(agent, offer, await network.mint(), 'large');
  // 9.99 USD were credited for the unused units: that buys 750 units at 1,000 for 40.00 USD, rounded up.
  expect(answer.body.plan.included_remaining).toBe(750);
  await Books.proves(shop.sql);
});

test('nobody gets more units by changing than the money buys, whatever is used and when', async () => {
  const history = fc.array(
    fc.oneof(
      fc.record({ does: fc.constant('use' as const), units: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ does: fc.constant('offer' as const) }),
      fc.record({ does: fc.constant('pay' as const) }),
    ),
    { maxLength: 7 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(history, { minLength: 4, maxLength: 4 }), (all) =>
      Promise.all(all.map(live)).then(() => {}),
    ),
    { numRuns: 6 },
  );
  await Books.proves(shop.sql);

  async function live(acts: ({ does: 'use'; units: number } | { does: 'offer' } | { does: 'pay' })[]) {
    const agent = await Agent.registered(shop.url);
    await buy(agent, 'small');
    let paid = 10;
    let used = 0;
    const offers: Agent.Offer[] = [];
    for (const act of acts) {
      if (act.does === 'use') {
        const done = await Customer.call(
          { token: agent.token },
          'GET',
          `${shop.url}/v1/search?max=${Math.min(50, act.units)}`,
        );
        if (done.status === 200) used += Number(done.headers.get('storefront-units'));
      } else if (act.does === 'offer') {
        const answer = await Agent.ask(agent, { replaces: 'small' }, 'large');
        if (answer.status === 402) offers.push(Agent.readOffer(answer, '{"replaces":"small"}'));
      } else {
        const offer = offers.shift();
        if (offer === undefined) continue;
        const answer = await Agent.pay(agent, offer, await network.mint(), 'large');
        if (answer.status === 200) paid += Number(answer.body.purchase.amount_usd);
      }
    }
    const { included_remaining } = await overview(agent);
    // The most expensive unit costs 0.10 USD, the cheapest 0.04.
    expect((used + included_remaining) * 0.04).toBeLessThanOrEqual(paid + 10 * 0.6 + 1e-9);
  }
});

test.each([
  ['large', { replaces: 'small' }, 'no running prepaid period'],
  ['small', { amount_usd: '5.00' }, 'Unknown field'],
  ['small', { replaces: 7 }, 'id of a plan'],
])('refuses %s with %o', async (plan, body, message) => {
  const agent = await Agent.registered(shop.url);
  const answer = await Agent.ask(agent, body, plan);
  expect(answer.status).toBe(422);
  expect(answer.body.message).toContain(message);
});

test('a smaller plan cannot take the place of a larger one that runs', async () => {
  const agent = await Agent.registered(shop.url);
  await buy(agent, 'large');
  const answer = await Agent.ask(agent, { replaces: 'large' }, 'small');
  expect(answer.status).toBe(422);
  expect(answer.body.errors[0]).toMatchObject({ field: 'replaces' });
});

test('a refund takes the share of the units that the money is of the price', async () => {
  const agent = await Agent.registered(shop.url);
  const { body } = await buy(agent, 'small');
  const [payment] = await network.paymentsOf(body.purchase.id);
  await network.stripe.refunds.create({ payment_intent: payment?.id ?? '', amount: 250 });
  await expect.poll(async () => (await overview(agent)).included_remaining).toBe(75);
  await Books.proves(shop.sql);
});

test('a refund of a replaced period takes from the new plan what was shown before it, and the shop lists it afterwards', async () => {
  const agent = await Agent.registered(shop.url);
  const { body } = await buy(agent, 'small');
  const order = body.purchase.id;
  await use(agent, 20);
  await buy(agent, 'large', { replaces: 'small' });
  const orders = openOrders(shop.sql, 'reader');
  const replacement = (await orders.replacementsOf([order])).get(order);
  expect(replacement).toMatchObject({ plan: 'large' });
  expect(replacement?.credit).toBeGreaterThan(7_000_000);
  const [payment] = await network.paymentsOf(order);
  let gone = 0;
  for (const cents of [250, 750]) {
    const before = (await overview(agent)).included_remaining;
    const takes = await orders.refundTakes(order, cents * 10_000);
    expect(takes.map(({ plan, remaining }) => [plan, remaining])).toEqual([
      ['small', 0],
      ['large', before],
    ]);
    const due = takes.at(-1)?.due ?? 0;
    expect(due).toBeGreaterThan(0);
    await network.stripe.refunds.create({ payment_intent: payment?.id ?? '', amount: cents });
    await expect.poll(async () => (await overview(agent)).included_remaining).toBe(before - due);
    gone += due;
  }
  const taken = await orders.refundTakes(order, -10_000_000);
  expect(taken.map(({ plan, due }) => [plan, due])).toEqual([
    ['small', 20],
    ['large', gone],
  ]);
  await Books.proves(shop.sql);
});
