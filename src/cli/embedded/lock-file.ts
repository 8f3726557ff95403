import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The contents of `postmaster.pid` in a data folder, as far as the server has written it. */
export type LockFile = { pid: number; dataFolder: string; port: number; ready: boolean };

/** The path of the data folder for a server without access to the folders above it. */
export const ownWorkingFolder = '/proc/self/cwd';

const pollMs = 20;

/** Returns the lock file in `data`; null when there is none or it is incomplete. */
export async function read(data: string): Promise<LockFile | null> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, dataFolder = '', , port, , , , status = ''] = text.split('\n');
  if (!Number(pid)) return null;
  return { pid: Number(pid), dataFolder, port: Number(port), ready: status.trim() === 'ready' };
}

/**
 * Returns the port of the server on `data` once it is ready. Returns null when none runs, after deleting a lock file that would prevent the
 * next start. Throws when a server is neither ready nor gone within `msMax`.
 */
export async function untilReadyOrGone(data: string, msMax: number): Promise<number | null> {
  const end = Date.now() + msMax;
  for (;;) {
    const found = await read(data);
    if (found === null) return null;
    if (!(await isServing(found, data))) {
      // Another process may have the same id by now, and PostgreSQL would take it for a server.
      await rm(join(data, 'postmaster.pid'), { force: true });
      return null;
    }
    if (found.ready) return found.port;
    if (Date.now() > end)
      throw new Error(`PostgreSQL (process ${found.pid}) on ${data} does not become ready`);
    await sleep(pollMs);
  }
}

/** Returns true when the process of the lock file still runs on this folder, and not on one that this is a copy of. */
async function isServing({ pid, dataFolder }: LockFile, data: string): Promise<boolean> {
  const here = await realpath(data);
  if (process.platform === 'linux') {
    // Id, name and state (proc(5)). A killed server stays a zombie when no init process reaps orphans.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    if (!/^\d+ \(postgres\) [^ZX]/.test(stat)) return false;
    // Unreadable without the right to trace, as for root in a container: then the lock file is trusted.
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => null);
    if (folder !== null) return folder === here;
  } else if (!isAlive(pid)) {
    return false;
  }
  return dataFolder === ownWorkingFolder || dataFolder === data || dataFolder === here;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
