import { spawn } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as Account from '../src/cli/embedded/account.ts';
import * as Binaries from '../src/cli/embedded/binaries.ts';
import * as DataFolder from '../src/cli/embedded/data-folder.ts';
import * as LockFile from '../src/cli/embedded/lock-file.ts';
import * as Server from '../src/cli/embedded/server.ts';

export type ScratchPostgres = {
  url: string;
  logFile: string;
  stop(): Promise<void>;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
};

/** Settings for a small host; all others are PostgreSQL's defaults. `npm start` uses less memory. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '1GB',
  maintenance_work_mem: '512MB',
  max_wal_size: '4GB',
};
const readyMsMax = 60_000;
const pollMs = 50;

/** Starts the PostgreSQL of `npm start` in its own folder, with a host's settings. */
export async function start(dir: string): Promise<ScratchPostgres> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const account = Account.choose(join(dir, 'data'));
  const binaries = await Binaries.reachableBy(account, await Binaries.locate(dir));
  const place: Server.ServerFiles = { dir, durable: true, logFile: join(dir, 'log'), account, binaries };
  await DataFolder.ready(place);
  const data = Server.dataFolder(place);
  const port = (await LockFile.untilReadyOrGone(data, readyMsMax)) ?? (await launch(place, data));
  const password = await DataFolder.password(place);
  const stop = () => Server.halt(place);
  return {
    url: `postgres://${DataFolder.user}:${password}@127.0.0.1:${port}/postgres`,
    logFile: place.logFile,
    stop,
    async remove() {
      await stop();
      await rm(dir, { recursive: true });
    },
  };
}

async function launch({ account, binaries, logFile }: Server.ServerFiles, data: string): Promise<number> {
  const port = await freePort();
  const log = await open(logFile, 'a');
  const args = Object.entries({ ...settings, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const folder = account === null ? data : LockFile.ownWorkingFolder;
  const server = spawn(Binaries.program(binaries, 'postgres'), ['-D', folder, ...args], {
    ...account,
    cwd: data,
    env: {},
    stdio: ['ignore', log.fd, log.fd],
    // Ctrl-C in the terminal must reach only this process, which stops the server last.
    detached: true,
  });
  server.unref();
  await log.close();
  for (const end = performance.now() + readyMsMax; performance.now() < end; await sleep(pollMs)) {
    if ((await LockFile.read(data))?.ready) return port;
    if (server.exitCode !== null) break;
  }
  throw new Error(`PostgreSQL did not start; see ${logFile}`);
}

function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
