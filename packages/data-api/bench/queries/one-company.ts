import { type Plain, type Query, query } from '../query.ts';
import * as Sql from './sql.ts';

const { companyId, inArea, lookup, matches } = Sql;
const slug = 'northwind-analytics';
const company_network_url = `https://www.network.example/company/${slug}`;

const staff = (where: string) => Sql.people(`c.slug = '${slug}' and ${where}`, 'inner');

/** The step of a person is the first of these conditions that they meet. */
function cascade(steps: readonly string[]): Plain {
  const cases = steps.map((step, index) => `when ${step} then ${index + 1}`).join(' ');
  return lookup(
    (version) =>
      `with met as (
         select p.id, case ${cases} end as icp from direct.person p
         where p.version = ${version} and p.company_id = ${companyId(slug, version)} and (${steps.join(' or ')})
       )
       select p.slug, p.record, met.icp
       from met join direct.person p on p.version = ${version} and p.id = met.id
       order by met.icp, p.id limit 10`,
  );
}
const steps = [
  matches('p.search', `('t.data' & 't.engineer') & 'c=DE'`),
  matches('p.search', `'t.engineer' | 'h.engineer'`),
];
const wanted = {
  company_network_url,
  cascade: [
    { include_title: ['Data Engineer'], location: ['DE'] },
    { include_title: ['Engineer'], location: ['WORLD'], include_headline_search: true },
  ],
  max_results: 10,
};
const counted = (column: string): Plain => ({
  ...lookup(
    (version) =>
      `select ${column}, count(*) from direct.person
       where version = ${version} and company_id = ${companyId(slug, version)}
       group by 1 order by 2 desc, 1`,
  ),
  nameOf: ({ count }) => String(count),
});

export const queries: readonly Query[] = [
  query(
    'employees: all',
    '/v2/search/employee-finder',
    { company_network_url, max_results: 25 },
    staff('true'),
  ),
  query(
    'employees: all, page 10',
    '/v2/search/employee-finder',
    { company_network_url, max_results: 25 },
    staff('true'),
    10,
  ),
  query(
    'employees: staff in Europe',
    '/v2/search/employee-finder',
    { company_network_url, continent: ['Europe'], job_level: ['Staff'], max_results: 25 },
    staff(`p.job_level = 'Staff' and ${inArea('p.country_code', 'Europe')}`),
  ),
  query('waterfall', '/v2/search/waterfall-icp-keyword', wanted, cascade(steps)),
  query(
    'distribution by country',
    '/v2/enrichment/company-distribution-by-country',
    { company_network_url },
    counted('country_code'),
  ),
  query(
    'distribution by department',
    '/v2/enrichment/company-distribution-by-department',
    { company_network_url },
    counted('job_function'),
  ),
];
