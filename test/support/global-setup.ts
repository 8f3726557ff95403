import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import * as Cluster from '../../src/cli/embedded/cluster.ts';
import * as BuiltPrograms from './built-programs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL in which tests may create databases (test/support/database.ts). */
    databaseUrl: string;
    /** The name of the database that copies are made of (test/support/database.ts). */
    template: string;
  }
}

const prefix = 'sluice-test-';
/** Compiled modules of the programs that tests start: with this cache a storefront starts in two thirds of the time. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/test-programs', import.meta.url));

/** Provides one PostgreSQL for the whole run: that of TEST_DATABASE_URL or DATABASE_URL, or an embedded one in a temporary folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  process.env.NODE_COMPILE_CACHE ??= compileCache;
  if (!project.config.watch) process.env.BUILT_PROGRAMS ??= await BuiltPrograms.folderOfNow();
  const given = process.env.TEST_DATABASE_URL ?? process.env.DATABASE_URL;
  const template = `sluice_template_${process.pid}`;
  project.provide('template', template);
  if (given) {
    project.provide('databaseUrl', given);
    return () => drop(given, template);
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

async function drop(url: string, name: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    for (const each of [name, `${name}_filled`]) await sql.unsafe(`drop database if exists ${each}`);
  } finally {
    await sql.end();
  }
}

function open(dir: string): Promise<Cluster.Cluster> {
  return Cluster.openCluster({ dir, database: 'postgres', durable: false, logFile: join(dir, 'log') });
}

/** Removes the servers and folders of killed runs, whose names contain the id of a process that no longer exists. */
async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]);
    if (!pid || isAlive(pid)) continue;
    const dir = join(tmpdir(), name);
    // A server may still be running there: take it over, then stop it.
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
