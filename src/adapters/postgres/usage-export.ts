import type { ExportRow } from '../../payment/event-export.ts';
import type { Connection } from './connection.ts';
import type { Export } from './event-export.ts';

const pageMax = 1_000;
/** Maximum time that the reader of an export may take for a page. */
const readerMsMax = 60_000;

/**
 * Reads the usage of whole days (UTC), by service and price key, from the day of `sinceMs` to the last one that is complete. The cursor is the first day
 * that is not part of it. A complete day never changes.
 */
export async function readUsage(sql: Connection, sinceMs: number): Promise<Export> {
  const [row] = await sql<[{ since: string; until: string }]>`
    WITH ended AS (SELECT date_trunc('day', clock_timestamp() - interval '2 hours', 'UTC') AS at),
      unsummed AS (SELECT min(s.at) AS at FROM (SELECT date_trunc('day', ledger.time_of(call_id), 'UTC') AS at FROM ledger.usage
        WHERE call_id >= ledger.uuid_at(ledger.usage_summed_until()) ORDER BY call_id LIMIT 1) s)
    SELECT (${new Date(sinceMs)}::timestamptz AT TIME ZONE 'UTC')::date::text AS since,
      (greatest(${new Date(sinceMs)}::timestamptz, least(ended.at, unsummed.at)) AT TIME ZONE 'UTC')::date::text AS until FROM ended, unsummed`;
  return { pages: days(sql, row.since, row.until), cursor: row.until };
}

async function* days(sql: Connection, since: string, until: string): AsyncIterable<ExportRow[]> {
  const found = await sql<
    { day: string }[]
  >`SELECT DISTINCT (hour AT TIME ZONE 'UTC')::date::text AS day FROM ledger.usage_hour
    WHERE hour >= ${since}::date::timestamp AT TIME ZONE 'UTC' AND hour < ${until}::date::timestamp AT TIME ZONE 'UTC' ORDER BY 1`;
  for (const { day } of found) {
    const rows = await sql<
      ExportRow[]
    >`SELECT ${day}::text AS day, service, price_key, sum(calls)::bigint AS calls, sum(units)::bigint AS units,
        sum(included)::bigint AS included, sum(cost)::bigint AS cost_micro_usd, sum(costed_calls)::bigint AS costed_calls,
        sum(revenue)::bigint AS revenue_micro_usd, sum(upstream_cost)::bigint AS upstream_cost_micro_usd
      FROM ledger.usage_hour WHERE hour >= ${day}::date::timestamp AT TIME ZONE 'UTC' AND hour < (${day}::date + 1)::timestamp AT TIME ZONE 'UTC'
      GROUP BY service, price_key ORDER BY service, price_key`;
    yield rows.map((one) => ({ ...one }));
  }
}

/**
 * Reads the usage of each account, key, operation and plan on whole days (UTC), less what was credited back, from the day of `sinceMs` to the last
 * one that is final: nothing can be credited back of its calls any more. The cursor is the first day that is not part of it.
 */
export async function readAccountUsage(sql: Connection, sinceMs: number): Promise<Export> {
  const [row] = await sql<[{ since: string; until: string }]>`SELECT first::text AS since, until::text
    FROM ledger.final_days((${new Date(sinceMs)}::timestamptz AT TIME ZONE 'UTC')::date)`;
  return { pages: accountDays(sql, row.since, row.until), cursor: row.until };
}

async function* accountDays(sql: Connection, since: string, until: string): AsyncIterable<ExportRow[]> {
  for (let day = since; day < until; day = dayAfter(day)) {
    const session = await sql.reserve();
    try {
      await session`BEGIN READ ONLY`;
      await session`SELECT set_config('idle_in_transaction_session_timeout', ${readerMsMax}::text, true)`;
      // A day is closed by one transaction that moves its sums and removes its calls. This lock keeps it from ending between the two readings below.
      await session`SELECT FROM ledger.usage LIMIT 0`;
      const rows = session<
        ExportRow[]
      >`SELECT ${day}::text AS day, u.account_id AS account, u.key_id AS key, u.service, u.operation, u.plan_id AS plan, u.price_key,
          u.calls, u.units, u.included, u.cost AS cost_micro_usd, u.quantities::text AS quantities FROM ledger.account_day(${day}::date) u
        ORDER BY u.account_id, u.key_id, u.service, u.operation, u.plan_id, u.price_key`;
      for await (const page of rows.cursor(pageMax)) yield page.map((one) => ({ ...one }));
    } finally {
      await session`ROLLBACK`.catch(() => undefined);
      session.release();
    }
  }
}

function dayAfter(day: string): string {
  const dayMs = 86_400_000;
  return new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10);
}
