import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

const minuteMs = 60_000;
const clock = new URL('../support/skewed-clock.ts', import.meta.url).href;

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let network: Network.Network;
/** Processes whose clocks are ten minutes ahead, two hours ahead, and ten minutes behind. */
let skewed: string[];

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'scripted.yaml',
    env: Agent.shopEnv,
  });
  network = Network.of(shop.sandboxUrl);
  const ahead = [10 * minuteMs, 120 * minuteMs, -10 * minuteMs];
  skewed = [];
  for (const ms of ahead)
    skewed.push(await shop.addStorefront({ NODE_OPTIONS: `--import=${clock}`, CLOCK_AHEAD_MS: String(ms) }));
});
afterAll(async () => {
  await Books.proves(shop.sql);
  await shop?.stop();
  await upstream?.close();
});

test('a process whose clock is wrong says so', () => {
  const [right, ...wrong] = shop.storefronts.map((storefront) => storefront.output());
  expect(right).not.toContain('clock_skew');
  for (const output of wrong) expect(output).toContain('"event":"clock_skew"');
});

test('a credential is charged once and answered alike by all, whatever their clocks say', async () => {
  for (const url of skewed) {
    const agent = Agent.at(shop.url);
    const offer = await Agent.offer(agent, { amount_usd: '5.00' });
    const token = await network.mint();
    await network.fault('POST /v1/payment_intents', 'delay_before', 1, 1_000);
    const first = Agent.pay(agent, offer, token);
    await expect.poll(() => Books.stateOf(shop.sql, offer.order)).toBe('claimed');
    const beside = await Agent.pay({ ...agent, url }, offer, token);
    expect([200, 202]).toContain(beside.status);
    expect((await first).status).toBe(200);
    expect(await network.takenFor(offer.order)).toBe(1);
  }
});

test('what a skewed process offers is paid at another, its page too, and its tokens hold everywhere', async () => {
  for (const url of skewed) {
    const agent = Agent.at(url);
    const offer = await Agent.offer(agent, { amount_usd: '5.00' });
    const paid = await Agent.pay({ ...agent, url: shop.url }, offer, await network.mint());
    expect(paid.status, paid.text).toBe(200);
    const { access_token: token } = paid.body;
    expect((await Customer.call({ token }, 'GET', `${url}/account`)).body.balance_usd).toBe('5.00');
    const page = await Agent.offer(Agent.at(url), { amount_usd: '5.00' });
    // The same browser gets the same page from either process.
    const opened = await Person.open(`${url}/checkout/${page.order}`);
    expect(await Person.open(page.checkoutUrl)).toBe(opened);
    expect(await Person.pay(opened)).toContain(page.order);
  }
});

test('a challenge that has expired is claimed by nobody, however late a process asks', async () => {
  const agent = Agent.at(shop.url);
  const offer = await Agent.offer(agent, {});
  const claim = (expires: Date) =>
    shop.sql<
      [{ outcome: string }]
    >`SELECT outcome FROM shop.claim_purchase(${offer.order}, 'challenge', 'credential', 'writer', ${expires})`;
  expect((await claim(new Date(Date.now() - 1_000)))[0].outcome).toBe('expired');
  expect(await shop.sql`SELECT challenge_id, state FROM shop.purchase WHERE id = ${offer.order}`).toEqual([
    { challenge_id: null, state: 'offered' },
  ]);
  expect((await claim(new Date(Date.now() + minuteMs)))[0].outcome).toBe('claimed');
});
