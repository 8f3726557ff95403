import { readdir, readFile } from 'node:fs/promises';
import { sha256Hex } from '@sluice/kernel/digest';
import type { Sql } from './database.ts';

const folder = new URL('../../migrations/', import.meta.url);
const lockWaitMs = 60_000;

/**
 * Runs `work` while no other process migrates this database, waiting at most a minute for the lock. It is an advisory
 * lock of one connection, so PostgreSQL releases it when the process dies.
 */
export async function withMigrationLock<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
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
 * Applies pending migrations in order. Throws if an applied migration has changed, or is unknown because a newer version
 * applied it.
 */
export async function migrate(sql: Sql): Promise<void> {
  const [{ there }] = await sql<
    [{ there: boolean }]
  >`select to_regclass('direct.migration') is not null as there`;
  // Skipped when it exists, so that the role needs no permission to create schemas.
  if (!there)
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
      `the database is newer than this program: it has ${unknown.map(({ name }) => name).join(', ')}, which this version does not know. Start the version that applied it, or restore the backup from before the upgrade (docs/backup.md)`,
    );
  for (const name of names) {
    const text = await readFile(new URL(name, folder), 'utf8');
    const digest = sha256Hex(text);
    if (known.get(name) === digest) continue;
    if (known.has(name))
      throw new Error(
        `migration ${name} was changed after it was applied to this database. Restore the original file of the release`,
      );
    // Statements sent in one message run in one transaction, so a migration and its record are applied together.
    await sql.unsafe(
      `${text};\ninsert into direct.migration (name, digest) values ('${name}', '${digest}');`,
    );
  }
}
