import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';

const charging = 'POST /v1/payment_intents';
const listing = 'GET /v1/payment_intents';
/** More than the number of attempts of Stripe's client. */
const always = 1_000;

let shop: Shop.Shop;
let network: Network.Network;
beforeAll(async () => {
  shop = await Shop.open({ env: Agent.shopEnv });
  network = Network.of(shop.sandboxUrl);
});
afterEach(async () => {
  await network.clearFaults();
  await network.control('/webhooks/resume');
});
afterAll(async () => {
  await Books.proves(shop.sql);
  await shop?.stop();
});

const state = (order: string) => Books.stateOf(shop.sql, order);
const becomes = (order: string, wanted: string) => expect.poll(() => state(order)).toBe(wanted);

/** Returns an offer and a token to pay it, from a loopback address, which has no request limit. */
async function prepared(card?: string) {
  const agent = { ...(await Agent.registered(shop.url)), address: '127.0.0.1' };
  const [offer, token] = [await Agent.offer(agent), await network.mint(card)];
  const { order } = offer;
  return { agent, offer, order, token, pay: (url = shop.url) => Agent.pay({ ...agent, url }, offer, token) };
}

async function paidOnce({ order, pay }: Awaited<ReturnType<typeof prepared>>): Promise<void> {
  const again = await pay();
  expect(again.status, again.text).toBe(200);
  expect(again.body.balance_usd).toBe('0.50');
  expect(await network.paymentsOf(order)).toHaveLength(1);
  expect(await network.takenFor(order)).toBe(1);
  expect(await Books.lotsOf(shop.sql, order)).toEqual([500_000]);
}

/** Starts another storefront, which resolves orders in doubt, and waits until the order has the wanted state. */
async function anotherStarts(order: string, wanted: string): Promise<void> {
  await shop.addStorefront();
  await becomes(order, wanted);
  await shop.storefronts.pop()?.stop();
}

describe('an answer of the processor that is lost', () => {
  test('after the charge gives 202 and a place to ask, and the notice finishes it', async () => {
    const purchase = await prepared();
    await network.control('/webhooks/pause');
    await network.fault(charging, 'cut_after', always);
    const answer = await purchase.pay();
    const url = `${shop.url}/purchases/${purchase.order}`;
    expect(answer).toMatchObject({
      status: 202,
      body: {
        success: true,
        code: 'payment_pending',
        purchase: { id: purchase.order, amount_usd: '0.50' },
        status: { method: 'GET', url },
      },
    });
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('www-authenticate')).toBeNull();
    expect((await Customer.send(answer.body.status)).body.state).toBe('claimed');
    expect(await network.takenFor(purchase.order)).toBe(1);
    await network.control('/webhooks/resume');
    expect((await Customer.send(answer.body.status)).body.state).toBe('granted');
    await paidOnce(purchase);
  });

  test('is made up for by a notice that comes while we still ask: 200', async () => {
    const purchase = await prepared();
    await network.fault(charging, 'cut_after', always);
    expect((await purchase.pay()).status).toBe(200);
    await paidOnce(purchase);
  });

  test('is finished by reconciliation alone', async () => {
    const purchase = await prepared();
    await network.control('/webhooks/pause');
    await network.fault(charging, 'cut_after', always);
    expect((await purchase.pay()).status).toBe(202);
    await anotherStarts(purchase.order, 'granted');
    await paidOnce(purchase);
  });

  test('is finished by the same credential alone', async () => {
    const purchase = await prepared();
    await network.control('/webhooks/pause');
    await network.fault(charging, 'cut_after', always);
    expect((await purchase.pay()).status).toBe(202);
    await network.clearFaults();
    await paidOnce(purchase);
  });

  test('of a declined card ends as a decline, once the processor is asked', async () => {
    const purchase = await prepared('pm_card_chargeDeclined');
    await network.fault(charging, 'cut_after', always);
    expect((await purchase.pay()).status).toBe(202);
    await anotherStarts(purchase.order, 'declined');
    const answer = await purchase.pay();
    expect(answer).toMatchObject({
      status: 402,
      body: { code: 'payment_declined', message: 'Your card was declined.' },
    });
    expect(await network.paymentsOf(purchase.order)).toHaveLength(1);
  });
});

