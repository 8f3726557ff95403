import postgres from 'postgres';
import {
  type Batch,
  BatchFailed,
  type BatchResult,
  LedgerInconsistent,
  type LedgerStore,
} from '../../ledger/ledger-store.ts';

import * as Metered from '../../ledger/metered.ts';
import { type Connection, isLost } from './connection.ts';
import { announced } from './notices.ts';

/**
 * Errors of PostgreSQL after which a repeated statement can succeed: connection failure, shutdown, lack of resources, deadlock, timeout, a
 * server that is not the primary, and the unique violation of a batch whose interrupted copy has committed meanwhile.
 */
const repeatable = /^(08|53|57|40|55|58|23505|25006)/;
/** Unique violation: a row was booked before, and nothing of this batch was committed. */
const booked = '23505';

/**
 * The ledger in PostgreSQL (migrations/functions/ledger-*.sql). Each method is one statement. A batch with a call that was booked before fails
 * as a whole, and is sent again in a form that skips such calls.
 */
export function openLedgerStore(sql: Connection): LedgerStore {
  return {
    async openWriter(writer) {
      const [row] = await announced(
        sql,
        sql<[{ epoch: number }]>`SELECT ledger.open_writer(${writer}) AS epoch`,
      );
      return row.epoch;
    },
    async batch(batch) {
      try {
        const sent = send(sql, batch).catch((error: unknown) => {
          if (error instanceof postgres.PostgresError && error.code === booked) return send(sql, batch, true);
          throw error;
        });
        return await (announces(batch) ? announced(sql, sent) : sent);
      } catch (error) {
        throw judged(error);
      }
    },
    async closeWriter(writer, epoch) {
      const [row] = await announced(
        sql,
        sql<[{ closed: boolean }]>`SELECT ledger.close_writer(${writer}, ${epoch}) AS closed`,
      );
      return row.closed;
    },
    async undeliver(callIds) {
      await sql`SELECT ledger.credit_undelivered(${sql.array([...callIds], 2950)}::uuid[])`;
    },
  };
}

/** Returns true if other processes may be waiting for the result of a batch. Most batches announce nothing. */
function announces({ returns, wants }: Batch): boolean {
  return returns.some(({ recalled }) => recalled) || wants.some(({ recall }) => recall);
}

/** Returns the error that a batch is rejected with. An error of this program is final, because repeating the batch would not help. */
function judged(error: unknown): unknown {
  if (error instanceof postgres.PostgresError) {
    if (!repeatable.test(error.code)) return new LedgerInconsistent(error.message, { cause: error });
    return isLost(error) || isCrowded(error) ? error : new BatchFailed(error.message, { cause: error });
  }
  const isOurs = error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError;
  return isOurs && !('code' in error) ? new LedgerInconsistent(error.message, { cause: error }) : error;
}

/** Returns true if PostgreSQL has reached its maximum number of connections. */
function isCrowded({ code }: postgres.PostgresError): boolean {
  return code === '53300';
}

/** @param again some of its calls were booked before: skip them, and charge only the others */
async function send(sql: Connection, batch: Batch, again = false): Promise<BatchResult> {
  const more = leases(batch, again);
  const text = more.length === 0 ? settle : settleAndLease;
  const [row] = await sql.unsafe<{ answer: BatchResult }[]>(text, [...settlements(batch), ...more], {
    prepare: true,
  });
  // The driver resolves without a row if the server closes the connection within the result. The batch may be committed.
  if (row === undefined)
    throw Object.assign(new Error('the connection ended before the result of the batch'), {
      code: 'CONNECTION_CLOSED',
    });
  return row.answer;
}

const settling =
  'text bigint bigint bigint boolean ' +
  'uuid[] smallint[] text[] bigint[] text[] text[] text[] smallint[] bigint[] bigint[] bigint[] text[] jsonb[]';
const leasing =
  'uuid[] text[] bytea[] smallint[] text[] bytea[] ' +
  'text[] bigint[] bigint[] boolean[] ' +
  'text[] text[] bigint[] bigint[] bigint[] boolean[] boolean[] boolean';

/** Most batches only settle, and send half of the parameters. */
const settle = statement(settling);
const settleAndLease = statement(`${settling} ${leasing}`);

function statement(types: string): string {
  const casts = types.split(' ').map((type, index) => `$${index + 1}::text::${type}`);
  return `SELECT ledger.batch(${casts.join(', ')}) AS answer`;
}

/** Returns the parameters of the settlements. An array is one parameter, in PostgreSQL's text form. */
function settlements({ writer, epoch, seq, deliveredSeq, checkpoint, usage }: Batch): string[] {
  return [
    writer,
    String(epoch),
    String(seq),
    String(deliveredSeq),
    String(checkpoint),
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
    // Most calls have no key. Missing elements of a list are null.
    usage.some(({ key }) => key !== null) ? array(usage, (row) => row.key) : '{}',
    usage.some(({ metered }) => metered != null)
      ? array(usage, ({ metered }) => (metered ? Metered.encode(metered) : null))
      : '{}',
  ];
}

/** Returns the parameters of stored responses, returned leases and lease requests; none if the batch has none of them. */
function leases({ storedResponses, returns, wants }: Batch, again: boolean): string[] {
  if (!again && storedResponses.length + returns.length + wants.length === 0) return [];
  return [
    array(storedResponses, (row) => row.callId),
    array(storedResponses, (row) => row.account),
    array(storedResponses, (row) => `\\x${row.key}`),
    array(storedResponses, (row) => row.status),
    array(storedResponses, (row) => JSON.stringify(row.headers)),
    array(storedResponses, (row) => row.body && `\\x${row.body.toString('hex')}`),
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
    array(wants, (row) => row.moneyOnly === true),
    String(again),
  ];
}

/** Returns a column of usage that is never null. A value that is the same in all rows is sent once (`ledger.usage_rows`). */
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
