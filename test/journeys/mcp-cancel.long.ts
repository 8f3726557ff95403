import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Mcp from './mcp-client.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let other: string;
let script: (received: Upstream.Received) => unknown;

beforeAll(async () => {
  upstream = await Upstream.scripted((received) => script(received));
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml' });
  other = await shop.addStorefront();
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

async function left({ account }: Customer.Customer): Promise<number[]> {
  const rows = await shop.sql`SELECT remaining FROM ledger.statement(${account}) ORDER BY lot_id`;
  return rows.map(({ remaining }) => Number(remaining));
}

/** The next request that reaches the upstream. It is not answered by itself. */
function arrival(): Promise<Upstream.Received> {
  const { promise, resolve } = Promise.withResolvers<Upstream.Received>();
  script = resolve;
  return promise;
}

const called = { operation: 'POST_v1_list', arguments: { body: { max: 5 } } };
const answer = Upstream.http(200, '{"count":5}', ['content-type: application/json']);

type Sent = { status: number; text: string };

/** Sends a hand-written message of the revision 2025-11-25. */
async function post(
  base: string,
  { token }: Customer.Customer,
  message: object,
  session?: string,
): Promise<Sent> {
  const response = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': '2025-11-25',
      ...(session !== undefined && { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  return { status: response.status, text: await response.text() };
}

const call = (id: unknown) => ({
  id,
  method: 'tools/call',
  params: { name: 'call_operation', arguments: called },
});
const cancel = (requestId: unknown) => ({ method: 'notifications/cancelled', params: { requestId } });

describe.each(['legacy', 'auto'] as const)('a stock client, negotiation %s', (mode) => {
  test.each(['call_operation', 'POST_v1_list'])(
    'that cancels %s pays nothing, and the upstream is released',
    async (name) => {
      const customer = await Customer.register(shop.url);
      const client = await Mcp.connect(shop.url, customer.token, mode);
      const arriving = arrival();
      const controller = new AbortController();
      const args = name === 'call_operation' ? called : called.arguments;
      const calling = client.callTool({ name, arguments: args }, { signal: controller.signal });
      const { socket } = await arriving;
      const closed = new Promise((resolve) => socket.once('close', resolve));
      controller.abort();
      await expect(calling).rejects.toThrow();
      await closed;
      expect(await left(customer)).toEqual([25]);
      script = (received) => received.socket.write(answer);
      expect((await Mcp.call(client, 'call_operation', called)).answer.units).toBe('5');
    },
  );
});

test('a call is cancelled through any process of the shop, and gets an empty response', async () => {
  const customer = await Customer.register(shop.url);
  const arriving = arrival();
  const calling = post(shop.url, customer, call('a'), 'one');
  await arriving;
  expect((await post(other, customer, cancel('a'), 'one')).status).toBe(202);
  expect(await calling).toEqual({ status: 202, text: '' });
  expect(await left(customer)).toEqual([25]);
});

test('a cancellation that overtakes its call prevents it', async () => {
  const customer = await Customer.register(shop.url);
  upstream.received.length = 0;
  script = (received) => received.socket.write(answer);
  await post(shop.url, customer, cancel(3), 'two');
  expect(await post(shop.url, customer, call(3), 'two')).toEqual({ status: 202, text: '' });
  expect(await left(customer)).toEqual([25]);
});

test('nobody cancels the call of another account or session, or one of two calls with the same id', async () => {
  const customer = await Customer.register(shop.url);
  const stranger = await Customer.register(shop.url);
  const arriving = arrival();
  const calling = post(shop.url, customer, call(1), 'mine');
  const { socket } = await arriving;
  await post(shop.url, stranger, cancel(1), 'mine');
  await post(other, stranger, cancel(1), 'mine');
  await post(shop.url, customer, cancel(1), 'yours');
  await post(shop.url, customer, cancel(1));
  await post(shop.url, customer, cancel('1'), 'mine');
  socket.write(answer);
  expect((await calling).text).toContain('Charged');

  const first = arrival();
  const one = post(shop.url, customer, call(2));
  const { socket: oneSocket } = await first;
  const second = arrival();
  const two = post(shop.url, customer, call(2));
  const { socket: twoSocket } = await second;
  await post(shop.url, customer, cancel(2));
  oneSocket.write(answer);
  twoSocket.write(answer);
  for (const { text } of await Promise.all([one, two])) expect(text).toContain('Charged');
  await expect.poll(() => left(customer)).toEqual([10]);
});

test('a cancellation after the response changes nothing', async () => {
  const customer = await Customer.register(shop.url);
  script = (received) => received.socket.write(answer);
  expect((await post(shop.url, customer, call(9))).text).toContain('Charged');
  expect((await post(shop.url, customer, cancel(9))).status).toBe(202);
  await expect.poll(() => left(customer)).toEqual([20]);
});

test('a long result that was stored stays charged and readable, also for a client that never received it', async () => {
  const customer = await Customer.register(shop.url);
  const client = await Mcp.connect(shop.url, customer.token);
  const items = Array.from({ length: 5 }, (_, at) => ({ at, text: 'x'.repeat(8_000) }));
  script = (received) =>
    received.socket.write(
      Upstream.http(200, JSON.stringify({ count: 5, items }), ['content-type: application/json']),
    );
  const said = await Mcp.call(client, 'call_operation', called);
  expect(said.body.items).toHaveLength(3);
  const rest = await Mcp.call(client, 'read_result', { call: said.answer.call, from: 3 });
  expect(rest.body.items).toEqual(items.slice(3));
  expect(await left(customer)).toEqual([20]);
  const callId = said.answer.call.slice('call_'.length);
  await shop.sql`SELECT ledger.credit_undelivered(ARRAY[${callId}::uuid])`;
  expect(await left(customer)).toEqual([20]);
});

test('a result whose charge was credited back is not stored', async () => {
  const customer = await Customer.register(shop.url);
  const client = await Mcp.connect(shop.url, customer.token);
  script = (received) => received.socket.write(answer);
  const said = await Mcp.call(client, 'call_operation', called);
  const callId = said.answer.call.slice('call_'.length);
  // Rolled back, because this response was delivered.
  const sql = await shop.sql.reserve();
  await sql`BEGIN`;
  await sql`SELECT ledger.credit_undelivered(ARRAY[${callId}::uuid])`;
  const [row] =
    await sql`SELECT ledger.store_response(${customer.account}, ${callId}, '[]', '{}', 1000) AS stored`;
  await sql`ROLLBACK`;
  sql.release();
  expect(row?.stored).toBe(false);
});

test('a key for one service does not read the result of another', async () => {
  const customer = await Customer.register(shop.url);
  const client = await Mcp.connect(shop.url, customer.token);
  const text = 'x'.repeat(40_000);
  script = (received) =>
    received.socket.write(
      Upstream.http(200, JSON.stringify({ count: 1, text }), ['content-type: application/json']),
    );
  const said = await Mcp.call(client, 'call_operation', called);
  const { services } = (await Mcp.call(client, 'shop_services')).body;
  const keyFor = async (own: string[]) => {
    const made = await Customer.call(customer, 'POST', `${shop.url}/account/keys`, {
      name: 'k',
      services: own,
    });
    return Mcp.connect(shop.url, made.body.key);
  };
  const read = { call: said.answer.call, max_bytes: 100_000 };
  const slugs: string[] = services.map(({ slug }: { slug: string }) => slug);
  const codes = [];
  for (const slug of slugs) {
    const { body } = await Mcp.call(await keyFor([slug]), 'read_result', read);
    codes.push(body.code ?? body.text === text);
  }
  expect(codes.filter((code) => code === true)).toHaveLength(1);
  expect(codes.filter((code) => code === 'key_not_allowed')).toHaveLength(slugs.length - 1);
});
