import { id } from '@sluice/kernel/id';
import postgres from 'postgres';
import { inject } from 'vitest';

export type Database = { url: string; drop(): Promise<void> };

/** Creates an empty database on the run's server, or on another one. `drop` cuts connections that are still open. */
export async function createDatabase(admin: string = inject('databaseUrl')): Promise<Database> {
  const name = id('test');
  await run(admin, `create database ${name}`);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(admin, `drop database if exists ${name} with (force)`) };
}

async function run(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}
