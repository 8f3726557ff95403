import { readdir, readFile } from 'node:fs/promises';
import { sha256Hex } from '../../kernel/digest.ts';
import type { Sql } from './database.ts';

const folder = new URL('../../../migrations/direct/', import.meta.url);
const lockWaitMs = 60_000;

/**
 * Runs `work` while no other process prepares this database, waiting for at most a minute. The lock is PostgreSQL's own,
 * held by one connection, so it goes when that process does.
 */
export async function alone<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const connection = await sql.reserve();
  try {
    await connection.unsafe(`set lock_timeout = ${lockWaitMs}`);
    await connection`select pg_advisory_lock(hashtextextended('sluice-direct', 0))`;
    return await work();
  } finally {
    await connection`select pg_advisory_unlock_all()`.catch(() => {});
    connection.release();
  }
}

/**
 * Applies, in order, the files that this database has not seen. Throws where one that it has seen reads differently now, or is not there:
 * a newer version made it.
 */
export async function migrate(sql: Sql): Promise<void> {
  await sql.unsafe(
    `create schema if not exists direct;
     create table if not exists direct.migration (
       name text primary key, digest text not null, applied_at timestamptz not null default now()
     );`,
  );
  const applied = await sql<{ name: string; digest: string }[]>`select name, digest from direct.migration`;
  const known = new Map(applied.map((row) => [row.name, row.digest]));
  const names = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const unknown = applied.filter(({ name }) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `the database is newer than this program: it has ${unknown.map(({ name }) => name).join(', ')}, which this version does not know. Start the version that made it, or restore the backup from before the upgrade (docs/backup.md)`,
    );
  for (const name of names) {
    const text = await readFile(new URL(name, folder), 'utf8');
    const digest = sha256Hex(text);
    if (known.get(name) === digest) continue;
    if (known.has(name)) throw new Error(`migration ${name} was changed after it had been applied`);
    // Statements sent in one message are one transaction, so a file and its mark go in together or not at all.
    await sql.unsafe(
      `${text};\ninsert into direct.migration (name, digest) values ('${name}', '${digest}');`,
    );
  }
}
