import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openUpstream } from '../../src/adapters/upstream/upstream.ts';
import { against, client, get, key, post, whole } from './opened-upstream.ts';
import { http } from './scripted-upstream.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** An upstream that reads heads alone: what follows a head, a body or not, is the next request to it. */
async function headsOnly(answer: (line: string, socket: Socket) => void) {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (;;) {
        const end = text.indexOf('\r\n\r\n');
        if (end < 0) return;
        const line = text.slice(0, text.indexOf('\r\n'));
        text = text.slice(end + 4);
        lines.push(line);
        answer(line, socket);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, lines, connections: () => connections };
}

const keyHeader = { header: 'x-api-key', value: '{key}' };
const smuggled = 'GET /chosen-by-the-attacker HTTP/1.1\r\nhost: a\r\n\r\n';

describe('a body', () => {
  test.each(['GET', 'HEAD'])('is never forwarded with %s', async (method) => {
    const { server, upstream } = await against(({ socket }) => socket.write(http(200)));
    const answer = await upstream.send(post(smuggled, { method, metered: false })).response;
    expect(answer).toEqual({ kind: 'unavailable', reason: 'unsendable' });
    expect(server.connections()).toBe(0);
    await upstream.send(post('', { method, body: Buffer.alloc(0), metered: false })).response;
    expect(server.received[0]?.head).not.toMatch(/content-length/i);
  });

  test.each(['DELETE', 'OPTIONS', 'REPORT'])(
    'that the upstream leaves unread with %s answers nobody else',
    async (method) => {
      const { url, connections } = await headsOnly((line, socket) => socket.write(http(200, line)));
      const upstream = openUpstream({ baseUrl: url, key, keyHeader, timeoutMs: 5_000, client });
      await upstream.send(post(smuggled, { method, metered: false })).response;
      const next = whole(await upstream.send(get()).response);
      expect(next.body.toString()).toMatch(/^GET \/v2\/jobs/);
      expect(connections()).toBe(2);
      await upstream.close();
    },
  );

  test.each([301, 308, 401, 403, 404, 405, 413, 415, 417, 429, 501, 503])(
    'that may be unread behind a status %i leaves its connection to nobody',
    async (status) => {
      const { server, upstream } = await against(({ socket }) => socket.write(http(status)));
      await upstream.send(post()).response;
      await upstream.send(get()).response;
      await upstream.send(get()).response;
      expect(server.connections()).toBe(2);
    },
  );

  test.each([200, 201, 204, 400, 409, 422, 500])(
    'that was read before a status %i leaves its connection to the next',
    async (status) => {
      const { server, upstream } = await against(({ socket }) =>
        socket.write(status === 204 ? 'HTTP/1.1 204 x\r\n\r\n' : http(status)),
      );
      for (let call = 0; call < 3; call++) await upstream.send(post()).response;
      expect(server.connections()).toBe(1);
    },
  );
});

test.each([
  ['to HEAD', get({ method: 'HEAD' }), http(200, 'a body all the same')],
  ['204 with a length', get(), Buffer.from('HTTP/1.1 204 x\r\ncontent-length: 2\r\n\r\n')],
  ['304 in chunks', get(), Buffer.from('HTTP/1.1 304 x\r\ntransfer-encoding: chunked\r\n\r\n')],
])(
  'a response without a body that an upstream may send all the same is the last of its connection: %s',
  async (_, outbound, bytes) => {
    const { server, upstream } = await against(({ socket }) => socket.write(bytes));
    await upstream.send(outbound).response;
    await upstream.send(outbound).response;
    expect(server.connections()).toBe(2);
  },
);

describe('a connection that was idle', () => {
  test('is not used where further bytes have arrived on it, and the request is sent once on another', async () => {
    const { server, upstream } = await against(({ socket, body }) =>
      socket.write(http(200, body || 'nothing')),
    );
    expect(whole(await upstream.send(post('1')).response).body.toString()).toBe('1');
    const idle = server.received[0]?.socket as Socket;
    await new Promise<void>((resolve) => {
      idle.write(http(200, 'late'), () => resolve());
    });
    // The bytes are in this process's socket already, and no turn of its loop has read them.
    const next = upstream.send(post('2')).response;
    expect(whole(await next).body.toString()).toBe('2');
    expect(server.received.map(({ body }) => body)).toEqual(['1', '2']);
    expect(server.connections()).toBe(2);
  });

  test('is not used where its end has arrived, and the request is not lost', async () => {
    const { server, upstream } = await against(({ socket, body }) => socket.write(http(200, body)));
    for (const body of ['1', '2', '3', '4']) {
      expect(whole(await upstream.send(post(body)).response).body.toString()).toBe(body);
      const idle = server.received.at(-1)?.socket as Socket;
      await new Promise<void>((resolve) => {
        idle.end(() => resolve());
      });
    }
    expect(server.received.map(({ body }) => body)).toEqual(['1', '2', '3', '4']);
  });

  test('rests while another one is idle', async () => {
    const { server, upstream } = await against(({ socket, body }) => socket.write(http(200, body)));
    // The rest is shorter than a pause of a busy machine.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => void vi.restoreAllMocks());
    await Promise.all([upstream.send(post('a')).response, upstream.send(post('b')).response]);
    for (const body of ['c', 'd', 'e', 'f']) await upstream.send(post(body)).response;
    const ports = server.received.map(({ socket }) => socket.remotePort);
    expect(new Set(ports).size).toBe(2);
    for (let at = 3; at < ports.length; at++) expect(ports[at]).not.toBe(ports[at - 1]);
  });

  test('is not there at all where connections are for a single use', async () => {
    const { server, upstream } = await against(({ socket }) => socket.write(http(200)), { reuses: false });
    for (let call = 1; call <= 3; call++) {
      await upstream.send(get()).response;
      expect(server.connections()).toBe(call);
    }
    expect(server.received[0]?.head).toContain('connection: close');
  });
});
