import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { BodyBudget } from '../../src/http/server/body-budget.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

const megabyte = 1024 * 1024;
const header = 'x-forwarded-for';
let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
const sockets: Socket[] = [];

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'slow.yaml',
    env: { REQUEST_BODY_MEMORY_MB: '16', CLIENT_ADDRESS_HEADER: header },
  });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

/** Memory of the storefront's process, in bytes. */
function resident(): number {
  const status = readFileSync(`/proc/${shop.storefronts[0]?.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

type Sent = { path: string; announced: number; bytes: number; from: string; fields?: string };

/** Sends a request whose body stays one part short, and gives the first line of the answer, or '' while there is none. */
function sendPart({ path, announced, bytes, from, fields = '' }: Sent): {
  socket: Socket;
  status(): string;
  isOver(): boolean;
} {
  const socket = connect(Number(new URL(shop.url).port), '127.0.0.1');
  sockets.push(socket);
  let said = '';
  let isOver = false;
  socket.on('error', () => {}).on('data', (chunk) => (said += chunk));
  socket.on('close', () => {
    isOver = true;
  });
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: a\r\n${header}: ${from}\r\n${fields}content-type: application/json\r\ncontent-length: ${announced}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(bytes, ' '));
  return { socket, status: () => said.split('\r\n')[0] ?? '', isOver: () => isOver || said !== '' };
}

const health = async () => {
  const started = performance.now();
  expect((await fetch(`${shop.url}/healthz`)).status).toBe(200);
  return performance.now() - started;
};

describe('strangers who send bodies', () => {
  test.each(['/mcp', '/webhooks/stripe', '/agent/auth', '/v1/list'])(
    'a thousand of a megabyte each to %s cost little memory, and the shop answers',
    async (path) => {
      const before = resident();
      const all = Array.from({ length: 1_000 }, (_, at) =>
        sendPart({ path, announced: megabyte, bytes: 300 * 1024, from: `203.0.${at % 250}.${at % 200}` }),
      );
      await expect.poll(() => all.filter(({ isOver }) => isOver()).length).toBe(1_000);
      // A connection that is closed over unread bytes may lose its answer.
      expect(
        new Set(all.map(({ status }) => status().slice(9, 12)).filter((status) => status !== '')),
      ).toEqual(new Set([{ '/webhooks/stripe': '400', '/v1/list': '401' }[path] ?? '413']));
      expect(await health()).toBeLessThan(3_000);
      expect(resident() - before).toBeLessThan(120 * megabyte);
    },
  );

  test('small bodies that stay unfinished take up the room of strangers, and not that of buyers', async () => {
    const buyer = await Customer.register(shop.url);
    const all = Array.from({ length: 200 }, (_, at) =>
      sendPart({ path: '/mcp', announced: 60_000, bytes: 59_000, from: `198.51.${at}.1` }),
    );
    await expect.poll(() => all.filter(({ status }) => status().includes('503')).length).toBeGreaterThan(100);
    const served = await Customer.call(buyer, 'POST', `${shop.url}/v1/list`, { fill: 'x'.repeat(500_000) });
    expect(served.status).toBe(200);
    expect(all.some(({ status }) => status() === '')).toBe(true);
  });

  test('one address block uses up its share and no more', async () => {
    const one = Array.from({ length: 12 }, () =>
      sendPart({ path: '/agent/auth', announced: 60_000, bytes: 59_000, from: '198.51.100.7' }),
    );
    await expect.poll(() => one.filter(({ status }) => status().includes('503')).length).toBeGreaterThan(2);
    expect((await Customer.register(shop.url)).account).toMatch(/^acc_/);
  });
});

test('one account uses up its share and no more, and its refused call costs nothing', async () => {
  const [hog, other] = [await Customer.register(shop.url), await Customer.register(shop.url)];
  const fields = `authorization: Bearer ${hog.token}\r\n`;
  const parts = Array.from({ length: 6 }, () =>
    sendPart({ path: '/v1/list', announced: 900_000, bytes: 899_999, from: '192.0.2.1', fields }),
  );
  await expect.poll(() => parts.filter(({ status }) => status().includes('503')).length).toBeGreaterThan(1);
  const served = await Customer.call(other, 'POST', `${shop.url}/v1/list`, { fill: 'x'.repeat(900_000) });
  expect(served.status).toBe(200);
  for (const { socket } of parts) socket.destroy();
  await expect
    .poll(
      async () =>
        (await Customer.call(hog, 'POST', `${shop.url}/v1/list`, { fill: 'x'.repeat(900_000) })).status,
    )
    .toBe(200);
});

test('a body that comes after its header is read by the fast path for a known caller alone', async () => {
  const buyer = await Customer.register(shop.url);
  await Customer.call(buyer, 'POST', `${shop.url}/v1/list`, {});
  for (const [token, status] of [
    [buyer.token, '200'],
    ['nonsense', '401'],
  ]) {
    const fields = `authorization: Bearer ${token}\r\n`;
    const part = sendPart({ path: '/v1/list', announced: 10, bytes: 0, from: '192.0.2.9', fields });
    await new Promise(setImmediate);
    part.socket.write('{        }');
    await expect.poll(() => part.status().slice(9, 12)).toBe(status);
  }
});

describe('a budget', () => {
  test('counts each chunk and what it costs beside its bytes', () => {
    const budget = new BodyBudget(10_000, 10_000);
    const body = budget.open('a');
    let chunks = 0;
    while (body.take(1)) chunks += 1;
    expect(chunks).toBeLessThan(40);
    body.free();
    body.free();
    expect(budget.bytes).toBe(0);
    expect(body.take(1)).toBe(false);
  });

  test('refuses an owner above its share while others have room', () => {
    const budget = new BodyBudget(10_000, 4_000);
    expect(budget.open('a').take(3_000)).toBe(true);
    expect(budget.open('a').take(3_000)).toBe(false);
    expect(budget.open('b').take(3_000)).toBe(true);
    expect(budget.open('c').take(3_000)).toBe(true);
    expect(budget.open('d').take(3_000)).toBe(false);
  });
});
