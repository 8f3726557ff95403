import * as CountCache from '../filters/count-cache.ts';
import * as SplitSearch from '../filters/split-search.ts';
import * as Tsquery from '../filters/tsquery.ts';
import type { Employer, EmployerPage } from '../jobs/jobs.ts';
import type { Sql } from './database.ts';
import * as EmployerPages from './employer-pages.ts';
import { type JobQuestion, jobsFound, jobsMeeting } from './job-statements.ts';

/** Below this many matches of the search, all of them are counted by company at once. */
const narrowMax = 7_000;
/** Number of postings counted by company at a time, until the page is full. Together they bound the work for a page. */
const rangeRows = [1_000, 2_000, 4_000, 8_000, 8_000] as const;
/** Ranges are larger by this factor if there is no search vector to read for each posting. */
const unsearchedFactor = 5;

/** Counts postings by company in one data-set version. `totals` caches counts of that version. */
export function jobEmployers(sql: Sql, version: number, totals: CountCache.Totals) {
  return async function employers(
    question: JobQuestion,
    jobsMin: number,
    after: number,
    limit: number,
  ): Promise<EmployerPage> {
    if (await isNarrow(question)) {
      const found = await countAll(question, jobsMin, after, limit + 1);
      return EmployerPages.pageOf(found, limit, null);
    }
    const counter: EmployerPages.RangeCounter<Employer> = {
      rangeRows,
      endOfRange: (from, rows) => endOfRange(question, from, rows),
      countRange: (from, upTo) => countRange(question, jobsMin, from, upTo),
    };
    return EmployerPages.pageByRanges(counter, after, limit);
  };

  async function isNarrow({ search }: JobQuestion): Promise<boolean> {
    if (SplitSearch.isLarge(search)) return true;
    if (search === null || Tsquery.negated(search) !== null) return false;
    const matches = await CountCache.getOrCount(totals, ['at most', search], async () => {
      const [row] = await sql<{ total: number }[]>`
        select count(*) as total from (
          select 1 from direct.job j where j.version = ${version} and j.search @@ ${search}::tsquery
          limit ${narrowMax}
        ) j`;
      return row?.total ?? 0;
    });
    return matches < narrowMax;
  }

  async function countAll(
    question: JobQuestion,
    jobsMin: number,
    after: number,
    limit: number,
  ): Promise<Employer[]> {
    return await sql<Employer[]>`
      with met as materialized (
        select j.company_id from direct.job j where j.version = ${version} ${jobsFound(sql, version, question)}
      )
      select company_id as "companyId", count(*) as "matchedJobs" from met where company_id > ${after}
      group by company_id having count(*) >= ${jobsMin} order by company_id limit ${limit}`;
  }

  async function endOfRange(
    { search, employers }: JobQuestion,
    after: number,
    rows: number,
  ): Promise<number | null> {
    const offset = search === null ? rows * unsearchedFactor : rows;
    const [row] = await sql<{ company_id: number }[]>`
      select j.company_id from direct.job j
      where j.version = ${version} and j.company_id > ${Math.max(after, employers?.after ?? 0)}
      order by j.company_id offset ${offset} limit 1`;
    return row && row.company_id < (employers?.upTo ?? Infinity) ? row.company_id : null;
  }

  async function countRange(
    question: JobQuestion,
    jobsMin: number,
    after: number,
    upTo: number | null,
  ): Promise<Employer[]> {
    return await sql<Employer[]>`
      select j.company_id as "companyId", count(*) as "matchedJobs"
      from (
        select * from direct.job j
        where j.version = ${version} and j.company_id > ${after}
          ${upTo === null ? sql`` : sql`and j.company_id <= ${upTo}`} ${jobsMeeting(sql, { ...question, search: null })}
        offset 0
      ) j
      where true ${jobsMeeting(sql, question)}
      group by j.company_id having count(*) >= ${jobsMin} order by j.company_id`;
  }
}
