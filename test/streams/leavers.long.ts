import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Upstream from './streaming-upstream.ts';

let upstream: Upstream.StreamingUpstream;
let shop: Shop.Shop;
let customer: Customer.Customer;
const freeCalls = 2;
const words = (count: number) => Array.from({ length: count }, (_, at) => Upstream.chunk(`w${at}`)).join('');

beforeAll(async () => {
  upstream = await Upstream.open();
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_leavers' },
    catalog: 'stream-extend.yaml',
    env: { UNPAID_CALLS_MAX: String(freeCalls) },
  });
});
beforeEach(async () => {
  customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 1_000_000);
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

test('a stream holds no more for a key that was revoked while it runs', async () => {
  const { body: key } = await Customer.call(customer, 'POST', `${shop.url}/account/keys`, { name: 'stolen' });
  const begun = Promise.withResolvers<ServerResponse>();
  upstream.next((response) => {
    Upstream.begin(response);
    response.write(words(3));
    begun.resolve(response);
  });
  const request = httpRequest(`${shop.url}/v1/endless`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
  });
  request.end('{"stream":true}');
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  response.on('data', (bytes) => (text += bytes));
  await expect.poll(() => text).toBe(words(3));
  const revoked = await Customer.call(customer, 'DELETE', `${shop.url}/account/keys/${key.id}`);
  expect(revoked.status).toBe(200);
  (await begun.promise).write(words(30));
  await once(response, 'end');
  // Five events are a step, which was held before.
  expect(text.split('event: error')[0]).toBe(words(3) + words(2));
  expect(text).toContain('"code":"token_invalid"');
  expect(response.trailers).toMatchObject({ 'storefront-units': '10' });
  expect(await spentUnits()).toBe(10);
});

/** Reads a stream until it has received an event for each of `words`, then leaves. Returns the upstream's side of it. */
async function leave(path: string, words: number): Promise<ServerResponse> {
  const begun = Promise.withResolvers<ServerResponse>();
  upstream.next((response) => {
    Upstream.begin(response);
    for (let at = 0; at < words; at++) response.write(Upstream.chunk(`word ${at}`));
    begun.resolve(response);
    // The storefront notices that its caller has left when it sends the next event. A comment costs nothing.
    const beating = setInterval(() => response.write(': beat\n\n'), 10);
    response.once('close', () => clearInterval(beating));
  });
  const request = httpRequest(shop.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json' },
  });
  request.on('error', () => {});
  request.end('{"stream":true}');
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  let text = '';
  response.on('data', (bytes) => (text += bytes));
  await expect.poll(() => text.split('word').length - 1).toBe(words);
  request.destroy();
  return begun.promise;
}

async function spentUnits(): Promise<number> {
  const [row] = await shop.sql`
    SELECT coalesce(sum(units), 0)::int AS units FROM ledger.usage WHERE account_id = ${customer.account}`;
  return row?.units;
}

const isCut = (index: number) => expect.poll(() => upstream.asked[index]?.isCut).toBe(true);

test('an account that often leaves endless streams pays for the events that it received', async () => {
  for (let left = 0; left < freeCalls; left++) {
    const index = upstream.asked.length;
    await leave('/v1/endless', 30);
    await isCut(index);
  }
  expect(await spentUnits()).toBe(0);
  await leave('/v1/endless', 30);
  await expect.poll(spentUnits).toBe(60);
  await leave('/v1/endless', 7);
  await expect.poll(spentUnits).toBe(74);
});

test('an account that often leaves streams has them read to their end, also where they are usually cancelled', async () => {
  for (let left = 0; left < freeCalls; left++) {
    const index = upstream.asked.length;
    await leave('/v1/cancelled', 3);
    await isCut(index);
  }
  const index = upstream.asked.length;
  const response = await leave('/v1/cancelled', 3);
  await sleep(300);
  expect(upstream.asked[index]?.isCut).toBe(false);
  response.end(Upstream.usage(40) + Upstream.done);
  await expect.poll(spentUnits).toBe(40);
});
