import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SystemAccount } from './account.ts';
import * as Binaries from './binaries.ts';
import * as LockFile from './lock-file.ts';

/** The files of a server and how to run it. */
export type ServerFiles = {
  /** Contains `data`, `password` and `port`. */
  dir: string;
  durable: boolean;
  logFile: string;
  account: SystemAccount;
  binaries: Binaries.Binaries;
};

/** Recovery after a crash replays up to 1 GB of log before the server answers. */
export const readyMsMax = 120_000;
const initMsMax = 120_000;
const stopSecondsMax = 20;
const launchesMax = 5;
const pollMs = 20;

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  cluster_name: 'sluice',
  max_connections: '100',
  shared_buffers: '128MB',
  idle_in_transaction_session_timeout: '60s',
};
/** For tests, which run several shops of several processes beside each other. */
const undurable = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
};

export function dataFolder(place: ServerFiles): string {
  return join(place.dir, 'data');
}

/**
 * Starts the server and returns its port when it responds. It outlives this program if that is killed. Retries when the port was taken
 * in the meantime, or when processes of a killed server still hold its memory.
 */
export async function launch(place: ServerFiles): Promise<number> {
  const portFile = join(place.dir, 'port');
  const kept = Number(await readFile(portFile, 'utf8').catch(() => '0'));
  const log = await open(place.logFile, 'a');
  try {
    const { size } = await log.stat();
    for (let attempt = 1; attempt <= launchesMax; attempt++) {
      const port = (await freePort(kept)) ?? (await freePort(0));
      const all = { ...settings, ...(place.durable ? {} : undurable), port: String(port) };
      const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      const server = run(place, 'postgres', dataFolder(place), args, [log.fd, log.fd]);
      if (await answers(server, place)) {
        await writeFile(portFile, `${port}\n`);
        return Number(port);
      }
      await sleep(attempt * 200);
    }
    const said = (await readFile(place.logFile)).subarray(size).toString().trim();
    throw new Error(`PostgreSQL did not start: ${said.split('\n').slice(-5).join('\n')}`);
  } finally {
    await log.close();
  }
}

/** Returns true when `server` becomes ready, and false when it ends first. Stops it and throws when neither happens in time. */
async function answers(server: ChildProcess, place: ServerFiles): Promise<boolean> {
  const ended = once(server, 'exit').then(() => true);
  for (const end = Date.now() + readyMsMax; Date.now() < end; ) {
    const lock = await LockFile.read(dataFolder(place));
    if (lock?.ready && lock.pid === server.pid) {
      server.unref();
      return true;
    }
    if (await Promise.race([ended, sleep(pollMs)])) return false;
  }
  server.kill('SIGQUIT');
  throw new Error(`PostgreSQL was not ready after ${readyMsMax / 1000} s; see ${place.logFile}`);
}

/** Stops the server after a checkpoint. If that takes too long, stops it without one, and the next start recovers. */
export async function halt(place: ServerFiles): Promise<void> {
  for (const mode of ['fast', 'immediate']) {
    const args = ['stop', `--mode=${mode}`, `--timeout=${stopSecondsMax}`];
    const command = run(place, 'pg_ctl', dataFolder(place), args, ['ignore', 'ignore']);
    await once(command, 'close');
    if ((await LockFile.read(dataFolder(place))) === null) return;
  }
}

/** Runs initdb on `folder`. Returns an empty text on success, or its message. `passwordFd` becomes its descriptor 3. */
export async function initdb(
  place: ServerFiles,
  folder: string,
  args: readonly string[],
  passwordFd: number,
): Promise<string> {
  const child = run(place, 'initdb', folder, args, ['ignore', 'pipe', passwordFd]);
  const late = setTimeout(() => child.kill('SIGKILL'), initMsMax);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const [code] = await once(child, 'close');
  clearTimeout(late);
  return code === 0 ? '' : said.trim() || `initdb ended with ${code}`;
}

/**
 * Runs a program on `folder` as the account. For another account, the folder is the working directory and only its relative path is used,
 * so that the account needs no access to the folders above.
 */
function run(
  place: ServerFiles,
  name: 'initdb' | 'pg_ctl' | 'postgres',
  folder: string,
  args: readonly string[],
  output: Exclude<StdioOptions, string>,
): ChildProcess {
  const unnamed = place.account !== null && process.platform === 'linux';
  return spawn(
    Binaries.program(place.binaries, name),
    ['-D', unnamed ? LockFile.ownWorkingFolder : folder, ...args],
    {
      ...place.account,
      cwd: folder,
      // No PG* variables of the caller's shell, and messages in English.
      env: {},
      stdio: ['ignore', ...output],
      // A process group of its own: this process receives Ctrl-C and stops the server last.
      detached: true,
      windowsHide: true,
    },
  );
}

/** Returns `port` if it is free, any free port for 0, or null when it is taken. */
function freePort(port: number): Promise<number | null> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(null));
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : null));
    });
  });
}
