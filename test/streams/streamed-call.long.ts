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
const creditMicro = 50_000;

beforeAll(async () => {
  upstream = await Upstream.open();
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_stream' }, catalog: 'streams.yaml' });
});
beforeEach(async () => {
  customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, creditMicro);
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

type Opened = { request: ClientRequest; response: IncomingMessage; text(): string };

/** Calls an operation and returns when the header section is there. */
async function open(path: string, body: object, headers: Record<string, string> = {}): Promise<Opened> {
  const sent = JSON.stringify(body);
  const request = httpRequest(shop.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${customer.token}`,
      'content-type': 'application/json',
      ...headers,
    },
  });
  request.on('error', () => {});
  request.end(sent);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  response.on('data', (bytes) => (text += bytes));
  response.on('error', () => {});
  return { request, response, text: () => text };
}

/** Waits for the end of a response. Returns whether it was complete. */
async function ended({ response }: Opened): Promise<boolean> {
  if (!response.closed) await new Promise((resolve) => response.once('close', resolve));
  return response.complete;
}

/** Returns the units that the account was charged for, less those that were credited back. */
async function spentUnits(): Promise<number> {
  const rows = await shop.sql`
    SELECT coalesce(sum(units), 0)::int AS units FROM ledger.usage u WHERE account_id = ${customer.account}
      AND NOT EXISTS (SELECT FROM ledger.posting p WHERE p.kind = 'undelivered' AND p.key LIKE '%' || u.call_id || '%')`;
  return rows[0]?.units;
}

const chat = { stream: true, max_tokens: 50 };

test('events arrive as the upstream sends them, and the cost of the stream comes after them', async () => {
  const first = Promise.withResolvers<void>();
  upstream.next(async (response) => {
    Upstream.begin(response);
    response.write(Upstream.chunk('one'));
    await first.promise;
    response.end(Upstream.chunk('two') + Upstream.usage(17) + Upstream.done);
  });
  const call = await open('/v1/chat', chat);
  expect(call.response.statusCode).toBe(200);
  expect(call.response.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'storefront-held-usd': '0.005000',
    'storefront-service': 'tokens',
    trailer: expect.stringContaining('storefront-cost-usd'),
  });
  expect(call.response.headers['storefront-cost-usd']).toBeUndefined();
  await expect.poll(() => call.text()).toBe(Upstream.chunk('one'));
  first.resolve();
  expect(await ended(call)).toBe(true);
  // The gateway asked for the usage, which this caller did not ask for.
  expect(call.text()).toBe(Upstream.chunk('one') + Upstream.chunk('two') + Upstream.done);
  expect(upstream.asked.at(-1)?.body.stream_options).toEqual({ include_usage: true });
  expect(call.response.trailers).toMatchObject({ 'storefront-units': '17' });
  expect(await spentUnits()).toBe(17);
});

test('a caller who asked for the usage gets it', async () => {
  upstream.next((response) => {
    Upstream.begin(response);
    response.end(Upstream.chunk('one') + Upstream.usage(5) + Upstream.done);
  });
  const call = await open('/v1/chat', { ...chat, stream_options: { include_usage: true } });
  expect(await ended(call)).toBe(true);
  expect(call.text()).toBe(Upstream.chunk('one') + Upstream.usage(5) + Upstream.done);
});

test('a response that is no stream is charged by the same count', async () => {
  upstream.next((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ usage: { total_tokens: 8 } }));
  });
  const call = await open('/v1/chat', { max_tokens: 50 });
  expect(await ended(call)).toBe(true);
  expect(call.response.headers['storefront-units']).toBe('8');
  expect(await spentUnits()).toBe(8);
});

test('usage in several events is combined by their names', async () => {
  upstream.next((response) => {
    Upstream.begin(response);
    response.end(Upstream.message(40));
  });
  const call = await open('/v1/messages', chat);
  expect(await ended(call)).toBe(true);
  expect(call.text()).toBe(Upstream.message(40));
  expect(await spentUnits()).toBe(40);
});

test('the last event is not sent before the charge is recorded', async () => {
  upstream.next((response) => {
    Upstream.begin(response);
    response.end(Upstream.chunk('one') + Upstream.usage(11) + Upstream.done);
  });
  await shop.sql.begin(async (lock) => {
    await lock`LOCK TABLE ledger.usage IN ACCESS EXCLUSIVE MODE`;
    const call = await open('/v1/chat', chat);
    await expect.poll(() => call.text()).toBe(Upstream.chunk('one'));
    // The ledger gives up after five seconds: the stream is cut, and nothing is charged.
    expect(await ended(call)).toBe(false);
    expect(call.text()).toBe(Upstream.chunk('one'));
  });
  await expect.poll(() => spentUnits()).toBe(0);
});

test('a caller who leaves is charged what the upstream counted', async () => {
  const left = Promise.withResolvers<void>();
  upstream.next(async (response) => {
    Upstream.begin(response);
    response.write(Upstream.chunk('one'));
    await left.promise;
    response.end(Upstream.chunk('two') + Upstream.usage(21) + Upstream.done);
  });
  const call = await open('/v1/chat', chat);
  await expect.poll(() => call.text()).not.toBe('');
  call.request.destroy();
  await sleep(100);
  left.resolve();
  await expect.poll(() => spentUnits()).toBe(21);
});

test('an upstream that does not finish for a caller who left is ended after finish_ms, free of charge', async () => {
  upstream.next((response) => {
    Upstream.begin(response);
    response.write(Upstream.chunk('one'));
    const more = setInterval(() => response.write(Upstream.chunk('x')), 200);
    response.once('close', () => clearInterval(more));
  });
  const call = await open('/v1/chat', chat);
  await expect.poll(() => call.text()).not.toBe('');
  const asked = upstream.asked.at(-1);
  call.request.destroy();
  await expect.poll(() => asked?.isCut).toBe(true);
  expect(await spentUnits()).toBe(0);
});

test('with on_leave: cancel the upstream is ended at once, free of charge', async () => {
  upstream.next((response) => {
    Upstream.begin(response);
    response.write(Upstream.message(3).slice(0, 200));
    const more = setInterval(() => response.write(': still here\n\n'), 50);
    response.once('close', () => clearInterval(more));
  });
  const call = await open('/v1/messages', chat);
  await expect.poll(() => call.text()).not.toBe('');
  const asked = upstream.asked.at(-1);
  call.request.destroy();
  await expect.poll(() => asked?.isCut).toBe(true);
  expect(await spentUnits()).toBe(0);
});

test('a stream that breaks off is cut and free', async () => {
  upstream.next((response) => {
    Upstream.begin(response);
    response.write(Upstream.chunk('one') + Upstream.usage(30), () => response.destroy());
  });
  const call = await open('/v1/chat', chat);
  expect(await ended(call)).toBe(false);
  expect(await spentUnits()).toBe(0);
});

test('a stream that stalls is cut and free', async () => {
  upstream.next((response) => {
    Upstream.begin(response);
    response.write(Upstream.chunk('one'));
  });
  const call = await open('/v1/chat', chat);
  expect(await ended(call)).toBe(false);
  expect(await spentUnits()).toBe(0);
});

test('a complete stream without usage is free, or costs what was held, as the catalogue says', async () => {
  const plain = (response: import('node:http').ServerResponse) => {
    Upstream.begin(response);
    response.end(Upstream.chunk('one') + Upstream.done);
  };
  upstream.next(plain);
  expect(await ended(await open('/v1/chat', chat))).toBe(true);
  expect(await spentUnits()).toBe(0);
  upstream.next(plain);
  expect(await ended(await open('/v1/messages', chat))).toBe(true);
  expect(await spentUnits()).toBe(50);
});

test('a stream that reports an error is passed on whole, and free', async () => {
  const failing =
    Upstream.message(40).split('event: message_delta')[0] +
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n';
  upstream.next((response) => {
    Upstream.begin(response);
    response.end(failing);
  });
  const call = await open('/v1/messages', chat);
  expect(await ended(call)).toBe(true);
  expect(call.text()).toBe(failing);
  expect(call.response.trailers).toMatchObject({ 'storefront-cost-usd': '0.000000' });
  expect(await spentUnits()).toBe(0);
});

test('a stream is charged by its model and its meters, exactly and rounded up once', async () => {
  upstream.next((response) => {
    Upstream.begin(response);
    response.end(Upstream.chunk('one') + Upstream.usage(1_004) + Upstream.done);
  });
  const call = await open('/v1/models-chat', { ...chat, model: 'large', max_tokens: 2_000 });
  expect(await ended(call)).toBe(true);
  // 3 input tokens at 2.50 and 1,001 output tokens at 10.00 USD for a million are 10,017.5 micro-dollars.
  expect(call.response.trailers).toMatchObject({
    'storefront-usage': 'input=3, output=1001',
    'storefront-cost-usd': '0.010018',
  });
  expect(call.response.trailers).not.toHaveProperty('storefront-units');
  const rows = await shop.sql`
    SELECT amount, price_key, quantities FROM ledger.usage WHERE account_id = ${customer.account}`;
  expect(rows).toMatchObject([
    { amount: 10_018, price_key: 'large', quantities: { input: 3, output: 1_001 } },
  ]);
});

test('a stream of a model without a price is refused before it is sent', async () => {
  const before = upstream.asked.length;
  const call = await open('/v1/models-chat', { ...chat, model: 'unheard-of' });
  await ended(call);
  expect(call.response.statusCode).toBe(400);
  expect(JSON.parse(call.text())).toMatchObject({ code: 'price_unknown' });
  expect(upstream.asked.length).toBe(before);
});

test('a stream that nobody asked for in the way the rule reads is never free', async () => {
  upstream.next((response) => {
    Upstream.begin(response);
    response.end(Upstream.chunk('one') + Upstream.done);
  });
  expect(await ended(await open('/v1/chat', { Stream: true, max_tokens: 50 }))).toBe(true);
  expect(await spentUnits()).toBe(50);
});

test('a stream that costs more than its request could is charged within the balance', async () => {
  upstream.next((response) => {
    Upstream.begin(response);
    response.end(Upstream.chunk('one') + Upstream.usage(900) + Upstream.done);
  });
  // 500 units are affordable: the hold cannot grow to 900.
  const call = await open('/v1/chat', { ...chat, max_tokens: 450 });
  expect(await ended(call)).toBe(true);
  expect(await spentUnits()).toBe(450);
});

test('a request of unclear size does not start a stream that its credit does not cover', async () => {
  const before = upstream.asked.length;
  const sent = httpRequest(`${shop.url}/v1/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json' },
  });
  sent.end('{"stream":true,"max_tokens":1,"max_tokens":1000}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(402);
  response.resume();
  expect(upstream.asked.length).toBe(before);
});

