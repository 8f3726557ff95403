import type { Companies } from '../companies/companies.ts';
import type { CompanyCondition } from '../filters/company-filter.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import { type Company, headquarters } from '../records/company.ts';
import type { Fragment, Sql } from './database.ts';
import { meeting as jobsMeeting } from './jobs.ts';

type Row = {
  id: number;
  slug: string;
  network_id: number;
  name: string;
  about: string | null;
  specialties: string[] | null;
  industry: string | null;
  type: string | null;
  size: string | null;
  employees_on_network: number | null;
  followers: number | null;
  founded_year: number | null;
  hq_city: string | null;
  hq_state: string | null;
  hq_country_code: string | null;
  domain: string | null;
  website: string | null;
};

/** How many companies with matching jobs one page looks at before it makes do with what it has. */
const companiesCountedMax = 2_000;

/** The companies of one generation. */
export function companies(sql: Sql, generation: number): Companies {
  return {
    async find(ref) {
      const [row] = await sql<{ id: number; slug: string }[]>`
        select id, slug from direct.company
        where generation = ${generation}
          and ${ref.kind === 'slug' ? sql`slug = ${ref.slug}` : sql`network_id = ${ref.number}`}`;
      return row ?? null;
    },

    async hiring({ jobs, companies: wanted, jobsMin, after, limit }) {
      // Without a floor every company counts, so one more than the page tells whether there are more.
      const countedMax = jobsMin > 1 ? companiesCountedMax : limit + 1;
      const counted = await sql<{ id: number; matched_jobs: number }[]>`
        select j.company_id as id, count(*) as matched_jobs
        from direct.job j ${join(sql, wanted)}
        where j.generation = ${generation} and j.company_id > ${after} ${jobsMeeting(sql, jobs)} ${meeting(sql, wanted)}
        group by j.company_id
        order by j.company_id
        limit ${countedMax}`;
      const enough = counted.filter((row) => row.matched_jobs >= jobsMin);
      const page = enough.slice(0, limit);
      const found = await byId(page.map((row) => row.id));
      const lastLookedAt = enough.length > limit ? page.at(-1) : counted.at(-1);
      const goesOn = enough.length > limit || counted.length === countedMax;
      return {
        hiring: page.flatMap((row) => {
          const company = found.get(row.id);
          return company ? [{ company, matchedJobs: row.matched_jobs }] : [];
        }),
        resumeAfter: goesOn ? (lastLookedAt?.id ?? null) : null,
      };
    },

    async headcountByCountry(companyId) {
      return await sql<{ label: string; count: number }[]>`
        select coalesce(country_code, 'unknown') as label, count(*) as count
        from direct.person
        where generation = ${generation} and company_id = ${companyId}
        group by country_code
        order by count desc, label`;
    },
  };

  async function byId(ids: readonly number[]): Promise<Map<number, Company>> {
    if (ids.length === 0) return new Map();
    const rows = await sql<Row[]>`
      select id, slug, network_id, name, about, specialties, industry, type, size, employees_on_network, followers,
             founded_year, hq_city, hq_state, hq_country_code, domain, website
      from direct.company where generation = ${generation} and id = any(${ids as number[]})`;
    return new Map(rows.map((row) => [row.id, toCompany(row)]));
  }
}

function asksNothing({ search, employees }: CompanyCondition): boolean {
  return search === null && employees.min === 0 && employees.max === 0;
}

function join(sql: Sql, condition: CompanyCondition): Fragment {
  if (asksNothing(condition)) return sql``;
  return sql`join direct.company c on c.generation = j.generation and c.id = j.company_id`;
}

/** The condition on the table `c`, to follow a `where`. */
function meeting(sql: Sql, { search, employees }: CompanyCondition): Fragment {
  return sql`
    ${search === null ? sql`` : sql`and c.search @@ ${search}::tsquery`}
    ${employees.min === 0 ? sql`` : sql`and c.employees_on_network >= ${employees.min}::float8`}
    ${employees.max === 0 ? sql`` : sql`and c.employees_on_network <= ${employees.max}::float8`}`;
}

function toCompany(row: Row): Company {
  return {
    network_url: NetworkUrl.companyUrl({ kind: 'slug', slug: row.slug }),
    network_id: row.network_id,
    name: row.name,
    about: row.about,
    specialties: row.specialties,
    industry: row.industry,
    type: row.type,
    size: row.size,
    employees_on_network: row.employees_on_network,
    followers: row.followers,
    founded_year: row.founded_year,
    hq: headquarters(row.hq_city, row.hq_state, row.hq_country_code),
    domain: row.domain,
    website: row.website,
  };
}
