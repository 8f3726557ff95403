import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { companies } from '../../src/direct/adapters/companies.ts';
import { jobs } from '../../src/direct/adapters/jobs.ts';
import { search as searchCompanies } from '../../src/direct/companies/search.ts';
import * as CompanyFilter from '../../src/direct/filters/company-filter.ts';
import * as JobFilter from '../../src/direct/filters/job-filter.ts';
import type { JobKeys } from '../../src/direct/jobs/jobs.ts';
import { search as searchJobs } from '../../src/direct/jobs/search.ts';
import * as Read from '../../src/direct/schema/read.ts';
import type { Schema } from '../../src/direct/schema/schema.ts';
import * as Filters from './arbitrary-filters.ts';
import * as House from './house.ts';

let house: House.House;
let generation: number;
beforeAll(async () => {
  house = await House.open();
  const [row] = await house.sql<
    { generation: number }[]
  >`select generation from direct.generation where live`;
  generation = row?.generation ?? 0;
});
afterAll(() => house.close());

/** What a page is told of the total decides how it is looked for. The small world of tests would only go one way. */
const [many, few] = [1_000_000, 1];
const limit = 20;

function request(schema: Schema | null, body: object): House.Body {
  const reading = schema && Read.read(schema, body);
  if (reading?.kind !== 'valid') throw new Error('not a request');
  return reading.value;
}

it('finds the same companies along the order as by the index', async () => {
  const room = companies(house.sql, generation);
  const filters = Filters.oneOrMore(Filters.companyFilter(house.world.companies));
  await fc.assert(
    fc.asyncProperty(filters, fc.nat({ max: 300 }), async (filter, after) => {
      const { company } = request(searchCompanies.request, { company: filter });
      const condition = CompanyFilter.condition(company);
      const along = await room.page(condition, many, after, limit);
      expect(along).toEqual(await room.page(condition, few, after, limit));
    }),
    { numRuns: 150, seed: 21 },
  );
});

it('finds the same postings along the order as by the index', async () => {
  const room = jobs(house.sql, generation);
  await fc.assert(
    fc.asyncProperty(
      Filters.oneOrMore(Filters.jobFilter(house.world.jobs)),
      Filters.oneOrMore(Filters.employerFilter(house.world.companies)),
      async (job, company) => {
        const body = request(searchJobs.request, { job, company });
        const condition = JobFilter.condition(body.job, body.company, house.clock.nowMs);
        let after: JobKeys | null = null;
        for (let page = 0; page < 3; page++) {
          const along = await room.page(condition, many, after, limit);
          expect(along).toEqual(await room.page(condition, few, after, limit));
          after = along.at(-1)?.keys ?? null;
        }
      },
    ),
    { numRuns: 100, seed: 22 },
  );
});

it('counts what only excludes as all the others', async () => {
  const room = jobs(house.sql, generation);
  const count = async (title: object) => {
    const body = request(searchJobs.request, { job: { title } });
    return room.count(JobFilter.condition(body.job, null, house.clock.nowMs));
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
