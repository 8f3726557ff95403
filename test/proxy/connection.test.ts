import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { openUpstream } from '../../src/adapters/upstream/upstream.ts';
import { against, get, key, post, whole } from './opened-upstream.ts';
import { http, type Received } from './scripted-upstream.ts';

const said = (field: string, version = '1.1') =>
  Buffer.from(`HTTP/${version} 200 OK\r\n${field}\r\ncontent-length: 2\r\n\r\n{}`);

test.each([
  ['it says so', said('Connection: close')],
  ['it speaks HTTP/1.0', said('Connection: keep-alive', '1.0')],
  ['it keeps connections for no longer than a second', said('Keep-Alive: timeout=1')],
  ['more comes than the answer', Buffer.concat([http(200, '{}'), Buffer.from('\r\n')])],
])('a connection serves no other request where %s', async (_, bytes) => {
  const { server, upstream } = await against(({ socket }) => socket.write(bytes));
  for (let call = 1; call <= 3; call++) {
    expect(whole(await upstream.send(post()).response).body.toString()).toBe('{}');
    expect(server.connections()).toBe(call);
  }
});

test('an idle connection is closed before the upstream would close it', async () => {
  const { server, upstream } = await against(({ socket }) => socket.write(said('Keep-Alive: timeout=2')));
  const started = performance.now();
  await upstream.send(post()).response;
  await once(server.received[0]?.socket ?? process, 'close');
  expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(whole(await upstream.send(post()).response).status).toBe(200);
});

test('what comes on an idle connection ends it, and answers nobody', async () => {
  const { server, upstream } = await against(({ socket, body }) => socket.write(http(200, body)));
  expect(whole(await upstream.send(post('1')).response).body.toString()).toBe('1');
  const idle = server.received[0]?.socket;
  idle?.write(http(200, 'poison'));
  await once(idle ?? process, 'close');
  expect(whole(await upstream.send(post('2')).response).body.toString()).toBe('2');
  expect(server.connections()).toBe(2);
});

test('a connection that the upstream closed while it was idle is not used again', async () => {
  const { server, upstream } = await against(({ socket, body }) => socket.write(http(200, body)));
  for (const body of ['1', '2', '3']) {
    expect(whole(await upstream.send(post(body)).response).body.toString()).toBe(body);
    const idle = server.received.at(-1)?.socket;
    idle?.end();
    await once(idle ?? process, 'close');
  }
  expect(server.received.map(({ body }) => body)).toEqual(['1', '2', '3']);
});

test('an answer that came before its request was sent whole is the last of its connection', async () => {
  const heads: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (chunk) => {
      heads.push(chunk.toString('latin1').slice(0, 4));
      socket.pause();
      socket.write(http(413));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const keyHeader = { header: 'x-api-key', value: '{key}' };
  const upstream = openUpstream({ baseUrl: `http://127.0.0.1:${port}`, key, keyHeader, timeoutMs: 5_000 });
  const large = post('', { body: Buffer.alloc(16_000_000) });
  expect(whole(await upstream.send(large).response).status).toBe(413);
  expect(whole(await upstream.send(get()).response).status).toBe(413);
  expect(heads).toEqual(['POST', 'GET ']);
  await upstream.close();
  server.close();
});

test('a response that began before its request was written whole is the last of its connection', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => undefined);
    let bytes = 0;
    socket.on('data', (chunk) => {
      // The head of the response goes out at once, its body when all of the request is there.
      if (bytes === 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n');
      const isThere = bytes > 16_000_000;
      bytes += chunk.length;
      if (bytes > 16_000_000 && !isThere) socket.write('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const keyHeader = { header: 'x-api-key', value: '{key}' };
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const upstream = openUpstream({ baseUrl, key, keyHeader, timeoutMs: 10_000 });
  const large = post('', { body: Buffer.alloc(16_000_000) });
  expect(whole(await upstream.send(large).response).status).toBe(200);
  expect(whole(await upstream.send(large).response).status).toBe(200);
  expect(connections).toBe(2);
  await upstream.close();
  server.close();
});

test('large bodies arrive byte for byte, whatever they hold', async () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 31) % 256));
  const { server, upstream } = await against(({ socket }: Received) => socket.write(http(200)));
  for (const body of [bytes, bytes.subarray(0, 16_384), Buffer.alloc(0)]) {
    await upstream.send(post('', { body })).response;
    const { head, body: arrived } = server.received.at(-1) ?? { head: '', body: '' };
    expect(head).toContain(`content-length: ${body.length}`);
    expect(Buffer.from(arrived, 'latin1').equals(body)).toBe(true);
  }
  await upstream.send(post('', { body: null })).response;
  expect(server.received.at(-1)?.head).toContain('content-length: 0');
  await upstream.send(get()).response;
  expect(server.received.at(-1)?.head).not.toContain('content-length');
});

test('nothing is written that would be read as another line', async () => {
  const { server, upstream } = await against(({ socket }) => socket.write(http(200)));
  const unsendable = { kind: 'unavailable', reason: 'unsendable' };
  for (const end of ['\r', '\n', '\0', '\r\nx: y', '\u010a']) {
    for (const forged of [
      post('', { rawHeaders: ['accept-language', `a${end}`] }),
      post('', { method: `GET${end}` }),
      post('', { target: { path: `/v2${end}`, query: '' } }),
      post('', { target: { path: '/v2', query: `?${end}` } }),
    ])
      expect(await upstream.send(forged).response).toEqual(unsendable);
  }
  expect(await upstream.send(post('', { target: { path: '/v2 HTTP/1.1', query: '' } })).response).toEqual(
    unsendable,
  );
  expect(server.connections()).toBe(0);
});
