import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a server writes into `postmaster.pid` in its data folder, as far as it has come. */
export type LockFile = { pid: number; dataFolder: string; port: number; ready: boolean };

/** The data folder as a server is told that may not pass through the folders above it. */
export const ownWorkingFolder = '/proc/self/cwd';

const pollMs = 20;

/** The lock file in `data`; null where there is none, or one that is only half written. */
export async function read(data: string): Promise<LockFile | null> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, dataFolder = '', , port, , , , status = ''] = text.split('\n');
  if (!Number(pid)) return null;
  return { pid: Number(pid), dataFolder, port: Number(port), ready: status.trim() === 'ready' };
}

/**
 * The port of the server that runs on `data`, once it is ready; null when none does, and then no lock file that would
 * keep the next one from starting is left either. Throws when a server is there but neither ready nor gone in `msMax`.
 */
export async function untilReadyOrGone(data: string, msMax: number): Promise<number | null> {
  const end = Date.now() + msMax;
  for (;;) {
    const found = await read(data);
    if (found === null) return null;
    if (!(await isServing(found, data))) {
      // The number may have gone to another process since, and PostgreSQL would believe that to be a server.
      await rm(join(data, 'postmaster.pid'), { force: true });
      return null;
    }
    if (found.ready) return found.port;
    if (Date.now() > end)
      throw new Error(`PostgreSQL (process ${found.pid}) on ${data} does not become ready`);
    await sleep(pollMs);
  }
}

/** Whether the process that wrote the lock file still runs on this very folder, and not on one this is a copy of. */
async function isServing({ pid, dataFolder }: LockFile, data: string): Promise<boolean> {
  const here = await realpath(data);
  if (process.platform === 'linux') {
    // Number, name and state (proc(5)). A killed server stays a zombie where nobody waits for orphans.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    if (!/^\d+ \(postgres\) [^ZX]/.test(stat)) return false;
    // Unreadable for a root that may not trace others, as in a container: then the lock file's word is taken.
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
