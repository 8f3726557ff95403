import { type Query, query } from '../query.ts';
import * as Sql from './sql.ts';

const { among, jobs, matches, words } = Sql;
const path = '/v2/jobs/search';
const max_results = 25;
const search = 'j.search';
const northwind = 'https://www.network.example/company/northwind-analytics';

function asked(name: string, body: object, plain: ReturnType<typeof jobs>, page = 1): Query {
  return query(`jobs: ${name}`, path, { max_results, ...body }, plain, page);
}
const titled = (title: string) => ({ job: { title: { include: [title] } } });
/** Days are counted back from the time of the request, as in the API. */
const within = (days: number) => `j.posted_at >= now() - interval '${days} days'`;
const theme = (word: string) => `('t.${word}' | 'd.${word}' | 'k.${word}' | 'x.${word}')`;
const atNorthwind = (more: string): ReturnType<typeof jobs> =>
  jobs(`c.slug = 'northwind-analytics' and ${more}`, 'inner');

/** Ordered from the fewest matches to the most. */
export const queries: readonly Query[] = [
  query(
    'jobs: at one company',
    '/v2/jobs/company',
    { company_network_url: northwind, max_results },
    atNorthwind('true'),
  ),
  query(
    'jobs: engineers at one company',
    '/v2/jobs/company',
    { company_network_url: northwind, ...titled('Engineer'), max_results },
    atNorthwind(words(search, 't', 'engineer')),
  ),
  asked(
    'data engineers in Lisbon',
    { job: { ...titled('Data Engineer').job, location: { city: { include: ['Lisbon'] } } } },
    jobs(`${words(search, 't', 'data engineer')} and j.city = 'Lisbon'`),
  ),
  asked(
    'data engineers of 30 days at data companies',
    {
      job: { ...titled('Data Engineer').job, date_posted: { last_days: 30 } },
      company: {
        industry: { include: ['Data Infrastructure and Analytics'] },
        size: { include: ['201-500'] },
      },
    },
    jobs(
      `${words(search, 't', 'data engineer')} and ${within(30)} and c.industry = 'Data Infrastructure and Analytics' and c.size = '201-500'`,
      'inner',
    ),
  ),
  asked(
    'seniors in sales, remote',
    {
      job: {
        field: { include: ['Sales'] },
        seniority: { include: ['5-10', '10+'] },
        work_arrangement: { include: ['Remote OK', 'Remote Solely'] },
      },
    },
    jobs(
      `j.field = 'Sales' and ${among('j.seniority', '5-10', '10+')} and ${among('j.work_arrangement', 'Remote OK', 'Remote Solely')}`,
    ),
  ),
  asked(
    'about forecasting and SQL',
    { job: { ai_keywords: { include: ['forecasting SQL'] } } },
    jobs(matches(search, `${theme('forecasting')} & ${theme('sql')}`)),
  ),
  asked(
    'pipelines in the text',
    { job: { description: { include: ['pipelines'] } } },
    jobs(words(search, 'd', 'pipelines')),
  ),
  asked(
    'at SaaS companies that are no agencies',
    { company: { keywords: { include: ['SaaS'] }, is_agency: false } },
    jobs(`${Sql.described('c.search', 'saas')} and c.is_agency is not true`, 'inner'),
  ),
  asked('engineers', titled('Engineer'), jobs(words(search, 't', 'engineer'))),
  asked('engineers, page 10', titled('Engineer'), jobs(words(search, 't', 'engineer')), 10),
  asked(
    'in Germany and Brazil of 60 days',
    { job: { location: { country_code: { include: ['DE', 'BR'] } }, date_posted: { last_days: 60 } } },
    jobs(`${among('j.country_code', 'DE', 'BR')} and ${within(60)}`),
  ),
  asked(
    'at companies of more than 1,000',
    { company: { employee_count: { min: 1_000 } } },
    jobs('c.employees_on_network >= 1000', 'inner'),
  ),
  asked('of 7 days', { job: { date_posted: { last_days: 7 } } }, jobs(within(7))),
  asked(
    'no interns, full time',
    { job: { title: { exclude: ['Intern'] }, employment_type: { include: ['FULL_TIME'] } } },
    jobs(`j.employment_type = 'FULL_TIME' and not ${words(search, 't', 'intern')}`),
  ),
  asked('all', {}, jobs('true')),
  asked('all, page 50', { max_results: 50 }, jobs('true'), 50),
];
