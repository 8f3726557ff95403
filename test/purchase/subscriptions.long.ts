import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

const monthSeconds = 31 * 24 * 60 * 60;

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let network: Network.Network;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
});
afterAll(() => upstream?.close());
beforeEach(async () => {
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'periods.yaml',
    env: Agent.shopEnv,
  });
  network = Network.of(shop.sandboxUrl);
});
afterEach(() => shop?.stop());

type Subscriber = Agent.Agent & { token: string; account: string };

/** Pays an offer on its page, from a link that was opened before. */
async function payPage(page: string): Promise<void> {
  expect((await fetch(await Person.pay(page))).status).toBe(200);
}

async function subscribed(plan = 'small'): Promise<Subscriber> {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, {}, plan);
  await payPage(await Person.open(offer.checkoutUrl));
  return agent;
}

function post(agent: { token: string }, path: string, body: object = {}): Promise<Customer.Answer> {
  return Customer.call(agent, 'POST', `${shop.url}/account/${path}`, body);
}

type Shown = {
  id: string;
  plan: string;
  status: string;
  renews: boolean;
  renews_at: string | null;
  pay_url: string | null;
};

async function listed(agent: { token: string }): Promise<Shown[]> {
  return (await Customer.call(agent, 'GET', `${shop.url}/account`)).body.subscriptions;
}

/** Creates two subscriptions of one plan that both renew, as when two accounts were joined. */
async function twice(): Promise<Subscriber> {
  const one = await subscribed();
  const other = await subscribed();
  await shop.sql`SELECT shop.join_accounts(${other.account}, ${one.account})`;
  return one;
}

/** Returns the ids of the subscriptions that renew. */
async function renewing(agent: { token: string }): Promise<string[]> {
  return (await listed(agent)).filter(({ renews }) => renews).map(({ id }) => id);
}

/** Returns the amounts that all cards were charged, in cents. */
async function charged(): Promise<number[]> {
  const intents = await network.stripe.paymentIntents.list({ limit: 100 });
  return intents.data.map(({ amount_received }) => amount_received);
}

describe('a plan that renews', () => {
  test('is not offered to the same account again', async () => {
    const agent = await subscribed();
    const again = await Agent.ask(agent, {}, 'small');
    expect([again.status, again.body.code]).toEqual([409, 'already_subscribed']);
    expect((await Agent.ask(agent, {}, 'large')).status).toBe(402);
    // A cancelled subscription can be resumed until it ends, so the plan cannot be bought again yet.
    await post(agent, 'plans/small/cancel');
    expect((await Agent.ask(agent, {}, 'small')).status).toBe(409);
  });

  test('has no second page: links that were offered before are refused, and open pages are closed', async () => {
    const agent = await Agent.registered(shop.url);
    const offers = [];
    for (let at = 0; at < 3; at++) offers.push(await Agent.offer(agent, {}, 'small'));
    const [paid, open, unopened] = offers.map(({ checkoutUrl }) => checkoutUrl) as [string, string, string];
    const page = await Person.open(open);
    await payPage(await Person.open(paid));
    await expect.poll(async () => (await fetch(page)).status).toBe(410);
    for (const link of [open, unopened]) expect((await fetch(link, { redirect: 'manual' })).status).toBe(409);
    expect(await charged()).toEqual([1_000]);
  });
});

describe('a change of plan', () => {
  test('into one that renews for the account already is refused, so that no plan is charged twice', async () => {
    const agent = await subscribed();
    await payPage(await Person.open((await Agent.offer(agent, {}, 'large')).checkoutUrl));
    for (const [from, to] of [
      ['large', 'small'],
      ['small', 'large'],
    ] as const) {
      const changed = await post(agent, `plans/${from}/change`, { plan: to });
      expect([changed.status, changed.body.code]).toEqual([409, 'already_subscribed']);
    }
    expect((await listed(agent)).map(({ plan }) => plan).sort()).toEqual(['large', 'small']);
    expect((await charged()).sort()).toEqual([1_000, 4_000]);
  });

  test('makes the next plan one that is not sold to the account again', async () => {
    const agent = await Agent.registered(shop.url);
    await payPage(await Person.open((await Agent.offer(agent, {}, 'large')).checkoutUrl));
    expect((await post(agent, 'plans/large/change', { plan: 'small' })).status).toBe(200);
    const again = await Agent.ask(agent, {}, 'small');
    expect([again.status, again.body.code]).toEqual([409, 'already_subscribed']);
  });
});

