import { once } from 'node:events';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openUpstream } from '../../src/adapters/upstream/upstream.ts';
import * as Headers from '../../src/proxy/headers.ts';
import * as Meter from '../../src/proxy/meter.ts';
import * as Waits from '../support/waits.ts';
import { against, get, key, post, whole } from './opened-upstream.ts';
import { http, type Received } from './scripted-upstream.ts';

describe('a request at the upstream', () => {
  test('has the caller’s method, target and body, the operator’s key and nothing of the caller’s credentials', async () => {
    const { server, upstream } = await against(({ socket }) => socket.write(http(200, '{}')), {
      path: '/base/',
    });
    await upstream.send(post('{"ü":1}')).response;
    const [{ head, body } = { head: '', body: '' }] = server.received;
    expect(head.split('\r\n').sort()).toEqual(
      [
        'POST /base/v2/jobs?a=%20b&& HTTP/1.1',
        `host: ${new URL(server.url).host}`,
        'connection: keep-alive',
        'Content-Type: application/json',
        'accept: application/json',
        'accept-encoding: identity',
        'user-agent: sluice',
        `x-api-key: ${key}`,
        'content-length: 8',
      ].sort(),
    );
    expect(Buffer.from(body, 'latin1').toString()).toBe('{"ü":1}');
  });

  test('bears the key in the catalogue’s own template, and none where there is none', async () => {
    const script = ({ socket }: Received) => socket.write(http(200));
    const keyHeader = { header: 'authorization', value: 'Bearer {key}' };
    const withKey = await against(script, { keyHeader });
    await withKey.upstream.send(post()).response;
    expect(withKey.server.received[0]?.head).toContain(`authorization: Bearer ${key}\r\n`);
    const without = await against(script, { key: '', keyHeader });
    await without.upstream.send(post()).response;
    expect(without.server.received[0]?.head).not.toMatch(/authorization/i);
  });

  test('is sent once, whatever becomes of it', async () => {
    const { server, upstream } = await against(({ socket }) => socket.destroy());
    for (const outbound of [post(), get()]) {
      expect(await upstream.send(outbound).response).toMatchObject({ kind: 'unavailable' });
    }
    expect(server.received).toHaveLength(2);
  });

  test('reuses the last connection', async () => {
    const { server, upstream } = await against(({ socket }) => socket.write(http(200, '{}')));
    for (let call = 0; call < 5; call++) await upstream.send(post()).response;
    expect(server.connections()).toBe(1);
  });

  test('cannot be opened with a base URL or key that would change its meaning', () => {
    const options = { key, keyHeader: { header: 'x-api-key', value: '{key}' }, timeoutMs: 1_000 };
    for (const baseUrl of [
      'ftp://a.test',
      'http://a.test/?x=1',
      'http://a.test/#x',
      'http://u:p@a.test',
      'a.test',
    ]) {
      expect(() => openUpstream({ ...options, baseUrl })).toThrow(TypeError);
    }
    expect(() => openUpstream({ ...options, baseUrl: 'http://a.test', key: 'a\r\nb: c' })).toThrow(TypeError);
  });
});

