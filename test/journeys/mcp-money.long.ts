import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Mcp from './mcp-client.ts';

const env = { CLIENT_ADDRESS_HEADER: 'x-forwarded-for' };
let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let script: (received: Upstream.Received) => unknown;

beforeAll(async () => {
  upstream = await Upstream.scripted((received) => script(received));
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml', env });
});
beforeEach(() => {
  script = ({ socket, body }) =>
    socket.write(json(200, { count: (body === '' ? {} : JSON.parse(body)).max ?? 10 }));
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

function json(status: number, body: unknown): Buffer {
  return Upstream.http(status, JSON.stringify(body), ['content-type: application/json']);
}

/** Returns the remaining units of an account's trial, and its balance. */
async function left({ account }: Customer.Customer): Promise<number[]> {
  const rows = await shop.sql`SELECT remaining FROM ledger.statement(${account}) ORDER BY lot_id`;
  return rows.map(({ remaining }) => Number(remaining));
}

type Rpc = { status: number; body: { result?: object; error?: { code: number; message: string } } };

/** Sends a hand-written message. */
async function post(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Rpc> {
  const answer = await Customer.send({
    method: 'POST',
    url: `${shop.url}/mcp`,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  });
  return { status: answer.status, body: answer.body };
}

function calling(name: unknown, args: unknown): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}

describe('a client that leaves', () => {
  /** Sends a call, and leaves once the upstream has received it. */
  async function leave(customer: Customer.Customer, answer: Buffer | null, key?: string): Promise<void> {
    const { promise: arrived, resolve } = Promise.withResolvers<Upstream.Received>();
    script = resolve;
    const leaving = request(`${shop.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${customer.token}`,
        ...(key !== undefined && { 'idempotency-key': key }),
      },
    });
    leaving.on('error', () => {});
    leaving.end(JSON.stringify(calling('POST_v1_list', { body: { max: 5 } })));
    const { socket } = await arrived;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    // After a plain close the caller could still be waiting for the response (decision 0012).
    leaving.socket?.resetAndDestroy();
    if (answer === null) await closed;
    else socket.write(answer);
  }

  test('before the upstream has answered pays nothing, and the upstream is let go', async () => {
    const customer = await Customer.register(shop.url);
    await leave(customer, null);
    await expect.poll(() => left(customer)).toEqual([25]);
    const client = await Mcp.connect(shop.url, customer.token);
    script = ({ socket }) => socket.write(json(200, { count: 25 }));
    const said = await Mcp.call(client, 'POST_v1_list', { body: { max: 25 } });
    expect(said.answer.units).toBe('25');
  });

  test('as the upstream answers pays nothing either', async () => {
    const customer = await Customer.register(shop.url);
    for (let round = 0; round < 5; round += 1) await leave(customer, json(200, { count: 5 }));
    await expect.poll(() => left(customer)).toEqual([25]);
  });
});

test('what no tool takes is told, costs nothing and asks nobody', async () => {
  const customer = await Customer.register(shop.url);
  const bearer = { authorization: `Bearer ${customer.token}` };
  upstream.received.length = 0;
  const wrong: [unknown, number, number | undefined][] = [
    ['{"jsonrpc":', 400, -32700],
    ['', 400, -32700],
    ['7', 400, -32600],
    [[calling('POST_v1_list', {}), calling('POST_v1_list', {})], 400, -32600],
    [{ jsonrpc: '1.0', id: 1, method: 'tools/call' }, 400, -32600],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/burn' }, 200, -32601],
    [calling('POST_v1_lisst', {}), 200, -32602],
    [calling(7, {}), 200, -32602],
    [calling('POST_v1_list', 'all'), 200, -32602],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 'x' } }, 200, -32602],
  ];
  for (const [message, status, code] of wrong) {
    const answer = await post(message, bearer);
    expect([answer.status, answer.body.error?.code], JSON.stringify(message)).toEqual([status, code]);
  }
  const client = await Mcp.connect(shop.url, customer.token);
  const faults: [string, object, string][] = [
    ['GET_v1_items_id', {}, 'invalid_request'],
    ['GET_v1_items_id', { path: { id: 'a/b' } }, 'invalid_request'],
    ['GET_v1_items_id', { path: { id: '..' } }, 'invalid_request'],
    ['POST_v1_list', { storefront: { max_cost_usd: 'cheap' } }, 'invalid_request'],
    ['POST_v1_list', { storefront: { idempotency_key: '' } }, 'invalid_request'],
    ['GET_v1_items_id', { path: { id: '\ud800' } }, 'invalid_request'],
    ['shop_purchase', { plan: 'credit', return_url: '\ud800' }, 'invalid_request'],
    ['shop_purchase', { plan: 'gold' }, 'not_found'],
    ['shop_purchase', { plan: 'credit', amount: '5' }, 'invalid_request'],
    ['shop_guide', {}, 'invalid_request'],
    ['shop_prices', { service: 7 }, 'not_found'],
    ['POST_v1_reserved', { body: {} }, 'plan_required'],
  ];
  for (const [name, args, code] of faults) {
    const said = await Mcp.call(client, name, { ...args });
    expect([said.isError, said.body.code], JSON.stringify(args)).toEqual([true, code]);
  }
  expect(upstream.received).toEqual([]);
  expect(await left(customer)).toEqual([25]);
});

