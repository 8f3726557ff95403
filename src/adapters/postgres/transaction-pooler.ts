import * as PostgresUrl from '@sluice/kernel/postgres-url';
import postgres from 'postgres';

const attempts = 3;
const connectTimeoutSeconds = 5;

export const explanation =
  'DATABASE_URL leads to a connection pooler in transaction mode (PgBouncer, Supavisor, RDS Proxy). Sluice listens for notifications and holds locks for a session, which such a pooler drops. Use the database’s own address or a pooler in session mode: on Supabase port 5432, on Neon the host without "-pooler" (docs/operations.md)';

/**
 * Returns true if the database is behind a pooler that shares server connections between transactions: two clients connected at the same
 * time then have the same backend. Rejects while the database is unavailable.
 */
export async function isThere(databaseUrl: string): Promise<boolean> {
  const { url, options } = PostgresUrl.driver(databaseUrl);
  const open = () =>
    postgres(url, {
      ...options,
      max: 1,
      connect_timeout: connectTimeoutSeconds,
      fetch_types: false,
      onnotice: () => {},
    });
  const [one, other] = [open(), open()];
  try {
    // Another client may take the released connection first, so several attempts are made.
    for (let attempt = 0; attempt < attempts; attempt++)
      if ((await backend(one)) === (await backend(other))) return true;
    return false;
  } finally {
    await Promise.all([one.end({ timeout: 1 }), other.end({ timeout: 1 })]);
  }
}

async function backend(sql: postgres.Sql): Promise<number> {
  // A simple query, because such a pooler may lose prepared statements.
  const [row] = await sql<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`.simple();
  return row.pid;
}
