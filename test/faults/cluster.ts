import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Embedded from '../../src/adapters/embedded/cluster.ts';
import * as LockFile from '../../src/adapters/embedded/lock-file.ts';

/** A PostgreSQL of a run's own, on disk as in production: commits are durable, and it may be killed. */
export type Cluster = {
  url: string;
  /** Immediate stop (SIGQUIT): no backend ends its work. Then a start, with recovery. */
  crash(): Promise<void>;
  stop(): Promise<void>;
};

const lookMs = 20;

export async function open(): Promise<Cluster> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-faults-'));
  const options = { dir, database: 'shop', durable: true, logFile: join(dir, 'log') };
  let cluster = await Embedded.open(options);
  const { url } = cluster;
  return {
    url,
    async crash() {
      const running = await LockFile.read(join(dir, 'data'));
      if (running) process.kill(running.pid, 'SIGQUIT');
      await cluster.lost;
      while ((await LockFile.read(join(dir, 'data')))?.pid === running?.pid && isAlive(running?.pid ?? 0))
        await new Promise((resolve) => setTimeout(resolve, lookMs));
      cluster = await Embedded.open(options);
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
