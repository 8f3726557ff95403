import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import type { PersonEntry } from '../../src/entries/person.ts';
import * as Enums from '../../src/filters/enums.ts';
import * as Geography from '../../src/filters/geography.ts';
import * as EmployeeFinder from '../../src/people/employee-finder.ts';
import * as Filters from '../support/arbitrary-filters.ts';
import * as PeopleOracle from '../support/people-oracle.ts';
import * as SampleService from '../support/sample-service.ts';
import * as CallOperation from './call-operation.ts';

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start();
});
afterAll(() => service.close());

const path = '/v2/search/employee-finder';
type Filter = {
  country_code?: string[];
  continent?: string[];
  sales_region?: string[];
  job_level?: string[];
  job_function?: string[];
  min_connections_count?: number;
};
const urlsOf = (page: SampleService.Body): string[] =>
  page.results.map((result: { network_url: string }) => result.network_url);

function expected(company: string, filter: Filter = {}): string[] {
  const { job_level = [], job_function = [], min_connections_count = 0, ...location } = filter;
  const wanted = { job_level, job_function, min_connections: min_connections_count, location };
  const employer = PeopleOracle.employers(service.world.companies);
  const works = (person: PersonEntry) => employer(person)?.network_url === company;
  return PeopleOracle.ordered(service.world.people)
    .filter((person) => works(person) && PeopleOracle.personMatches(person, wanted))
    .map((person) => person.network_url);
}

it('lists everyone who works there now on numbered pages, the best connected first', async () => {
  const all = expected(SampleService.northwind);
  const pages: string[] = [];
  for (let page = 1; ; page++) {
    const { body } = await service.post(path, {
      company_network_url: SampleService.northwind,
      page,
      max_results: 30,
    });
    expect(body).toMatchObject({
      company_network_url: SampleService.northwind,
      max_results: 30,
      page,
      total_pages: Math.ceil(all.length / 30),
    });
    expect(body.fair_usage.records_used).toBe(body.results_length);
    pages.push(...urlsOf(body));
    if (page > body.total_pages) break;
  }
  expect(pages).toEqual(all);
});

it('has its keys in the order of the interface, and neither total nor cursor', async () => {
  const { body } = await service.post(path, { company_network_url: SampleService.northwind, max_results: 1 });
  expect(Object.keys(body)).toEqual([
    'company_network_url',
    'max_results',
    'results_length',
    'page',
    'total_pages',
    'results',
    'fair_usage',
  ]);
});

it('matches what a plain reading of the filters matches', async () => {
  const filters = Filters.oneOrMore(
    Filters.some<Filter>({
      country_code: Filters.anyOf(fc.constantFrom('US', 'DE', 'GB', 'FR', 'IS')),
      continent: Filters.anyOf(fc.constantFrom(...Geography.continents)),
      sales_region: Filters.anyOf(fc.constantFrom(...Geography.salesRegions)),
      job_level: Filters.anyOf(fc.constantFrom(...Enums.jobLevels)),
      job_function: Filters.anyOf(fc.constantFrom(...Enums.jobFunctions)),
      min_connections_count: fc.constantFrom(0, 99.5, 300, 500),
    }),
  );
  const companies = fc.constantFrom(
    SampleService.northwind,
    ...service.world.companies.slice(0, 40).map((company) => company.network_url),
  );
  await fc.assert(
    fc.asyncProperty(companies, filters, fc.integer({ min: 1, max: 3 }), async (company, filter, page) => {
      const all = expected(company, filter);
      const { body } = await service.post(path, {
        company_network_url: company,
        ...filter,
        page,
        max_results: 9,
      });
      expect(urlsOf(body)).toEqual(all.slice((page - 1) * 9, page * 9));
      expect(body.total_pages).toBe(Math.ceil(all.length / 9));
    }),
    { numRuns: runs(150), seed: 41 },
  );
});

describe('what cannot be reached', () => {
  it('is empty and costs nothing: a page behind the last', async () => {
    const { body } = await service.post(path, {
      company_network_url: SampleService.northwind,
      page: 9_000_000,
    });
    expect(body).toMatchObject({ results: [], results_length: 0, page: 9_000_000 });
    expect(body.total_pages).toBeGreaterThan(10);
    expect(body.fair_usage.records_used).toBe(0);
  });

  it('is empty and costs nothing: a company that is not there', async () => {
    const url = 'https://www.network.example/company/nobody';
    const { body } = await service.post(path, { company_network_url: `${url}/` });
    expect(body).toMatchObject({ company_network_url: url, results: [], total_pages: 0 });
    expect(body.fair_usage.records_used).toBe(0);
  });

  it('is cut at the ceiling, which the number of pages knows', async () => {
    const ask = await CallOperation.asker(service, EmployeeFinder.limitedTo(20));
    const body = { company_network_url: SampleService.northwind, max_results: 8 };
    expect(await ask({ ...body, page: 2 })).toMatchObject({ total_pages: 2, results_length: 8 });
    expect(await ask({ ...body, page: 3 })).toMatchObject({ total_pages: 2, results_length: 0 });
  });
});

describe('what is refused', () => {
  it.each([
    [{}, 'company_network_url: Required'],
    [
      { company_network_url: 'https://www.network.example/in/someone' },
      'company_network_url: Expected a company network URL such as https://www.network.example/company/<slug>, or urn:nw:organization:<number>',
    ],
    [
      { company_network_url: SampleService.northwind, page: 0 },
      'page: Must be between 1 and 9007199254740991',
    ],
    [
      { company_network_url: SampleService.northwind, max_results: 51 },
      'max_results: Must be between 1 and 50',
    ],
    [
      { company_network_url: SampleService.northwind, job_title: {} },
      'body: Unknown field "job_title". Allowed fields: company_network_url, country_code, continent, sales_region, job_level, job_function, min_connections_count, max_results, page',
    ],
    [
      { company_network_url: SampleService.northwind, continent: ['Atlantis'] },
      'continent[0]: Invalid value "Atlantis". Allowed values: Africa, Antarctica, Asia, Europe, North America, Oceania, South America',
    ],
  ])('%j', async (body, message) => {
    const answer = await service.post(path, body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((error: SampleService.Body) => `${error.field}: ${error.message}`)).toEqual(
      [message],
    );
  });
});
