import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { companies } from '../src/adapters/companies.ts';
import { jobs } from '../src/adapters/jobs.ts';
import { search as searchCompanies } from '../src/companies/search.ts';
import * as CompanyFilter from '../src/filters/company-filter.ts';
import * as JobFilter from '../src/filters/job-filter.ts';
import type { JobKeys } from '../src/jobs/jobs.ts';
import { search as searchJobs } from '../src/jobs/search.ts';
import * as Read from '../src/schema/read.ts';
import type { Schema } from '../src/schema/schema.ts';
import * as Filters from './support/arbitrary-filters.ts';
import * as SampleService from './support/sample-service.ts';

let service: SampleService.SampleService;
let version: number;
beforeAll(async () => {
  service = await SampleService.start();
  const [row] = await service.sql<
    { version: number }[]
  >`select version from direct.data_set_version where live`;
  version = row?.version ?? 0;
});
afterAll(() => service.close());

/** The stated total selects the query plan. With the small data set of the tests, the real total would select only one. */
const [many, few] = [1_000_000, 1];
const limit = 20;

function request(schema: Schema | null, body: object): SampleService.Body {
  const reading = schema && Read.read(schema, body);
  if (reading?.kind !== 'valid') throw new Error('not a request');
  return reading.value;
}

it('finds the same companies along the order as by the index', async () => {
  const room = companies(service.sql, version);
  const filters = Filters.oneOrMore(Filters.companyFilter(service.world.companies));
  await fc.assert(
    fc.asyncProperty(filters, fc.nat({ max: 300 }), async (filter, after) => {
      const { company } = request(searchCompanies.request, { company: filter });
      const condition = CompanyFilter.condition(company);
      const along = await room.page(condition, many, after, limit);
      expect(along).toEqual(await room.page(condition, few, after, limit));
    }),
    { numRuns: runs(150), seed: 21 },
  );
});

it('finds the same postings along the order as by the index', async () => {
  const room = jobs(service.sql, version);
  await fc.assert(
    fc.asyncProperty(
      Filters.oneOrMore(Filters.jobFilter(service.world.jobs)),
      Filters.oneOrMore(Filters.employerFilter(service.world.companies)),
      async (job, company) => {
        const body = request(searchJobs.request, { job, company });
        const condition = JobFilter.condition(body.job, body.company, service.clock.nowMs);
        let after: JobKeys | null = null;
        for (let page = 0; page < 3; page++) {
          const along = await room.page(condition, many, after, limit);
          expect(along).toEqual(await room.page(condition, few, after, limit));
          after = along.at(-1)?.keys ?? null;
        }
      },
    ),
    { numRuns: runs(100), seed: 22 },
  );
});

it('counts what only excludes as all the others', async () => {
  const room = jobs(service.sql, version);
  const count = async (title: object) => {
    const body = request(searchJobs.request, { job: { title } });
    return room.count(JobFilter.condition(body.job, null, service.clock.nowMs));
  };
  const [all, engineers, others] = [
    await count({}),
    await count({ include: ['Engineer'] }),
    await count({ exclude: ['Engineer'] }),
  ];
  expect(engineers).toBeGreaterThan(0);
  expect(others).toBe(all - engineers);
  expect(await count({ exclude: ['Engineer', 'Engineer'] })).toBe(others);
});
