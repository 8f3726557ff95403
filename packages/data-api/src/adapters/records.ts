import * as Allowance from '../keys/allowance.ts';
import type { Records } from '../usage/records.ts';
import type { Sql } from './database.ts';

/** Both null for unlimited records. Null propagates through PostgreSQL's arithmetic; `least` ignores it. */
type BalanceRow = { records_remaining: number | null; next_reset_at: Date | null };

/** Age of an unsettled reservation after which its process must have died. Far above every timeout. */
const abandonedAfterMs = 120_000;
const keptForDays = 92;
const prunedAtOnceMax = 10_000;

/** Keeps allowances in `direct.api_key` and the usage of each request in `direct.usage`. */
export function records(sql: Sql): Records {
  return {
    async reserve({ requestId, key, operation, records: wanted, nowMs }) {
      const now = new Date(nowMs);
      const nextReset = new Date(Allowance.nextReset(key.startedAtMs, nowMs));
      // `for update` waits for concurrent reservations of the key and then reads the balance they left.
      const [row] = await sql<(BalanceRow & { granted: number })[]>`
        with held as (
          select id,
            case when next_reset_at <= ${now} then period + 1 else period end as period,
            case when next_reset_at <= ${now} then ${nextReset}::timestamptz else next_reset_at end as next_reset_at,
            case when next_reset_at <= ${now} then records_allowance else records_remaining end as balance
          from direct.api_key where id = ${key.id} for update
        ), granted as (
          select *, least(balance, ${wanted}::int)::int as granted from held
        ), taken as (
          update direct.api_key k
          set period = g.period, next_reset_at = g.next_reset_at, records_remaining = g.balance - g.granted
          from granted g where k.id = g.id and g.granted > 0
        ), noted as (
          insert into direct.usage (request_id, key_id, operation, period, reserved, reserved_at)
          select ${requestId}, id, ${operation}, period, granted, ${now} from granted where granted > 0
        )
        select granted, balance - granted as records_remaining, next_reset_at from granted`;
      if (!row) throw new Error(`no key ${key.id}`);
      return { granted: row.granted, ...balance(row) };
    },
    async settle(requestId, used) {
      const [row] = await sql<BalanceRow[]>`
        with settled as (
          update direct.usage set used = ${used} where request_id = ${requestId} and used is null
          returning key_id, period, reserved - used as unused
        )
        update direct.api_key k
        set records_remaining = records_remaining + case when k.period = s.period then s.unused else 0 end
        from settled s where k.id = s.key_id
        returning records_remaining, next_reset_at`;
      if (!row) throw new Error(`the reservation of ${requestId} is not open`);
      return balance(row);
    },
    async cancel({ requestId, keyId, operation, nowMs }) {
      // A row without records takes the place of a reservation that has not run yet, which then fails as a whole. The last
      // condition is false if a concurrent statement has just added the row: this statement does not see it.
      const [row] = await sql<{ done: boolean }[]>`
        with found as (
          select key_id, period, coalesce(used, reserved) as returned from direct.usage
          where request_id = ${requestId} for update
        ), settled as (
          update direct.usage set used = 0 where request_id = ${requestId} and exists (select from found)
        ), returned as (
          update direct.api_key k set records_remaining = k.records_remaining + f.returned
          from found f where k.id = f.key_id and k.period = f.period and f.returned > 0
        ), placed as (
          insert into direct.usage (request_id, key_id, operation, period, reserved, used, reserved_at)
          select ${requestId}, id, ${operation}, period, 1, 0, ${new Date(nowMs)} from direct.api_key
          where id = ${keyId} and not exists (select from found)
          on conflict (request_id) do nothing returning request_id
        )
        select exists (select from found) or exists (select from placed) as done`;
      return row?.done ?? false;
    },
  };
}

/** Returns the reservations of dead processes and deletes usage older than three months. */
export async function sweep(sql: Sql, nowMs: number): Promise<void> {
  const abandoned = new Date(nowMs - abandonedAfterMs);
  await sql`
    with settled as (
      update direct.usage set used = 0 where used is null and reserved_at < ${abandoned}
      returning key_id, period, reserved
    ), returned as (
      select key_id, period, sum(reserved)::bigint as records from settled group by key_id, period
    )
    update direct.api_key k set records_remaining = records_remaining + r.records
    from returned r where k.id = r.key_id and k.period = r.period`;
  const outdated = new Date(nowMs - keptForDays * 86_400_000);
  await sql`
    delete from direct.usage where request_id in (
      select request_id from direct.usage where reserved_at < ${outdated} limit ${prunedAtOnceMax}
    )`;
}

function balance(row: BalanceRow): Allowance.Balance {
  return { recordsRemaining: row.records_remaining, nextResetAtMs: row.next_reset_at?.getTime() ?? null };
}
