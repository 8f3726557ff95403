import * as Distribution from '../records/distribution.ts';
import type { Fragment, Sql } from './database.ts';

type Row = { employees_on_network: number | null; figures: Distribution.Headcount[] | null };

/** Headcount of a company by country, the largest first; `unknown` counts employees whose country is not known. */
export function byCountry(sql: Sql, version: number, companyId: number): Promise<Distribution.Headcount[]> {
  const figures = figuresIn(sql, sql`c.employees_by_country`, 'country_code', 'unknown');
  return headcounts(sql, version, companyId, { figures, label: sql`p.country_code`, unknown: 'unknown' });
}

/** Headcount of a company by job function, the largest first; `Other` includes employees whose function is not known. */
export function byDepartment(
  sql: Sql,
  version: number,
  companyId: number,
): Promise<Distribution.Headcount[]> {
  const figures = figuresIn(sql, sql`c.employees_by_department`, 'department', 'Other');
  return headcounts(sql, version, companyId, { figures, label: sql`p.job_function`, unknown: 'Other' });
}

type By = { figures: Fragment; label: Fragment; unknown: string };

/**
 * The company's own figures, or without them its people in the data set by label. Employees on the network that neither
 * accounts for are unknown, so the counts add up to the company's headcount. Empty if there is nothing to count.
 */
async function headcounts(
  sql: Sql,
  version: number,
  companyId: number,
  { figures, label, unknown }: By,
): Promise<Distribution.Headcount[]> {
  const [company] = await sql<Row[]>`
    select c.employees_on_network, ${figures} as figures
    from direct.company c where c.version = ${version} and c.id = ${companyId}`;
  const counted = company?.figures ?? (await peopleBy(sql, version, companyId, label, unknown));
  const rest = (company?.employees_on_network ?? 0) - Distribution.total(counted);
  if (counted.length === 0 || rest <= 0) return counted;
  const known = counted.filter((each) => each.label !== unknown);
  const others = rest + (counted.find((each) => each.label === unknown)?.count ?? 0);
  return [...known, { label: unknown, count: others }].sort((one, other) => other.count - one.count);
}

function figuresIn(sql: Sql, column: Fragment, field: string, unknown: string): Fragment {
  return sql`(
    select json_agg(json_build_object('label', label, 'count', count) order by count desc, label)
    from (
      select coalesce(each ->> ${field}, ${unknown}) as label, sum((each ->> 'count')::bigint) as count
      from json_array_elements(${column}) as each
      where (each ->> 'count')::bigint > 0
      group by 1
    ) as counted)`;
}

async function peopleBy(
  sql: Sql,
  version: number,
  companyId: number,
  label: Fragment,
  unknown: string,
): Promise<Distribution.Headcount[]> {
  return await sql<Distribution.Headcount[]>`
    select coalesce(${label}, ${unknown}) as label, count(*) as count
    from direct.person p
    where p.version = ${version} and p.company_id = ${companyId}
    group by 1
    order by count desc, label`;
}