describe('two subscriptions of one plan', () => {
  test('are both cancelled by the plan, and cost nothing more', async () => {
    const agent = await twice();
    const cancelled = await post(agent, 'plans/small/cancel');
    expect(cancelled.body.subscriptions.map(({ renews }: Shown) => renews)).toEqual([false, false]);
    // A repeated request has the same result.
    expect((await post(agent, 'plans/small/cancel')).status).toBe(200);
    await network.control('/clock', { advance_seconds: monthSeconds });
    await expect
      .poll(async () => (await listed(agent)).map(({ status }) => status))
      .toEqual(['canceled', 'canceled']);
    expect(await charged()).toEqual([1_000, 1_000]);
  });

  test('are told apart by their ids, and only one of them is resumed', async () => {
    const agent = await twice();
    const [one, other] = (await listed(agent)) as [Shown, Shown];
    expect((await post(agent, 'plans/small/cancel')).status).toBe(200);
    expect((await post(agent, `subscriptions/${one.id}/resume`)).status).toBe(200);
    const refused = await post(agent, `subscriptions/${other.id}/resume`);
    expect([refused.status, refused.body.code]).toEqual([409, 'already_subscribed']);
    expect(await renewing(agent)).toEqual([one.id]);
    expect((await post(agent, `subscriptions/${one.id}/cancel`)).status).toBe(200);
    expect((await post(agent, `subscriptions/${other.id}/resume`)).status).toBe(200);
    expect(await renewing(agent)).toEqual([other.id]);
    const changed = await post(agent, `subscriptions/${other.id}/change`, { plan: 'large' });
    expect(changed.body.subscription).toMatchObject({ id: other.id, plan: 'large' });
    expect((await post(agent, `subscriptions/${one.id}/resume`)).status).toBe(200);
    expect((await listed(agent)).map(({ plan }) => plan).sort()).toEqual(['large', 'small']);
  });

  test('of another account are not to be touched', async () => {
    const owner = await subscribed();
    const stranger = await Agent.registered(shop.url);
    const [{ id }] = (await listed(owner)) as [Shown];
    for (const deed of ['cancel', 'resume', 'change'])
      expect((await post(stranger, `subscriptions/${id}/${deed}`, { plan: 'large' })).status).toBe(404);
    expect((await listed(owner))[0]?.renews).toBe(true);
  });
});

describe('a plan renews once for an account', () => {
  const isOne = { timeout: 10_000 };
  const isOneAfterSweep = { timeout: 40_000, interval: 500 };

  test('when an order is paid by a credential and on a page that the shop no longer knows', async () => {
    const agent = await Agent.registered(shop.url);
    const [one, other] = [await Agent.offer(agent, {}, 'small'), await Agent.offer(agent, {}, 'small')];
    const [first, forgotten] = [await Person.open(one.checkoutUrl), await Person.open(other.checkoutUrl)];
    await shop.sql`UPDATE shop.purchase SET checkout_session = NULL WHERE id = ${other.order}`;
    expect((await Agent.pay(agent, other, await network.mint(), 'small')).status).toBe(200);
    await payPage(first);
    await Person.pay(forgotten);
    await expect.poll(async () => (await listed(agent)).length, isOne).toBe(3);
    await expect.poll(async () => (await renewing(agent)).length, isOne).toBe(1);
    await Books.proves(shop.sql);
  });

  test('when another subscription changes to it while its page is open', async () => {
    const agent = await Agent.registered(shop.url);
    const page = await Person.open((await Agent.offer(agent, {}, 'small')).checkoutUrl);
    await payPage(await Person.open((await Agent.offer(agent, {}, 'large')).checkoutUrl));
    const [large] = (await listed(agent)) as [Shown];
    expect((await post(agent, 'plans/large/change', { plan: 'small' })).status).toBe(200);
    await payPage(page);
    await expect.poll(() => renewing(agent), isOne).toEqual([large.id]);
    expect((await listed(agent)).length).toBe(2);
  });

  test('when a subscription is resumed after another has been set to change to it', async () => {
    const agent = await subscribed('small');
    expect((await post(agent, 'plans/small/cancel')).status).toBe(200);
    const other = await subscribed('large');
    expect((await post(other, 'plans/large/change', { plan: 'small' })).status).toBe(200);
    await shop.sql`SELECT shop.join_accounts(${other.account}, ${agent.account})`;
    const refused = await post(agent, 'plans/small/resume');
    expect([refused.status, refused.body.code]).toEqual([409, 'already_subscribed']);
    expect(await renewing(agent)).toHaveLength(1);
  });

  test('when two accounts that each have it become one', async () => {
    const agent = await twice();
    expect(await renewing(agent)).toHaveLength(2);
    await expect.poll(async () => (await renewing(agent)).length, isOneAfterSweep).toBe(1);
  });
});

test('a key of the account may cancel what renews, and nothing else', async () => {
  const agent = await subscribed();
  const token: string = (await post(agent, 'keys', { name: 'a helper' })).body.key;
  for (const deed of ['resume', 'change'])
    expect((await post({ token }, `plans/small/${deed}`, { plan: 'large' })).status).toBe(403);
  expect((await post({ token }, 'plans/small/cancel')).status).toBe(200);
  expect((await listed(agent))[0]?.renews).toBe(false);
});

// These tests come last: they move the processor's clock a month ahead of the shop's, after which no period is current.
describe('a plan that renews and was paid twice', () => {
  test('keeps both periods, and renews once', async () => {
    const agent = await Agent.registered(shop.url);
    const first = await Agent.offer(agent, {}, 'small');
    const second = await Agent.offer(agent, {}, 'small');
    const pages = [await Person.open(first.checkoutUrl), await Person.open(second.checkoutUrl)];
    // Both are paid before the shop receives an event about either.
    await network.control('/webhooks/pause');
    const backs = [];
    for (const page of pages) backs.push(await Person.pay(page));
    await Promise.all(backs.map((back) => fetch(back)));
    await network.control('/webhooks/resume');
    await expect.poll(async () => (await listed(agent)).length).toBe(2);
    await expect.poll(async () => (await listed(agent)).filter(({ renews }) => renews).length).toBe(1);
    await network.control('/clock', { advance_seconds: monthSeconds });
    await expect.poll(charged).toEqual([1_000, 1_000, 1_000]);
    await Books.proves(shop.sql);
  });
});
