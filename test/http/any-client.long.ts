import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as BareHttp from '../support/bare-http.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":2}')));
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'counted.yaml' });
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

const origin = 'https://app.example';
const get = (path: string, headers: Record<string, string> = {}) =>
  BareHttp.send('GET', shop.url + path, headers);

describe('a page of another origin', () => {
  test.each([
    '/openapi.json',
    '/manifest.json',
    '/services',
    '/.well-known/jwks.json',
    '/llms.txt',
    '/account',
  ])('may read %s', async (path) => {
    const response = await get(path, { origin });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('may make a paid call, also repeated and refused, and read what it cost', async () => {
    const { token } = await Customer.register(shop.url);
    const headers = {
      origin,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': '1',
    };
    const call = (more = {}) =>
      BareHttp.send('POST', `${shop.url}/v1/list`, { ...headers, ...more }, '{"max":2}');
    for (const response of [await call(), await call(), await call({ authorization: 'Bearer x' })])
      expect([
        response.status,
        response.headers.get('access-control-allow-origin'),
        response.headers.get('access-control-expose-headers'),
      ]).toEqual([expect.any(Number), '*', '*']);
  });

  test.each(['/v1/list', '/account/keys', '/plans/credit/purchase', '/agent/auth'])(
    'may ask first whether it may call %s',
    async (path) => {
      const response = await BareHttp.send('OPTIONS', shop.url + path, {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      });
      expect(response.status).toBe(204);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': expect.stringContaining('POST'),
        'access-control-allow-headers': 'authorization,content-type',
      });
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    },
  );

  test.each(['/admin/accounts', '/shop/sign-in', '/webhooks/stripe'])('may not use %s', async (path) => {
    const asked = { origin, 'access-control-request-method': 'POST' };
    const response = await BareHttp.send('OPTIONS', shop.url + path, asked);
    expect(response.status).not.toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('HEAD is answered wherever GET is sold, costs the same, and has no body', async () => {
  const { token } = await Customer.register(shop.url);
  const response = await BareHttp.send('HEAD', `${shop.url}/v1/search?max=2`, {
    authorization: `Bearer ${token}`,
  });
  expect([response.status, response.text]).toEqual([200, '']);
  expect(response.headers.get('content-length')).toBe('11');
  expect(response.headers.get('storefront-units')).toBe('2');
  expect(upstream.received.at(-1)?.head).toMatch(/^GET \/v1\/search\?max=2 /);
});

describe('compression', () => {
  test('of our own documents is negotiated', async () => {
    const plain = await get('/openapi.json?page=all');
    const gzip = await get('/openapi.json?page=all', { 'accept-encoding': 'gzip' });
    const br = await get('/openapi.json?page=all', { 'accept-encoding': 'gzip, br' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(gunzipSync(Buffer.from(gzip.text, 'latin1')).toString('latin1')).toBe(plain.text);
    expect(brotliDecompressSync(Buffer.from(br.text, 'latin1')).toString('latin1')).toBe(plain.text);
    expect(br.text.length).toBeLessThan(plain.text.length / 4);
    for (const response of [plain, gzip, br])
      expect(response.headers.get('vary')).toContain('accept-encoding');
    const etag = br.headers.get('etag') ?? '';
    expect((await get('/openapi.json?page=all', { 'if-none-match': etag })).status).toBe(304);
  });

  test.each(['gzip;q=0, br;q=0', 'identity', '*;q=0', 'zstd'])('is not used for %s', async (accepted) => {
    const response = await get('/openapi.json?page=all', { 'accept-encoding': accepted });
    expect(response.headers.get('content-encoding')).toBeNull();
  });

  test('is never used for what contains tokens', async () => {
    const response = await BareHttp.send(
      'POST',
      `${shop.url}/agent/auth`,
      { 'content-type': 'application/json', 'accept-encoding': 'gzip, br' },
      '{"type":"anonymous"}',
    );
    expect([response.status, response.headers.get('content-encoding')]).toEqual([201, null]);
  });

  test('of a request to our own routes is refused with 415', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const response = await BareHttp.send(
      'POST',
      `${shop.url}/agent/auth`,
      headers,
      gzipSync('{"type":"anonymous"}'),
    );
    expect([response.status, response.body]).toMatchObject([415, { code: 'unsupported_media_type' }]);
    expect(response.headers.get('accept-encoding')).toBe('identity');
  });
});

test.each(['/services/', '/v1/list/', '/account/usage/?from=2026-01-01'])(
  'a trailing slash in %s leads to the path without it',
  async (path) => {
    const response = await BareHttp.send('POST', shop.url + path, {}, '');
    expect([response.status, response.headers.get('location')]).toEqual([
      308,
      path.replace(/\/(?=\?|$)/, ''),
    ]);
  },
);
test.each(['//evil.example/', '/unknown/'])('a trailing slash in %s leads nowhere', async (path) => {
  expect((await get(path)).status).toBe(404);
});

describe('a query parameter', () => {
  test.each([
    ['/openapi.json?servce=lists', 'servce', 'Did you mean "service"?'],
    ['/openapi.json?service=list', 'service', 'Did you mean "lists"?'],
    ['/services?page=2', 'page', 'This path takes none.'],
    ['/account/usage?form=2026-01-01', 'form', 'Did you mean "from"?'],
  ])('that is unknown is refused: %s', async (path, field, message) => {
    const response = await get(path);
    expect([response.status, response.body.errors]).toEqual([
      422,
      [{ field, message: expect.stringContaining(message) }],
    ]);
  });

  test('service selects the operations of one service', async () => {
    const { body } = await get('/openapi.json?service=gratis');
    expect(Object.keys(body.paths)).toEqual(['/v1/gratis']);
  });
});

/** Sends bytes, and returns everything that the connection returns until it is closed. */
async function sendBytes(bytes: string): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(Number(new URL(shop.url).port), '127.0.0.1');
  let said = '';
  socket.on('data', (chunk) => (said += chunk.toString()));
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(bytes);
  await once(socket, 'close');
  const end = said.indexOf('\r\n\r\n');
  const [head, body] = [said.slice(0, end), said.slice(end + 4)];
  return { status: Number(/^HTTP\/1\.1 (\d+) /.exec(head)?.[1]), head, body };
}

const browser = 'host: a\r\naccept: text/html,*/*;q=0.8\r\n';
const long = 'x'.repeat(17_000);
const html = 'accept: text/html\r\n';
const requests: [title: string, status: number, code: string, person: string, program: string][] = [
  [
    'a long address',
    414,
    'uri_too_long',
    `GET /${long} HTTP/1.1\r\n${browser}\r\n`,
    `GET /${long} HTTP/1.1\r\nhost: a\r\n\r\n`,
  ],
  [
    'long headers',
    431,
    'headers_too_large',
    `GET / HTTP/1.1\r\n${browser}cookie: ${long}\r\n\r\n`,
    `GET / HTTP/1.1\r\nhost: a\r\nx: ${long}\r\n\r\n`,
  ],
  [
    'bytes that are no HTTP',
    400,
    'malformed_request',
    `GET / HTTP/1.1\r\n${browser}content-length: x\r\n\r\n`,
    'GET / HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n',
  ],
  ['no host', 400, 'malformed_request', `GET / HTTP/1.1\r\n${html}\r\n`, 'GET / HTTP/1.1\r\nx: y\r\n\r\n'],
  [
    'an invalid host',
    400,
    'malformed_request',
    `GET / HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n${html}\r\n`,
    'GET / HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n',
  ],
  [
    'an expectation',
    417,
    'expectation_failed',
    `GET / HTTP/1.1\r\n${browser}expect: magic\r\n\r\n`,
    'GET / HTTP/1.1\r\nhost: a\r\nexpect: magic\r\n\r\n',
  ],
];

describe.each(requests)('a request with %s', (_, status, code, person, program) => {
  test('is explained to a person on a page with a way on', async () => {
    const said = await sendBytes(person);
    expect([said.status, /content-type: text\/html/.test(said.head)]).toEqual([status, true]);
    expect(said.head).toContain("content-security-policy: default-src 'none'");
    expect(said.body).toMatch(/<h1>[^<]+<\/h1><p role="alert">[^<]+\./);
    expect(said.body).toContain('href="/"');
    expect(said.head).toContain(`content-length: ${Buffer.byteLength(said.body)}`);
  });

  test('is explained to a program as JSON', async () => {
    const said = await sendBytes(program);
    expect([said.status, /content-type: application\/json/.test(said.head)]).toEqual([status, true]);
    expect(JSON.parse(said.body)).toEqual({
      success: false,
      code,
      message: expect.stringMatching(/\.$/),
      request_id: expect.stringMatching(/^req_/),
    });
  });
});
