import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCluster } from '../../src/cli/embedded/cluster.ts';
import * as LockFile from '../../src/cli/embedded/lock-file.ts';

/** A PostgreSQL for one run, on disk as in production: commits are durable, and it may be killed. */
export type Cluster = {
  url: string;
  /** Stops it immediately (SIGQUIT), so that no backend finishes its work, then starts it, with recovery. */
  crash(): Promise<void>;
  stop(): Promise<void>;
};

const lookMs = 20;

export async function open(): Promise<Cluster> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-faults-'));
  const options = { dir, database: 'shop', durable: true, logFile: join(dir, 'log') };
  let cluster = await openCluster(options);
  const { url } = cluster;
  return {
    url,
    async crash() {
      const running = await LockFile.read(join(dir, 'data'));
      if (running) process.kill(running.pid, 'SIGQUIT');
      await cluster.lost;
      while ((await LockFile.read(join(dir, 'data')))?.pid === running?.pid && isAlive(running?.pid ?? 0))
        await new Promise((resolve) => setTimeout(resolve, lookMs));
      cluster = await openCluster(options);
      if (cluster.url !== url) throw new Error('PostgreSQL came back on another port');
    },
    async stop() {
      await cluster.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
