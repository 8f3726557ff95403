import * as CountCache from '../filters/count-cache.ts';
import * as RollingCountCache from '../filters/rolling-count-cache.ts';
import * as SplitSearch from '../filters/split-search.ts';
import * as Tsquery from '../filters/tsquery.ts';
import type { JobKeys, Jobs } from '../jobs/jobs.ts';
import type { Sql } from './database.ts';
import { jobEmployers } from './job-employers.ts';
import {
  type JobQuestion,
  type JobRow,
  jobColumns,
  jobQuestion,
  jobsAfter,
  jobsFound,
  jobsMeeting,
  toFoundJob,
} from './job-statements.ts';

/** From this many matches on, a page is read in order of date. Below, it is faster to collect all matches by index. */
const broadMin = 7_000;
/** Maximum number of postings read in order of date for one page, before the index is used instead. */
const walkedMax = 5_000;

/** Reads the postings of one data-set version. */
export function jobs(sql: Sql, version: number): Jobs {
  const totals = CountCache.create();
  const count = jobCounter(sql, version, totals);
  const { walk, gather } = jobPages(sql, version);
  const employers = jobEmployers(sql, version, totals);

  return {
    count: async (condition) => count(await jobQuestion(sql, version, condition)),

    async page(condition, total, after, limit) {
      if (total === 0) return [];
      const question = await jobQuestion(sql, version, condition);
      const isBroad = total >= broadMin && !SplitSearch.isLarge(question.search);
      const rows = !isBroad ? [] : await walk(question, after, limit);
      return (rows.length === limit ? rows : await gather(question, after, limit)).map(toFoundJob);
    },

    async countOfCompany(companyId, condition) {
      const question = await jobQuestion(sql, version, condition);
      const [row] = await sql<{ total: number }[]>`
        select count(*) as total from direct.job j
        where j.version = ${version} and j.company_id = ${companyId} ${jobsMeeting(sql, question)}`;
      return row?.total ?? 0;
    },

    async pageOfCompany(companyId, condition, after, limit) {
      const question = await jobQuestion(sql, version, condition);
      const rows = await sql<JobRow[]>`
        select ${jobColumns(sql)}
        from direct.job j
        where j.version = ${version} and j.company_id = ${companyId}
          ${jobsMeeting(sql, question)} ${jobsAfter(sql, after)}
        order by j.posted_at desc, j.id desc
        limit ${limit}`;
      return rows.map(toFoundJob);
    },

    async employers(condition, jobsMin, after, limit) {
      return employers(await jobQuestion(sql, version, condition), jobsMin, after, limit);
    },
  };
}

/** Returns a function that counts the postings that meet a question, exactly, and caches the counts. */
function jobCounter(sql: Sql, version: number, totals: CountCache.Totals) {
  const rollingTotals = RollingCountCache.create();
  return total;

  function total(question: JobQuestion): Promise<number> {
    const { search, sinceMs, employers } = question;
    if (sinceMs === null) return CountCache.getOrCount(totals, [search, employers], () => count(question));
    return RollingCountCache.getOrCount(rollingTotals, [search, employers], sinceMs, {
      since: (ms) => count({ ...question, sinceMs: ms }),
      between: (fromMs, toMs) => countBetween(question, fromMs, toMs),
    });
  }

  async function count(question: JobQuestion): Promise<number> {
    const excluded = Tsquery.negated(question.search);
    if (excluded !== null) {
      return (await total({ ...question, search: null })) - (await total({ ...question, search: excluded }));
    }
    const [row] = await sql<{ total: number }[]>`
      select count(*) as total from direct.job j where j.version = ${version} ${jobsFound(sql, version, question)}`;
    return row?.total ?? 0;
  }

  /** Counts a period of minutes. It has few postings, so they are checked one by one. */
  async function countBetween(question: JobQuestion, fromMs: number, toMs: number): Promise<number> {
    const [row] = await sql<{ total: number }[]>`
      select count(*) as total from (
        select * from direct.job j
        where j.version = ${version} and j.posted_at >= ${new Date(fromMs)} and j.posted_at < ${new Date(toMs)}
        offset 0
      ) j
      where true ${jobsMeeting(sql, { ...question, sinceMs: null })}`;
    return row?.total ?? 0;
  }
}

/** Two ways to read a page: `walk` for broad questions, `gather` for all others. */
function jobPages(sql: Sql, version: number) {
  return { walk, gather };

  /** Reads up to `walkedMax` postings in order of date and returns those that match. */
  function walk(question: JobQuestion, after: JobKeys | null, limit: number): Promise<JobRow[]> {
    return sql<JobRow[]>`
      select ${jobColumns(sql)}
      from (
        select * from direct.job j
        where j.version = ${version} ${jobsMeeting(sql, { ...question, search: null })} ${jobsAfter(sql, after)}
        order by j.posted_at desc, j.id desc
        limit ${walkedMax}
      ) j
      where true ${jobsMeeting(sql, question)}
      order by j.posted_at desc, j.id desc
      limit ${limit}`;
  }

  /** Collects all matches, then sorts them. Two materialized steps keep the planner from reading in order of date instead. */
  function gather(question: JobQuestion, after: JobKeys | null, limit: number): Promise<JobRow[]> {
    return sql<JobRow[]>`
      with met as materialized (
        select j.id, j.posted_at from direct.job j where j.version = ${version} ${jobsFound(sql, version, question)}
      ), page as materialized (
        select j.id from met j where true ${jobsAfter(sql, after)}
        order by j.posted_at desc, j.id desc limit ${limit}
      )
      select ${jobColumns(sql)}
      from page join direct.job j on j.version = ${version} and j.id = page.id
      order by j.posted_at desc, j.id desc`;
  }
}
