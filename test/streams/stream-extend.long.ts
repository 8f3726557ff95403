import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Upstream from './streaming-upstream.ts';

let upstream: Upstream.StreamingUpstream;
let shop: Shop.Shop;
let customer: Customer.Customer;
const priceMicro = 100;

beforeAll(async () => {
  upstream = await Upstream.open();
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_extend' },
    catalog: 'stream-extend.yaml',
  });
});
beforeEach(async () => {
  customer = await Customer.register(shop.url);
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

type Opened = { request: ClientRequest; response: IncomingMessage; text(): string };

async function open(path = '/v1/chat', headers = {}, url = shop.url): Promise<Opened> {
  const request = httpRequest(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json', ...headers },
  });
  request.on('error', () => {});
  request.end(JSON.stringify({ stream: true, max_tokens: 1000 }));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  response.on('data', (bytes) => (text += bytes));
  response.on('error', () => {});
  return { request, response, text: () => text };
}

async function ended({ response }: Opened): Promise<boolean> {
  if (!response.closed) await new Promise((resolve) => response.once('close', resolve));
  return response.complete;
}

async function spentMicro(): Promise<number> {
  const [row] = await shop.sql`
    SELECT coalesce(sum(units), 0)::int AS units FROM ledger.usage WHERE account_id = ${customer.account}`;
  return row?.units * priceMicro;
}

const words = (count: number) => Array.from({ length: count }, (_, at) => Upstream.chunk(`w${at}`));
/** Sends events one at a time, so that none is read together with the next. */
async function slowly(
  response: import('node:http').ServerResponse,
  events: readonly string[],
): Promise<void> {
  for (const event of events) {
    if (response.destroyed) return;
    response.write(event);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a balance of three steps delivers exactly three steps, charges them and ends with an error event', async () => {
  await Customer.credit(shop.sql, customer, 30 * priceMicro);
  upstream.next(async (response) => {
    Upstream.begin(response);
    await slowly(response, words(40));
  });
  const call = await open();
  expect(call.response.headers['storefront-held-usd']).toBe('0.001000');
  expect(await ended(call)).toBe(true);
  const [error, ...delivered] = call.text().split('\n\n').slice(0, -1).reverse();
  // An event is worth at most 2 units.
  expect(delivered).toHaveLength(15);
  expect(error).toMatch(/^event: error\ndata: .*"code":"credit_exhausted"/);
  expect(call.response.trailers).toMatchObject({
    'storefront-units': '30',
    'storefront-balance-usd': '0.000000',
  });
  expect(await spentMicro()).toBe(30 * priceMicro);
  await expect.poll(() => upstream.asked.at(-1)?.isCut).toBe(true);
});

test('what is left beyond whole steps is used to the last unit', async () => {
  await Customer.credit(shop.sql, customer, 25 * priceMicro);
  upstream.next(async (response) => {
    Upstream.begin(response);
    response.end(words(40).join(''));
  });
  const call = await open();
  expect(await ended(call)).toBe(true);
  expect(call.text().split('\n\n').slice(0, -2)).toHaveLength(12);
  expect(await spentMicro()).toBe(24 * priceMicro);
});

test('a stream far below its worst case needs credit for its steps only, and costs its own usage', async () => {
  await Customer.credit(shop.sql, customer, 30 * priceMicro);
  const text = [...words(13), Upstream.usage(17), Upstream.done].join('');
  upstream.next((response) => {
    Upstream.begin(response);
    response.end(text);
  });
  const call = await open();
  expect(await ended(call)).toBe(true);
  expect(call.text()).toBe(text);
  expect(await spentMicro()).toBe(17 * priceMicro);
});

test('usage beyond the credit is not delivered, nor is what follows it', async () => {
  await Customer.credit(shop.sql, customer, 30 * priceMicro);
  upstream.next((response) => {
    Upstream.begin(response);
    response.end([...words(3), Upstream.usage(31), ...words(1), Upstream.done].join(''));
  });
  const call = await open();
  expect(await ended(call)).toBe(true);
  expect(call.text()).toContain(words(3).join(''));
  expect(call.text()).not.toContain('total_tokens');
  expect(call.text()).not.toContain('[DONE]');
  expect(await spentMicro()).toBe(6 * priceMicro);
});

test('of two streams that compete for the last step, both together are never worth more than the balance', async () => {
  await Customer.credit(shop.sql, customer, 50 * priceMicro);
  const url = await shop.addStorefront();
  const go = Promise.withResolvers<void>();
  const answer = async (response: import('node:http').ServerResponse) => {
    Upstream.begin(response);
    response.write(words(1)[0] as string);
    await go.promise;
    await slowly(response, words(30).slice(1));
  };
  upstream.next(answer);
  upstream.next(answer);
  const calls = [await open(), await open('/v1/chat', {}, url)];
  go.resolve();
  for (const call of calls) expect(await ended(call)).toBe(true);
  const events = calls.map((call) => call.text().split('\n\n').slice(0, -2).length);
  expect(events.reduce((sum, count) => sum + count, 0) * 2).toBe((await spentMicro()) / priceMicro);
  expect(await spentMicro()).toBeLessThanOrEqual(50 * priceMicro);
  expect(Math.max(...events)).toBeGreaterThanOrEqual(10);
});

test('lines of NDJSON are held by the usage that they report, and end with an error line', async () => {
  await Customer.credit(shop.sql, customer, 20 * priceMicro);
  const lines = [5, 11, 20, 21].map((total) => `${JSON.stringify({ usage: { total_tokens: total } })}\n`);
  upstream.next((response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.end(lines.join(''));
  });
  const call = await open('/v1/lines');
  expect(await ended(call)).toBe(true);
  const received = call.text().trimEnd().split('\n');
  expect(received.slice(0, -1).join('\n')).toBe(lines.slice(0, 3).join('').trimEnd());
  expect(JSON.parse(received.at(-1) ?? '')).toMatchObject({ error: { code: 'credit_exhausted' } });
  expect(await spentMicro()).toBe(20 * priceMicro);
});

test('a stream by meters holds its other meters in full, and charges the part that it delivered', async () => {
  // 10 input tokens cost 100 micro-dollars, an output token 1,000.
  await Customer.credit(shop.sql, customer, 100 + 12 * 1_000);
  upstream.next((response) => {
    Upstream.begin(response);
    response.end(words(40).join(''));
  });
  const call = await open('/v1/models-chat');
  expect(call.response.headers['storefront-held-usd']).toBe('0.005100');
  expect(await ended(call)).toBe(true);
  expect(call.text().split('\n\n').slice(0, -2)).toHaveLength(12);
  expect(call.response.trailers).toMatchObject({
    'storefront-cost-usd': '0.012100',
    'storefront-balance-usd': '0.000000',
    'storefront-usage': expect.stringContaining('output=12'),
  });
});

test("a caller's own ceiling ends a stream like missing credit", async () => {
  await Customer.credit(shop.sql, customer, 1_000 * priceMicro);
  upstream.next((response) => {
    Upstream.begin(response);
    response.end(words(40).join(''));
  });
  const call = await open('/v1/chat', { 'storefront-max-cost': '0.0016' });
  expect(await ended(call)).toBe(true);
  expect(call.text()).toContain('"code":"price_ceiling"');
  expect(await spentMicro()).toBe(16 * priceMicro);
});

test('a process that is killed in the middle of a stream charges nothing and returns all steps', async () => {
  await Customer.credit(shop.sql, customer, 60 * priceMicro);
  const url = await shop.addStorefront();
  upstream.next(async (response) => {
    Upstream.begin(response);
    await slowly(response, words(20));
  });
  const call = await open('/v1/chat', {}, url);
  await expect.poll(() => call.text()).toContain('w19');
  await shop.storefronts.at(-1)?.kill();
  expect(await ended(call)).toBe(false);
  expect(await spentMicro()).toBe(0);
  // Another process takes the leases over and sells all of the balance.
  await vi.waitFor(
    async () => {
      upstream.next((response) => {
        Upstream.begin(response);
        response.end(words(40).join(''));
      });
      const again = await open();
      expect(await ended(again)).toBe(true);
      expect(await spentMicro()).toBe(60 * priceMicro);
    },
    { timeout: 30_000, interval: 2_000 },
  );
});
