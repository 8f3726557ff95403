import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

const megabyte = 1_000_000;
const mebibyte = 1024 * 1024;
const chunk = randomBytes(mebibyte);

let server: Server;
let shop: Shop.Shop;
let answer: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;
let connections = 0;
const sockets: Socket[] = [];
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  server = createServer((incoming, outgoing) => answer(incoming, outgoing));
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  shop = await Shop.open({ upstream: { url, key: 'upk_1' }, catalog: 'uploads.yaml' });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  agent.destroy();
  await shop?.stop();
  server?.closeAllConnections();
  server?.close();
});

/** Memory of the storefront's process in bytes: now, and the maximum since its start. */
function memory(): { now: number; peak: number } {
  const status = readFileSync(`/proc/${shop.storefronts[0]?.child.pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

function repeated(times: number): string {
  const hash = createHash('sha256');
  for (let at = 0; at < times; at++) hash.update(chunk);
  return hash.digest('hex');
}

async function digest(stream: AsyncIterable<Buffer>): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const part of stream) {
    hash.update(part);
    bytes += part.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Answers with the length and the digest of the body, and the fields that frame it. */
async function describeBody(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { 'content-length': length, 'transfer-encoding': coding, expect: expected } = incoming.headers;
  const found = await digest(incoming);
  outgoing.setHeader('content-type', 'application/json');
  outgoing.end(JSON.stringify({ ...found, length, coding, expected, count: 1 }));
}

type Upload = { path?: string; times: number; length?: number; headers?: Record<string, string> };

/** Sends a body of `times` mebibytes at the pace of the reader; without `length` it is sent in chunks. */
async function upload(
  { token }: Customer.Customer,
  { path = '/v1/audio', times, length, headers = {} }: Upload,
): Promise<IncomingMessage> {
  const outgoing = request(shop.url + path, {
    method: 'POST',
    // A connection that the caller closes itself is reset while the rest of the body arrives, which can overtake the response.
    agent,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/octet-stream',
      ...(length !== undefined && { 'content-length': length }),
      ...headers,
    },
  });
  outgoing.setMaxListeners(0);
  const responded = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  for (let at = 0; at < times && !outgoing.destroyed; at++)
    if (!outgoing.write(chunk)) await Promise.race([once(outgoing, 'drain'), responded]);
  outgoing.end();
  const [incoming] = await responded;
  return incoming;
}

async function json(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const part of incoming) text += part;
  return JSON.parse(text);
}

/** Sends the start of a request on a socket of its own. */
function begin(lines: readonly string[]): { socket: Socket; received(): string } {
  const socket = connect(Number(new URL(shop.url).port), '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('error', () => undefined).on('data', (part) => (text += part.toString('latin1')));
  socket.write(`${['POST /v1/audio HTTP/1.1', 'host: shop', ...lines].join('\r\n')}\r\n\r\n`);
  return { socket, received: () => text };
}

const bearer = ({ token }: Customer.Customer) => `authorization: Bearer ${token}`;
const included = async (customer: Customer.Customer): Promise<number> =>
  (await Customer.call(customer, 'GET', `${shop.url}/account`)).body.included_remaining;

describe('a long body that no rule reads', () => {
  test('is forwarded byte for byte in flat memory: 200 MB with a length', async () => {
    answer = describeBody;
    const customer = await Customer.register(shop.url);
    await json(await upload(customer, { times: 4, length: 4 * mebibyte }));
    const before = memory();
    const times = 192;
    const response = await upload(customer, { times, length: times * mebibyte });
    expect(response.statusCode).toBe(200);
    expect(await json(response)).toMatchObject({
      bytes: times * mebibyte,
      sha256: repeated(times),
      length: String(times * mebibyte),
    });
    // The rest is garbage that has not been collected yet.
    expect(memory().peak - before.now).toBeLessThan(96 * megabyte);
    expect(await included(customer)).toBe(23);
  });

  test('is forwarded in chunks when it arrives in chunks', async () => {
    answer = describeBody;
    const customer = await Customer.register(shop.url);
    const found = await json(await upload(customer, { times: 6 }));
    expect(found).toMatchObject({ bytes: 6 * mebibyte, sha256: repeated(6), coding: 'chunked' });
    expect(found.length).toBeUndefined();
  });

  test('waits for an upstream that does not read, without being collected in memory', async () => {
    const arrived = Promise.withResolvers<[IncomingMessage, ServerResponse]>();
    answer = (...pair) => arrived.resolve(pair);
    const customer = await Customer.register(shop.url);
    const before = memory();
    const { socket } = begin([bearer(customer), `content-length: ${100 * mebibyte}`]);
    let flows = true;
    for (let sent = 0; sent < 100 && flows; sent++) flows = socket.write(chunk);
    const [incoming, outgoing] = await arrived.promise;
    let waiting = -1;
    await expect
      .poll(
        () => {
          const hasStalled = socket.writableLength === waiting && waiting > 0;
          waiting = socket.writableLength;
          if (waiting === 0) for (let at = 0; at < 4; at++) socket.write(chunk);
          return hasStalled;
        },
        { timeout: 10_000, interval: 100 },
      )
      .toBe(true);
    expect(memory().now - before.now).toBeLessThan(48 * megabyte);
    incoming.socket.destroy();
    outgoing.destroy();
  });

  test('reuses the connection of the upstream after it was read to its end', async () => {
    answer = describeBody;
    const customer = await Customer.register(shop.url);
    await json(await upload(customer, { times: 2, length: 2 * mebibyte }));
    const before = connections;
    await json(await upload(customer, { times: 2, length: 2 * mebibyte }));
    expect(connections).toBe(before);
  });
});

describe('a caller who stops in the middle of the body', () => {
  test.each([
    ['with a length', `content-length: ${8 * mebibyte}`, chunk],
    [
      'in chunks',
      'transfer-encoding: chunked',
      Buffer.concat([Buffer.from('100000\r\n'), chunk, Buffer.from('\r\n')]),
    ],
  ])('%s pays nothing, and the connection to the upstream is closed', async (_, framing, part) => {
    const customer = await Customer.register(shop.url);
    // More often than the number of free calls that a caller may leave.
    for (let time = 0; time < 7; time++) {
      const arrived = Promise.withResolvers<IncomingMessage>();
      const closed = Promise.withResolvers<void>();
      answer = (incoming) => {
        incoming.on('error', () => undefined).resume();
        incoming.socket.once('close', () => closed.resolve());
        arrived.resolve(incoming);
      };
      const { socket } = begin([bearer(customer), framing]);
      for (let sent = 0; sent < 3; sent++) socket.write(part);
      const incoming = await arrived.promise;
      socket.resetAndDestroy();
      await closed.promise;
      expect(incoming.complete).toBe(false);
    }
    await expect.poll(() => included(customer)).toBe(25);
    answer = describeBody;
    const response = await upload(customer, { times: 2, length: 2 * mebibyte });
    expect((await json(response)).sha256).toBe(repeated(2));
    expect(await included(customer)).toBe(24);
  });
});

describe('an upstream that answers before the body has arrived', () => {
  test.each([
    [413, 25],
    [200, 24],
  ])('is heard with its %s, and its connection carries no other request', async (status, left) => {
    const closed = Promise.withResolvers<void>();
    answer = (incoming, outgoing) => {
      incoming.socket.once('close', () => closed.resolve());
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end('{"early":true}');
    };
    const customer = await Customer.register(shop.url);
    const response = await upload(customer, { times: 32, length: 32 * mebibyte });
    expect([response.statusCode, await json(response)]).toEqual([status, { early: true }]);
    await closed.promise;
    expect(await included(customer)).toBe(left);
  });
});

describe('the limit of a body', () => {
  test('refuses an announced length before the upstream is called', async () => {
    let isCalled = false;
    answer = () => {
      isCalled = true;
    };
    const customer = await Customer.register(shop.url);
    const { received } = begin([bearer(customer), `content-length: ${256 * megabyte + 1}`]);
    await expect.poll(received).toMatch(/^HTTP\/1\.1 413 [\s\S]*"body_too_large"[\s\S]*256000000/);
    expect(isCalled).toBe(false);
  });

  test('ends a body in chunks that grows beyond it, at no cost', async () => {
    const seen = Promise.withResolvers<IncomingMessage>();
    answer = (incoming) => {
      incoming.on('error', () => undefined).resume();
      incoming.once('close', () => seen.resolve(incoming));
    };
    const customer = await Customer.register(shop.url);
    const response = await upload(customer, { times: 246 });
    expect([response.statusCode, (await json(response)).code]).toEqual([413, 'body_too_large']);
    expect((await seen.promise).complete).toBe(false);
    expect(await included(customer)).toBe(25);
  });
});

describe('Expect: 100-continue', () => {
  test('is answered by the final refusal alone when the call cannot be paid', async () => {
    const customer = await Customer.register(shop.url);
    const call = request(`${shop.url}/v1/reserved`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${customer.token}`,
        expect: '100-continue',
        'content-length': 5 * mebibyte,
      },
    });
    let isContinued = false;
    call.on('continue', () => {
      isContinued = true;
    });
    call.flushHeaders();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    expect([response.statusCode, isContinued]).toEqual([403, false]);
    call.destroy();
  });

  test('is answered with 100 once the call is held, and does not cross to the upstream', async () => {
    answer = describeBody;
    const customer = await Customer.register(shop.url);
    const call = request(`${shop.url}/v1/audio`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${customer.token}`,
        expect: '100-continue',
        'content-length': 2 * mebibyte,
      },
    });
    call.flushHeaders();
    await once(call, 'continue');
    call.end(Buffer.concat([chunk, chunk]));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    const found = await json(response);
    expect(found).toMatchObject({ bytes: 2 * mebibyte, sha256: repeated(2) });
    expect(found.expected).toBeUndefined();
  });
});

describe('a body that a rule reads is complete before it is forwarded', () => {
  test('with an idempotency key, whose digest covers all of it', async () => {
    answer = describeBody;
    const customer = await Customer.register(shop.url);
    const headers = { 'idempotency-key': 'upload-1' };
    const first = await json(await upload(customer, { times: 3, headers }));
    expect(first).toMatchObject({ bytes: 3 * mebibyte, length: String(3 * mebibyte) });
    const again = await upload(customer, { times: 3, headers });
    expect([again.headers['idempotent-replayed'], await json(again)]).toEqual(['true', first]);
    expect((await upload(customer, { times: 2, headers })).statusCode).toBe(422);
    expect(await included(customer)).toBe(24);
  });

  test('where it says how many units the call can cost', async () => {
    answer = describeBody;
    const customer = await Customer.register(shop.url);
    const body = JSON.stringify({ max: 30, padding: 'x'.repeat(2 * mebibyte) });
    const headers = { 'content-type': 'application/json' };
    const refused = await Customer.call(customer, 'POST', `${shop.url}/v1/list`, body, headers);
    expect([refused.status, refused.body.code]).toEqual([402, 'credit_exhausted']);
    const fitting = body.replace('30', '3');
    const made = await Customer.call(customer, 'POST', `${shop.url}/v1/list`, fitting, headers);
    expect([made.status, made.body.bytes]).toEqual([200, fitting.length]);
  });
});

describe('a long response that is not counted', () => {
  const bytes = 192 * mebibyte;
  const serve = (_: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.writeHead(200, { 'content-type': 'video/mp4', 'content-length': bytes });
    let sent = 0;
    const more = () => {
      while (sent < 192) {
        sent += 1;
        if (!outgoing.write(chunk)) return;
      }
      outgoing.end();
    };
    outgoing.on('drain', more);
    more();
  };

  test('is delivered byte for byte in flat memory: 200 MB', async () => {
    answer = serve;
    const customer = await Customer.register(shop.url);
    const before = memory();
    const headers = { authorization: `Bearer ${customer.token}` };
    const call = request(`${shop.url}/v1/downloads/film`, { agent: false, headers }).end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    expect(await digest(response)).toEqual({ bytes, sha256: repeated(192) });
    expect(memory().now - before.now).toBeLessThan(64 * megabyte);
    expect(await included(customer)).toBe(24);
  });

  test('waits for a caller who does not read, and keeps the upstream waiting', async () => {
    let upstream: Socket | null = null;
    answer = (incoming, outgoing) => {
      upstream = incoming.socket;
      serve(incoming, outgoing);
    };
    const customer = await Customer.register(shop.url);
    const before = memory();
    const headers = { authorization: `Bearer ${customer.token}` };
    const call = request(`${shop.url}/v1/downloads/film`, { agent: false, headers }).end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    let waiting = -1;
    await expect
      .poll(() => {
        const now = upstream?.writableLength ?? 0;
        const hasStalled = now === waiting && now > 0;
        waiting = now;
        return hasStalled;
      })
      .toBe(true);
    expect(memory().now - before.now).toBeLessThan(48 * megabyte);
    expect((await digest(response)).sha256).toBe(repeated(192));
  });

  test('is sent in part where its caller asks for a range', async () => {
    let asked: string | undefined;
    answer = (incoming, outgoing) => {
      asked = incoming.headers.range;
      const [, from = '0', to = '0'] = /^bytes=(\d+)-(\d+)$/.exec(asked ?? '') ?? [];
      const part = chunk.subarray(Number(from), Number(to) + 1);
      outgoing.writeHead(206, {
        'content-type': 'video/mp4',
        'content-range': `bytes ${from}-${to}/${mebibyte}`,
        'content-length': part.length,
      });
      outgoing.end(part);
    };
    const customer = await Customer.register(shop.url);
    const range = 'bytes=100-99999';
    const response = await fetch(`${shop.url}/v1/downloads/film`, {
      headers: { authorization: `Bearer ${customer.token}`, range },
    });
    expect([response.status, asked, response.headers.get('content-range')]).toEqual([
      206,
      range,
      `bytes 100-99999/${mebibyte}`,
    ]);
    expect(Buffer.from(await response.arrayBuffer()).equals(chunk.subarray(100, 100_000))).toBe(true);
  });
});
