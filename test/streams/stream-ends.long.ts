import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Upstream from './streaming-upstream.ts';

let upstream: Upstream.StreamingUpstream;
let shop: Shop.Shop;
let customer: Customer.Customer;

beforeAll(async () => {
  upstream = await Upstream.open();
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_stream' },
    catalog: 'stream-idle.yaml',
  });
});
beforeEach(async () => {
  customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 50_000);
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

/** Asks a storefront for a stream. Resolves with its first bytes read. */
async function open(url = shop.url): Promise<{ request: ClientRequest; response: IncomingMessage }> {
  const request = httpRequest(`${url}/v1/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json' },
  });
  request.on('error', () => {});
  request.end(JSON.stringify({ stream: true, max_tokens: 50 }));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  await once(response, 'data');
  return { request, response };
}

/** Returns the units that the account was charged for. */
async function spentUnits(): Promise<number> {
  const [row] = await shop.sql`
    SELECT coalesce(sum(units), 0)::int AS units FROM ledger.usage WHERE account_id = ${customer.account}`;
  return row?.units;
}

test('a caller who stops reading is charged before the pause that its upstream may make is over', async () => {
  const long = Upstream.chunk('x'.repeat(8_000));
  upstream.next(async (response) => {
    Upstream.begin(response);
    for (let sent = 0; sent < 2_000; sent += 1) if (!response.write(long)) await once(response, 'drain');
    response.end(Upstream.usage(33) + Upstream.done);
  });
  const { request, response } = await open();
  response.pause();
  await expect.poll(() => spentUnits()).toBe(33);
  request.destroy();
});

test('a process that ends finishes the streams of callers who left, and charges them', async () => {
  const left = Promise.withResolvers<void>();
  upstream.next(async (response) => {
    Upstream.begin(response);
    const more = setInterval(() => response.write(Upstream.chunk('one')), 200);
    await left.promise;
    clearInterval(more);
    response.end(Upstream.usage(21) + Upstream.done);
  });
  const url = await shop.addStorefront();
  const { request } = await open(url);
  request.destroy();
  // The process notices it when it writes.
  await sleep(1_000);
  const stopped = shop.storefronts.at(-1)?.stop();
  // Without the stream, the process would have ended by then.
  await sleep(3_000);
  left.resolve();
  expect(await stopped).toBe(0);
  expect(await spentUnits()).toBe(21);
});
