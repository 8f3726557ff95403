import type { Connection } from './connection.ts';

/** Returns the number of running processes. Each has an open ledger writer; a writer without heartbeats is ended within seconds. */
export async function openWriters(sql: Connection): Promise<number> {
  const [row] = await sql<[{ open: number }]>`SELECT count(*) AS open FROM ledger.writer WHERE open`;
  return row.open;
}
