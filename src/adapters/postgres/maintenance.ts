import type { Row } from 'postgres';
import type { Connection } from './connection.ts';
import * as IdempotencyKeys from './idempotency-keys.ts';
import { announced } from './notices.ts';
import * as Retention from './retention.ts';
import * as Usage from './usage.ts';

/** A writer without a heartbeat for this long is presumed dead. Processes send one every second. */
const silenceMax = '5 seconds';
const batchesKept = '1 hour';
const usageDaysAhead = 7;
const dailyEveryMs = 60 * 60 * 1000;
/** The first hourly run follows soon after the start, so that short-lived processes take part. */
const firstAfterMs = 5 * 60 * 1000;
let dailyAtMs = firstAfterMs - dailyEveryMs;

/** Maximum duration of a task that works in steps. */
const chunkMsMax = 1_500;
const lotsMax = 1_000;
const prunedMax = 5_000;
const strayMax = 500;
const creditBatchesMax = 2_000;
/** The number of accounts whose credit one run looks at although they have not spent. */
const sweptMax = 100;
let sweptAfter: string | null = null;

type Task = (sql: Connection, retention: Retention.Retention) => Promise<unknown>;

const often: readonly Task[] = [
  (sql) => announced(sql, sql`SELECT ledger.reap_silent(${silenceMax}::interval)`),
  (sql) => inSteps(lotsMax, () => count(sql`SELECT ledger.collect_clawbacks(${lotsMax}) AS count`)),
  moveReturnedLeases,
  (sql) => inSteps(lotsMax, () => count(sql`SELECT ledger.expire(${lotsMax}) AS count`)),
  IdempotencyKeys.prune,
  // After the expiry of lots, and before prepaid periods end.
  lowerCredit,
  (sql) => inSteps(lotsMax, () => count(sql`SELECT shop.end_prepaid(${lotsMax}) AS count`)),
];

const hourly: readonly Task[] = [
  (sql) => sql`SELECT ledger.prepare_usage(${usageDaysAhead})`,
  (sql) =>
    inSteps(prunedMax, () =>
      count(sql`SELECT ledger.prune(${batchesKept}::interval, ${prunedMax}) AS count`),
    ),
  Usage.closeBooks,
  Retention.sweep,
];

/**
 * Runs the maintenance of the database that any process may do: ends dead writers, removes expired credit, deletes old rows. Each task has its
 * own statements, and continues after another one has failed. Rejects at the end with all errors.
 */
export async function maintain(
  sql: Connection,
  retention: Retention.Retention = Retention.usual,
): Promise<void> {
  const isHourly = performance.now() - dailyAtMs >= dailyEveryMs;
  if (isHourly) dailyAtMs = performance.now();
  const faults: unknown[] = [];
  for (const task of isHourly ? [...often, ...hourly] : often)
    await task(sql, retention).catch((fault: unknown) => faults.push(fault));
  if (faults.length > 0)
    throw new AggregateError(faults, faults.map(String).join('; '), { cause: faults[0] });
}

/** Repeats `step` while it reaches its maximum, for a limited time. The next run continues. */
async function inSteps(most: number, step: () => Promise<number>): Promise<void> {
  const untilMs = performance.now() + chunkMsMax;
  while ((await step()) >= most && performance.now() < untilMs);
}

async function count(asked: PromiseLike<readonly Row[]>): Promise<number> {
  const [row] = await asked;
  return Number(row?.count ?? 0);
}

/** Moves leases that returned to joined accounts to the accounts that they were joined to. */
async function moveReturnedLeases(sql: Connection): Promise<void> {
  const rows = await sql<{ id: string; joined_to: string }[]>`SELECT id, joined_to FROM shop.account a
    WHERE joined_to IS NOT NULL AND EXISTS (SELECT FROM ledger.lot k WHERE k.account_id = a.id AND k.avail > 0) LIMIT ${strayMax}`;
  for (const row of rows) await announced(sql, sql`SELECT ledger.move_lots(${row.id}, ${row.joined_to})`);
}

/** Finds accounts whose credit is low or used up (migrations/functions/credit-levels.sql). */
export async function lowerCredit(sql: Connection): Promise<void> {
  await inSteps(creditBatchesMax, () =>
    count(announced(sql, sql`SELECT shop.check_credit(${creditBatchesMax}) AS count`)),
  );
  const [row] = await announced(
    sql,
    sql<[{ last: string | null }]>`SELECT shop.sweep_credit(${sweptAfter}, ${sweptMax}) AS last`,
  );
  sweptAfter = row.last;
}
