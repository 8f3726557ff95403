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
/** Of what a reader takes; 100 MB would take him hours. */
const readPauseMs = 100;
const idle = 2_000;
const idleSeconds = 3;
const openAtOnce = 50;
const bytesAMb = 1e6;

/** What slow readers of a large answer and idle connections cost in resident memory. */
export const memory: Part = async (stage) => {
  const options = { processes: 1 };
  const shop = stage.keep(
    await Storefront.open(stage.dir, await stage.createDatabase(), stage.upstreamUrl, options),
  );
  const [url = ''] = shop.urls;
  const [pid = 0] = shop.pids;
  const token = (await readFile(shop.tokens.one, 'utf8')).trim();
  // As it is after some work, and not as it starts.
  const load = { path: '/v1/small', tokens: shop.tokens.one, connections: 64, waitMs: 0, seconds: 3 };
  await Load.put({ name: 'sluice', urls: [url], gateway: [pid], database: [] }, load);

  const head = `host: bench\r\nauthorization: Bearer ${token}\r\n`;
  const before = Proc.residentBytes(pid);
  const slow = await connected(url, readers, `GET /v1/export HTTP/1.1\r\n${head}\r\n`);
  for (const socket of slow) readSlowly(socket);
  const most = await peak(pid, readSeconds);
  const taken = slow.map(({ bytesRead }) => bytesRead);
  if (Math.min(...taken) < 65_536) throw new Error('a slow reader was given nothing');
  for (const socket of slow) socket.destroy();

  const body = '{"max":5}';
  const call = `POST /v1/small HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const sockets = await connected(url, idle, call);
  const held = await peak(pid, idleSeconds);
  const alive = sockets.filter(
    (socket) => !socket.destroyed && socket.bytesRead > Nginx.sizes.small / 2,
  ).length;
  for (const socket of sockets) socket.destroy();
  if (alive < idle) throw new Error(`${idle - alive} of ${idle} idle connections were not kept`);
  const one = (bytes: number) => spread([bytes / bytesAMb]);
  return {
    lines: [],
    aims: [
      Aim.atMost(
        `${readers} slow readers of ${Nginx.exportBytes / bytesAMb} MB: memory grows by, MB`,
        one(most - before),
        48,
      ),
      Aim.atMost(`${idle} idle keep-alive connections, each after a call: in all, MB`, one(held), 250),
    ],
  };
};

/** Connections that have asked, and got the beginning of an answer. */
async function connected(url: string, count: number, request: string): Promise<Socket[]> {
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