test('path, query and body arrive where they belong, and nothing of the shop with them', async () => {
  const { token } = await Customer.register(shop.url);
  const client = await Mcp.connect(shop.url, token);
  upstream.received.length = 0;
  await Mcp.call(client, 'PUT_v1_items_id', {
    path: { id: 'a b' },
    query: { tag: ['x', 'y&z'], deep: true },
    body: { note: 'é' },
    storefront: { idempotency_key: 'k', max_cost_usd: '1' },
  });
  const [received] = upstream.received;
  expect(received?.head.split('\r\n')[0]).toBe('PUT /v1/items/a%20b?tag=x&tag=y%26z&deep=true HTTP/1.1');
  expect(Buffer.from(received?.body ?? '', 'latin1').toString()).toBe('{"note":"é"}');
  expect(received?.head).not.toMatch(new RegExp(`storefront|idempotency|mcp|${token}`, 'i'));
});

test('an answer of the upstream is given as it is: errors, lists, text, bytes', async () => {
  const customer = await Customer.register(shop.url);
  const client = await Mcp.connect(shop.url, customer.token);
  const gives = async (answer: Buffer) => {
    script = ({ socket }) => socket.write(answer);
    return client.callTool({ name: 'GET_v1_items_id', arguments: { path: { id: 1 } } });
  };
  expect(await gives(json(422, { why: 'so' }))).toMatchObject({
    isError: true,
    structuredContent: { why: 'so' },
  });
  expect((await left(customer))[0]).toBe(25);
  expect(await gives(json(200, [1, 2]))).toMatchObject({ structuredContent: { undescribed: [1, 2] } });
  const plain = await gives(Upstream.http(200, 'hello', ['content-type: text/plain']));
  expect(plain.content[0]).toEqual({ type: 'text', text: 'hello' });
  const image = await gives(Upstream.http(200, Buffer.from([1, 2, 255]), ['content-type: image/png']));
  expect(image.content[0]).toEqual({ type: 'image', data: 'AQL/', mimeType: 'image/png' });
  expect((await left(customer))[0]).toBe(22);
});

test('an answer that is too long for a message is given back', async () => {
  const customer = await Customer.register(shop.url);
  const client = await Mcp.connect(shop.url, customer.token);
  const long = Buffer.alloc(5 * 1024 * 1024, 'x');
  script = ({ socket }) => socket.write(Upstream.http(200, long, ['content-type: text/plain']));
  const said = await Mcp.call(client, 'GET_v1_items_id', { path: { id: 1 } });
  expect(said.body.code).toBe('answer_too_large');
  const keyed = { path: { id: 1 }, storefront: { idempotency_key: 'long' } };
  expect((await Mcp.call(client, 'GET_v1_items_id', keyed)).body.code).toBe('answer_too_large');
  await expect.poll(() => left(customer)).toEqual([25]);
});

test('a page of another site is turned away, a body of more than a mebibyte too, and nothing listens for long', async () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const origins: [string, number][] = [
    ['https://evil.example', 403],
    ['null', 403],
    ['http://localhost:6274', 200],
  ];
  for (const [origin, status] of origins) expect((await post(list, { origin })).status).toBe(status);
  expect((await post({ ...list, pad: 'x'.repeat(1024 * 1024) })).status).toBe(413);
  const get = await fetch(`${shop.url}/mcp`, { headers: { accept: 'text/event-stream' } });
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
});

test('an address may ask for free so often in a second; what is paid for is limited by its plan alone', async () => {
  const from = { 'x-forwarded-for': '203.0.113.7' };
  const { token } = await Customer.register(shop.url);
  const asked = await Promise.all(
    Array.from({ length: 60 }, () => post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, from)),
  );
  const statuses = asked.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  const bearer = { ...from, authorization: `Bearer ${token}` };
  const paid = await post(calling('POST_v1_list', { body: { max: 1 } }), bearer);
  expect(paid.body.result).toMatchObject({ _meta: { 'storefront/answer': { units: '1' } } });
});

test('a call has its receipt, where one is wanted, and its line in the log of the shop', async () => {
  const { token } = await Customer.register(shop.url);
  const client = await Mcp.connect(shop.url, token);
  const said = await Mcp.call(client, 'POST_v1_list', { body: { max: 1 }, storefront: { receipt: true } });
  expect(said.answer.receipt).toMatch(/^ey/);
  const line = () =>
    shop.storefronts[0]
      ?.output()
      .split('\n')
      .find((text) => text.includes(said.answer.call.slice('call_'.length)));
  await expect.poll(line).toBeDefined();
  expect(JSON.parse(line() ?? '')).toMatchObject({
    path: '/mcp',
    tool: 'POST_v1_list',
    units: 1,
    status: 200,
  });
});
