import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import * as Filters from './support/arbitrary-filters.ts';
import * as Oracle from './support/oracle.ts';
import * as SampleService from './support/sample-service.ts';

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start();
});
afterAll(() => service.close());

const path = '/v2/search/companies';
type Result = { network_url: string; [field: string]: unknown };

function expected(filter: Oracle.CompanyFilter): string[] {
  return Oracle.ordered(service.world.companies)
    .filter((company) => Oracle.companyMatches(company, filter))
    .map((company) => company.network_url);
}

/** Companies of all pages. Checks that every page states the same total. */
async function found(company: object, maxResults = 50): Promise<string[]> {
  const pages = await service.pages(path, { company, max_results: maxResults });
  const urls = pages.flatMap((page) => page.results.map((result: Result) => result.network_url));
  expect(new Set(pages.map((page) => page.total_results))).toEqual(new Set([urls.length]));
  return urls;
}

describe('paging', () => {
  it('visits every company once, the largest first, in pages that are full', async () => {
    const pages = await service.pages(path, { max_results: 7 });
    const urls = pages.flatMap((page) => page.results.map((result: Result) => result.network_url));
    expect(urls).toEqual(expected({}));
    expect(pages.slice(0, -1).every((page) => page.results_length === 7)).toBe(true);
    expect(pages.every((page) => page.total_results === urls.length)).toBe(true);
    expect(pages.every((page) => page.fair_usage.records_used === page.results_length)).toBe(true);
  });

  it('refuses the cursor of other filters', async () => {
    const { cursor } = (await service.post(path, { max_results: 1 })).body;
    const other = await service.post(path, { cursor, company: { name: { include: ['Energy'] } } });
    expect(other.body.errors).toEqual([
      { field: 'cursor', message: 'Invalid cursor. Omit it to start from the first page.' },
    ]);
    expect((await service.post(path, { cursor, company: { name: null } })).status).toBe(200);
  });

  it('serves up to the balance and takes it up again where it ended', async () => {
    const key = await service.issue({ name: 'Test', requestsPerSecond: 1_000, recordsPerMonth: 3 });
    const { body } = await service.post(path, { max_results: 10 }, key);
    expect(body).toMatchObject({ results_length: 3, total_results: service.world.companies.length });
    expect(body.cursor).not.toBeNull();
  });
});

describe('filters', () => {
  it('match what a plain reading of the filter grammar matches', async () => {
    const filters = Filters.oneOrMore(Filters.companyFilter(service.world.companies));
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        expect(await found(filter)).toEqual(expected(filter));
      }),
      { numRuns: runs(300), seed: 5 },
    );
  });

  it('find something each, and leave something out', async () => {
    const filters: Oracle.CompanyFilter[] = [
      { name: { include: ['northwind analytics'] } },
      { industry: { include: ['Unknown'] } },
      { type: { include: ['Public Company'] } },
      { employee_range: ['51-200', '201-500'] },
      { employee_count: { min: 50, max: 500 } },
      { min_network_followers: 5_000 },
      { revenue: { min: 1_000_000 } },
      { web_traffic: { min: 1, max: 50_000 } },
      { ad_spend: { min: 1 } },
      { total_funding: { min: 1 } },
      { last_funding_amount: { min: 1 } },
      { last_funding_year: { min: 2015, max: 2024 } },
      { last_funding_type: { include: ['Seed', 'Series A'] } },
      { keywords: { include: ['forecasting'] } },
      { keywords: { exclude: ['forecasting'] } },
      { founded_year: { max: 1999 } },
      { hq: { city: { include: ['BERLIN'] } } },
      { hq: { country_code: ['DE'], continent: ['Europe'], sales_region: ['EMEA'] } },
      { hq: { sales_region: ['NORAM'] } },
    ];
    for (const filter of filters) {
      const urls = await found(filter);
      expect(urls, JSON.stringify(filter)).toEqual(expected(filter));
      expect(urls.length, JSON.stringify(filter)).toBeGreaterThan(0);
      expect(urls.length, JSON.stringify(filter)).toBeLessThan(service.world.companies.length);
    }
  });

  it('take the words of an investor from one and the same name', async () => {
    const [company] = service.world.companies.filter(({ lead_investors }) => lead_investors.length > 1);
    const [one = '', other = ''] = company?.lead_investors ?? [];
    expect(await found({ lead_investors: { include: [one] } })).toContain(company?.network_url);
    const mixed = `${one.split(' ')[0]} ${other.split(' ').at(-1)}`;
    const filter = { lead_investors: { include: [mixed] } };
    expect(await found(filter)).toEqual(expected(filter));
  });

  it('find nothing, free of charge, where a code is none', async () => {
    const { body } = await service.post(path, { company: { naics_code: { include: ['999999'] } } });
    expect(body).toMatchObject({
      total_results: 0,
      results: [],
      cursor: null,
      fair_usage: { records_used: 0 },
    });
  });
});

describe('what is refused', () => {
  it.each([
    [{ network_url: ['https://www.network.example/company/a'] }, 'company: Unknown field "network_url"'],
    [{ employee_count: { min: 980_001 } }, 'company.employee_count.min: Must be between 0 and 980000'],
    [{ revenue: { min: 5, max: 4 } }, 'company.revenue: min must not be greater than max'],
    [
      { employee_range: ['51-20'] },
      'company.employee_range[0]: Invalid value "51-20". Did you mean "51-200"',
    ],
    [{ employee_range: Array(51).fill('1-10') }, 'company.employee_range: Must have at most 50 items'],
    [{ hq: { continent: ['America'] } }, 'company.hq.continent[0]: Invalid value "America". Did you mean'],
    [{ hq: { country_code: [''] } }, 'company.hq.country_code[0]: Invalid country code'],
    [
      { last_funding_type: { include: ['seed'] } },
      'company.last_funding_type.include[0]: Invalid value "seed"',
    ],
    [{ is_agency: true }, 'company: Unknown field "is_agency"'],
  ])('%j', async (company, fault) => {
    const { status, body } = await service.post(path, { company });
    expect(status).toBe(422);
    expect(`${body.errors[0].field}: ${body.errors[0].message}`).toContain(fault);
  });
});
