import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as apply } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';

const folder = fileURLToPath(new URL('../../../migrations', import.meta.url));
/** Any number: it names the lock that keeps two starting processes from migrating at once. */
const lockKey = 7_385_001;
const usageDaysAhead = 7;

/** Brings the database to the newest migration; several processes may do so at once. */
export async function migrate(url: string): Promise<void> {
  // One connection: the lock belongs to it, and ends with it.
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 5 });
  try {
    await sql`SELECT pg_advisory_lock(${lockKey})`;
    await apply(drizzle(sql), { migrationsFolder: folder });
    await sql`SELECT ledger.prepare_usage(${usageDaysAhead})`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
