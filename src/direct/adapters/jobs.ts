import type { JobCondition } from '../filters/job-filter.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import type { Jobs } from '../jobs/jobs.ts';
import * as Job from '../records/job.ts';
import type { Fragment, Sql } from './database.ts';

type Row = {
  id: number;
  posted_at: Date;
  utc_offset_hours: number;
  title: string;
  company_name: string;
  ai_summary: string;
  city: string;
  country_code: string;
  slug: string;
};

/** The postings of one generation. */
export function jobs(sql: Sql, generation: number): Jobs {
  return {
    async ofCompany(companyId, condition, after, limit) {
      const rows = await sql<Row[]>`
        select j.id, j.posted_at, j.utc_offset_hours, j.title, j.company_name, j.ai_summary, j.city, j.country_code,
               c.slug
        from direct.job j join direct.company c on c.generation = j.generation and c.id = j.company_id
        where j.generation = ${generation} and j.company_id = ${companyId} ${meeting(sql, condition)}
          ${after ? sql`and (j.posted_at, j.id) < (${new Date(after.postedMs)}, ${after.id})` : sql``}
        order by j.posted_at desc, j.id desc
        limit ${limit}`;
      return rows.map((row) => ({
        keys: { postedMs: row.posted_at.getTime(), id: row.id },
        job: {
          date_posted: Job.datePosted(row.posted_at.getTime(), row.utc_offset_hours),
          title: row.title,
          url: NetworkUrl.jobUrl(row.id),
          company_name: row.company_name,
          company_network_url: NetworkUrl.companyUrl({ kind: 'slug', slug: row.slug }),
          ai_summary: row.ai_summary,
          location: { city: row.city, country_code: row.country_code },
        },
      }));
    },
    async countOfCompany(companyId, condition) {
      const [row] = await sql<{ total: number }[]>`
        select count(*) as total from direct.job j
        where j.generation = ${generation} and j.company_id = ${companyId} ${meeting(sql, condition)}`;
      return row?.total ?? 0;
    },
  };
}

/** The condition on the table `j`, to follow a `where`. */
export function meeting(sql: Sql, { search, sinceMs }: JobCondition): Fragment {
  return sql`
    ${search === null ? sql`` : sql`and j.search @@ ${search}::tsquery`}
    ${sinceMs === null ? sql`` : sql`and j.posted_at >= ${new Date(sinceMs)}`}`;
}
