import * as Money from '@sluice/kernel/money';
import type postgres from 'postgres';
import {
  type AttentionReport,
  type FailedMail,
  type Problem,
  type ProblemKind,
  problemKinds,
  problemsMax,
} from '../../payment/attention.ts';
import type { Connection } from './connection.ts';

type Counted = {
  kind: string;
  count: number;
  first_at: Date | null;
  last_at: Date | null;
  amount: number | null;
  due_at: Date | null;
};

/** A message that was tried this often without success needs attention. */
const attemptsMany = 3;
const none: Problem = { count: 0, firstMs: null, lastMs: null };

/** Reads what needs the seller's attention. Every statement ends within the pool's timeout. */
export function openAttentionReport(sql: Connection): AttentionReport {
  /** Counts rows with a column `at`, up to the maximum; `sum` is the sum of a column of them, `due` the first due date. */
  const counted = (
    kind: ProblemKind,
    rows: postgres.Fragment,
    sum = sql`NULL::bigint`,
    due = sql`NULL::timestamptz`,
  ) =>
    sql`SELECT ${kind} AS kind, count(*) AS count, min(at) AS first_at, max(at) AS last_at, ${sum} AS amount, ${due} AS due_at FROM (${rows} LIMIT ${problemsMax}) r`;
  const amounts = () => sql`sum(amount)::bigint`;
  const open = (states: readonly string[]) =>
    sql`SELECT created_at AS at, amount, status, due_at FROM shop.reversal WHERE kind = 'dispute' AND status IN ${sql(states)}`;
  const openDisputes = () => open(['needs_response', 'under_review']);
  const firstDue = () => sql`min(due_at) FILTER (WHERE status LIKE '%needs_response')`;
  const uncountable = (since: Date, isAboveHold: boolean) =>
    sql`SELECT ${isAboveHold ? 'above_hold' : 'uncountable'} AS kind, coalesce(sum(calls), 0)::bigint AS count,
      min(day)::timestamp AT TIME ZONE 'UTC' AS first_at, max(last_at) AS last_at, NULL::bigint AS amount, NULL::timestamptz AS due_at FROM shop.uncountable_response
      WHERE day >= (${since}::timestamptz AT TIME ZONE 'UTC')::date AND (reason IN ('above_hold', 'above_units_max')) = ${isAboveHold}`;
  return {
    async problems(sinceMs) {
      const since = new Date(sinceMs);
      const rows = await sql<Counted[]>`
        ${counted('in_doubt', sql`SELECT coalesce(claimed_at, created_at) AS at, amount FROM shop.purchase p WHERE claimed_by IS NOT NULL AND NOT shop.is_being_charged(p)`, amounts())}
        UNION ALL ${counted('unreconciled', sql`SELECT created_at AS at, amount FROM shop.purchase WHERE unreconciled IS NOT NULL AND (claimed_by IS NOT NULL OR checkout_session IS NOT NULL)`, amounts())}
        UNION ALL ${counted('disputes', openDisputes(), amounts(), firstDue())}
        UNION ALL ${counted('inquiries', open(['warning_needs_response', 'warning_under_review']), amounts(), firstDue())}
        UNION ALL ${counted('webhook_events', sql`SELECT received_at AS at FROM shop.processor_event WHERE done_at IS NULL AND failure IS NOT NULL`)}
        UNION ALL ${counted('past_due', sql`SELECT period_end AS at FROM shop.subscription WHERE status = 'past_due'`)}
        UNION ALL ${counted('declined', sql`SELECT created_at AS at, amount FROM shop.purchase WHERE state = 'declined' AND created_at >= ${since}`, amounts())}
        UNION ALL ${counted('mail_failed', sql`SELECT created_at AS at FROM shop.mail WHERE state IN ('refused', 'expired') AND created_at >= ${since}`)}
        UNION ALL ${counted('mail_waiting', sql`SELECT created_at AS at FROM shop.mail WHERE state = 'waiting' AND attempts >= ${attemptsMany}`)}
        UNION ALL ${counted('events_failed', sql`SELECT updated_at AS at FROM shop.event_delivery WHERE state = 'failed' AND updated_at >= ${since}`)}
        UNION ALL ${counted('events_waiting', sql`SELECT failing_since AS at FROM shop.event_endpoint WHERE state = 'on' AND failing_since < now() - interval '10 minutes'`)}
        UNION ALL ${counted('endpoints_disabled', sql`SELECT failing_since AS at FROM shop.event_endpoint WHERE state = 'disabled' AND reason <> 'seller'`)}
        UNION ALL ${uncountable(since, false)}
        UNION ALL ${uncountable(since, true)}`;
      const found = (kind: ProblemKind) => {
        const row = rows.find((one) => one.kind === kind);
        return row ? problem(row) : none;
      };
      return Object.fromEntries(problemKinds.map((kind) => [kind, found(kind)])) as Record<
        ProblemKind,
        Problem
      >;
    },
    async disputed() {
      const [row] = await sql<
        [{ amount: number }]
      >`SELECT coalesce(sum(amount), 0)::bigint AS amount FROM (${openDisputes()}) open`;
      return Money.ofMicro(row.amount);
    },
    async upstreamErrors(sinceMs) {
      type Row = Omit<Counted, 'kind' | 'due_at'> & { calls: number };
      const [row] = await sql<[Row]>`SELECT count(*) AS calls, count(*) FILTER (WHERE status >= 500) AS count,
          ledger.time_of(min(call_id::text) FILTER (WHERE status >= 500)::uuid) AS first_at,
          ledger.time_of(max(call_id::text) FILTER (WHERE status >= 500)::uuid) AS last_at, NULL::bigint AS amount
        FROM ledger.usage WHERE draw = 0 AND call_id >= ledger.uuid_at(${new Date(sinceMs)})`;
      return { ...problem({ ...row, due_at: null }), calls: row.calls };
    },
    async lastWebhookEvent() {
      const [row] = await sql<[{ at: Date | null }]>`SELECT max(received_at) AS at FROM shop.processor_event`;
      return row.at?.getTime() ?? null;
    },
    async failedMails(sinceMs, max) {
      type Row = Omit<FailedMail, 'createdMs'> & { created_at: Date };
      const rows = await sql<
        Row[]
      >`SELECT id, state, nullif(recipient, '') AS recipient, nullif(subject, '') AS subject, attempts, created_at
        FROM shop.mail WHERE state IN ('refused', 'expired') AND created_at >= ${new Date(sinceMs)} OR state = 'waiting' AND attempts >= ${attemptsMany}
        ORDER BY created_at DESC, id DESC LIMIT ${max}`;
      return rows.map(({ created_at, ...row }) => ({ ...row, createdMs: created_at.getTime() }));
    },
  };
}

function problem({ count, first_at, last_at, amount, due_at }: Omit<Counted, 'kind'>): Problem {
  return {
    count,
    firstMs: first_at?.getTime() ?? null,
    lastMs: last_at?.getTime() ?? null,
    ...(amount !== null && { amount: Money.ofMicro(amount) }),
    ...(due_at !== null && { dueMs: due_at.getTime() }),
  };
}
