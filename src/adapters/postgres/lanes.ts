import type { Connection } from './connection.ts';

/** How many processes sell on this database now: each has a lane of the ledger, and a silent one is ended within seconds. */
export async function openLanes(sql: Connection): Promise<number> {
  const [row] = await sql<[{ open: number }]>`SELECT count(*) AS open FROM ledger.lane WHERE open`;
  return row.open;
}
