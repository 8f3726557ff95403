import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { type ClientKind, openUpstream } from '../../src/adapters/upstream/upstream.ts';
import type { Upstream } from '../../src/proxy/upstream.ts';
import * as Vectors from './vectors.ts';

type Ending = (typeof endings)[number];
type Worker = {
  upstream: Upstream;
  respond(raw: string, ending: Ending): void;
  close(): Promise<void>;
};

const endings = ['closes', 'stays open'] as const;
const continued: ReadonlySet<string> = new Set(
  Vectors.responses
    .filter(({ raw }) => raw.startsWith('HTTP/1.1 100 '))
    .flatMap(({ src }) => endings.map((ending) => `${src}, ${ending}`)),
);
const usualTimeoutMs = 250;
const writersMax = 24;
const opened: Worker[] = [];
afterAll(() => Promise.all(opened.map((worker) => worker.close())));

/** An upstream that sends scripted bytes to the first request on a path, and the request's path to every later one. */
async function openWorker(client: ClientKind, timeoutMs: number): Promise<Worker> {
  let scripted: { raw: string; ending: Ending } | null = null;
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const path = chunk.toString('latin1').split(' ')[1] ?? '';
      if (scripted === null || path !== '/vector') {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${path.length}\r\n\r\n${path}`);
        return;
      }
      const { raw, ending } = scripted;
      socket.write(Buffer.from(raw, 'latin1'));
      if (ending === 'closes') socket.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upstream = openUpstream({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: '',
    keyHeader: { header: 'x-api-key', value: '{key}' },
    timeoutMs,
    client,
  });
  return {
    upstream,
    respond(raw, ending) {
      scripted = { raw, ending };
    },
    async close() {
      await upstream.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Returns how each vector was read, or null when it was not a response. */
async function run(
  client: ClientKind,
  vectors: readonly Vectors.Vector[],
  timeoutMs = usualTimeoutMs,
): Promise<Map<string, string | null>> {
  const workers = await Promise.all(Array.from({ length: writersMax }, () => openWorker(client, timeoutMs)));
  opened.push(...workers);
  const readings = new Map<string, string | null>();
  await Vectors.onWorkers(workers, vectors, async (worker, { src, raw }) => {
    for (const ending of endings) {
      const ask = (path: string) =>
        worker.upstream.send({
          method: 'GET',
          target: { path, query: '' },
          rawHeaders: [],
          body: null,
          metered: true,
        }).response;
      worker.respond(raw, ending);
      const answer = await ask('/vector');
      const reading =
        answer.kind === 'whole' ? `${answer.status} ${JSON.stringify(answer.body.toString('latin1'))}` : null;
      readings.set(`${src}, ${ending}`, reading);
      for (const path of ['/next/1', '/next/2']) {
        const next = await ask(path);
        const said = next.kind === 'whole' ? next.body.toString('latin1') : path;
        expect(said, `${src}, ${ending}: the response to the request after it`).toBe(path);
      }
    }
  });
  return readings;
}

const chunked = Vectors.chunkBodies.map(({ src, raw }) => ({
  src,
  raw: `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${raw}`,
}));

describe('responses of other implementations’ test suites', () => {
  test('are read by the built-in client as undici’s reads them, or refused, and answer no other request', async () => {
    const vectors = [...Vectors.responses, ...chunked];
    const [ours, undicis] = await Promise.all([run('built-in', vectors), run('undici', vectors)]);
    const alone = vectors.filter(({ src }) =>
      [...endings].some((ending) => ours.get(`${src}, ${ending}`) && !undicis.get(`${src}, ${ending}`)),
    );
    // A response that undici did not read in time gets more time.
    for (const [src, reading] of await run('undici', alone, 5_000)) undicis.set(src, reading);
    let taken = 0;
    for (const [src, reading] of ours) {
      if (reading === null) continue;
      taken++;
      // undici rejects an unrequested 100 as an error; the built-in client skips it, as RFC 9110 (15.2) requires.
      if (!continued.has(src)) expect(undicis.get(src), src).toBe(reading);
    }
    expect(taken).toBeGreaterThan(vectors.length / 4);
  });
});
