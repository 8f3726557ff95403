import { type Query, query } from '../query.ts';
import * as Sql from './sql.ts';

const { among, companies, described, inArea, words } = Sql;
const path = '/v2/search/companies';
const max_results = 25;

function asked(name: string, company: object, plain: ReturnType<typeof companies>, page = 1): Query {
  return query(`companies: ${name}`, path, { company, max_results }, plain, page);
}

/** Ordered from the fewest matches to the most. */
export const queries: readonly Query[] = [
  asked(
    'called Northwind',
    { name: { include: ['Northwind'] } },
    companies(words('c.search', 'm', 'northwind')),
  ),
  asked(
    'of an investor since 2020',
    { lead_investors: { include: ['Harborlight'] }, last_funding_year: { min: 2020 } },
    companies(
      `exists (select from unnest(c.lead_investors) as investor where investor ~ '\\mHarborlight\\M') and c.last_funding_year >= 2020`,
    ),
  ),
  asked(
    'data companies of 201-500 in Europe with words',
    {
      keywords: { include: ['data warehousing', 'forecasting'] },
      industry: { include: ['Data Infrastructure and Analytics'] },
      hq: { continent: ['Europe'] },
      employee_range: ['201-500'],
    },
    companies(
      `(${described('c.search', 'data warehousing')} or ${described('c.search', 'forecasting')})
       and c.industry = 'Data Infrastructure and Analytics' and c.size = '201-500' and ${inArea('c.hq_country_code', 'Europe')}`,
    ),
  ),
  asked(
    'NAICS 541511 founded since 2015',
    { naics_code: { include: ['541511'] }, founded_year: { min: 2015 } },
    companies(`'541511' = any(c.naics_codes) and c.founded_year >= 2015`),
  ),
  asked(
    'visited and advertising',
    { web_traffic: { min: 100_000 }, ad_spend: { min: 5_000, max: 50_000 } },
    companies('c.web_traffic >= 100000 and c.ad_spend between 5000 and 50000'),
  ),
  asked('SaaS', { keywords: { include: ['SaaS'] } }, companies(described('c.search', 'saas'))),
  asked('SaaS, page 8', { keywords: { include: ['SaaS'] } }, companies(described('c.search', 'saas')), 8),
  asked(
    'of 50 to 500 employees in the US',
    { employee_count: { min: 50, max: 500 }, hq: { country_code: ['US'] } },
    companies(`c.employees_on_network between 50 and 500 and c.hq_country_code = 'US'`),
  ),
  asked(
    'of 1 to 20 million revenue',
    { revenue: { min: 1_000_000, max: 20_000_000 } },
    companies('c.revenue between 1000000 and 20000000'),
  ),
  asked('in Europe', { hq: { continent: ['Europe'] } }, companies(inArea('c.hq_country_code', 'Europe'))),
  asked(
    'in Europe, page 20',
    { hq: { continent: ['Europe'] } },
    companies(inArea('c.hq_country_code', 'Europe')),
    20,
  ),
  asked(
    'not in software',
    { industry: { exclude: ['Software Development'] }, type: { include: ['Privately Held', 'Partnership'] } },
    companies(
      `c.industry is distinct from 'Software Development' and ${among('c.type', 'Privately Held', 'Partnership')}`,
    ),
  ),
  asked('all', {}, companies('true')),
  asked('all, page 40', {}, companies('true'), 40),
];
