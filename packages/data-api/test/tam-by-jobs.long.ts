import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import * as Filters from './support/arbitrary-filters.ts';
import * as Oracle from './support/oracle.ts';
import * as SampleService from './support/sample-service.ts';

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start();
});
afterAll(() => service.close());

const path = '/v2/company/tam-by-jobs';
type Result = {
  company: { name: string; network_url: string; [field: string]: unknown };
  matched_jobs: number;
};
type Expected = [url: string, matchedJobs: number];

function expected(
  job: Oracle.JobFilter & { min_per_company?: number },
  company: Oracle.EmployerFilter,
): Expected[] {
  const matching = service.world.jobs.filter((posting) =>
    Oracle.jobMatches(posting, job, service.clock.nowMs),
  );
  const counts = Map.groupBy(matching, (posting) => posting.company_network_url);
  return Oracle.ordered(service.world.companies).flatMap((candidate): Expected[] => {
    const count = counts.get(candidate.network_url)?.length ?? 0;
    if (count < Math.max(1, job.min_per_company ?? 0) || !Oracle.employerMatches(candidate, company))
      return [];
    return [[candidate.network_url, count]];
  });
}

async function found(body: object): Promise<Expected[]> {
  const pages = await service.pages(path, body);
  return pages.flatMap((page) =>
    page.results.map((result: Result): Expected => [result.company.network_url, result.matched_jobs]),
  );
}

it('lists every hiring company once, the largest first, with its count of jobs', async () => {
  const all = await found({ max_results: 17 });
  expect(all).toEqual(expected({}, {}));
  expect(all.length).toBeGreaterThan(100);
});

it('matches what a plain reading of the filter grammar matches', async () => {
  const floors = fc.record({ min_per_company: fc.constantFrom(0, 0, 1, 2, 3, 5) });
  await fc.assert(
    fc.asyncProperty(
      Filters.oneOrMore(Filters.jobFilter(service.world.jobs)),
      floors,
      Filters.oneOrMore(Filters.employerFilter(service.world.companies)),
      async (filter, floor, company) => {
        const job = { ...filter, ...floor };
        expect(await found({ job, company, max_results: 50 })).toEqual(expected(job, company));
      },
    ),
    { numRuns: runs(150), seed: 11 },
  );
});

it('takes the country of the job, not that of the headquarters', async () => {
  const job = { location: { country_code: { include: ['BR'] } } };
  const pages = await service.pages(path, { job, max_results: 50 });
  const seats: (string | null)[] = pages.flatMap((page) =>
    page.results.map(
      ({ company }: { company: { hq: { country_code: string } | null } }) => company.hq?.country_code ?? null,
    ),
  );
  expect(await found({ job, max_results: 50 })).toEqual(expected(job, {}));
  expect(seats.some((code) => code !== 'BR')).toBe(true);
});

it('has all fields of a company, and null where one is not known', async () => {
  const pages = await service.pages(path, { max_results: 50 });
  const results: Result[] = pages.flatMap((page) => page.results);
  const northwind = results.find((result) => result.company.name === 'Northwind Analytics')?.company;
  expect(northwind).toMatchObject({
    network_url: SampleService.northwind,
    network_id: 7_000_001,
    industry: 'Data Infrastructure and Analytics',
    size: '201-500',
    employees_on_network: 412,
    founded_year: 2011,
    hq: {
      city: 'Berlin',
      state: 'Berlin',
      country_code: 'DE',
      country_name: 'Germany',
      region: 'EMEA',
      continent: 'Europe',
    },
    domain: 'northwind-analytics.example',
  });
  for (const field of ['about', 'industry', 'specialties', 'founded_year', 'hq', 'website']) {
    expect(results.some((result) => result.company[field] === null)).toBe(true);
  }
});

it('may fall short of a page under a high floor, and goes on until the cursor is null', async () => {
  // Thousands of small employers with a few jobs each, followed by one that reaches the minimum.
  await service.sql`
    insert into direct.company
    select (jsonb_populate_record(c, jsonb_build_object('id', 10000 + n, 'slug', 'small-' || n, 'network_id', 8000000 + n))).*
    from direct.company c, generate_series(1, 4500) n where c.slug = 'quillon-software'`;
  await service.sql`
    insert into direct.job (version, id, company_id, title, posted_at, utc_offset_hours, skills, taxonomies, search)
    select version, 9000000000 + n, 10000 + case when n <= 27000 then 1 + n % 4499 else 4500 end, 'Porter', posted_at, 0,
           '{}', '{}', ${"'*' 't.porter'"}::tsvector
    from direct.job, generate_series(1, 27030) n where id = (select min(id) from direct.job)`;
  const job = { title: { exclude: ['Astronaut'] }, min_per_company: 25 };
  const pages = await service.pages(path, { job, max_results: 50 });
  const urls = pages.flatMap((page) => page.results.map((result: Result) => result.company.network_url));
  expect(pages.slice(0, -1).some((page) => page.results_length < 50)).toBe(true);
  expect(urls).toContain('https://www.network.example/company/small-4500');
  expect(new Set(urls).size).toBe(urls.length);
  expect(pages.every((page) => page.fair_usage.records_used === page.results_length)).toBe(true);
  expect(pages.every((page) => !('total_results' in page))).toBe(true);
});

it('cuts a query off after 50,000 companies', async () => {
  const first = await service.post(path, { max_results: 1 });
  const [secret] = await service.sql<{ value: string }[]>`
    select value from direct.setting where name = 'cursor_secret'`;
  // The cursor of a caller who has paged this far, signed with the server's secret.
  const place = JSON.parse(Buffer.from(first.body.cursor.split('.')[0], 'base64url').toString());
  const payload = Buffer.from(JSON.stringify({ ...place, delivered: 49_995 })).toString('base64url');
  const signature = createHmac('sha256', secret?.value ?? '')
    .update(payload)
    .digest('base64url');
  const last = await service.post(path, { max_results: 50, cursor: `${payload}.${signature}` });
  expect(last.body).toMatchObject({ results_length: 5, cursor: null, fair_usage: { records_used: 5 } });
});
