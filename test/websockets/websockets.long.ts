import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Upstream from './socket-upstream.ts';

let upstream: Upstream.SocketUpstream;
let shop: Shop.Shop;
let customer: Customer.Customer;
const priceMicro = 100;
const key = 'upk_websockets';

beforeAll(async () => {
  upstream = await Upstream.open();
  shop = await Shop.open({
    upstream: { url: upstream.url, key },
    catalog: 'websockets.yaml',
    env: { SOCKETS_ACCOUNT_MAX: '3', SOCKET_MESSAGE_KB_MAX: '64' },
  });
});
beforeEach(async () => {
  customer = await Customer.register(shop.url);
  upstream.status = 101;
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
  expect(await Shop.strays(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

type Client = {
  socket: WebSocket;
  messages: { text: string; isBinary: boolean }[];
  closed: Promise<{ code: number; reason: string }>;
};

function client(
  path = '/v1/feed',
  options: { protocols?: string[]; headers?: object; url?: string } = {},
): Client {
  const { protocols = [], headers = { authorization: `Bearer ${customer.token}` }, url = shop.url } = options;
  const socket = new WebSocket(url.replace('http', 'ws') + path, protocols, { headers: { ...headers } });
  const messages: Client['messages'] = [];
  socket.on('message', (data, isBinary) => messages.push({ text: data.toString(), isBinary }));
  socket.on('error', () => {});
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  return { socket, messages, closed };
}

async function opened(...given: Parameters<typeof client>): Promise<Client & { far: WebSocket }> {
  const one = client(...given);
  const [far] = await Promise.all([upstream.next(), once(one.socket, 'open')]);
  return { ...one, far };
}

/** The response to a handshake that was refused. */
async function refused(
  ...given: Parameters<typeof client>
): Promise<{ status: number; headers: IncomingMessage['headers']; body: unknown }> {
  const { socket } = client(...given);
  const [, response] = await once(socket, 'unexpected-response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) };
}

async function spentUnits(): Promise<number> {
  const [row] = await shop.sql`
    SELECT coalesce(sum(units), 0)::int AS units FROM ledger.usage WHERE account_id = ${customer.account}`;
  return row?.units;
}

async function charged(units: number): Promise<void> {
  await expect.poll(() => spentUnits()).toBe(units);
}

test('text, binary and fragmented messages are passed on in both directions, with close codes', async () => {
  await Customer.credit(shop.sql, customer, 100 * priceMicro);
  const { socket, far, messages, closed } = await opened();
  const received: { text: string; isBinary: boolean }[] = [];
  far.on('message', (data, isBinary) => received.push({ text: data.toString(), isBinary }));
  socket.send('hello');
  socket.send(Buffer.from([1, 2]));
  far.send('frag', { fin: false });
  far.send('mented', { fin: true });
  far.send(Buffer.from('bin'));
  await expect.poll(() => messages).toHaveLength(2);
  await expect.poll(() => received).toHaveLength(2);
  expect(messages).toEqual([
    { text: 'fragmented', isBinary: false },
    { text: 'bin', isBinary: true },
  ]);
  expect(received.map(({ isBinary }) => isBinary)).toEqual([false, true]);
  socket.ping('p');
  await once(socket, 'pong');
  far.close(4321, 'bye');
  expect(await closed).toEqual({ code: 4321, reason: 'bye' });
  await charged(2);
});

test('the upstream gets the key of the seller and its own subprotocols, and never the token of the caller', async () => {
  await Customer.credit(shop.sql, customer, 100 * priceMicro);
  const { socket, far } = await opened('/v1/feed?a=1', {
    headers: { cookie: 'a=b' },
    protocols: [`bearer.${customer.token}`, 'v1', 'storefront'],
  });
  expect(socket.protocol).toBe('v1');
  const { url, rawHeaders, headers } = upstream.requests.at(-1) as IncomingMessage;
  expect(url).toBe('/v1/feed?a=1');
  expect(headers['x-api-key']).toBe(key);
  expect(headers['sec-websocket-protocol']).toBe('v1');
  expect(headers.cookie).toBeUndefined();
  expect(rawHeaders.join()).not.toContain(customer.token);
  far.send('one');
  await once(socket, 'message');
  socket.close(4000, 'done');
  const [code, reason] = await once(far, 'close');
  expect([code, String(reason)]).toEqual([4000, 'done']);
  await charged(1);
});

test('a browser that offers only the token and the protocol of the storefront gets the latter', async () => {
  await Customer.credit(shop.sql, customer, 100 * priceMicro);
  const { socket, closed } = await opened('/v1/feed', {
    headers: {},
    protocols: [`bearer.${customer.token}`, 'storefront'],
  });
  expect(socket.protocol).toBe('storefront');
  expect(upstream.requests.at(-1)?.headers['sec-websocket-protocol']).toBeUndefined();
  socket.close();
  expect((await closed).code).toBe(1005);
});

test('handshakes are refused like calls, before anything is opened at the upstream', async () => {
  const before = upstream.requests.length;
  expect(await refused('/v1/feed', { headers: {} })).toMatchObject({
    status: 401,
    body: { code: 'bearer_required' },
  });
  const plan = await refused();
  expect(plan).toMatchObject({ status: 403, body: { code: 'plan_required' } });
  expect(plan.headers['storefront-origin']).toBe('storefront');
  expect(await refused('/v1/none')).toMatchObject({ status: 404 });
  expect(await refused('/v1/plain')).toMatchObject({ status: 400, body: { code: 'upgrade_not_supported' } });
  await Customer.credit(shop.sql, customer, 4 * priceMicro);
  expect(await refused()).toMatchObject({ status: 402, body: { code: 'credit_exhausted' } });
  const plain = await Customer.call(customer, 'GET', `${shop.url}/v1/feed`);
  expect(plain).toMatchObject({ status: 426, body: { code: 'upgrade_required' } });
  expect(plain.headers.get('upgrade')).toBe('websocket');
  expect(upstream.requests).toHaveLength(before);
  expect(await spentUnits()).toBe(0);
});

test('a handshake that the upstream refuses is passed on and free', async () => {
  await Customer.credit(shop.sql, customer, 5 * priceMicro);
  upstream.status = 409;
  expect(await refused()).toMatchObject({ status: 409, body: { upstream: 'refuses' } });
  upstream.status = 401;
  expect(await refused()).toMatchObject({ status: 503, body: { code: 'upstream_refused' } });
  upstream.status = 101;
  const { socket, closed } = await opened();
  socket.close();
  await closed;
  await expect.poll(() => spentUnits()).toBe(0);
});

test('a balance of two steps and a half delivers exactly as many messages, and closes with 1008', async () => {
  await Customer.credit(shop.sql, customer, 12 * priceMicro);
  const { far, messages, closed } = await opened();
  for (let at = 0; at < 40; at++) far.send(`m${at}`);
  expect(await closed).toEqual({ code: 1008, reason: 'credit_exhausted' });
  expect(messages.map(({ text }) => text)).toEqual(Array.from({ length: 12 }, (_, at) => `m${at}`));
  await charged(12);
  if (far.readyState !== far.CLOSED) await once(far, 'close');
});

test('a long connection is charged in parts while it is open', async () => {
  await Customer.credit(shop.sql, customer, 200 * priceMicro);
  const { socket, far, messages, closed } = await opened();
  for (let at = 0; at < 120; at++) far.send(`m${at}`);
  await expect.poll(() => messages).toHaveLength(120);
  await charged(100);
  socket.terminate();
  await closed;
  await charged(120);
});

test('of two connections that compete for the last step, both together never deliver more than the balance', async () => {
  await Customer.credit(shop.sql, customer, 23 * priceMicro);
  const url = await shop.addStorefront();
  const one = await opened();
  const two = await opened('/v1/feed', { url });
  for (let at = 0; at < 40; at++) {
    one.far.send(`m${at}`);
    two.far.send(`m${at}`);
  }
  const ends = await Promise.all([one.closed, two.closed]);
  expect(ends.map(({ code }) => code)).toEqual([1008, 1008]);
  const delivered = one.messages.length + two.messages.length;
  expect(delivered).toBeLessThanOrEqual(23);
  await charged(delivered);
});

test('messages of both sides are charged by their bytes', async () => {
  await Customer.credit(shop.sql, customer, 100 * priceMicro);
  const { socket, far, closed } = await opened('/v1/bytes');
  socket.send('x'.repeat(15));
  await once(far, 'message');
  far.send('y'.repeat(16));
  await once(socket, 'message');
  socket.close();
  await closed;
  await charged(4);
});

test('reported usage is added up, and usage beyond the credit costs what is held and is not delivered', async () => {
  await Customer.credit(shop.sql, customer, 30 * priceMicro);
  const { far, messages, closed } = await opened('/v1/usage');
  const usage = (total: number) => JSON.stringify({ usage: { total_tokens: total } });
  far.send('{"delta":"free until its usage is known"}');
  far.send(usage(7));
  far.send(usage(8));
  far.send(usage(40));
  expect(await closed).toEqual({ code: 1008, reason: 'credit_exhausted' });
  expect(messages).toHaveLength(3);
  await charged(20);
});

test('a message that contains the key of the seller never reaches the caller', async () => {
  await Customer.credit(shop.sql, customer, 100 * priceMicro);
  const { far, messages, closed } = await opened();
  far.send(`your key is ${key}`);
  expect((await closed).code).toBe(1011);
  expect(messages).toEqual([]);
  await charged(0);
});

test('an upstream that is lost closes the caller with 1011, and what was delivered is charged', async () => {
  await Customer.credit(shop.sql, customer, 100 * priceMicro);
  const { socket, far, closed } = await opened();
  far.send('one');
  await once(socket, 'message');
  far.terminate();
  expect(await closed).toEqual({ code: 1011, reason: 'upstream_lost' });
  await charged(1);
});

test('a message above the limit closes the connection, and an account has a limit of connections', async () => {
  await Customer.credit(shop.sql, customer, 100 * priceMicro);
  const open = [await opened(), await opened(), await opened()];
  expect(await refused()).toMatchObject({ status: 429, body: { code: 'too_many_calls_under_way' } });
  open[0]?.socket.send('x'.repeat(65 * 1024));
  expect((await open[0]?.closed)?.code).toBe(1009);
  for (const { socket } of open) socket.close();
  await Promise.all(open.map(({ closed }) => closed));
});

test('thousands of pings end a connection', async () => {
  await Customer.credit(shop.sql, customer, 100 * priceMicro);
  const { socket, closed } = await opened();
  for (let at = 0; at < 1_500; at++) socket.ping();
  expect([1006, 1008]).toContain((await closed).code);
});

test('a caller that never reads makes the storefront stop reading the upstream', async () => {
  await Customer.credit(shop.sql, customer, 100_000 * priceMicro);
  const { socket, far } = await opened();
  socket.pause();
  const message = 'x'.repeat(60 * 1024);
  let sent = 0;
  for (let at = 0; at < 2_000; at++) far.send(message, () => (sent += 1));
  await expect.poll(() => sent).toBeGreaterThan(10);
  await new Promise((resolve) => setImmediate(resolve));
  let before = -1;
  await vi.waitFor(
    () => {
      const isStill = sent === before;
      before = sent;
      expect(isStill).toBe(true);
    },
    { interval: 300, timeout: 20_000 },
  );
  expect(sent).toBeLessThan(2_000);
  socket.terminate();
  far.terminate();
});

test('a process that stops closes its connections with 1012 and charges what was delivered', async () => {
  await Customer.credit(shop.sql, customer, 100 * priceMicro);
  const url = await shop.addStorefront();
  const storefront = shop.storefronts.at(-1);
  const { socket, far, closed } = await opened('/v1/feed', { url });
  far.send('one');
  await once(socket, 'message');
  const stopped = storefront?.stop();
  expect(await closed).toEqual({ code: 1012, reason: 'restart' });
  expect(await stopped).toBe(0);
  expect(await spentUnits()).toBe(1);
});

test('a process that is killed charges its booked parts only', async () => {
  await Customer.credit(shop.sql, customer, 200 * priceMicro);
  const url = await shop.addStorefront();
  const { far, messages, closed } = await opened('/v1/feed', { url });
  for (let at = 0; at < 70; at++) far.send(`m${at}`);
  await expect.poll(() => messages).toHaveLength(70);
  await shop.storefronts.at(-1)?.kill();
  expect((await closed).code).toBe(1006);
  expect(await spentUnits()).toBe(50);
});

test('the description and the manifest mark a WebSocket and state its charge', async () => {
  const { body } = await Customer.call(customer, 'GET', `${shop.url}/openapi.json`);
  expect(body.paths['/v1/bytes'].get['x-websocket']).toMatchObject({
    by: 'bytes',
    charge: '1 token for every 10 bytes of all messages',
  });
  const manifest = await Customer.call(customer, 'GET', `${shop.url}/manifest.json`);
  expect(manifest.body.services[0].operations[0]).toEqual({
    method: 'GET',
    path: '/v1/feed',
    upgrade: 'websocket',
  });
});
