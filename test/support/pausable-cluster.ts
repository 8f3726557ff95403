import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Cluster from '../../src/cli/embedded/cluster.ts';
import * as LockFile from '../../src/cli/embedded/lock-file.ts';

/** A PostgreSQL server of its own, which can be made to hang. */
export type PausableCluster = {
  /** Connection URL of the superuser. */
  url: string;
  /** Sends SIGSTOP to all processes of the server: connections stay open, and nothing responds. */
  pause(): Promise<void>;
  /** Sends SIGCONT. Does nothing on a server that runs. */
  resume(): Promise<void>;
  close(): Promise<void>;
};

/** Starts an empty server in a temporary folder. `close` resumes and stops it. */
export async function open(): Promise<PausableCluster> {
  const dir = await mkdtemp(join(tmpdir(), `sluice-test-${process.pid}-`));
  const cluster = await Cluster.openCluster({
    dir,
    database: 'postgres',
    durable: false,
    logFile: join(dir, 'log'),
  });
  const signal = async (name: 'SIGSTOP' | 'SIGCONT') => {
    const main = (await LockFile.read(join(dir, 'data')))?.pid;
    if (main === undefined) throw new Error('the server does not run');
    // The main process first, so that it starts no other ones meanwhile.
    process.kill(main, name);
    for (const pid of await childrenOf(main)) if (isAlive(pid)) process.kill(pid, name);
  };
  return {
    url: cluster.url,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async close() {
      await signal('SIGCONT');
      await cluster.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return { pid: Number(pid), parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) };
    }),
  );
  return parents.filter((each) => each.parent === parent).map(({ pid }) => pid);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