test('a caller who stops reading is charged what the upstream counted', async () => {
  const long = Upstream.chunk('x'.repeat(8_000));
  upstream.next(async (response) => {
    Upstream.begin(response);
    for (let sent = 0; sent < 2_000; sent += 1) if (!response.write(long)) await once(response, 'drain');
    response.end(Upstream.usage(33) + Upstream.done);
  });
  const call = await open('/v1/chat', chat);
  call.response.removeAllListeners('data');
  call.response.pause();
  await expect.poll(() => spentUnits()).toBe(33);
  call.request.destroy();
});

test('the key of an idempotent call is stored with its charge, and a retry is not charged', async () => {
  upstream.next((response) => {
    Upstream.begin(response);
    response.end(Upstream.chunk('one') + Upstream.usage(6) + Upstream.done);
  });
  expect(await ended(await open('/v1/chat', chat, { 'idempotency-key': 'once' }))).toBe(true);
  const again = await open('/v1/chat', chat, { 'idempotency-key': 'once' });
  await ended(again);
  expect(again.response.statusCode).toBe(410);
  expect(await spentUnits()).toBe(6);
});

test('the page and tools that take no stream get the whole text', async () => {
  upstream.next((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': '999999' });
    response.destroy();
  });
  const broken = await open('/v1/chat', chat);
  expect(broken.response.statusCode).toBe(502);
  await ended(broken);
  const text = Upstream.chunk('one') + Upstream.usage(4) + Upstream.done;
  upstream.next((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': text.length });
    response.end(text);
  });
  const call = await open('/v1/chat', chat);
  expect(await ended(call)).toBe(true);
  expect(call.response.headers['storefront-units']).toBe('4');
  expect(await spentUnits()).toBe(4);
});
