import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Upstream from './socket-upstream.ts';

let upstream: Upstream.SocketUpstream;
let shop: Shop.Shop;
let customer: Customer.Customer;
const priceMicro = 100;

beforeAll(async () => {
  upstream = await Upstream.open();
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_attacks' },
    catalog: 'websockets.yaml',
    env: { SOCKET_MESSAGE_KB_MAX: '64' },
  });
});
beforeEach(async () => {
  customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 4_000_000 * priceMicro);
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

type Opened = { socket: WebSocket; far: WebSocket; closed: Promise<number> };

async function opened(path: string): Promise<Opened> {
  const headers = { authorization: `Bearer ${customer.token}` };
  const socket = new WebSocket(shop.url.replace('http', 'ws') + path, { headers });
  socket.on('error', () => {});
  const closed = once(socket, 'close').then(([code]) => code as number);
  const [far] = await Promise.all([upstream.next(), once(socket, 'open')]);
  return { socket, far, closed };
}

async function spentUnits(): Promise<number> {
  const [row] = await shop.sql`
    SELECT coalesce(sum(units), 0)::int AS units FROM ledger.usage WHERE account_id = ${customer.account}`;
  return row?.units;
}

test('usage that no number can hold costs the most that a message can add, and later usage is charged, too', async () => {
  const { socket, far, closed } = await opened('/v1/usage');
  const messages: string[] = [];
  socket.on('message', (data) => messages.push(data.toString()));
  for (const total of ['1e999', '1e999', '1e300', '7']) far.send(`{"usage":{"total_tokens":${total}}}`);
  await expect.poll(() => messages).toHaveLength(4);
  socket.close();
  await closed;
  await expect.poll(spentUnits).toBe(3 * 1_000 + 7);
});

/** Sends messages, each with a ping, until they are answered no more, because the upstream reads nothing, or `most`. Returns their number. */
async function fill({ socket }: Opened, most: number): Promise<number> {
  for (let sent = 0; sent < most; sent++) {
    const pong = once(socket, 'pong').then(() => true);
    socket.send(Buffer.alloc(60_000));
    socket.ping();
    const isRead = await Promise.race([pong, new Promise((resolve) => setTimeout(resolve, 500, false))]);
    if (!isRead) return sent;
  }
  return most;
}

test('messages on their way to the upstream are charged when the credit of their caller ends', async () => {
  const first = await opened('/v1/written');
  first.far.pause();
  const most = await fill(first, 190);
  first.socket.terminate();
  first.far.terminate();
  await first.closed;

  customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, (most - 8) * priceMicro);
  const second = await opened('/v1/written');
  let received = 0;
  second.far.on('message', () => (received += 1));
  second.far.pause();
  await fill(second, most - 8);
  second.socket.send('more than the credit');
  expect(await second.closed).toBe(1008);
  const gone = once(second.far, 'close');
  second.far.resume();
  await gone;
  expect(received).toBe(most - 8);
  await expect.poll(spentUnits).toBe(received);
});
