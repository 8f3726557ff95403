import type { UncountableCount, UncountableRecord } from '../../proxy/uncountable.ts';
import type { Connection } from './connection.ts';

/** @param writer identifies this process from its start to its end. Its counts start at zero. */
export function openUncountableRecord(sql: Connection, writer: string): UncountableRecord {
  return {
    async write(counts) {
      for (const { day, operation, reason, calls, lastMs } of counts)
        await sql`INSERT INTO shop.uncountable_response (day, operation, reason, writer, calls, last_at)
          VALUES (${day}, ${operation}, ${reason}, ${writer}, ${calls}, ${new Date(lastMs)})
          ON CONFLICT (day, operation, reason, writer) DO UPDATE
            SET calls = greatest(uncountable_response.calls, excluded.calls),
                last_at = greatest(uncountable_response.last_at, excluded.last_at)`;
    },
    since: (sinceMs) => since(sql, sinceMs),
  };
}

/** Returns the counts of all processes from the day of `sinceMs` on. */
export async function since(sql: Connection, sinceMs: number): Promise<UncountableCount[]> {
  type Row = { operation: string; reason: string; calls: number; last_at: Date };
  const rows = await sql<
    Row[]
  >`SELECT operation, reason, sum(calls)::bigint AS calls, max(last_at) AS last_at FROM shop.uncountable_response
    WHERE day >= (${new Date(sinceMs)}::timestamptz AT TIME ZONE 'UTC')::date
    GROUP BY operation, reason ORDER BY calls DESC, operation, reason`;
  return rows.map(({ operation, reason, calls, last_at }) => ({
    operation,
    reason,
    calls: Number(calls),
    lastMs: last_at.getTime(),
  }));
}
