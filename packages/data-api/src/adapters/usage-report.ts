import type { UsageReport } from '../usage/usage-report.ts';
import type { Sql } from './database.ts';

/** Time after the end of an hour when every call of it has ended, including abandoned ones. */
const settledAfter = '5 minutes';
const hoursAtOnceMax = 1_000;
const keptDays = 400;

/** Reads finished hours from `direct.usage_hour` and later calls from `direct.usage`. */
export function usageReport(sql: Sql): UsageReport {
  return {
    async days(keyId, fromMs) {
      const from = new Date(fromMs);
      const rows = await sql<{ day: Date; calls: number; records: number }[]>`
        with summed as (
          select coalesce(max(value)::timestamptz, '-infinity') as until
          from direct.setting where name = 'usage_summed_until'
        ), part as (
          select hour as at, calls, records from direct.usage_hour where key_id = ${keyId} and hour >= ${from}
          union all
          select reserved_at, 1, coalesce(used, 0) from direct.usage
          where key_id = ${keyId} and reserved_at >= greatest(${from}, (select until from summed))
        )
        select date_trunc('day', at, 'UTC') as day, sum(calls)::bigint as calls, sum(records)::bigint as records
        from part group by 1 order by 1`;
      return rows.map(({ day, calls, records }) => ({ dayMs: day.getTime(), calls, records }));
    },
  };
}

/** Sums up the hours that have finished. Several processes may do so: each hour is summed up by one of them. */
export async function sumUpHours(sql: Sql, nowMs: number): Promise<void> {
  const now = new Date(nowMs);
  await sql`
    insert into direct.setting (name, value)
    select 'usage_summed_until', date_trunc('hour', coalesce(min(reserved_at), ${now}), 'UTC')::text from direct.usage
    on conflict do nothing`;
  for (let hours = 0; hours < hoursAtOnceMax; hours++) {
    const { count } = await sql`
      with due as (
        select value::timestamptz as hour from direct.setting
        where name = 'usage_summed_until'
          and value::timestamptz + interval '1 hour' + ${settledAfter}::interval <= ${now}
        for update skip locked
      ), summed as (
        insert into direct.usage_hour (key_id, hour, calls, records)
        select u.key_id, d.hour, count(*), sum(coalesce(u.used, 0))
        from due d join direct.usage u on u.reserved_at >= d.hour and u.reserved_at < d.hour + interval '1 hour'
        group by 1, 2
      )
      update direct.setting set value = (d.hour + interval '1 hour')::text
      from due d where name = 'usage_summed_until'`;
    if (count === 0) break;
  }
  await sql`delete from direct.usage_hour where hour < ${new Date(nowMs - keptDays * 86_400_000)}`;
}
