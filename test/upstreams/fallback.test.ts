import { connect, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { CredentialedOptions } from '../../src/adapters/upstream/credentialed-upstream.ts';
import * as UpstreamLimits from '../../src/catalog/upstream-limits.ts';
import { fairQueue } from '../../src/proxy/fair-queue.ts';
import type { Outbound, Upstream } from '../../src/proxy/upstream.ts';
import { routed } from '../../src/proxy/upstream-routes.ts';
import { post } from '../proxy/opened-upstream.ts';
import { http, type Received } from '../proxy/scripted-upstream.ts';
import { against, closing, header, type Reported } from './opened.ts';

const route = { upstream: 'main', otherwise: ['backup'], bodyBytesMax: Infinity };
const call = (more: Partial<Outbound> = {}) => post('{"n":1}', { route, account: 'acc_1', ...more });
const backupAnswers = ({ socket }: Received) => socket.write(http(200, '{"from":"backup"}'));
const fromBackup = { kind: 'whole', status: 200, body: Buffer.from('{"from":"backup"}') };

/** Two upstreams behind one, each with its own queue. */
async function pair(
  main: (received: Received) => unknown,
  options: Partial<CredentialedOptions> & { url?: string } = {},
  limits: Partial<UpstreamLimits.Limits> = {},
) {
  const first = await against(main, options);
  const second = await against(backupAnswers, { name: 'backup', keys: ['sk_backup_operator'] });
  const reported: Reported[] = [];
  const queued = (upstream: Upstream, given = {}) => fairQueue(upstream, UpstreamLimits.limits(given));
  const upstreams = new Map([
    ['main', queued(first.upstream, limits)],
    ['backup', queued(second.upstream)],
  ]);
  const report = (event: string, detail: Reported['detail']) => reported.push({ event, detail });
  const upstream = routed(upstreams, report);
  return { upstream, main: first.server, backup: second.server, reported };
}

/** Nothing listens on this port, and no test can be given it. */
const closedAddress = 'http://127.0.0.1:1';

describe('the second upstream is asked when nothing was sent to the first', () => {
  test('because no connection could be opened, with its own key only', async () => {
    const { upstream, backup, reported } = await pair(() => undefined, { url: closedAddress });
    expect(await upstream.send(call()).response).toMatchObject(fromBackup);
    expect(backup.received).toHaveLength(1);
    const [received] = backup.received as [Received];
    expect(header(received, 'x-api-key')).toEqual(['sk_backup_operator']);
    expect(received.head).not.toContain('sk_first_operator');
    expect(received.body).toBe('{"n":1}');
    expect(reported).toEqual([
      { event: 'upstream_fallback', detail: { from: 'main', to: 'backup', reason: 'ECONNREFUSED' } },
    ]);
  });

  test('because its keys rest', async () => {
    const { upstream, main } = await pair(({ socket }) => socket.write(http(429)), { rotatesKeys: true });
    expect(await upstream.send(call()).response).toMatchObject({ status: 429 });
    expect(await upstream.send(call()).response).toMatchObject(fromBackup);
    expect(main.received).toHaveLength(1);
  });

  test('because its queue is full', async () => {
    const waiting: Received[] = [];
    const { upstream } = await pair(
      (received) => waiting.push(received),
      {},
      { connectionsMax: 1, waitingMax: 0 },
    );
    const slow = upstream.send(call());
    while (waiting.length === 0) await new Promise(setImmediate);
    expect(await upstream.send(call({ account: 'acc_2' })).response).toMatchObject(fromBackup);
    waiting[0]?.socket.write(http(200, '{}'));
    expect(await slow.response).toMatchObject({ status: 200 });
  });
});

describe('the second upstream is never asked after the request has left', () => {
  test.each([
    ['the first one closes the connection', ({ socket }: Received) => socket.end()],
    ['resets it', ({ socket }: Received) => socket.resetAndDestroy()],
    ['sends no HTTP', ({ socket }: Received) => socket.end('hello\r\n\r\n')],
    [
      'breaks off its response',
      ({ socket }: Received) => socket.end('HTTP/1.1 200 x\r\ncontent-length: 9\r\n\r\n{'),
    ],
    ['sends a response with its key', ({ socket }: Received) => socket.write(http(200, 'sk_first_operator'))],
    ['does not respond in time', () => undefined],
    ['fails', ({ socket }: Received) => socket.write(http(503))],
    ['limits', ({ socket }: Received) => socket.write(http(429))],
  ])('%s', async (_, script) => {
    const { upstream, main, backup, reported } = await pair(script, { timeoutMs: 300 });
    const sending = upstream.send(call());
    const result = await sending.response;
    expect(result).not.toMatchObject({ status: 200 });
    expect(sending.isSent).toBe(true);
    expect([main.received.length, backup.received.length]).toEqual([1, 0]);
    expect(reported).toEqual([]);
  });

  test('a kept connection that ends while the request is on its way', async () => {
    let count = 0;
    const { upstream, main, backup } = await pair(({ socket }) => {
      count += 1;
      if (count === 1) socket.write(http(200, '{}'));
      else socket.destroy();
    });
    await upstream.send(call()).response;
    expect(await upstream.send(call()).response).toMatchObject({ kind: 'unavailable' });
    expect([main.received.length, backup.received.length]).toEqual([2, 0]);
  });
});

describe('the caller cannot choose the second upstream', () => {
  test('by a request that cannot be written', async () => {
    const { upstream, backup } = await pair(backupAnswers);
    const rawHeaders = ['Content-Type', 'a\nb'];
    expect(await upstream.send(call({ rawHeaders })).response).toEqual({
      kind: 'unavailable',
      reason: 'unsendable',
    });
    expect(backup.received).toHaveLength(0);
  });

  test('by calls beyond the account’s own share', async () => {
    const limits = { connectionsMax: 4, waitingMax: 4, accountConnectionsMax: 1, accountWaitingMax: 0 };
    const waiting: Received[] = [];
    const { upstream, backup } = await pair((received) => waiting.push(received), {}, limits);
    const slow = upstream.send(call());
    while (waiting.length === 0) await new Promise(setImmediate);
    expect(await upstream.send(call()).response).toEqual({ kind: 'account_busy' });
    expect(backup.received).toHaveLength(0);
    slow.abandon();
  });

  test('by leaving: a call that waits for a connection ends with its caller', async () => {
    const waiting: Received[] = [];
    const { upstream, backup } = await pair((received) => waiting.push(received), {}, { connectionsMax: 1 });
    const slow = upstream.send(call());
    while (waiting.length === 0) await new Promise(setImmediate);
    const left = upstream.send(call({ account: 'acc_2' }));
    left.abandon();
    expect(await left.response).toEqual({ kind: 'abandoned' });
    expect(backup.received).toHaveLength(0);
    slow.abandon();
  });
});

test('a route without others sends nothing elsewhere', async () => {
  const { upstream, backup } = await pair(() => undefined, { url: closedAddress });
  const alone = { ...route, otherwise: [] };
  expect(await upstream.send(call({ route: alone })).response).toMatchObject({ kind: 'unavailable' });
  expect(backup.received).toHaveLength(0);
});

test('is ready while one upstream is, and reports each', async () => {
  const { upstream } = await pair(() => undefined, { url: closedAddress });
  expect(await upstream.probe()).toBe(true);
  expect(Object.fromEntries((await upstream.probeAll?.()) ?? [])).toEqual({ main: false, backup: true });
});

test('a streamed response that pauses longer than idle_ms is cut, however long a whole one may take', async () => {
  const { upstream } = await against(
    ({ socket }) =>
      socket.write(
        'HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: 1\n\n',
      ),
    { timeoutMs: 60_000, idleMs: 100 },
  );
  const response = await upstream.send(post('{}', { metered: false })).response;
  if (response.kind !== 'stream') throw new Error(response.kind);
  const server = createServer(
    (socket) => void response.pipeTo(socket).then((piped) => outcome.resolve(piped)),
  );
  const outcome = Promise.withResolvers<string>();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const reader = connect((server.address() as { port: number }).port, '127.0.0.1');
  reader.resume();
  reader.on('error', () => undefined);
  closing({
    close: async () => {
      reader.destroy();
      server.close();
    },
  });
  expect(await outcome.promise).toBe('cut');
});
