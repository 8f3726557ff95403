import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClientKind, openUpstream } from '../../src/adapters/upstream/upstream.ts';
import { IncomingUpload, type UploadWaits, usualWaits } from '../../src/http/server/upload.ts';
import type { Upload, UploadSink } from '../../src/proxy/upload.ts';
import type { Sending, Upstream } from '../../src/proxy/upstream.ts';
import { http } from './scripted-upstream.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** An upstream that lets `script` handle each connection byte by byte. */
async function listen(script: (socket: Socket) => void): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    script(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

function open(port: number, client: ClientKind, timeoutMs = 5_000): Upstream {
  return openUpstream({
    baseUrl: `http://127.0.0.1:${port}`,
    key: 'sk_operator',
    keyHeader: { header: 'x-api-key', value: '{key}' },
    timeoutMs,
    client,
  });
}

/** A body that a test passes on by itself. */
class TestUpload implements Upload {
  readonly length: number | null;
  isComplete = false;
  isStopped = false;
  onResume: () => void = () => undefined;
  readonly started: Promise<UploadSink>;
  #start: (sink: UploadSink) => void = () => undefined;

  constructor(length: number | null) {
    this.length = length;
    this.started = new Promise((resolve) => {
      this.#start = resolve;
    });
  }

  start(sink: UploadSink): void {
    this.#start(sink);
  }

  resume(): void {
    this.onResume();
  }

  stop(): void {
    this.isStopped = true;
  }
}

function send(upstream: Upstream, upload: Upload): Sending {
  const rawHeaders = ['content-type', 'application/octet-stream'];
  const target = { path: '/v1/audio', query: '' };
  return upstream.send({ method: 'POST', target, rawHeaders, body: null, upload, metered: false });
}

describe.each<ClientKind>(['built-in', 'undici'])('an upload by the %s client', (client) => {
  test('has the framing of its length or of chunks, and its connection serves the next request', async () => {
    const heads: string[] = [];
    let text = '';
    const { port, sockets } = await listen((socket) =>
      socket.on('data', (bytes) => {
        text += bytes.toString('latin1');
        if (!text.endsWith('hello') && !text.endsWith('\r\n0\r\n\r\n')) return;
        heads.push(text);
        text = '';
        socket.write(http(200, 'ok'));
      }),
    );
    const upstream = open(port, client);
    for (const length of [5, null]) {
      const upload = new TestUpload(length);
      const sending = send(upstream, upload);
      const sink = await upload.started;
      sink.data(Buffer.from('he'));
      await expect.poll(() => text).toMatch(/\r\n\r\n[\s\S]*he/);
      sink.data(Buffer.alloc(0));
      sink.data(Buffer.from('llo'));
      sink.end();
      expect(await sending.response).toMatchObject({ kind: 'whole', status: 200 });
    }
    expect(heads[0]).toMatch(/\r\ncontent-length: 5\r\n\r\nhello$/i);
    expect(heads[1]).toMatch(/\r\ntransfer-encoding: chunked\r\n/i);
    expect(heads[1]).not.toMatch(/content-length/i);
    expect(heads[1]).toMatch(/\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n$/);
    expect(sockets.length).toBe(1);
  });

  test.each([
    ['ends before its announced length', (sink: UploadSink) => sink.end(), 'left'],
    ['exceeds its announced length', (sink: UploadSink) => sink.data(Buffer.from('123456')), 'too_large'],
    ['is left by its caller', (sink: UploadSink) => sink.failed('left'), 'left'],
    ['is too slow', (sink: UploadSink) => sink.failed('too_slow'), 'too_slow'],
  ])('that %s ends its connection', async (_, end, reason) => {
    const { port, sockets } = await listen((socket) => socket.resume());
    const upload = new TestUpload(10);
    const sending = send(open(port, client), upload);
    const sink = await upload.started;
    sink.data(Buffer.from('hello'));
    end(sink);
    expect(await sending.response).toEqual({ kind: 'upload_failed', reason });
    expect(upload.isStopped).toBe(true);
    await expect.poll(() => sockets.every(({ closed }) => closed)).toBe(true);
  });

  test('whose upstream answers early is stopped, and its connection is closed', async () => {
    const { port, sockets } = await listen((socket) =>
      socket.once('data', () => socket.write(http(413, 'too large'))),
    );
    const upload = new TestUpload(1_000_000);
    const sending = send(open(port, client), upload);
    (await upload.started).data(Buffer.from('hello'));
    expect(await sending.response).toMatchObject({ kind: 'whole', status: 413 });
    expect(upload.isStopped).toBe(true);
    await expect.poll(() => sockets.every(({ closed }) => closed)).toBe(true);
  });

  test('whose upstream does not read is paused, and times out', async () => {
    const { port } = await listen((socket) => socket.pause());
    const upload = new TestUpload(null);
    const sending = send(open(port, client, 300), upload);
    const sink = await upload.started;
    let sent = 0;
    upload.onResume = () => {
      do sent += 1;
      while (sink.data(Buffer.alloc(256 * 1024)) && sent < 1_000);
    };
    upload.onResume();
    expect(await sending.response).toEqual({ kind: 'timeout' });
    expect(sent).toBeLessThan(100);
    expect(upload.isStopped).toBe(true);
  });

  test('that is abandoned closes its connection', async () => {
    const { port, sockets } = await listen((socket) => socket.resume());
    const upload = new TestUpload(10);
    const sending = send(open(port, client), upload);
    (await upload.started).data(Buffer.from('hello'));
    sending.abandon();
    expect(await sending.response).toEqual({ kind: 'abandoned' });
    expect(upload.isStopped).toBe(true);
    await expect.poll(() => sockets.every(({ closed }) => closed)).toBe(true);
  });

  test('is not started for a method without a body', async () => {
    const { port, sockets } = await listen((socket) => socket.resume());
    const upload = new TestUpload(10);
    const target = { path: '/', query: '' };
    const sending = open(port, client).send({
      ...{ method: 'GET', target, rawHeaders: [], body: null, upload, metered: false },
    });
    expect(await sending.response).toEqual({ kind: 'unavailable', reason: 'unsendable' });
    expect(sockets.length).toBe(0);
  });
});

describe('a body that arrives', () => {
  /** Receives one request as an upload and collects it. */
  async function receive(waits: Partial<UploadWaits>, bytesMax = 10_000_000) {
    const received = Promise.withResolvers<IncomingMessage>();
    const server = createHttpServer((incoming) => received.resolve(incoming)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const outgoing = request({
      ...{ host: '127.0.0.1', port: (server.address() as AddressInfo).port, method: 'POST' },
      agent: false,
    });
    outgoing.on('error', () => undefined);
    outgoing.flushHeaders();
    const incoming = await received.promise;
    const upload = new IncomingUpload(incoming, null, [Buffer.from('first ')], bytesMax, {
      ...usualWaits,
      ...waits,
    });
    const over = Promise.withResolvers<string>();
    const parts: Buffer[] = [];
    const begin = (takes = true) =>
      upload.start({
        data: (bytes) => {
          parts.push(bytes);
          return takes;
        },
        end: () => over.resolve('end'),
        failed: over.resolve,
      });
    return { outgoing, incoming, upload, begin, over: over.promise, parts };
  }

  test('is passed on whole, beginning with the part that was read already', async () => {
    const { outgoing, begin, over, parts, upload } = await receive({});
    begin();
    const bytes = randomBytes(500_000);
    outgoing.end(bytes);
    expect(await over).toBe('end');
    expect(upload.isComplete).toBe(true);
    const digest = (body: Buffer) => createHash('sha256').update(body).digest('hex');
    expect(digest(Buffer.concat(parts))).toBe(digest(Buffer.concat([Buffer.from('first '), bytes])));
  });

  test('fails when nothing arrives for too long', async () => {
    const { begin, over } = await receive({ silenceMsMax: 50 });
    begin();
    expect(await over).toBe('too_slow');
  });

  test('fails when it drips in below the slowest rate', async () => {
    const { outgoing, begin, over } = await receive({ graceMs: 100, bytesPerSecondMin: 1_000_000 });
    begin();
    const drip = setInterval(() => outgoing.write('x'), 10);
    expect(await over).toBe('too_slow');
    clearInterval(drip);
  });

  test('is never too slow while the upstream is', async () => {
    const { outgoing, begin, over, upload, parts } = await receive({ silenceMsMax: 50, graceMs: 50 });
    begin(false);
    outgoing.end('rest');
    // The first part was refused, so the time of the upstream passes and not that of the caller.
    const winner = await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 200, 'waiting'))]);
    expect(winner).toBe('waiting');
    upload.resume();
    await expect.poll(() => Buffer.concat(parts).toString()).toBe('first rest');
    upload.resume();
    expect(await over).toBe('end');
  });

  test('fails beyond its limit, and when its caller leaves', async () => {
    const long = await receive({}, 100);
    long.begin();
    long.outgoing.end(Buffer.alloc(101));
    expect(await long.over).toBe('too_large');
    const left = await receive({});
    left.begin();
    left.outgoing.destroy();
    expect(await left.over).toBe('left');
  });

  test('is discarded for a limited time after it was stopped, and then its connection is closed', async () => {
    const { incoming, outgoing, upload, begin } = await receive({ discardMsMax: 50 });
    begin();
    upload.stop();
    const closed = once(incoming, 'close');
    outgoing.write(Buffer.alloc(100_000));
    await closed;
    expect(incoming.destroyed).toBe(true);
  });
});
