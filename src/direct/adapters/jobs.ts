import type { JobCondition } from '../filters/job-filter.ts';
import * as MovingTotals from '../filters/moving-totals.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as Search from '../filters/search.ts';
import * as Totals from '../filters/totals.ts';
import type { Employer, EmployerPage, FoundJob, JobKeys, Jobs } from '../jobs/jobs.ts';
import * as Job from '../records/job.ts';
import { companiesOfSize, type IdRange } from './companies.ts';
import type { Fragment, Sql } from './database.ts';

type Row = {
  id: number;
  posted_at: Date;
  utc_offset_hours: number;
  title: string;
  company_name: string | null;
  ai_summary: string | null;
  city: string | null;
  country_code: string | null;
  company_slug: string | null;
};
/** A condition as the table is asked it: the headcount of employers is a stretch of their ids. */
type Question = { search: Search.Search; sinceMs: number | null; employers: IdRange | null };

/** From so many matches on, a page is found along the order; below, the search gives all of them faster. */
const broadMin = 7_000;
/** How many postings a page is looked for among before the search is asked after all. */
const walkedMax = 5_000;
/** How many postings are counted by company, one stretch after the other, before a page is left short. */
const stretches = [1_000, 2_000, 4_000, 8_000, 8_000] as const;
/** So many times longer where there is no search to be read for each. */
const unsearchedFactor = 5;

/** The postings of one generation. */
export function jobs(sql: Sql, generation: number): Jobs {
  const totals = Totals.create();
  const movingTotals = MovingTotals.create();

  return {
    count: async (condition) => total(await questionOf(condition)),

    async page(condition, total, after, limit) {
      if (total === 0) return [];
      const question = await questionOf(condition);
      const rows = total < broadMin ? [] : await walk(question, after, limit);
      return (rows.length === limit ? rows : await gather(question, after, limit)).map(toFound);
    },

    async countOfCompany(companyId, condition) {
      const [row] = await sql<{ total: number }[]>`
        select count(*) as total from direct.job j
        where j.generation = ${generation} and j.company_id = ${companyId} ${meeting(sql, await questionOf(condition))}`;
      return row?.total ?? 0;
    },

    async pageOfCompany(companyId, condition, after, limit) {
      const rows = await sql<Row[]>`
        select ${columns(sql)}
        from direct.job j
        where j.generation = ${generation} and j.company_id = ${companyId}
          ${meeting(sql, await questionOf(condition))} ${following(sql, after)}
        order by j.posted_at desc, j.id desc
        limit ${limit}`;
      return rows.map(toFound);
    },

    async employers(condition, jobsMin, after, limit) {
      const question = await questionOf(condition);
      if (await isNarrow(question)) {
        return employerPage(await gatherEmployers(question, jobsMin, after, limit + 1), limit, null);
      }
      const found: Employer[] = [];
      let last: number | null = after;
      for (const length of stretches) {
        if (last === null || found.length > limit) break;
        const end = await endOfStretch(question, last, length);
        found.push(...(await countEmployers(question, jobsMin, last, end)));
        last = end;
      }
      return employerPage(found, limit, last);
    },
  };

  async function questionOf({ search, sinceMs, employees }: JobCondition): Promise<Question> {
    return { search, sinceMs, employers: await companiesOfSize(sql, generation, employees) };
  }

  function total(question: Question): Promise<number> {
    const { search, sinceMs, employers } = question;
    if (sinceMs === null) return Totals.of(totals, [search, employers], () => count(question));
    return MovingTotals.of(movingTotals, [search, employers], sinceMs, {
      since: (ms) => count({ ...question, sinceMs: ms }),
      between: (fromMs, toMs) => countBetween(question, fromMs, toMs),
    });
  }

  /** A stretch of minutes: its postings are looked at one by one. */
  async function countBetween(question: Question, fromMs: number, toMs: number): Promise<number> {
    const [row] = await sql<{ total: number }[]>`
      select count(*) as total from (
        select * from direct.job j
        where j.generation = ${generation} and j.posted_at >= ${new Date(fromMs)} and j.posted_at < ${new Date(toMs)}
        offset 0
      ) j
      where true ${meeting(sql, { ...question, sinceMs: null })}`;
    return row?.total ?? 0;
  }

  async function count(question: Question): Promise<number> {
    const excluded = Search.opposite(question.search);
    if (excluded !== null) {
      return (await total({ ...question, search: null })) - (await total({ ...question, search: excluded }));
    }
    const [row] = await sql<{ total: number }[]>`
      select count(*) as total from direct.job j where j.generation = ${generation} ${found(sql, question)}`;
    return row?.total ?? 0;
  }

  /** Looks through the postings in order, no further than `walkedMax`. */
  function walk(question: Question, after: JobKeys | null, limit: number): Promise<Row[]> {
    return sql<Row[]>`
      select ${columns(sql)}
      from (
        select * from direct.job j
        where j.generation = ${generation} ${meeting(sql, { ...question, search: null })} ${following(sql, after)}
        order by j.posted_at desc, j.id desc
        limit ${walkedMax}
      ) j
      where true ${meeting(sql, question)}
      order by j.posted_at desc, j.id desc
      limit ${limit}`;
  }

  /** Finds all that meet the condition, then puts them in order: two steps, so that no plan mixes them up. */
  function gather(question: Question, after: JobKeys | null, limit: number): Promise<Row[]> {
    return sql<Row[]>`
      with met as materialized (
        select j.id, j.posted_at from direct.job j where j.generation = ${generation} ${found(sql, question)}
      ), page as materialized (
        select j.id from met j where true ${following(sql, after)}
        order by j.posted_at desc, j.id desc limit ${limit}
      )
      select ${columns(sql)}
      from page join direct.job j on j.generation = ${generation} and j.id = page.id
      order by j.posted_at desc, j.id desc`;
  }

  async function isNarrow({ search }: Question): Promise<boolean> {
    if (search === null || Search.opposite(search) !== null) return false;
    const matches = await Totals.of(totals, ['at most', search], async () => {
      const [row] = await sql<{ total: number }[]>`
        select count(*) as total from (
          select 1 from direct.job j where j.generation = ${generation} and j.search @@ ${search}::tsquery
          limit ${broadMin}
        ) j`;
      return row?.total ?? 0;
    });
    return matches < broadMin;
  }

  async function gatherEmployers(
    question: Question,
    jobsMin: number,
    after: number,
    limit: number,
  ): Promise<Employer[]> {
    return await sql<Employer[]>`
      with met as materialized (
        select j.company_id from direct.job j where j.generation = ${generation} ${found(sql, question)}
      )
      select company_id as "companyId", count(*) as "matchedJobs" from met where company_id > ${after}
      group by company_id having count(*) >= ${jobsMin} order by company_id limit ${limit}`;
  }

  /** The company up to which to count next, `length` postings away; null where the rest is shorter. */
  async function endOfStretch(
    { search, employers }: Question,
    after: number,
    length: number,
  ): Promise<number | null> {
    const offset = search === null ? length * unsearchedFactor : length;
    const [row] = await sql<{ company_id: number }[]>`
      select j.company_id from direct.job j
      where j.generation = ${generation} and j.company_id > ${Math.max(after, employers?.after ?? 0)}
      order by j.company_id offset ${offset} limit 1`;
    return row && row.company_id < (employers?.upTo ?? Infinity) ? row.company_id : null;
  }

  async function countEmployers(
    question: Question,
    jobsMin: number,
    after: number,
    upTo: number | null,
  ): Promise<Employer[]> {
    return await sql<Employer[]>`
      select j.company_id as "companyId", count(*) as "matchedJobs"
      from (
        select * from direct.job j
        where j.generation = ${generation} and j.company_id > ${after}
          ${upTo === null ? sql`` : sql`and j.company_id <= ${upTo}`} ${meeting(sql, { ...question, search: null })}
        offset 0
      ) j
      where true ${meeting(sql, question)}
      group by j.company_id having count(*) >= ${jobsMin} order by j.company_id`;
  }
}

