import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
/** An account has a quarter of the 8 connections and half of the queue's 24 places (slow.yaml). */
const placesOfAccount = 2 + 12;
/** Slow requests that the upstream has not responded to. */
const slow: Upstream.Received[] = [];

beforeAll(async () => {
  upstream = await Upstream.scripted((received) => {
    if (received.body.includes('slow')) slow.push(received);
    else received.socket.write(Upstream.http(200, '{"count":1}'));
  });
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'slow.yaml' });
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

const call = (customer: Customer.Customer, kind: string) =>
  Customer.call(customer, 'POST', `${shop.url}/v1/list`, { kind });

async function arrived(count: number): Promise<void> {
  while (slow.length < count) await new Promise(setImmediate);
}

/** Waits until `count` of the calls have ended, and returns those in the order in which they ended. */
async function firstEnded<T>(calls: readonly Promise<T>[], count: number): Promise<T[]> {
  const ended: T[] = [];
  for (const call of calls) void call.then((one) => ended.push(one));
  while (ended.length < count) await new Promise(setImmediate);
  return ended.slice(0, count);
}

/** Ends the slow calls that are under way, and those that arrive later. */
async function endSlow<T>(calls: Promise<T>[]): Promise<T[]> {
  let isOver = false;
  const all = Promise.all(calls).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    for (const { socket } of slow.splice(0)) socket.write(Upstream.http(200, '{"count":1}'));
    await new Promise(setImmediate);
  }
  return all;
}

describe('accounts with more slow calls than the upstream has connections', () => {
  test.each([1, 3])('%i of them: another account is served at once', async (count) => {
    const hogs = await Promise.all(Array.from({ length: count }, () => Customer.register(shop.url)));
    const innocent = await Customer.register(shop.url);
    const calls = hogs.flatMap((hog) => Array.from({ length: 10 }, () => call(hog, 'slow')));
    await arrived(2 * count);
    for (let at = 0; at < 5; at++) expect((await call(innocent, 'quick')).status).toBe(200);
    expect(slow).toHaveLength(2 * count);
    const statuses = (await endSlow(calls)).map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  });

  test('is refused with 429 and a time to retry, and pays for no refused call', async () => {
    const hog = await Customer.register(shop.url);
    const calls = Array.from({ length: 20 }, () => call(hog, 'slow'));
    await arrived(2);
    // No slow call has ended yet, so the first ones to end are those that found the account's queue full.
    const [refused] = await firstEnded(calls, 20 - placesOfAccount);
    if (refused === undefined) throw new Error('no call was refused');
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'too_many_calls_under_way',
      '1',
    ]);
    const served = (await endSlow(calls)).filter(({ status }) => status === 200);
    const account = await Customer.call(hog, 'GET', `${shop.url}/account`);
    expect(account.body.included_remaining).toBe(25 - served.length);
    expect(served.length).toBe(placesOfAccount);
    expect(await Shop.breaches(shop)).toEqual([]);
  });
});
