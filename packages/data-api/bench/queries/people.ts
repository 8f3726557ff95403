import { type Query, query } from '../query.ts';
import * as Sql from './sql.ts';

const { among, inArea, matches, people, words } = Sql;
const path = '/v2/search/people';
const max_results = 25;
const search = 'p.search';

function asked(name: string, body: object, plain: ReturnType<typeof people>, page = 1): Query {
  return query(`people: ${name}`, path, { ...body, max_results }, plain, page);
}
const titled = (title: string) => ({ people: { job_title: { include: [title] } } });
const education = Array.from({ length: 20 }, (_, index) => `('e${index + 1}.mba' & 'e${index + 1}.berlin')`);

/** Ordered from the fewest matches to the most. */
export const queries: readonly Query[] = [
  asked(
    'winemakers in France',
    { people: { ...titled('Winemaker').people, location: { country_code: ['FR'] } } },
    people(`${words(search, 't', 'winemaker')} and p.country_code = 'FR'`),
  ),
  asked(
    'CFOs of US hospitals',
    {
      company: { industry: { include: ['Hospitals and Health Care'] }, hq: { country_code: ['US'] } },
      people: titled('[Chief Financial Officer]').people,
    },
    people(
      `lower(p.title) = 'chief financial officer' and c.industry = 'Hospitals and Health Care' and c.hq_country_code = 'US'`,
      'inner',
    ),
  ),
  asked(
    'an MBA of Berlin',
    { people: { education: { include: ['MBA Berlin'] } } },
    people(matches(search, education.join(' | '))),
  ),
  asked(
    'founders and CTOs at funded companies',
    {
      company: {
        total_funding: { min: 10_000_000 },
        last_funding_type: { include: ['Series A', 'Series B'] },
      },
      people: { job_title: { include: ['[CTO]', 'Founder'] } },
    },
    people(
      `${matches(search, `'t=cto' | 't.founder'`)} and c.total_funding >= 10000000 and ${among('c.last_funding_type', 'Series A', 'Series B')}`,
      'inner',
    ),
  ),
  asked(
    'data engineers in Germany',
    { people: { ...titled('Data Engineer').people, location: { country_code: ['DE'] } } },
    people(`${words(search, 't', 'data engineer')} and p.country_code = 'DE'`),
  ),
  asked(
    'managers and directors in São Paulo',
    { people: { job_level: ['Manager', 'Director'], location: { city: { include: ['São Paulo'] } } } },
    people(`p.city = 'São Paulo' and ${among('p.job_level', 'Manager', 'Director')}`),
  ),
  asked(
    'C-Team at SaaS companies in Europe',
    {
      company: { keywords: { include: ['SaaS'] }, hq: { continent: ['Europe'] } },
      people: { job_level: ['C-Team'] },
    },
    people(
      `p.job_level = 'C-Team' and ${Sql.described('c.search', 'saas')} and ${inArea('c.hq_country_code', 'Europe')}`,
      'inner',
    ),
  ),
  asked(
    'C-Team at software companies',
    { company: { industry: { include: ['Software Development'] } }, people: { job_level: ['C-Team'] } },
    people(`p.job_level = 'C-Team' and c.industry = 'Software Development'`, 'inner'),
  ),
  asked(
    'C-Team at software companies, page 10',
    { company: { industry: { include: ['Software Development'] } }, people: { job_level: ['C-Team'] } },
    people(`p.job_level = 'C-Team' and c.industry = 'Software Development'`, 'inner'),
    10,
  ),
  asked(
    'at three companies',
    {
      company: {
        network_url: ['northwind-analytics', 'bluefin-logistics', 'tessera-health'].map(
          (slug) => `https://www.network.example/company/${slug}`,
        ),
      },
    },
    people(among('c.slug', 'northwind-analytics', 'bluefin-logistics', 'tessera-health'), 'inner'),
  ),
  asked(
    'sales in EMEA with 300 connections',
    {
      people: {
        job_function: ['Sales & Business Development'],
        min_connections: 300,
        location: { sales_region: ['EMEA'] },
      },
    },
    people(
      `p.job_function = 'Sales & Business Development' and p.connections >= 300 and ${inArea('p.country_code', 'EMEA')}`,
    ),
  ),
  asked(
    'engineers at large companies in Europe',
    {
      company: { employee_count: { min: 5_000 }, hq: { continent: ['Europe'] } },
      people: { job_function: ['Engineering'] },
    },
    people(
      `p.job_function = 'Engineering' and c.employees_on_network >= 5000 and ${inArea('c.hq_country_code', 'Europe')}`,
      'inner',
    ),
  ),
  asked(
    'marketing at companies of 10 to 50 million revenue',
    {
      company: { revenue: { min: 10_000_000, max: 50_000_000 } },
      people: { job_title: { include: ['Marketing'] } },
    },
    people(`${words(search, 't', 'marketing')} and c.revenue between 10000000 and 50000000`, 'inner'),
  ),
  asked(
    'operations in title or headline, no interns',
    {
      people: {
        job_title: { include: ['Operations'], exclude: ['Intern'], include_network_headline: true },
      },
    },
    people(matches(search, `('t.operations' | 'h.operations') & !('t.intern' | 'h.intern')`)),
  ),
  asked('engineers', titled('Engineer'), people(words(search, 't', 'engineer'))),
  asked('engineers, page 5', titled('Engineer'), people(words(search, 't', 'engineer')), 5),
  asked(
    'in the United States',
    { people: { location: { country_code: ['US'] } } },
    people(`p.country_code = 'US'`),
  ),
  asked(
    'in the United States, page 20',
    { people: { location: { country_code: ['US'] } } },
    people(`p.country_code = 'US'`),
    20,
  ),
  asked(
    'staff at small private companies',
    {
      company: { type: { include: ['Privately Held'] }, employee_range: ['11-50', '51-200'] },
      people: { job_level: ['Staff'] },
    },
    people(
      `p.job_level = 'Staff' and c.type = 'Privately Held' and ${among('c.size', '11-50', '51-200')}`,
      'inner',
    ),
  ),
  asked(
    'all but staffing and managers',
    {
      company: { industry: { exclude: ['Staffing and Recruiting'] } },
      people: { job_title: { exclude: ['Manager'] } },
    },
    people(
      `c.industry is distinct from 'Staffing and Recruiting' and not ${words(search, 't', 'manager')}`,
      'left',
    ),
  ),
  asked('everybody', {}, people('true')),
  asked('everybody, page 40', {}, people('true'), 40),
];
