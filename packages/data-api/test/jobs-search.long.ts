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

const path = '/v2/jobs/search';
type Result = { url: string; company_network_url: string; [field: string]: unknown };

function expected(job: Oracle.JobFilter, company: Oracle.EmployerFilter): string[] {
  const employerOf = Oracle.employers(service.world.companies);
  return Oracle.newestFirst(service.world.jobs)
    .filter((posting) => Oracle.jobMatches(posting, job, service.clock.nowMs))
    .filter((posting) => Oracle.employerMatches(employerOf(posting), company))
    .map((posting) => `https://www.network.example/jobs/view/${posting.id}`);
}

/** Postings of all pages. Checks that every page states the same total. */
async function found(body: object, maxResults = 50): Promise<string[]> {
  const pages = await service.pages(path, { ...body, max_results: maxResults });
  const urls = pages.flatMap((page) => page.results.map((result: Result) => result.url));
  expect(new Set(pages.map((page) => page.total_results))).toEqual(new Set([urls.length]));
  return urls;
}

it('visits every posting once, the newest first', async () => {
  expect(await found({})).toEqual(expected({}, {}));
});

it('matches what a plain reading of the filter grammar matches', async () => {
  await fc.assert(
    fc.asyncProperty(
      Filters.oneOrMore(Filters.jobFilter(service.world.jobs)),
      Filters.oneOrMore(Filters.employerFilter(service.world.companies)),
      async (job, company) => {
        expect(await found({ job, company })).toEqual(expected(job, company));
      },
    ),
    { numRuns: runs(100), seed: 3 },
  );
});

it('matches it for filters of the employer alone, too', async () => {
  await fc.assert(
    fc.asyncProperty(Filters.oneOrMore(Filters.employerFilter(service.world.companies)), async (company) => {
      expect(await found({ company })).toEqual(expected({}, company));
    }),
    { numRuns: runs(40), seed: 4 },
  );
});

describe('a posting whose employer is not in the data', () => {
  const unattached = () => service.world.jobs.filter((job) => job.company_network_url === null);

  it('is of an unknown industry, no agency and of no size', async () => {
    const urls = unattached().map((job) => `https://www.network.example/jobs/view/${job.id}`);
    expect(urls.length).toBeGreaterThan(0);
    expect(await found({ company: { industry: { include: ['Unknown'] } } })).toEqual(
      expect.arrayContaining(urls),
    );
    expect(await found({ company: { is_agency: false } })).toEqual(expect.arrayContaining(urls));
    const sized = await found({ company: { employee_count: { max: 1_000_000 } } });
    expect(sized.filter((url) => urls.includes(url))).toEqual([]);
  });

  it('has strings throughout', async () => {
    const pages = await service.pages(path, {
      company: { industry: { include: ['Unknown'] } },
      max_results: 50,
    });
    const results: Result[] = pages.flatMap((page) => page.results);
    expect(results.some((result) => result.company_network_url === '')).toBe(true);
    for (const { location, ...fields } of results) {
      for (const value of Object.values(fields)) expect(typeof value).toBe('string');
      expect(Object.keys(location as object)).toEqual(['city', 'country_code']);
    }
  });
});

describe('dates', () => {
  it('counts days from the first page on, and totals anew as time goes by', async () => {
    const body = { job: { date_posted: { last_days: 15 } }, max_results: 5 };
    const first = await service.post(path, body);
    expect(first.body.total_results).toBe(expected(body.job, {}).length);
    service.clock.nowMs += 3 * 86_400_000;
    try {
      const later = await service.post(path, body);
      expect(later.body.total_results).toBe(expected(body.job, {}).length);
      expect(later.body.total_results).toBeLessThan(first.body.total_results);
      const second = await service.post(path, { ...body, cursor: first.body.cursor });
      expect(second.body).toMatchObject({ total_results: first.body.total_results, results_length: 5 });
    } finally {
      service.clock.nowMs -= 3 * 86_400_000;
    }
  });

  it('finds nothing, free of charge, in days without postings', async () => {
    const before = service.clock.nowMs;
    service.clock.nowMs += 10 * 86_400_000;
    try {
      const { body } = await service.post(path, { job: { date_posted: { last_days: 1 } } });
      expect(body).toMatchObject({ total_results: 0, results: [], fair_usage: { records_used: 0 } });
    } finally {
      service.clock.nowMs = before;
    }
  });
});

it('cuts a query off after 5,000 postings and still counts them all', async () => {
  await service.sql`
    insert into direct.job
    select (jsonb_populate_record(j, jsonb_build_object('id', 9000000000 + n, 'search', '''*'' ''t.porter'''))).*
    from direct.job j, generate_series(1, 5200) n where j.id = (select min(id) from direct.job)`;
  const pages = await service.pages(path, { job: { title: { include: ['Porter'] } }, max_results: 49 });
  const urls = pages.flatMap((page) => page.results.map((job: Result) => job.url));
  expect(new Set(urls).size).toBe(5_000);
  expect(urls).toHaveLength(5_000);
  expect(pages.at(-1)).toMatchObject({ total_results: 5_200, results_length: 5_000 % 49, cursor: null });
});

it('refuses what only company searches take, and days out of bounds', async () => {
  const { body } = await service.post(path, {
    company: { hq: { continent: ['Europe'] }, size: { exclude: ['1-10'] }, name: {} },
    job: { date_posted: { last_days: 0 }, min_per_company: 2 },
  });
  expect(body.errors.map((fault: { field: string }) => fault.field)).toEqual([
    'job.date_posted.last_days',
    'job',
    'company.size',
    'company.hq',
    'company',
  ]);
});
