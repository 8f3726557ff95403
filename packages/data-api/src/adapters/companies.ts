import type { Companies, Found, Named } from '../companies/companies.ts';
import type { CompanyCondition } from '../filters/company-filter.ts';
import * as CountCache from '../filters/count-cache.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as SplitSearch from '../filters/split-search.ts';
import * as Tsquery from '../filters/tsquery.ts';
import { type Company, headquarters } from '../records/company.ts';
import type { Fragment, Sql } from './database.ts';
import * as Headcounts from './headcounts.ts';
import { searchFound } from './search-index.ts';

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

/** Ids above `after` and up to `upTo`. */
export type IdRange = { after: number; upTo: number };

/** From this many matches on, a page is read in id order. Below, it is faster to collect all matches by index. */
const broadMin = 1_500;
/** Maximum number of companies read in id order for one page, before the index is used instead. */
const walkedMax = 4_000;

/** Reads the companies of one data-set version. */
export function companies(sql: Sql, version: number): Companies {
  const totals = CountCache.create();

  return {
    async find(ref) {
      const [row] = await sql<Found[]>`
        select c.id, c.slug from direct.company c where c.version = ${version} and ${isMeant(sql, ref)}`;
      return row ?? null;
    },

    async profile(ref) {
      const [row] = await sql<Row[]>`
        select ${columns(sql)} from direct.company c where c.version = ${version} and ${isMeant(sql, ref)}`;
      return row ? toCompany(row) : null;
    },

    async byIds(ids) {
      if (ids.length === 0) return new Map();
      const rows = await sql<Row[]>`
        select ${columns(sql)} from direct.company c
        where c.version = ${version} and c.id = any(${ids as number[]})`;
      return new Map(rows.map((row) => [row.id, toCompany(row)]));
    },

    count: total,

    async page(condition, total, after, limit) {
      if (total === 0) return [];
      const isBroad = total >= broadMin && !SplitSearch.isLarge(condition.search);
      const rows = !isBroad ? [] : await walk(condition, await start(condition, after), limit);
      return (rows.length === limit ? rows : await gather(condition, after, limit)).map((row) => ({
        id: row.id,
        company: toCompany(row),
      }));
    },

    async atDomain(domains, limit) {
      return await sql<Named[]>`
        select c.slug, c.name
        from direct.company_domain d join direct.company c on c.version = d.version and c.id = d.company_id
        where d.version = ${version} and d.domain = any(${domains as string[]})
        group by c.id, c.slug, c.name
        order by min(array_position(${domains as string[]}::text[], d.domain)), min(d.rank), c.id
        limit ${limit}`;
    },

    async emailDomain(ref) {
      const [row] = await sql<{ email_domain: string | null }[]>`
        select c.email_domain from direct.company c where c.version = ${version} and ${isMeant(sql, ref)}`;
      return row?.email_domain ?? null;
    },

    headcountByCountry: (companyId) => Headcounts.byCountry(sql, version, companyId),
    headcountByFunction: (companyId) => Headcounts.byDepartment(sql, version, companyId),
  };

  function total(condition: CompanyCondition): Promise<number> {
    return CountCache.getOrCount(totals, condition, () => count(condition));
  }

  async function count(condition: CompanyCondition): Promise<number> {
    const excluded = Tsquery.negated(condition.search);
    if (excluded !== null) {
      const [all, without] = await Promise.all(
        [null, excluded].map((search) => total({ ...condition, search })),
      );
      return (all ?? 0) - (without ?? 0);
    }
    const [row] = await sql<{ total: number }[]>`
      select count(*) as total from direct.company c
      where c.version = ${version} ${found(sql, version, condition)}`;
    return row?.total ?? 0;
  }

  /** First id to read after `after`. Ids are ordered by employees, so larger companies than requested can be skipped. */
  async function start({ bounds }: CompanyCondition, after: number): Promise<number> {
    const employees = bounds.find(({ measure }) => measure === 'employees_on_network');
    const range = employees && (await companiesOfSize(sql, version, employees));
    return Math.max(after, range?.after ?? 0);
  }

  /** Reads up to `walkedMax` companies in id order and returns those that match. */
  function walk(condition: CompanyCondition, after: number, limit: number): Promise<Row[]> {
    return sql<Row[]>`
      select ${columns(sql)}
      from (
        select * from direct.company c where c.version = ${version} and c.id > ${after}
        order by c.id limit ${walkedMax}
      ) c
      where true ${companiesMeeting(sql, 'c', condition)}
      order by c.id limit ${limit}`;
  }

  /** Collects all matches, then sorts them. Two materialized steps keep the planner from reading in id order instead. */
  function gather(condition: CompanyCondition, after: number, limit: number): Promise<Row[]> {
    return sql<Row[]>`
      with met as materialized (
        select c.id from direct.company c where c.version = ${version} ${found(sql, version, condition)}
      ), page as materialized (
        select id from met where id > ${after} order by id limit ${limit}
      )
      select ${columns(sql)}
      from page join direct.company c on c.version = ${version} and c.id = page.id
      order by c.id`;
  }
}

