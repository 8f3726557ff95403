import { type Query, query } from '../query.ts';
import * as Sql from './sql.ts';

const { among, employers, inArea, matches, words } = Sql;
const max_results = 25;

function hiring(name: string, body: object, plain: ReturnType<typeof employers>, page = 1): Query {
  return query(`hiring: ${name}`, '/v2/company/tam-by-jobs', { ...body, max_results }, plain, page);
}
function employing(name: string, body: object, plain: ReturnType<typeof employers>, page = 1): Query {
  return query(`employing: ${name}`, '/v2/company/tam-by-people', { ...body, max_results }, plain, page);
}
const titled = (title: string, more: object = {}) => ({ title: { include: [title] }, ...more });

/** Ordered from the fewest matches to the most. */
export const queries: readonly Query[] = [
  hiring('winemakers', { job: titled('Winemaker') }, employers('job', words('j.search', 't', 'winemaker'))),
  hiring(
    'engineers or analysts in DE and BR, no agencies, two each',
    {
      job: {
        title: { include: ['Engineer', '[Data Analyst]'], exclude: ['Intern'] },
        location: { country_code: { include: ['DE', 'BR'] } },
        min_per_company: 2,
      },
      company: { employee_count: { min: 50 }, is_agency: false },
    },
    employers(
      'job',
      `${matches('j.search', `('t.engineer' | 't=data analyst') & !'t.intern'`)} and ${among('j.country_code', 'DE', 'BR')}
       and c.employees_on_network >= 50 and c.is_agency is not true`,
      'inner',
      2,
    ),
  ),
  hiring('engineers', { job: titled('Engineer') }, employers('job', words('j.search', 't', 'engineer'))),
  hiring(
    'engineers, page 5',
    { job: titled('Engineer') },
    employers('job', words('j.search', 't', 'engineer')),
    5,
  ),
  hiring('ten each', { job: { min_per_company: 10 } }, employers('job', 'true', 'none', 10)),
  hiring('anybody', {}, employers('job', 'true')),
  employing(
    'these people',
    {
      people: {
        network_url: ['naomi-whitaker', 'helene-brandt', 'rui-azevedo'].map(
          (slug) => `https://www.network.example/in/${slug}`,
        ),
      },
    },
    employers('person', among('p.slug', 'naomi-whitaker', 'helene-brandt', 'rui-azevedo')),
  ),
  employing(
    'data staff in European companies of 201-500, two each',
    {
      company: { hq: { continent: ['Europe'] }, employee_range: ['201-500'] },
      people: { job_title: { include: ['Data'] }, job_level: ['Staff', 'Manager'], min_per_company: 2 },
    },
    employers(
      'person',
      `${words('p.search', 't', 'data')} and ${among('p.job_level', 'Staff', 'Manager')}
       and c.size = '201-500' and ${inArea('c.hq_country_code', 'Europe')}`,
      'inner',
      2,
    ),
  ),
  employing(
    'engineers in the US at software companies',
    {
      company: { industry: { include: ['Software Development'] } },
      people: { job_function: ['Engineering'], location: { country_code: ['US'] } },
    },
    employers(
      'person',
      `p.job_function = 'Engineering' and p.country_code = 'US' and c.industry = 'Software Development'`,
      'inner',
    ),
  ),
  employing('a C-Team', { people: { job_level: ['C-Team'] } }, employers('person', `p.job_level = 'C-Team'`)),
  employing(
    'a C-Team, page 5',
    { people: { job_level: ['C-Team'] } },
    employers('person', `p.job_level = 'C-Team'`),
    5,
  ),
  employing(
    'five in sales',
    { people: { job_function: ['Sales & Business Development'], min_per_company: 5 } },
    employers('person', `p.job_function = 'Sales & Business Development'`, 'none', 5),
  ),
  employing('anybody', {}, employers('person', 'true')),
];
