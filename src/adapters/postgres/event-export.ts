import type { SellerEvent } from '../../payment/event.ts';
import { type EventKind, type ExportRow, rowOf, typesOf } from '../../payment/event-export.ts';
import type { Connection } from './connection.ts';
import { sellerEvent } from './event-log.ts';
import { publish } from './events.ts';
import type * as Schema from './schema/events.ts';
import type { Row } from './schema/row.ts';

const pageMax = 1_000;

/** The start of an export: after an event, or at a time. */
export type Since = { event: string } | { ms: number };

/** Rows of an export, in pages, and the cursor from which the next export continues; null if there is none yet. */
export type Export = { pages: AsyncIterable<ExportRow[]>; cursor: string | null };

/**
 * Reads events, or what they report, in the order of their publication, up to the latest one now. The next export continues after the cursor: it
 * misses none and repeats none, because no event is published below a position that was read.
 * @returns null when the event of `since` is unknown or was deleted
 */
export async function readEvents(sql: Connection, kind: EventKind, since: Since): Promise<Export | null> {
  while (!(await publish(sql)));
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
  kind: EventKind,
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
