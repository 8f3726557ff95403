import { id } from '@sluice/kernel/id';
import postgres from 'postgres';
import { inject } from 'vitest';
import { migrate } from '../../src/adapters/postgres/migrate.ts';

export type Database = { url: string; drop(): Promise<void> };

/** An arbitrary number that names the advisory lock: one test makes the template of a run. */
const lockKey = 7_385_002;

/** Creates an empty database on the run's server, or on another one. `drop` cuts connections that are still open. */
export async function createDatabase(admin: string = inject('databaseUrl')): Promise<Database> {
  const name = id('test');
  await run(admin, (sql) => sql.unsafe(`create database ${name}`));
  return of(admin, name);
}

/** Creates a database of a shop on the run's server: a copy of one that was migrated once, which takes a fraction of the time. */
export function createMigrated(): Promise<Database> {
  return copy(inject('template'), migrated);
}

/** The same, in which `fill` has left what its callers would otherwise all put there. It must be the same for all of a run. */
export function createFilled(fill: (url: string) => Promise<unknown>): Promise<Database> {
  return copy(`${inject('template')}_filled`, async (url) => {
    await migrated(url);
    await fill(url);
  });
}

async function migrated(url: string): Promise<void> {
  await migrate(url);
}

/** Copies a database that the first caller of the run makes. */
async function copy(template: string, make: (url: string) => Promise<void>): Promise<Database> {
  const admin = inject('databaseUrl');
  const name = id('test');
  await run(admin, async (sql) => {
    await sql`SELECT pg_advisory_lock(${lockKey})`;
    const isThere = sql`SELECT FROM pg_database WHERE datname = ${template} AND NOT datallowconn`;
    if ((await isThere).length === 0) {
      await sql.unsafe(`drop database if exists ${template}`);
      await sql.unsafe(`create database ${template}`);
      await make(of(admin, template).url);
      // A connection to it, also one of the autovacuum, would be in the way of copies.
      await sql.unsafe(`alter database ${template} with allow_connections false`);
    }
    await sql`SELECT pg_advisory_unlock(${lockKey})`;
    await sql.unsafe(`create database ${name} template ${template}`);
  });
  return of(admin, name);
}

function of(admin: string, name: string): Database {
  const url = new URL(admin);
  url.pathname = `/${name}`;
  const drop = () => run(admin, (sql) => sql.unsafe(`drop database if exists ${name} with (force)`));
  return { url: url.href, drop };
}

async function run(url: string, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}
