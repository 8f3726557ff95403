import * as Money from '@sluice/kernel/money';
import type postgres from 'postgres';
import {
  allCalls,
  type ClosedUsage,
  type DailyUsage,
  type RecordedCall,
  type UsageRecord,
  type UsageSelection,
  type UsageSum,
} from '../../ledger/usage.ts';
import type { Connection } from './connection.ts';

/** Statement timeout for indexing or summing up a day that has ended. */
const closingTimeout = '10min';

/** The usage of accounts, in PostgreSQL (migrations/functions/ledger-usage.sql). */
export function openUsage(sql: Connection): UsageRecord {
  return {
    async sums(account, fromMs, toMs, group, { service, key, model } = allCalls) {
      type Row = Omit<UsageSum, 'cost'> & { cost: number };
      const rows = await sql<
        Row[]
      >`SELECT * FROM ledger.account_usage_by(${account}, ${new Date(fromMs)}, ${new Date(toMs)}, ${group}, ${service}, ${key}, ${model})`;
      return rows.map((row) => ({ ...row, cost: Money.ofMicro(row.cost) }));
    },
    async daily(account, fromMs, toMs, group, selection) {
      type Row = Omit<DailyUsage, 'cost'> & { cost: number };
      const columns = { service: sql`service`, model: sql`price_key`, key: sql`key_id` };
      const rows = await sql<
        Row[]
      >`SELECT day, name, sum(calls)::bigint AS calls, sum(units)::bigint AS units, sum(included)::bigint AS included, sum(cost)::bigint AS cost FROM (
          SELECT to_char(ledger.time_of(call_id) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, coalesce(${columns[group]}, '') AS name,
              count(DISTINCT call_id) AS calls, sum(units) AS units, sum(included) AS included, sum(cost) AS cost
            FROM ledger.account_usage(${account}, ${new Date(fromMs)}, ${new Date(toMs)}) WHERE ${isSelected(sql, selection)} GROUP BY 1, 2
          UNION ALL
          SELECT to_char(day, 'YYYY-MM-DD'), coalesce(${columns[group]}, ''), sum(calls), sum(units), sum(included), sum(cost)
            FROM ledger.closed_account_usage(${account}, ${new Date(fromMs)}, ${new Date(toMs)}) WHERE ${isSelected(sql, selection)} GROUP BY 1, 2
        ) u GROUP BY 1, 2 ORDER BY 1, 2`;
      return rows.map((row) => ({ ...row, cost: Money.ofMicro(row.cost) }));
    },
    async closed(account, fromMs, toMs, selection = allCalls) {
      type Row = Omit<ClosedUsage, 'cost'> & { cost: number };
      const rows = await sql<
        Row[]
      >`SELECT day::text AS day, service, operation, key_id AS key, price_key AS model, sum(calls)::bigint AS calls, sum(units)::bigint AS units,
            sum(included)::bigint AS included, sum(cost)::bigint AS cost,
            (SELECT jsonb_object_agg(m.key, m.sum) FROM (
              SELECT q.key, sum(q.value::numeric) AS sum FROM unnest(array_agg(quantities)) a, jsonb_each_text(a) q GROUP BY 1) m) AS quantities
          FROM ledger.closed_account_usage(${account}, ${new Date(fromMs)}, ${new Date(toMs)}) WHERE ${isSelected(sql, selection)} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1 DESC, 2, 3, 4, 5`;
      return rows.map((row) => ({ ...row, cost: Money.ofMicro(row.cost) }));
    },
    calls: (account, fromMs, toMs, before, max, selection = allCalls) =>
      readCalls(
        sql,
        account,
        { fromMs, toMs },
        sql`call_id < coalesce(${before}::uuid, ledger.uuid_at(${new Date(toMs)})) AND ${isSelected(sql, selection)}`,
        max,
      ),
    async call(account, callId) {
      const [found] = await readCalls(sql, account, millisecondOf(callId), sql`call_id = ${callId}`, 1);
      return found ?? null;
    },
  };
}

/** The condition on the rows of `ledger.account_usage`. */
function isSelected(sql: Connection, { service, key, model }: UsageSelection): postgres.Fragment {
  return sql`(${service}::text IS NULL OR service = ${service}) AND (${key}::text IS NULL OR coalesce(key_id, '') = ${key})
    AND (${model}::text IS NULL OR coalesce(price_key, '') = ${model})`;
}

/** Returns the millisecond in which a call was made, so that only the partition of its day is read. */
function millisecondOf(callId: string): { fromMs: number; toMs: number } {
  const fromMs = Number.parseInt(callId.replace('-', '').slice(0, 12), 16);
  return { fromMs, toMs: fromMs + 1 };
}

async function readCalls(
  sql: Connection,
  account: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  which: postgres.Fragment,
  max: number,
): Promise<RecordedCall[]> {
  type Row = {
    call_id: string;
    at: Date;
    service: string;
    operation: string;
    status: number;
    plans: string[];
    key_id: string | null;
    units: number;
    included: number;
    cost: number;
    is_returned: boolean;
    model: string | null;
    quantities: Record<string, number> | null;
  };
  const rows = await sql<Row[]>`
    SELECT call_id, ledger.time_of(call_id) AS at, min(service) AS service, min(operation) AS operation, min(status)::int AS status,
        coalesce(array_agg(DISTINCT plan_id) FILTER (WHERE plan_id IS NOT NULL), '{}') AS plans, min(key_id) AS key_id,
        sum(units)::bigint AS units, sum(included)::bigint AS included, sum(cost)::bigint AS cost, bool_or(is_returned) AS is_returned,
        min(price_key) AS model, (array_agg(quantities) FILTER (WHERE quantities IS NOT NULL))[1] AS quantities
      FROM ledger.account_usage(${account}, ${new Date(fromMs)}, ${new Date(toMs)}) WHERE ${which}
      GROUP BY call_id ORDER BY call_id DESC LIMIT ${max}`;
  return rows.map((row) => ({
    callId: row.call_id,
    atMs: row.at.getTime(),
    service: row.service,
    operation: row.operation,
    status: row.status,
    plans: row.plans,
    key: row.key_id,
    units: row.units,
    included: row.included,
    cost: Money.ofMicro(row.cost),
    isReturned: row.is_returned,
    model: row.model,
    quantities: row.quantities,
  }));
}

/** Indexes days that have ended, and sums up hours that have ended. */
export async function closeBooks(sql: Connection): Promise<void> {
  const session = await sql.reserve();
  try {
    await session`SELECT set_config('statement_timeout', ${closingTimeout}, false)`;
    const index = () => session<[{ more: boolean }]>`SELECT ledger.index_usage() AS more`;
    const sumUp = () => session<[{ more: boolean }]>`SELECT ledger.sum_usage() AS more`;
    for (const work of [index, sumUp]) while ((await work())[0].more);
  } finally {
    await session`RESET statement_timeout`.catch(() => undefined);
    session.release();
  }
}
