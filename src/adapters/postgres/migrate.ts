import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as apply } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';

const folder = fileURLToPath(new URL('../../../migrations', import.meta.url));
/** Any number: it names the lock that keeps two starting processes from migrating at once. */
const lockKey = 7_385_001;
const usageDaysAhead = 7;

/** How far a database is: migrations that it has, that it lacks, and that this program does not know. */
export type Progress = { applied: number; pending: number; unknown: number };

/**
 * Brings the database to the newest migration; several processes may do so at once. Throws where the database has migrations that this
 * program does not know: what a newer one writes there, this one could read wrongly.
 */
export async function migrate(url: string): Promise<void> {
  // One connection: the lock belongs to it, and ends with it.
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 5 });
  try {
    await sql`SELECT pg_advisory_lock(${lockKey})`;
    const { unknown } = await progress(sql);
    if (unknown > 0) throw new Error(newer(unknown));
    await apply(drizzle(sql), { migrationsFolder: folder });
    await sql`SELECT ledger.prepare_usage(${usageDaysAhead})`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** How far the database is; changes nothing. */
export async function progress(sql: postgres.Sql): Promise<Progress> {
  const known = readMigrationFiles({ migrationsFolder: folder }).map(({ folderMillis }) => folderMillis);
  const [row] = await sql<
    [{ there: boolean }]
  >`SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS there`;
  const marks = row.there
    ? await sql<{ at: string }[]>`SELECT created_at::text AS at FROM drizzle.__drizzle_migrations`
    : [];
  const applied = marks.map(({ at }) => Number(at));
  return {
    applied: applied.length,
    pending: known.filter((at) => !applied.includes(at)).length,
    unknown: applied.filter((at) => !known.includes(at)).length,
  };
}

/** Why a program does not start on such a database, and what to do. */
export function newer(unknown: number): string {
  return `the database is newer than this program: it has ${unknown} ${unknown === 1 ? 'migration' : 'migrations'} that this version does not know. Start the version that made them, or restore the backup from before the upgrade (docs/backup.md)`;
}