/** `resumeAfter` where the search for more ended; what goes beyond the page is looked at again for the next one. */
function employerPage(found: Employer[], limit: number, resumeAfter: number | null): EmployerPage {
  const employers = found.slice(0, limit);
  const last = employers.at(-1);
  return { employers, resumeAfter: found.length > limit && last ? last.companyId : resumeAfter };
}

function columns(sql: Sql): Fragment {
  return sql`j.id, j.posted_at, j.utc_offset_hours, j.title, j.company_name, j.ai_summary, j.city, j.country_code, j.company_slug`;
}

/** The question to the postings `j`, which come one by one. */
function meeting(sql: Sql, { search, sinceMs, employers }: Question): Fragment {
  return sql`
    ${sinceMs === null ? sql`` : sql`and j.posted_at >= ${new Date(sinceMs)}`}
    ${employers === null ? sql`` : sql`and j.company_id > ${employers.after} and j.company_id <= ${employers.upTo}`}
    ${search === null ? sql`` : sql`and j.search @@ ${search}::tsquery`}`;
}

/**
 * The question to the whole table, where the search has to go by its index: read row by row, as a plan by date would,
 * the vectors take seconds. `is true` keeps the rest of the question from being such a way in.
 */
function found(sql: Sql, { search, ...rest }: Question): Fragment {
  if (search === null) return meeting(sql, { search, ...rest });
  return sql`
    and j.search @@ ${Search.indexed(search)}::tsquery
    and (true ${meeting(sql, { search: null, ...rest })}) is true`;
}

function following(sql: Sql, after: JobKeys | null): Fragment {
  return after === null ? sql`` : sql`and (j.posted_at, j.id) < (${new Date(after.postedMs)}, ${after.id})`;
}

function toFound(row: Row): FoundJob {
  const postedMs = row.posted_at.getTime();
  return {
    keys: { postedMs, id: row.id },
    job: {
      date_posted: Job.datePosted(postedMs, row.utc_offset_hours),
      title: row.title,
      url: NetworkUrl.jobUrl(row.id),
      company_name: row.company_name ?? '',
      company_network_url:
        row.company_slug === null ? '' : NetworkUrl.companyUrl({ kind: 'slug', slug: row.company_slug }),
      ai_summary: row.ai_summary ?? '',
      location: { city: row.city ?? '', country_code: row.country_code ?? '' },
    },
  };
}
