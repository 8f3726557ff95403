import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as Aim from './aim.ts';
import { spread } from './contest.ts';
import * as Load from './load.ts';
import * as Nginx from './nginx.ts';
import type { Part } from './part.ts';
import * as Proc from './proc.ts';
import * as Storefront from './storefront.ts';

const readers = 32;
const readSeconds = 10;
/** Pause of a slow reader between two reads, long enough that it would need hours for 100 MB. */
const readPauseMs = 100;
const idle = 2_000;
const idleSeconds = 3;
const openAtOnce = 50;
const bytesAMb = 1e6;

/** Measures the resident memory for slow readers of a large response and for idle connections, each in a process that was used before. */
export const memory: Part = async (stage) => {
  const databaseUrl = await stage.createDatabase();
  const open = async () =>
    stage.keep(await Storefront.open(stage.dir, databaseUrl, stage.upstreamUrl, { processes: 1 }));
  // The first start compiles, so it is not measured.
  await (await open()).stop();
  const grown = await slowReaders(await warmed(await open()));
  const held = await idleConnections(await warmed(await open()));
  const megabytes = (bytes: number) => spread([bytes / bytesAMb]);
  return {
    lines: [],
    aims: [
      Aim.atMost(
        `${readers} slow readers of ${Nginx.exportBytes / bytesAMb} MB: memory grows by, MB`,
        megabytes(grown),
        48,
      ),
      Aim.atMost(`${idle} idle keep-alive connections, each after a call: in all, MB`, megabytes(held), 250),
    ],
  };
};

async function warmed(shop: Storefront.Shop): Promise<Storefront.Shop> {
  // Uses all names: a single one would be at its rate limit when the first connections start.
  const paths = Nginx.names('small').map((name) => `/v1/${name}`);
  const load = { paths, tokens: shop.tokens.one, connections: 64, waitMs: 0, seconds: 3 };
  await Load.put({ name: 'sluice', urls: shop.urls, gateway: shop.pids, database: [] }, load);
  return shop;
}

async function slowReaders(shop: Storefront.Shop): Promise<number> {
  const [pid = 0] = shop.pids;
  const before = Proc.residentBytes(pid);
  const sockets = await connected(shop, readers, 'GET /v1/export HTTP/1.1', '');
  for (const socket of sockets) readSlowly(socket);
  const most = await peak(pid, readSeconds);
  const least = Math.min(...sockets.map(({ bytesRead }) => bytesRead));
  for (const socket of sockets) socket.destroy();
  await shop.stop();
  if (least < 65_536) throw new Error('a slow reader was given next to nothing');
  return most - before;
}

async function idleConnections(shop: Storefront.Shop): Promise<number> {
  const [pid = 0] = shop.pids;
  const sockets = await connected(shop, idle, 'POST /v1/small HTTP/1.1', '{"max":5}');
  const most = await peak(pid, idleSeconds);
  const kept = sockets.filter(({ destroyed, bytesRead }) => !destroyed && bytesRead > Nginx.sizes.small / 2);
  for (const socket of sockets) socket.destroy();
  await shop.stop();
  if (kept.length < idle) throw new Error(`${idle - kept.length} of ${idle} idle connections were not kept`);
  return most;
}

/** Opens connections that have sent a request and received the start of the response. */
async function connected(
  { urls: [url = ''], tokens }: Storefront.Shop,
  count: number,
  line: string,
  body: string,
): Promise<Socket[]> {
  const token = (await readFile(tokens.one, 'utf8')).trim();
  const head = `host: bench\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json`;
  const request = `${line}\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const few = Array.from({ length: Math.min(openAtOnce, count - sockets.length) }, () =>
      connect(Number(new URL(url).port), '127.0.0.1'),
    );
    await Promise.all(
      few.map(async (socket) => {
        socket.write(request);
        socket.resume();
        await once(socket, 'data');
      }),
    );
    sockets.push(...few);
  }
  return sockets;
}

function readSlowly(socket: Socket): void {
  socket.on('data', () => {
    socket.pause();
    setTimeout(() => socket.resume(), readPauseMs);
  });
}

async function peak(pid: number, seconds: number): Promise<number> {
  let most = 0;
  for (const untilMs = performance.now() + seconds * 1_000; performance.now() < untilMs; await sleep(100))
    most = Math.max(most, Proc.residentBytes(pid));
  return most;
}
