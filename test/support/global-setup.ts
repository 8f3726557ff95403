import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import * as Cluster from '../../src/adapters/embedded/cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL in which tests may make databases (test/support/database.ts). */
    databaseUrl: string;
  }
}

const prefix = 'sluice-test-';

/** One server for the whole run: that of TEST_DATABASE_URL or DATABASE_URL, else an embedded one in a temporary folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL ?? process.env.DATABASE_URL;
  if (given) {
    project.provide('databaseUrl', given);
    return async () => {};
  }
  await sweep();
  const dir = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  const cluster = await open(dir);
  project.provide('databaseUrl', cluster.url);
  return async () => {
    await cluster.stop();
    await rm(dir, { recursive: true, force: true });
  };
}

function open(dir: string): Promise<Cluster.Cluster> {
  return Cluster.open({ dir, database: 'postgres', durable: false, logFile: join(dir, 'log') });
}

/** Removes what runs that were killed have left behind: their names bear the number of a process that is gone. */
async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]);
    if (!pid || isAlive(pid)) continue;
    const dir = join(tmpdir(), name);
    // A server may still run there: it is taken over, then ended.
    await open(dir).then(
      (cluster) => cluster.stop(),
      () => {},
    );
    await rm(dir, { recursive: true, force: true }).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