describe('a whole answer', () => {
  test('comes back byte for byte with the headers that may cross', async () => {
    const body = Buffer.from([0x7b, 0x7d, 0x0a, 0xff, 0x00, 0xe9]);
    const headers = [
      'Content-Type: application/json',
      'Set-Cookie: a=b',
      'Server: secret',
      'X-Records-Remaining: 7',
    ];
    const { upstream } = await against(({ socket }) => socket.write(http(422, body, headers)));
    const answer = whole(await upstream.send(post()).response);
    expect(answer.status).toBe(422);
    expect(answer.headers).toEqual(['content-type', 'application/json', 'content-length', '6']);
    expect(answer.body.equals(body)).toBe(true);
  });

  test('has the right length when it came in chunks, with trailers, in many pieces', async () => {
    const { upstream } = await against(async ({ socket }) => {
      socket.setNoDelay(true);
      for (const piece of [
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chu',
        'nked\r\nTrailer: etag\r\n\r\n3\r\n{"n',
        '\r\n',
      ]) {
        socket.write(piece);
        await new Promise(setImmediate);
      }
      socket.write('4\r\n":1}\r\n0\r\netag: "late"\r\n\r\n');
    });
    const answer = whole(await upstream.send(post()).response);
    expect(answer.body.toString()).toBe('{"n":1}');
    expect(answer.headers).toEqual(['content-length', '7']);
  });

  test('is the final one: informational answers before it are passed over', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n';
    const { upstream } = await against(({ socket }) => socket.write(early + http(200, 'ok').toString()));
    for (const outbound of [post(), get()]) {
      const { status, headers, body } = whole(await upstream.send(outbound).response);
      expect([status, body.toString(), headers]).toEqual([200, 'ok', ['content-length', '2']]);
    }
  });

  test('to HEAD keeps the length of what was not sent', async () => {
    const { upstream } = await against(({ socket }) =>
      socket.write('HTTP/1.1 200 OK\r\netag: "a"\r\ncontent-length: 99999999999\r\n\r\n'),
    );
    const answer = whole(await upstream.send(get({ method: 'HEAD' })).response);
    expect(answer.body).toHaveLength(0);
    expect(answer.headers).toEqual(['etag', '"a"', 'content-length', '99999999999']);
  });

  test.each([204, 304])('of status %i has neither body nor length', async (status) => {
    const { upstream } = await against(({ socket }) =>
      socket.write(`HTTP/1.1 ${status} x\r\netag: "a"\r\ncontent-length: 5\r\n\r\n`),
    );
    const answer = whole(await upstream.send(get()).response);
    expect([answer.status, answer.body.length, answer.headers]).toEqual([status, 0, ['etag', '"a"']]);
  });

  test('that came compressed unasked is counted, and passed on as it came', async () => {
    const zipped = gzipSync('{"n":12}');
    const { upstream } = await against(({ socket }) =>
      socket.write(http(200, zipped, ['Content-Encoding: gzip'])),
    );
    const answer = whole(await upstream.send(post()).response);
    expect(answer.body.equals(zipped)).toBe(true);
    expect(Headers.first(answer.headers, 'content-encoding')).toBe('gzip');
    const counted = await Meter.count({ kind: 'pointer', pointer: ['n'] }, answer);
    expect(counted).toEqual({ kind: 'counted', units: 12 });
  });

  test('that is no JSON comes back all the same, uncountable', async () => {
    const { upstream } = await against(({ socket }) => socket.write(http(200, '<html>')));
    const answer = whole(await upstream.send(post()).response);
    const counted = await Meter.count({ kind: 'pointer', pointer: ['n'] }, answer);
    expect(counted.kind).toBe('uncountable');
  });

  test('that ends with the connection is whole', async () => {
    const { upstream } = await against(({ socket }) => socket.end('HTTP/1.1 200 OK\r\n\r\n{"n":1}'));
    expect(whole(await upstream.send(post()).response).body.toString()).toBe('{"n":1}');
  });

  test('never bears the operator’s key, in its headers or its body', async () => {
    const { upstream } = await against(({ socket, body }) =>
      socket.write(
        body === '1' ? http(400, `bad key ${key}`) : http(200, '{}', [`ETag: "${key}"`, `X-Request-Id: r`]),
      ),
    );
    const answer = whole(await upstream.send(post()).response);
    expect(answer.headers).toEqual(['x-request-id', 'r', 'content-length', '2']);
    expect(await upstream.send(post('1')).response).toEqual({ kind: 'unavailable', reason: 'key_in_body' });
  });

  test('bears a path only where it is the same path here', async () => {
    const script = ({ socket }: Received) => socket.write(http(201, '', ['Location: /base/v2/jobs/7']));
    const under = await against(script, { path: '/base' });
    expect(whole(await under.upstream.send(post()).response).headers).toEqual(['content-length', '0']);
    const root = await against(script);
    expect(whole(await root.upstream.send(post()).response).headers).toContain('location');
  });

  test('is never what the upstream wrote before it was asked', async () => {
    const { server, upstream } = await against(({ socket, body }) =>
      socket.write(Buffer.concat([http(200, body), body === '1' ? http(200, 'poison') : Buffer.alloc(0)])),
    );
    expect(whole(await upstream.send(post('1')).response).body.toString()).toBe('1');
    const later = await upstream.send(post('2')).response;
    expect(whole(later).body.toString()).toBe('2');
    expect(server.connections()).toBe(2);
  });
});

describe('a probe', () => {
  test.each([200, 401, 404, 500])(
    'finds an upstream that answers %i, and shows it no key',
    async (status) => {
      const { server, upstream } = await against(({ socket }) => socket.write(http(status)));
      expect(await upstream.probe()).toBe(true);
      expect(server.received[0]?.head).not.toContain(key);
    },
  );

  test('is shared by all who ask meanwhile', async () => {
    const { server, upstream } = await against(({ socket }) => socket.write(http(200)));
    expect(await Promise.all([upstream.probe(), upstream.probe(), upstream.probe()])).toEqual([
      true,
      true,
      true,
    ]);
    expect(server.received).toHaveLength(1);
  });

  test('gives up on silence after two seconds', async () => {
    const mute = createServer().listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const address = mute.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const keyHeader = { header: 'x-api-key', value: '{key}' };
    const upstream = openUpstream({
      baseUrl: `http://127.0.0.1:${address.port}`,
      key,
      keyHeader,
      timeoutMs: 1_000,
    });
    const started = performance.now();
    expect(await upstream.probe()).toBe(false);
    expect(performance.now() - started).toBeLessThan(Waits.busyFactor * 2_000);
    mute.close();
  });
});
