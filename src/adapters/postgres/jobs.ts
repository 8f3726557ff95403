import type { DueJob, JobSettlement, Jobs } from '../../ledger/jobs.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';
import * as Standby from './standby.ts';

/** Maximum pause between two looks at a job, in seconds. It doubles from one second on. */
const pauseSecondsMax = 60;

const textType = 25;

/** The jobs in PostgreSQL (migrations/functions/ledger-jobs.sql). */
export function openJobs(sql: Connection): Jobs {
  const list = (texts: readonly string[]) => sql.array([...texts], textType);
  const job = () => sql`call_id AS "callId", account_id AS account, operation, id, prices,
    expires_at <= clock_timestamp() AS "isExpired", expires_at <= clock_timestamp() - interval '1 day' AS "isOverdue"`;
  return {
    async open({ callId, account, operation, id, hours, prices }) {
      const rows = await sql`INSERT INTO ledger.job (call_id, account_id, operation, id, expires_at, prices)
        VALUES (${callId}, ${account}, ${operation}, ${id}, clock_timestamp() + make_interval(hours => ${hours}),
          ${prices === null ? null : sql.json(prices)})
        ON CONFLICT DO NOTHING RETURNING 1`;
      if (rows.length === 0) await Standby.confirmed(sql);
      return rows.length > 0 ? 'open' : 'taken';
    },
    async due(max) {
      return [
        ...(await sql<DueJob[]>`UPDATE ledger.job j SET polls = polls + 1,
            next_poll_at = clock_timestamp() + make_interval(secs => least(${pauseSecondsMax}, 2 ^ least(polls, 10)))
          WHERE call_id IN (SELECT call_id FROM ledger.job WHERE state = 'open' AND next_poll_at <= clock_timestamp()
            ORDER BY next_poll_at LIMIT ${max} FOR UPDATE SKIP LOCKED)
          RETURNING ${job()}`),
      ];
    },
    async named(account, operations, ids) {
      return [
        ...(await sql<DueJob[]>`SELECT ${job()} FROM ledger.job
          WHERE state = 'open' AND operation = ANY (${list(operations)}::text[]) AND id = ANY (${list(ids)}::text[])
            AND account_id IN (SELECT a.id FROM shop.account a WHERE shop.joined_account(${account}) IN (a.id, a.joined_to))`),
      ];
    },
    async end(callId, endCallId, units, state, { quantities, priceKey, upstreamCost } = {}) {
      const [row] = await announced(
        sql,
        sql<[{ state: JobSettlement }]>`
        SELECT ledger.end_job(${callId}, ${endCallId}, ${units}, ${state}, ${quantities ? sql.json(quantities) : null},
          ${priceKey ?? null}, ${upstreamCost ?? null}) AS state`,
      );
      return row.state;
    },
  };
}
