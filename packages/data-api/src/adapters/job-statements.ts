import type { JobCondition } from '../filters/job-filter.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import type * as Tsquery from '../filters/tsquery.ts';
import type { FoundJob, JobKeys } from '../jobs/jobs.ts';
import * as Job from '../records/job.ts';
import { companiesOfSize, type IdRange } from './companies.ts';
import type { Fragment, Sql } from './database.ts';
import { searchFound } from './search-index.ts';

export type JobRow = {
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
/** A condition in terms of the tables: the bounds on the employer's headcount become a range of company ids. */
export type JobQuestion = { search: Tsquery.Search; sinceMs: number | null; employers: IdRange | null };

export async function jobQuestion(
  sql: Sql,
  version: number,
  { search, sinceMs, employees }: JobCondition,
): Promise<JobQuestion> {
  return { search, sinceMs, employers: await companiesOfSize(sql, version, employees) };
}

export function jobColumns(sql: Sql): Fragment {
  return sql`j.id, j.posted_at, j.utc_offset_hours, j.title, j.company_name, j.ai_summary, j.city, j.country_code, j.company_slug`;
}

/** SQL condition on the postings `j`, for statements that read them one by one. */
export function jobsMeeting(sql: Sql, { search, sinceMs, employers }: JobQuestion): Fragment {
  return sql`
    ${sinceMs === null ? sql`` : sql`and j.posted_at >= ${new Date(sinceMs)}`}
    ${employers === null ? sql`` : sql`and j.company_id > ${employers.after} and j.company_id <= ${employers.upTo}`}
    ${search === null ? sql`` : sql`and j.search @@ ${search}::tsquery`}`;
}

/**
 * SQL condition on the whole table that makes PostgreSQL use the search index. Checking the search vector row by row, as
 * in a plan by date, takes seconds, so `is true` hides the other conditions from the planner.
 */
export function jobsFound(sql: Sql, version: number, { search, ...rest }: JobQuestion): Fragment {
  if (search === null) return jobsMeeting(sql, { search, ...rest });
  return sql`
    ${searchFound(sql, { table: 'job', alias: 'j', version }, search)}
    and (true ${jobsMeeting(sql, { search: null, ...rest })}) is true`;
}

/** SQL condition: the postings that follow `after`, newest first. */
export function jobsAfter(sql: Sql, after: JobKeys | null): Fragment {
  return after === null ? sql`` : sql`and (j.posted_at, j.id) < (${new Date(after.postedMs)}, ${after.id})`;
}

export function toFoundJob(row: JobRow): FoundJob {
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
