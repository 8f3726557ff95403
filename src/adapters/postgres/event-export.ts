import type { SellerEvent } from '../../payment/event.ts';
import { type ExportKind, type ExportRow, rowOf, typesOf } from '../../payment/event-export.ts';
import type { Connection } from './connection.ts';
import { openSellerEvents, sellerEvent } from './events.ts';
import type * as Schema from './schema/events.ts';
import type { Row } from './schema/row.ts';

const pageMax = 1_000;

/** The start of an export: after an event, or at a time. */
export type Since = { event: string } | { ms: number };

/** Rows of an export, in pages, and the cursor from which the next export continues; null if there is none yet. */
type Export = { pages: AsyncIterable<ExportRow[]>; cursor: string | null };

/**
 * Reads events, or what they report, in the order of their publication, up to the latest one now. The next export continues after the cursor: it
 * misses none and repeats none, because no event is published below a position that was read.
 * @returns null when the event of `since` is unknown or was deleted
 */
export async function readEvents(
  sql: Connection,
  kind: Exclude<ExportKind, 'usage'>,
  since: Since,
): Promise<Export | null> {
  while (!(await openSellerEvents(sql).publish()));
  const [start] =
    'event' in since
      ? await sql<{ position: number | null }[]>`SELECT position FROM shop.event WHERE id = ${since.event}`
      : [{ position: 0 }];
  if (start === undefined || start.position === null) return null;
  const [last] = await sql<{ id: string; position: number }[]>`SELECT id, position FROM shop.event
    WHERE position IS NOT NULL ORDER BY position DESC LIMIT 1`;
  const from = new Date('ms' in since ? since.ms : 0);
  return {
    pages: pages(sql, kind, { after: start.position, last: last?.position ?? 0, from }),
    cursor: last?.id ?? null,
  };
}

async function* pages(
  sql: Connection,
  kind: Exclude<ExportKind, 'usage'>,
  { after, last, from }: { after: number; last: number; from: Date },
): AsyncIterable<ExportRow[]> {
  const types = typesOf[kind];
  for (;;) {
    const rows: Row<typeof Schema.event>[] = await sql`SELECT * FROM shop.event
      WHERE position > ${after} AND position <= ${last} AND at >= ${from} AND type <> 'event.test'
        ${types === null ? sql`` : sql`AND type = ANY (string_to_array(${types.join(' ')}, ' '))`} ORDER BY position LIMIT ${pageMax}`;
    if (rows.length > 0) yield rows.map((row) => rowOf(kind, sellerEvent(row) satisfies SellerEvent));
    const end = rows.at(-1)?.position;
    if (rows.length < pageMax || end == null) return;
    after = end;
  }
}

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
