import type { ClosedDay, DayMeasure, UsageClosings } from '../../ledger/usage-closing.ts';
import type { Connection } from './connection.ts';

/** Rows that one step of reading a day fetches. */
const linesPerStep = 5_000;

/**
 * Closing days of usage, in PostgreSQL (migrations/functions/ledger-closing.sql).
 * @param sql without a statement timeout: a day may have millions of rows
 */
export function openUsageClosings(sql: Connection): UsageClosings {
  return {
    async next() {
      const [row] = await sql<[{ day: string | null }]>`SELECT ledger.next_day_to_close()::text AS day`;
      return row.day;
    },
    async openReason(day) {
      const [row] = await sql<[{ reason: string | null }]>`SELECT ledger.open_reason(${day}::date) AS reason`;
      return row.reason;
    },
    async *lines(day) {
      const steps = sql<{ line: string }[]>`
        SELECT line FROM ledger.usage_lines(${day}::date) ORDER BY call_id, draw`.cursor(linesPerStep);
      for await (const rows of steps) for (const { line } of rows) yield line;
    },
    async measure(day) {
      const [row] = await sql<[DayMeasure]>`
        SELECT d.rows, encode(d.digest, 'hex') AS "usageDigest", encode(ledger.closing_digest(${day}::date, false), 'hex') AS "closingDigest"
          FROM ledger.usage_digest(${day}::date) d`;
      return row;
    },
    async close(day, previous) {
      const bytes = (hex: string | null) => (hex === null ? null : Buffer.from(hex, 'hex'));
      const [row] = await sql<[{ closed: boolean }]>`
        SELECT ledger.close_day(${day.day}::date, ${day.rows}, ${bytes(day.usageDigest)}, ${bytes(day.closingDigest)}, ${day.archive}, ${bytes(day.archiveDigest)},
          ${day.archiveBytes}, ${bytes(previous)}, ${day.record}, ${sql.json(day.publicJwk as never)}) AS closed`;
      return row.closed;
    },
    async days() {
      // Numbers below 2^53, for connections that read bigints as text too.
      return sql<ClosedDay[]>`
        SELECT day::text AS day, rows::float8 AS rows, calls::float8 AS calls, encode(usage_digest, 'hex') AS "usageDigest", encode(closing_digest, 'hex') AS "closingDigest", archive,
            encode(archive_digest, 'hex') AS "archiveDigest", archive_bytes::float8 AS "archiveBytes", record, public_jwk AS "publicJwk"
          FROM ledger.closed_day ORDER BY day`;
    },
  };
}