describe('a processor in trouble', () => {
  test('that charged and then failed is looked at again: 200', async () => {
    const purchase = await prepared();
    await network.control('/webhooks/pause');
    await network.fault(charging, '500_after');
    expect((await purchase.pay()).status).toBe(200);
    await paidOnce(purchase);
  });

  test('that failed before it charged gives 202, and the same credential is charged when it is well', async () => {
    const purchase = await prepared();
    await network.fault(charging, '500_before', always);
    expect((await purchase.pay()).status).toBe(202);
    expect(await network.paymentsOf(purchase.order)).toEqual([]);
    await network.clearFaults();
    await paidOnce(purchase);
  });
});

test('a database that fails between charge and grant gives 503, never 402, and the same credential goes on', async () => {
  const purchase = await prepared();
  await network.control('/webhooks/pause');
  await network.fault(charging, 'delay_before', 1, 500);
  const paying = purchase.pay();
  await becomes(purchase.order, 'claimed');
  const held = await shop.sql.reserve();
  await held`BEGIN`;
  await held`SELECT 1 FROM shop.purchase WHERE id = ${purchase.order} FOR UPDATE`;
  const answer = await paying;
  await held`ROLLBACK`;
  held.release();
  expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect(await network.takenFor(purchase.order)).toBe(1);
  expect(await Books.lotsOf(shop.sql, purchase.order)).toEqual([]);
  // The process that charged could not record that it gave up; the webhook event resolves the order all the same.
  await network.control('/webhooks/resume');
  await becomes(purchase.order, 'granted');
  await paidOnce(purchase);
});

describe('a storefront that is killed between charge and grant', () => {
  /** Charges and dies before the response. No webhook event arrives until the test resumes them. */
  async function killed() {
    const purchase = await prepared();
    await network.control('/webhooks/pause');
    await network.fault(charging, 'timeout_after', 1);
    const paying = purchase.pay().catch(() => 'cut');
    await expect.poll(() => network.takenFor(purchase.order)).toBe(1);
    const [first] = shop.storefronts.splice(0, 1);
    await first?.kill();
    expect(await paying).toBe('cut');
    expect(await state(purchase.order)).toBe('claimed');
    await network.clearFaults();
    return purchase;
  }

  /** Restarts the storefront at the shop's own address, and puts it first, so that the next test kills it. */
  async function restart() {
    await shop.addStorefront({ PORT: new URL(shop.url).port });
    shop.storefronts.unshift(...shop.storefronts.splice(-1));
  }

  test('is made good by the reconciliation of its restart alone', async () => {
    const purchase = await killed();
    await restart();
    await becomes(purchase.order, 'granted');
    await paidOnce(purchase);
  });

  test('is made good by the notice alone', async () => {
    const purchase = await killed();
    await network.fault(listing, '500_before', always);
    await restart();
    expect(await state(purchase.order)).toBe('claimed');
    await network.control('/webhooks/resume');
    expect(await state(purchase.order)).toBe('granted');
    await network.clearFaults();
    await paidOnce(purchase);
  });

  test('is made good by the same credential alone', async () => {
    const purchase = await killed();
    await network.fault(listing, '500_before', always);
    await restart();
    const answer = await purchase.pay();
    expect(answer.status, answer.text).toBe(200);
    await network.clearFaults();
    await paidOnce(purchase);
  });

  test('is made good by another process, to which the same credential is taken', async () => {
    const other = await shop.addStorefront();
    const purchase = await killed();
    // The dead process is considered dead when its writer has been silent for five seconds.
    const answers: number[] = [];
    const ask = async () => answers.push((await purchase.pay(other)).status);
    await expect.poll(ask, { timeout: 50_000 }).toSatisfy(() => answers.at(-1) === 200);
    expect(answers.filter((status) => status !== 200 && status !== 202)).toEqual([]);
    await restart();
    await shop.storefronts.pop()?.stop();
    await paidOnce(purchase);
  });

  test('before its charge arrives is not charged a second time by the same credential', async () => {
    const purchase = await prepared();
    await network.control('/webhooks/pause');
    await network.fault(charging, 'delay_before', 1, 3_000);
    const paying = purchase.pay().catch(() => 'cut');
    await becomes(purchase.order, 'claimed');
    await expect.poll(() => network.isStriking(charging)).toBe(false);
    await shop.storefronts.splice(0, 1)[0]?.kill();
    expect(await paying).toBe('cut');
    await restart();
    const answer = await purchase.pay();
    expect([200, 202]).toContain(answer.status);
    await expect.poll(async () => (await purchase.pay()).status).toBe(200);
    await paidOnce(purchase);
  });
});
