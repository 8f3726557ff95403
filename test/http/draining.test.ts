import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { systemClock } from '@sluice/kernel/clock';
import { afterEach, describe, expect, test } from 'vitest';
import type { Outgoing } from '../../src/http/server/outgoing.ts';
import * as Server from '../../src/http/server/server.ts';
import * as Program from '../support/program.ts';

type Request = { url: string; respond(): void; outgoing: Outgoing };

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** Opens a server that responds with the path of each request; `/held` waits for `respond`. */
async function open(options: { httpFastPath?: boolean; drainMs?: number }) {
  const port = await Program.freePort();
  const requests: Request[] = [];
  const answer = (url: string, outgoing: Outgoing) => {
    const respond = () => {
      outgoing.writeHead(200, ['content-length', String(url.length)]);
      outgoing.end(url, 'latin1');
    };
    requests.push({ url, respond, outgoing });
    if (!url.startsWith('/held')) respond();
  };
  const answering: Server.Answering = {
    takes: () => true,
    sell: ({ url = '' }, outgoing) => answer(url, outgoing),
    async listener(incoming, outgoing) {
      await text(incoming);
      answer(incoming.url ?? '', outgoing as unknown as Outgoing);
    },
  };
  const server = await Server.serve({ host: '127.0.0.1', port, ...options }, () => answering, systemClock);
  opened.push(server.drain);
  return { port, requests, server };
}

type Client = { socket: Socket; received(): string; closed: Promise<unknown> };

async function dial(port: number): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received = '';
  socket.on('error', () => {}).on('data', (chunk) => (received += chunk.toString('latin1')));
  opened.push(() => socket.destroy());
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  return { socket, received: () => received, closed };
}

const post = (path: string, body = '') =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const responses = (received: string) =>
  [...received.matchAll(/\r\nConnection: (close|keep-alive)\r\n[^/]*(\/[a-z]+)/g)].map(
    ([, connection, path]) => `${path} ${connection}`,
  );

describe.each([true, false])('with the fast path %s, a server that stops', (httpFastPath) => {
  test('serves old and new connections in the lame-duck time, each request as the last of its connection', async () => {
    const { port, server } = await open({ httpFastPath, drainMs: 400 });
    const idle = await dial(port);
    idle.socket.write(post('/a'));
    await expect.poll(idle.received).toMatch(/\/a$/);
    const over = server.lameDuck();
    idle.socket.write(post('/b'));
    const fresh = await dial(port);
    fresh.socket.write(post('/c'));
    await Promise.all([idle.closed, fresh.closed]);
    expect(responses(idle.received())).toEqual(['/a keep-alive', '/b close']);
    expect(responses(fresh.received())).toEqual(['/c close']);
    await over;
    await server.drain();
    await expect(dial(port)).rejects.toThrow('ECONNREFUSED');
  });

  test('serves the requests that arrived behind the one under way, and closes after the last', async () => {
    const { port, requests, server } = await open({ httpFastPath });
    const client = await dial(port);
    client.socket.write(post('/held'));
    await expect.poll(() => requests.length).toBe(1);
    const drained = server.drain();
    client.socket.write(post('/b') + post('/c'));
    // Another connection would be refused now; this one has been read when a later one is.
    await expect
      .poll(() =>
        dial(port).then(
          () => 'open',
          () => 'refused',
        ),
      )
      .toBe('refused');
    requests[0]?.respond();
    await client.closed;
    await drained;
    expect(responses(client.received())).toEqual(['/held keep-alive', '/b keep-alive', '/c close']);
  });

  test('ignores a request behind a response that said it was the last', async () => {
    const { port, requests, server } = await open({ httpFastPath });
    const client = await dial(port);
    client.socket.write(post('/held'));
    await expect.poll(() => requests.length).toBe(1);
    const drained = server.drain();
    const outgoing = requests[0]?.outgoing as Outgoing;
    outgoing.writeHead(200, ['content-length', '2']);
    outgoing.write(Buffer.from('a'), () => {});
    await expect.poll(client.received).toMatch(/a$/);
    client.socket.write(post('/b'));
    outgoing.end('b', 'latin1');
    await client.closed;
    await drained;
    expect(client.received()).toMatch(/Connection: close\r\n\r\nab$/);
    expect(requests.map(({ url }) => url)).toEqual(['/held']);
  });

  test('receives a body that is under way, and serves its request', async () => {
    const { port, server } = await open({ httpFastPath });
    const client = await dial(port);
    client.socket.write(post('/a', 'body').slice(0, -2));
    const silent = await dial(port);
    const drained = server.drain();
    await silent.closed;
    client.socket.write('dy');
    await client.closed;
    await drained;
    expect(responses(client.received())).toEqual(['/a close']);
  });

  test('serves the next request on a connection whose earlier response had promised to keep it open', async () => {
    const { port, requests, server } = await open({ httpFastPath, drainMs: 1_000 });
    const client = await dial(port);
    client.socket.write(post('/held'));
    await expect.poll(() => requests.length).toBe(1);
    const outgoing = requests[0]?.outgoing as Outgoing;
    outgoing.writeHead(200, ['content-length', '5']);
    outgoing.write(Buffer.from('/'), () => {});
    await expect.poll(client.received).toMatch(/\/$/);
    const drained = server.drain();
    await expect
      .poll(() =>
        dial(port).then(
          () => 'open',
          () => 'refused',
        ),
      )
      .toBe('refused');
    outgoing.end('held', 'latin1');
    await expect.poll(client.received).toMatch(/\/held$/);
    client.socket.write(post('/b'));
    await client.closed;
    await drained;
    expect(responses(client.received())).toEqual(['/held keep-alive', '/b close']);
  });

  test('accepts the connections that the system had queued when it stopped', async () => {
    const { port, server } = await open({ httpFastPath });
    const sockets = Array.from({ length: 50 }, () => connect({ port, host: '127.0.0.1' }));
    const received = sockets.map(async (socket) => {
      socket.write(post('/a'));
      return text(socket);
    });
    await new Promise<void>((resolve) => process.nextTick(resolve));
    // While this thread is blocked, the system completes the connections and nothing accepts them.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    await server.drain();
    for (const one of await Promise.all(received)) expect(responses(one)).toEqual(['/a close']);
  });
});
