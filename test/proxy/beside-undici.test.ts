import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Pool } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { openUpstream } from '../../src/adapters/upstream/upstream.ts';
import { Dice } from '../purchase/dice.ts';
import { get, key } from './opened-upstream.ts';

type Asked = { method: string; path: string; body: string | null };
/** Sends a request. Returns the body of its response, or null when there is none. */
type Ask = (asked: Asked) => Promise<string | null>;
type Client = { ask: Ask; close(): Promise<unknown> };

const connectionsMax = 8;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function ours(url: string): Client {
  const keyHeader = { header: 'x-api-key', value: '{key}' };
  const upstream = openUpstream({ baseUrl: url, key, keyHeader, timeoutMs: 5_000, connectionsMax });
  return {
    async ask({ method, path, body }) {
      const target = { path, query: '' };
      const answer = await upstream.send(
        get({ method, target, body: body === null ? null : Buffer.from(body) }),
      ).response;
      return answer.kind === 'whole' ? answer.body.toString() : null;
    },
    close: () => upstream.close(),
  };
}

function undicis(url: string): Client {
  const pool = new Pool(url, { connections: connectionsMax, pipelining: 1 });
  return {
    async ask({ method, path, body }) {
      try {
        const answer = await pool.request({ method, path, body });
        return await answer.body.text();
      } catch {
        return null;
      }
    },
    close: () => pool.destroy(),
  };
}

type Respond = (request: { method: string; path: string; nth: number }, socket: Socket) => void;

/** An upstream that reads the header section of each request, and the announced body only when `readsBody` is true. */
async function misbehaving(respond: Respond, readsBody: boolean): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    let text = '';
    let nth = 0;
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (;;) {
        const end = text.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = readsBody
          ? Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0)
          : 0;
        if (text.length < end + 4 + length) return;
        const [method = '', path = ''] = text.split(' ', 2);
        text = text.slice(end + 4 + length);
        respond({ method, path, nth: nth++ }, socket);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function say(socket: Socket, body: string, status = 200): void {
  if (!socket.destroyed)
    socket.write(`HTTP/1.1 ${status} Scripted\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
}

/** Returns how many of a client's callers received the response to another request. */
async function foreign(client: Client, calls: (round: number) => readonly Asked[]): Promise<number> {
  closing.push(() => client.close());
  let count = 0;
  for (let round = 0; round < 250; round++) {
    const asked = calls(round);
    const answers = await Promise.all(asked.map((one) => client.ask(one)));
    for (const [at, answer] of answers.entries())
      if (answer !== null && answer !== `${asked[at]?.method} ${asked[at]?.path}`) count++;
  }
  return count;
}

const smuggled = 'GET /chosen HTTP/1.1\r\nhost: a\r\n\r\n';
/** Each round has one caller who sends a body, and some who send none. */
const attackedBy = (method: string) => (round: number) => [
  { method, path: `/attack/${round}`, body: smuggled },
  ...[1, 2, 3].map((nth) => ({ method: 'GET', path: `/innocent/${round}/${nth}`, body: null })),
];

describe('foreign responses, beside undici', () => {
  test.each(['GET', 'DELETE', 'OPTIONS'])(
    'none where an upstream leaves bodies of %s unread',
    async (method) => {
      const url = await misbehaving(({ method, path }, socket) => say(socket, `${method} ${path}`), false);
      expect(await foreign(ours(url), attackedBy(method))).toBe(0);
    },
  );

  test('none where an upstream refuses by the head and leaves the body unread', async () => {
    const refusing: Respond = ({ method, path }, socket) =>
      say(socket, `${method} ${path}`, method === 'POST' ? 404 : 200);
    const url = await misbehaving(refusing, false);
    expect(await foreign(ours(url), attackedBy('POST'))).toBe(0);
  });

  test.each([
    ['at once', 0],
    ['up to 1 ms later', 1],
    ['up to 3 ms later', 3],
  ])('no more, but for chance, where an upstream sends a further response %s', async (_, lateMsMax) => {
    const dice = new Dice(7);
    const late: Respond = ({ method, path, nth }, socket) => {
      say(socket, `${method} ${path}`);
      if (nth % 3 !== 2) return;
      const lateMs = dice.int(lateMsMax * 100 + 1) / 100;
      const since = performance.now();
      const wait = () => {
        if (performance.now() - since < lateMs) setImmediate(wait);
        else say(socket, 'a further response');
      };
      wait();
    };
    // The first round opens every connection; in the others some are idle.
    const calls = (round: number) =>
      Array.from({ length: round === 0 ? connectionsMax : 3 }, (_, nth) => ({
        method: 'GET',
        path: `/${round}/${nth}`,
        body: null,
      }));
    const [own = 0, others = 0] = [
      await foreign(ours(await misbehaving(late, true)), calls),
      await foreign(undicis(await misbehaving(late, true)), calls),
    ];
    // Three standard deviations of the larger count, because it is random which connection receives a late response.
    expect(own).toBeLessThanOrEqual(others + 3 * Math.sqrt(others));
  });
});