/** Range of ids of the companies with `min` to `max` employees (ids are ordered by size); null without bounds. */
export async function companiesOfSize(
  sql: Sql,
  version: number,
  { min, max }: { min: number; max: number },
): Promise<IdRange | null> {
  if (min === 0 && max === 0) return null;
  const [row] = await sql<{ larger: number | null; last: number | null }[]>`
    select
      (select c.id from direct.company c
       where c.version = ${version} and c.employees_on_network > ${max === 0 ? null : Math.floor(max)}::bigint
       order by c.employees_on_network, c.id desc limit 1) as larger,
      (select c.id from direct.company c
       where c.version = ${version} and c.employees_on_network >= ${Math.ceil(min)}::bigint
       order by c.employees_on_network, c.id desc limit 1) as last`;
  return { after: row?.larger ?? 0, upTo: row?.last ?? 0 };
}

/** SQL condition: the company `c` is the one that `ref` names. */
function isMeant(sql: Sql, ref: NetworkUrl.CompanyRef): Fragment {
  return ref.kind === 'slug' ? sql`c.slug = ${ref.slug}` : sql`c.network_id = ${ref.number}`;
}

function columns(sql: Sql): Fragment {
  return sql`
    c.id, c.slug, c.network_id, c.name, c.about, c.specialties, c.industry, c.type, c.size, c.employees_on_network,
    c.followers, c.founded_year, c.hq_city, c.hq_state, c.hq_country_code, c.domain, c.website`;
}

/** SQL condition on the companies `alias`, as `and ...` clauses. */
export function companiesMeeting(sql: Sql, alias: string, { search, bounds }: CompanyCondition): Fragment {
  const within = bounds.map(({ measure, min, max }) => {
    const column = sql(`${alias}.${measure}`);
    return sql`
      ${min > 0 ? sql`and ${column} >= ${Math.ceil(min)}::bigint` : sql``}
      ${max > 0 ? sql`and ${column} <= ${Math.floor(max)}::bigint` : sql``}`;
  });
  return sql`
    ${search === null ? sql`` : sql`and ${sql(`${alias}.search`)} @@ ${search}::tsquery`}
    ${within.length === 0 ? sql`` : within}`;
}

/**
 * SQL condition on the whole table that makes PostgreSQL use the search index. Checking the search vector row by row is
 * slow, so `is true` hides the other bounds from the planner, which would otherwise prefer their indexes.
 */
function found(sql: Sql, version: number, { search, bounds }: CompanyCondition): Fragment {
  if (search === null) return companiesMeeting(sql, 'c', { search, bounds });
  return sql`
    ${searchFound(sql, { table: 'company', alias: 'c', version }, search)}
    and (true ${companiesMeeting(sql, 'c', { search: null, bounds })}) is true`;
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
