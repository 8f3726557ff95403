import type { Key, Keys, NewKey, PlanStatus } from '../keys/key.ts';
import { planTerms } from '../keys/key.ts';
import type { KeyStore } from '../keys/key-store.ts';
import type { Fragment, Sql } from './database.ts';

type Row = {
  id: string;
  label: string | null;
  plan: string;
  plan_status: PlanStatus;
  started_at: Date;
  requests_per_second: number;
  allowed_apis: string[] | null;
  records_allowance: number | null;
  records_remaining: number | null;
  next_reset_at: Date | null;
  made_at: Date;
  revoked_at: Date | null;
};
type SecretRow = { key_id: string; made_at: Date; ends_at: Date | null };

/** Reads keys from `direct.api_key` and their secrets from `direct.api_secret`. */
export function keys(sql: Sql): Keys {
  return {
    async byDigest(digest) {
      const [row] = await sql<(Row & { ends_at: Date | null })[]>`
        select k.*, ${endsAt(sql)} as ends_at
        from direct.api_secret s join direct.api_key k on k.id = s.key_id
        where s.digest = ${digest}`;
      if (!row) return null;
      return {
        ...keyOf(row),
        revoked: row.revoked_at !== null,
        secretEndsAtMs: row.ends_at?.getTime() ?? null,
      };
    },
    add: (key) => insert(sql, key),
  };
}

/** Manages keys in the same tables, for the operator's commands and the admin API. */
export function keyStore(sql: Sql): KeyStore {
  async function entries(rows: readonly Row[], nowMs: number) {
    const secrets = await sql<SecretRow[]>`
      select * from (
        select s.key_id, s.number, s.made_at, ${endsAt(sql)} as ends_at
        from direct.api_secret s where s.key_id = any(${rows.map((row) => row.id)})
      ) s
      where ends_at is null or ends_at > ${new Date(nowMs)}
      order by number`;
    return rows.map((row) => ({
      ...keyOf(row),
      label: row.label,
      madeAtMs: row.made_at.getTime(),
      revokedAtMs: row.revoked_at?.getTime() ?? null,
      secrets: secrets
        .filter((secret) => secret.key_id === row.id && row.revoked_at === null)
        .map((secret) => ({
          madeAtMs: secret.made_at.getTime(),
          endsAtMs: secret.ends_at?.getTime() ?? null,
        })),
    }));
  }
  return {
    make: (key) => insert(sql, key),
    async list(after, limit, nowMs) {
      const rows = await sql<Row[]>`
        select * from direct.api_key
        ${after === null ? sql`` : sql`where (made_at, id) > (select made_at, id from direct.api_key where id = ${after})`}
        order by made_at, id
        limit ${limit}`;
      return entries(rows, nowMs);
    },
    async find(id, nowMs) {
      const rows = await sql<Row[]>`select * from direct.api_key where id = ${id}`;
      const [entry] = await entries(rows, nowMs);
      return entry ?? null;
    },
    async rotate(id, digest, nowMs, earlierEndAtMs) {
      const { count } = await sql`
        insert into direct.api_secret (key_id, digest, made_at, earlier_end_at)
        select id, ${digest}, ${new Date(nowMs)}, ${new Date(earlierEndAtMs)}
        from direct.api_key where id = ${id} and revoked_at is null`;
      return count === 1;
    },
    async revoke(id, nowMs) {
      await sql`
        update direct.api_key set revoked_at = ${new Date(nowMs)} where id = ${id} and revoked_at is null`;
    },
    async change(id, { plan, status, allowedApis }, nowMs) {
      const begun = plan && planTerms(plan, nowMs);
      const newStatus = status ?? (plan && 'active');
      // A new plan starts a new period: unused records of running requests belong to the old one and are not returned.
      await sql`
        update direct.api_key set
          period = period + ${begun ? 1 : 0}
          ${newStatus ? sql`, plan_status = ${newStatus}` : sql``}
          ${allowedApis ? sql`, allowed_apis = ${allowedApis === 'all' ? null : [...allowedApis]}` : sql``}
          ${
            begun
              ? sql`, plan = ${begun.plan}, started_at = ${new Date(nowMs)},
                requests_per_second = ${begun.requestsPerSecond}, records_allowance = ${begun.recordsAllowance},
                records_remaining = ${begun.recordsAllowance}, next_reset_at = ${moment(begun.nextResetAtMs)}`
              : sql``
          }
        where id = ${id}`;
    },
  };
}

/** SQL for the end of the secret `s`: the earliest end set by a later secret of the same key. */
function endsAt(sql: Sql): Fragment {
  return sql`(
    select min(later.earlier_end_at) from direct.api_secret later
    where later.key_id = s.key_id and later.number > s.number
  )`;
}

async function insert(sql: Sql, key: NewKey): Promise<boolean> {
  const madeAt = new Date(key.startedAtMs);
  const { count } = await sql`
    with made as (
      insert into direct.api_key (id, label, plan, plan_status, started_at, requests_per_second, allowed_apis,
                                  records_allowance, records_remaining, next_reset_at, made_at)
      values (${key.id}, ${key.label}, ${key.plan}, ${key.planStatus}, ${madeAt}, ${key.requestsPerSecond},
              ${key.allowedApis as string[] | null}, ${key.recordsAllowance}, ${key.recordsAllowance},
              ${moment(key.nextResetAtMs)}, ${madeAt})
      on conflict (id) do nothing
      returning id
    )
    insert into direct.api_secret (key_id, digest, made_at, earlier_end_at)
    select id, ${key.digest}, ${madeAt}, ${madeAt} from made`;
  return count === 1;
}

function keyOf(row: Row): Key {
  return {
    id: row.id,
    plan: row.plan,
    planStatus: row.plan_status,
    startedAtMs: row.started_at.getTime(),
    requestsPerSecond: row.requests_per_second,
    allowedApis: row.allowed_apis,
    recordsAllowance: row.records_allowance,
    recordsRemaining: row.records_remaining,
    nextResetAtMs: row.next_reset_at?.getTime() ?? null,
  };
}

function moment(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
