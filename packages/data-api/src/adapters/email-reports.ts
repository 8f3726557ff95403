import * as Report from '../emails/report.ts';
import { type State, states } from '../emails/verification-status.ts';
import { freshDaysMax } from '../enrichment/contacts.ts';
import type { Sql } from './database.ts';

type Row = {
  state: State;
  reason: string;
  /** Index of the age bucket; null if never tested. */
  age: number | null;
  count: number;
  confirmed: number;
  lapsing: number;
  due: number;
  oldest_due: Date | null;
  claimed: number;
  retrying: number;
};

const dayMs = 86_400_000;
const lapsingDays = 2;

/** Reports on verification, with one scan of `direct.address` and one of `direct.mail_connection_slot`. */
export function emailReports(sql: Sql): Report.Reports {
  return {
    async at(nowMs) {
      const [now, confirmedSince] = [new Date(nowMs), new Date(nowMs - freshDaysMax * dayMs)];
      const lapsing = new Date(nowMs - (freshDaysMax - lapsingDays) * dayMs);
      const rows = await sql<Row[]>`
        select state, reason,
               least(${Report.agesCount}, floor(extract(epoch from ${now} - tested_at) / ${Report.ageDays * 86_400}))::int as age,
               count(*) as count,
               count(*) filter (where state = 'verified' and verified_at >= ${confirmedSince}) as confirmed,
               count(*) filter (where state = 'verified' and verified_at >= ${confirmedSince} and verified_at < ${lapsing}) as lapsing,
               count(*) filter (where due_at <= ${now}) as due, min(due_at) filter (where due_at <= ${now}) as oldest_due,
               count(*) filter (where due_at > ${now} and claim is not null) as claimed,
               count(*) filter (where attempts > 0) as retrying
        from direct.address where due_at is not null
        group by 1, 2, 3`;
      const slowest = await sql<Report.Operator[]>`
        select operator, sum(conversations)::int as conversations, sum(troubled)::int as troubled,
               (sum(milliseconds) / sum(conversations))::float8 as "averageMs"
        from direct.mail_connection_slot group by operator having sum(conversations) > 0
        order by "averageMs" desc, operator limit ${Report.slowestMax}`;
      return { ...summed(rows, nowMs), slowest };
    },
  };
}

function summed(rows: readonly Row[], nowMs: number): Omit<Report.Report, 'slowest'> {
  const sum = (of: (row: Row) => number, where: (row: Row) => boolean = () => true) =>
    rows.filter(where).reduce((total, row) => total + of(row), 0);
  const count = (where: (row: Row) => boolean) => sum((row) => row.count, where);
  const oldest = rows.flatMap(({ oldest_due }) => (oldest_due === null ? [] : [oldest_due.getTime()]));
  const reasons = [...Map.groupBy(rows, ({ state, reason }) => `${state} ${reason}`).values()]
    .flatMap((group) =>
      group[0]
        ? [
            {
              state: group[0].state,
              reason: group[0].reason,
              count: group.reduce((total, row) => total + row.count, 0),
            },
          ]
        : [],
    )
    .sort((one, other) => other.count - one.count);
  return {
    states: Object.fromEntries(states.map((state) => [state, count((row) => row.state === state)])) as Record<
      State,
      number
    >,
    confirmed: sum(({ confirmed }) => confirmed),
    reasons,
    due: sum(({ due }) => due),
    oldestDueMs: oldest.length === 0 ? null : nowMs - Math.min(...oldest),
    claimed: sum(({ claimed }) => claimed),
    retrying: sum(({ retrying }) => retrying),
    lapsing: sum(({ lapsing }) => lapsing),
    ages: Array.from({ length: Report.agesCount }, (_, at) => count(({ age }) => age === at)),
    older: count(({ age }) => age === Report.agesCount),
    untested: count(({ age }) => age === null),
  };
}
