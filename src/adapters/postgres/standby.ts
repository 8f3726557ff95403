import type { Connection } from './connection.ts';

/**
 * Waits until the synchronous standby has everything that this session has read (`ledger.await_standby`). Call it before a repeated write is
 * reported as done because it was done before: its first transaction may have lost its connection before the standby confirmed it.
 */
export async function confirmed(sql: Connection): Promise<void> {
  await sql`SELECT ledger.await_standby()`;
}
