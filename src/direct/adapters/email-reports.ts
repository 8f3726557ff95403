import * as Report from '../emails/report.ts';
import { type State, states } from '../emails/standing.ts';
import { freshDaysMax } from '../enrichment/contacts.ts';
import type { Sql } from './database.ts';

type Row = {
  state: State;
  reason: string;
  /** The stretch of its age; null where it was never tested. */
  age: number | null;
  count: number;
  told: number;
  lapsing: number;
  due: number;
  oldest_due: Date | null;
  claimed: number;
  retrying: number;
};

const dayMs = 86_400_000;
const lapsingDays = 2;

/** Reports on `direct.address`: one walk over it and one over `direct.mail_line`. */
export function emailReports(sql: Sql): Report.Reports {
  return {
    async at(nowMs) {
      const [now, told] = [new Date(nowMs), new Date(nowMs - freshDaysMax * dayMs)];
      const lapsing = new Date(nowMs - (freshDaysMax - lapsingDays) * dayMs);
      const rows = await sql<Row[]>`
        select state, reason,
               least(${Report.agesCount}, floor(extract(epoch from ${now} - tested_at) / ${Report.ageDays * 86_400}))::int as age,
               count(*) as count,
               count(*) filter (where state = 'verified' and verified_at >= ${told}) as told,
               count(*) filter (where state = 'verified' and verified_at >= ${told} and verified_at < ${lapsing}) as lapsing,
               count(*) filter (where due_at <= ${now}) as due, min(due_at) filter (where due_at <= ${now}) as oldest_due,
               count(*) filter (where due_at > ${now} and claim is not null) as claimed,
               count(*) filter (where attempts > 0) as retrying
        from direct.address where due_at is not null
        group by 1, 2, 3`;
      const slowest = await sql<Report.Operator[]>`
        select operator, sum(conversations)::int as conversations, sum(troubled)::int as troubled,
               (sum(milliseconds) / sum(conversations))::float8 as "averageMs"
        from direct.mail_line group by operator having sum(conversations) > 0
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
    told: sum(({ told }) => told),
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
