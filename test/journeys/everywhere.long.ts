import { id } from '@sluice/kernel/id';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

const rounds = 15;
/** The seller's routes take few requests a second. */
const adminRounds = 2;
/** By the fastest fifth: on a busy machine rounds take longer by themselves. */
const everywhereMs = 100;
const adminToken = 'adm_everywhere_0123456789';
let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
/** The same shop by way of its two processes. */
let here: string;
let there: string;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  const env = { ADMIN_TOKEN: adminToken };
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'pressed.yaml', env });
  here = shop.url.replace('localhost', '127.0.0.1');
  there = await shop.addStorefront();
});
afterEach(async () => {
  // Lots are given by hand here, so that they end when the test says: their sums hold.
  expect([...(await shop.sql`SELECT * FROM ledger.verify_sums()`)]).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

async function code(base: string, who: { token: string }, path = '/v1/list'): Promise<string> {
  const { status, body } = await Customer.call(who, 'POST', base + path, { max: 1 });
  return body.code ?? String(status);
}

async function rich(): Promise<Customer.Customer> {
  const customer = await Customer.register(here);
  await Customer.credit(shop.sql, customer, 1_000_000);
  return customer;
}

/** Calls there until it is answered with `expected`: how long after `changed` the last call began that was not. */
async function untilThere(changed: () => Promise<unknown>, ask: () => Promise<string>, expected: string) {
  await changed();
  const sinceMs = performance.now();
  for (let lastMs = 0; lastMs < 10_000; ) {
    const beganMs = performance.now() - sinceMs;
    if ((await ask()) === expected) return lastMs;
    lastMs = beganMs;
  }
  throw new Error(`never ${expected}`);
}

const fast = (numbers: number[]) =>
  numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 5)] ?? Number.NaN;

test('a key that was ended opens nothing in any process from the answer on', async () => {
  const customer = await rich();
  for (let round = 0; round < rounds; round++) {
    const [at, other] = round % 2 === 0 ? [here, there] : [there, here];
    const { body } = await Customer.call(customer, 'POST', `${at}/account/keys`, { name: 'short-lived' });
    const key = { token: body.key };
    expect([await code(at, key), await code(other, key)]).toEqual(['200', '200']);
    expect((await Customer.call(customer, 'DELETE', `${at}/account/keys/${body.id}`)).status).toBe(200);
    expect([await code(other, key), await code(at, key)]).toEqual(['token_invalid', 'token_invalid']);
  }
});

test('an account that was frozen calls nothing in any process from the answer on, and goes on when it is not', async () => {
  const customer = await rich();
  const seller = { token: adminToken };
  for (let round = 0; round < adminRounds; round++) {
    const [at, other] = round % 2 === 0 ? [here, there] : [there, here];
    const act = (what: string) =>
      Customer.call(seller, 'POST', `${at}/admin/accounts/${customer.account}/${what}`, { reason: 'a test' });
    expect((await act('freeze')).status).toBe(200);
    expect([await code(other, customer), await code(at, customer)]).toEqual([
      'account_frozen',
      'account_frozen',
    ]);
    expect((await act('unfreeze')).status).toBe(200);
    expect([await code(other, customer), await code(at, customer)]).toEqual(['200', '200']);
  }
});

test('credit that came in one process can be spent in every other at once', async () => {
  for (let round = 0; round < rounds; round++) {
    const customer = await Customer.register(here);
    expect(await code(there, customer)).toBe('plan_required');
    await Customer.credit(shop.sql, customer, 100);
    expect(await code(there, customer)).toBe('200');
    expect(await code(there, customer)).toBe('credit_exhausted');
    await Customer.credit(shop.sql, customer, 100);
    expect(await code(there, customer)).toBe('200');
  }
});

test('a plan that has ended opens nothing within 100 ms, though a process has some of it set aside', async () => {
  for (const [path, answer] of [
    ['/v1/club', 'plan_required'],
    ['/v1/lounge', 'plan_required'],
  ] as const) {
    const waits: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const customer = await Customer.register(here);
      const key = id('test');
      await shop.sql`SELECT ledger.grant_lot(${key}, ${customer.account}, 'grant', 'test', 'allowance', 'unit', 'member', 1000, now() + interval '1 day')`;
      for (let calls = 0; calls < 5; calls++) expect(await code(there, customer, path)).toBe('200');
      const end = async () => {
        await shop.sql`SELECT ledger.end_lot(${key})`;
        await shop.sql`SELECT ledger.send_notices()`;
      };
      waits.push(await untilThere(end, () => code(there, customer, path), answer));
    }
    expect(fast(waits)).toBeLessThan(everywhereMs);
  }
});

test('an allowance that ends later than it was to is drawn on all the same', async () => {
  const customer = await Customer.register(here);
  const key = id('test');
  await shop.sql`SELECT ledger.grant_lot(${key}, ${customer.account}, 'grant', 'test', 'allowance', 'unit', 'member', 100000, now() + interval '4 seconds')`;
  const endMs = performance.now() + 4_500;
  let isLonger = false;
  while (performance.now() < endMs) {
    expect(await code(there, customer, '/v1/club')).toBe('200');
    if (isLonger) continue;
    isLonger = true;
    await shop.sql`UPDATE ledger.lot SET expires_at = now() + interval '1 day' WHERE account_id = ${customer.account} AND plan_id = 'member'`;
    await shop.sql`SELECT ledger.announce_terms(${customer.account})`;
  }
});
