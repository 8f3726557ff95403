import type postgres from 'postgres';
import { expect } from 'vitest';

/** Returns the credit lots that an order and its payments have created, in micro-dollars. */
export async function lotsOf(sql: postgres.Sql, order: string): Promise<number[]> {
  const rows = await sql<{ amount: number }[]>`
    SELECT amount FROM ledger.posting WHERE key = ${`purchase:${order}`} OR key LIKE ${`purchase:${order}:%`} ORDER BY at`;
  return rows.map(({ amount }) => amount);
}

export async function stateOf(sql: postgres.Sql, order: string): Promise<string | undefined> {
  const [row] = await sql<{ state: string }[]>`SELECT state FROM shop.purchase WHERE id = ${order}`;
  return row?.state;
}

/** Checks that the ledger is consistent. */
export async function proves(sql: postgres.Sql): Promise<void> {
  expect(await sql`SELECT * FROM ledger.verify()`).toEqual([]);
}
