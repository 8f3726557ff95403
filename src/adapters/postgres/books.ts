import postgres from 'postgres';
import { type Batch, type BatchAnswer, type Books, BooksBroken } from '../../ledger/books.ts';
import type { Connection } from './connection.ts';

/**
 * What PostgreSQL may say of a statement that would succeed when repeated: connection trouble, shutdown, lack of
 * resources, a deadlock, a time-out; and a batch whose cut-off copy committed in the meantime (its unique key).
 */
const repeatable = /^(08|53|57|40|55|58|23505)/;
/** A unique key refuses a row that is there: nothing of its batch was done. */
const booked = '23505';

/**
 * The ledger's books in PostgreSQL (migrations/0001_ledger.sql): each method is one statement; a batch of which a call is on
 * the books already fails as a whole, and is sent again as one that leaves such calls alone.
 */
export function open(sql: Connection): Books {
  return {
    async openLane(lane) {
      const [row] = await sql<[{ epoch: number }]>`SELECT ledger.open_lane(${lane}) AS epoch`;
      return row.epoch;
    },
    async batch(batch) {
      try {
        return await send(sql, batch).catch((error: unknown) => {
          if (error instanceof postgres.PostgresError && error.code === booked) return send(sql, batch, true);
          throw error;
        });
      } catch (error) {
        if (error instanceof postgres.PostgresError && !repeatable.test(error.code))
          throw new BooksBroken(error.message, { cause: error });
        throw error;
      }
    },
    async closeLane(lane, epoch) {
      const [row] = await sql<[{ closed: boolean }]>`SELECT ledger.close_lane(${lane}, ${epoch}) AS closed`;
      return row.closed;
    },
    async undeliver(callIds) {
      await sql`SELECT ledger.undeliver(${sql.array([...callIds], 2950)}::uuid[])`;
    },
  };
}

/** @param again some of its calls are on the books: they stay what they are, and only the others are charged */
async function send(sql: Connection, batch: Batch, again = false): Promise<BatchAnswer> {
  const more = leases(batch, again);
  const text = more.length === 0 ? settle : settleAndLease;
  const [row] = await sql.unsafe<[{ answer: BatchAnswer }]>(text, [...settlements(batch), ...more], {
    prepare: true,
  });
  return row.answer;
}

const settling =
  'text bigint bigint bigint boolean ' +
  'uuid[] smallint[] text[] bigint[] text[] text[] text[] smallint[] integer[] bigint[] bigint[] text[]';
const leasing =
  'uuid[] text[] bytea[] smallint[] text[] bytea[] ' +
  'text[] bigint[] bigint[] boolean[] ' +
  'text[] text[] bigint[] bigint[] bigint[] boolean[] boolean';

/** Most batches only settle: they send half of the parameters. */
const settle = statement(settling);
const settleAndLease = statement(`${settling} ${leasing}`);

function statement(types: string): string {
  const casts = types.split(' ').map((type, index) => `$${index + 1}::text::${type}`);
  return `SELECT ledger.batch(${casts.join(', ')}) AS answer`;
}

/** Arrays travel in PostgreSQL's own text form: one parameter each, whatever their length. */
function settlements({ lane, epoch, seq, deliveredSeq, fold, usage }: Batch): string[] {
  return [
    lane,
    String(epoch),
    String(seq),
    String(deliveredSeq),
    String(fold),
    array(usage, (row) => row.callId),
    column(usage, (row) => row.draw),
    column(usage, (row) => row.account),
    array(usage, (row) => row.lot),
    array(usage, (row) => row.plan),
    column(usage, (row) => row.service),
    column(usage, (row) => row.operation),
    column(usage, (row) => row.status),
    column(usage, (row) => row.units),
    column(usage, (row) => row.price),
    column(usage, (row) => row.amount),
    // Most calls are made with no key: what a list lacks is null.
    usage.some(({ key }) => key !== null) ? array(usage, (row) => row.key) : '{}',
  ];
}

/** The answers that are kept, and the leases that go back or are asked for; nothing where there are none. */
function leases({ answers, returns, wants }: Batch, again: boolean): string[] {
  if (!again && answers.length + returns.length + wants.length === 0) return [];
  return [
    array(answers, (row) => row.callId),
    array(answers, (row) => row.account),
    array(answers, (row) => `\\x${row.key}`),
    array(answers, (row) => row.status),
    array(answers, (row) => JSON.stringify(row.headers)),
    array(answers, (row) => row.body && `\\x${row.body.toString('hex')}`),
    array(returns, (row) => row.account),
    array(returns, (row) => row.lot),
    array(returns, (row) => row.amount),
    array(returns, (row) => row.recalled),
    array(wants, (row) => row.account),
    array(wants, (row) => row.plans.join(',')),
    array(wants, (row) => row.price),
    array(wants, (row) => row.units),
    array(wants, (row) => row.headroomUnits),
    array(wants, (row) => row.recall),
    String(again),
  ];
}

/** A column of usage that is never null: said once where it is the same in all rows, as most are (`ledger.usage_rows`). */
function column<Row>(rows: readonly Row[], value: (row: Row) => string | number): string {
  const [first] = rows;
  if (first === undefined) return '{}';
  const same = value(first);
  return array(rows.every((row) => value(row) === same) ? [first] : rows, value);
}

function array<Row>(rows: readonly Row[], value: (row: Row) => string | number | boolean | null): string {
  let text = '{';
  for (let at = 0; at < rows.length; at++) text += (at === 0 ? '' : ',') + element(value(rows[at] as Row));
  return `${text}}`;
}

function element(value: string | number | boolean | null): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return String(value);
  return `"${/["\\]/.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`;
}
