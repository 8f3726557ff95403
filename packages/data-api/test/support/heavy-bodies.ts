import * as SearchCost from '../../src/filters/search-cost.ts';
import { operations } from '../../src/http/operations.ts';

/**
 * The most expensive valid bodies of every search operation: each list at its maximum length, each value full of words that
 * many records have, so that the search has as many terms and candidates as the description allows.
 */
const listMax = 50;
const characters = 200;
const url = 'https://www.network.example/company/northwind-analytics';
const common =
  'manager engineer data senior sales software of and in the with to for a at on lead head director product marketing operations analyst consultant business development support customer service project finance developer team it is we you our your will be work experience skills university science computer administration bachelor master 2015 2016 2017 2018 2019 2020 inc llc group systems solutions technologies global partners capital ventures'.split(
    ' ',
  );

/** `index` distinct values of up to 200 characters. `short` makes words of one or two characters, the most for their length. */
function values(kind: 'common' | 'short' | 'single', from = 0): string[] {
  return Array.from({ length: listMax }, (_, index) => {
    if (kind === 'single') return common[(from + index) % common.length] as string;
    const words: string[] = [];
    for (let at = 0; words.join(' ').length < characters - 14; at++) {
      const number = (from + index) * 131 + at;
      words.push(
        kind === 'common'
          ? (common[(number * 7 + index) % common.length] as string)
          : `${String.fromCharCode(97 + (number % 26))}${String.fromCharCode(97 + (Math.floor(number / 26) % 26))}`,
      );
    }
    return words.join(' ');
  });
}

type Kind = Parameters<typeof values>[0];
const both = (kind: Kind, from: number) => ({
  include: values(kind, from),
  exclude: values('short', from + 50),
});
const excluded = (kind: Kind, from: number) => ({ exclude: values(kind, from) });
type List = (from: number) => object;

const company = (list: List) => ({
  name: list(0),
  naics_code: list(100),
  sic_code: list(200),
  lead_investors: list(300),
  keywords: list(400),
  hq: { city: list(500), state: list(600) },
  revenue: { min: 1 },
  web_traffic: { min: 1 },
  ad_spend: { min: 1, max: 1e15 },
  founded_year: { min: 1 },
});
const people = (list: List) => ({
  job_title: { ...list(700), include_network_headline: true },
  education: list(800),
  location: { city: list(900) },
  min_connections: 1,
});
const job = (list: List) => ({
  title: list(1_000),
  description: list(1_100),
  ai_keywords: list(1_200),
  field: list(1_300),
  date_posted: { last_days: 3_650 },
});
const employer = (list: List) => ({
  keywords: list(400),
  hq: { city: list(500), state: list(600) },
  employee_count: { min: 1, max: 1_000_000 },
});

const lists: Record<string, List> = {
  'values of common words': (from) => both('common', from),
  'values of short words': (from) => both('short', from),
  'one common word each': (from) => both('single', from),
  'only exclusions': (from) => excluded('common', from),
  'only exclusions of one word': (from) => excluded('single', from),
};

const cascade = (kind: Kind, exclude: Kind) =>
  Array.from({ length: 10 }, (_, step) => ({
    include_title: values(kind, step * 50),
    exclude_title: values(exclude, step * 50 + 25),
    include_headline_search: true,
    location: ['US', 'DE', 'GB'],
  }));

export type HeavyBody = { name: string; path: string; body: object };

/** The body with its lists shortened until the search has at most `termsMax` terms: the worst that is not refused at once. */
export function fitted({ path, body }: HeavyBody, termsMax: number): object {
  const request = operations.find((operation) => operation.path === path)?.request;
  if (!request) throw new Error(`no operation at ${path}`);
  for (let length = listMax; length > 0; length--) {
    const shorter = shortened(body, length) as object;
    if (SearchCost.of(request, shorter).terms <= termsMax) return shorter;
  }
  return shortened(body, 0) as object;
}

function shortened(value: unknown, length: number): unknown {
  if (Array.isArray(value)) {
    const isSteps = typeof value[0] === 'object';
    return value.slice(0, isSteps ? value.length : length).map((item) => shortened(item, length));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shortened(field, length)]));
}

/** All bodies, each with one page of results. */
export const heavyBodies: readonly HeavyBody[] = [
  ...Object.entries(lists).flatMap(([name, list]) => [
    {
      name: `people search, ${name}`,
      path: '/v2/search/people',
      body: { company: company(list), people: people(list) },
    },
    { name: `people search by people, ${name}`, path: '/v2/search/people', body: { people: people(list) } },
    {
      name: `people search by company texts, ${name}`,
      path: '/v2/search/people',
      body: { company: { lead_investors: list(300), keywords: list(400) } },
    },
    { name: `education, ${name}`, path: '/v2/search/people', body: { people: { education: list(800) } } },
    { name: `titles, ${name}`, path: '/v2/search/people', body: { people: { job_title: list(700) } } },
    { name: `company search, ${name}`, path: '/v2/search/companies', body: { company: company(list) } },
    {
      name: `company keywords, ${name}`,
      path: '/v2/search/companies',
      body: { company: { keywords: list(400) } },
    },
    {
      name: `job search, ${name}`,
      path: '/v2/jobs/search',
      body: { job: job(list), company: employer(list) },
    },
    { name: `job themes, ${name}`, path: '/v2/jobs/search', body: { job: { ai_keywords: list(1_200) } } },
    {
      name: `job descriptions, ${name}`,
      path: '/v2/jobs/search',
      body: { job: { description: list(1_200) } },
    },
    {
      name: `TAM by jobs, ${name}`,
      path: '/v2/company/tam-by-jobs',
      body: { job: { ...job(list), min_per_company: 25 }, company: employer(list) },
    },
    {
      name: `TAM by job themes, ${name}`,
      path: '/v2/company/tam-by-jobs',
      body: { job: { ai_keywords: list(1_200), min_per_company: 25 } },
    },
    {
      name: `TAM by people, ${name}`,
      path: '/v2/company/tam-by-people',
      body: { company: company(list), people: { ...people(list), min_per_company: 25 } },
    },
    {
      name: `TAM by education, ${name}`,
      path: '/v2/company/tam-by-people',
      body: { people: { education: list(800), min_per_company: 25 } },
    },
    {
      name: `jobs of a company, ${name}`,
      path: '/v2/jobs/company',
      body: { company_network_url: url, job: job(list) },
    },
  ]),
  ...(['common', 'short', 'single'] as const).map((kind) => ({
    name: `waterfall, ${kind}`,
    path: '/v2/search/waterfall-icp-keyword',
    body: { company_network_url: url, cascade: cascade(kind, 'short') },
  })),
].map((heavy) => ({ ...heavy, body: { ...heavy.body, max_results: 5 } }));
