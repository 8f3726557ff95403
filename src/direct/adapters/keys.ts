import type { Keys, PlanStatus } from '../keys/key.ts';
import type { Sql } from './database.ts';

type Row = {
  id: string;
  revoked_at: Date | null;
  plan: string;
  plan_status: PlanStatus;
  started_at: Date;
  requests_per_second: number;
  allowed_apis: string[] | null;
  records_allowance: number;
  records_remaining: number;
  next_reset_at: Date;
};

/** Keys in `direct.api_key`. */
export function keys(sql: Sql): Keys {
  return {
    async byDigest(digest) {
      const [row] = await sql<Row[]>`
        select id, revoked_at, plan, plan_status, started_at, requests_per_second, allowed_apis, records_allowance,
               records_remaining, next_reset_at
        from direct.api_key where digest = ${digest}`;
      if (!row) return null;
      return {
        id: row.id,
        revoked: row.revoked_at !== null,
        plan: row.plan,
        planStatus: row.plan_status,
        startedAtMs: row.started_at.getTime(),
        requestsPerSecond: row.requests_per_second,
        allowedApis: row.allowed_apis,
        recordsAllowance: row.records_allowance,
        recordsRemaining: row.records_remaining,
        nextResetAtMs: row.next_reset_at.getTime(),
      };
    },
    async add(key) {
      await sql`
        insert into direct.api_key (id, digest, plan, plan_status, started_at, requests_per_second, allowed_apis,
                                    records_allowance, records_remaining, next_reset_at)
        values (${key.id}, ${key.digest}, ${key.plan}, ${key.planStatus}, ${new Date(key.startedAtMs)},
                ${key.requestsPerSecond}, ${key.allowedApis as string[] | null}, ${key.recordsAllowance},
                ${key.recordsAllowance}, ${new Date(key.nextResetAtMs)})
        on conflict (digest) do nothing`;
    },
  };
}
