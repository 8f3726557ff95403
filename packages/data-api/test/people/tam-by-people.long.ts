import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { people } from '../../src/adapters/people.ts';
import * as TamByPeople from '../../src/companies/tam-by-people.ts';
import type { CompanyEntry } from '../../src/entries/company.ts';
import * as AccountFilter from '../../src/filters/account-filter.ts';
import * as PersonFilter from '../../src/filters/person-filter.ts';
import * as Read from '../../src/schema/read.ts';
import type { Schema } from '../../src/schema/schema.ts';
import * as Filters from '../support/arbitrary-filters.ts';
import * as Oracle from '../support/oracle.ts';
import * as PeopleOracle from '../support/people-oracle.ts';
import * as SampleService from '../support/sample-service.ts';
import * as CallOperation from './call-operation.ts';

let service: SampleService.SampleService;
let companies: CompanyEntry[];
let employer: ReturnType<typeof PeopleOracle.employers>;
beforeAll(async () => {
  service = await SampleService.start();
  companies = Oracle.ordered(service.world.companies);
  employer = PeopleOracle.employers(companies);
});
afterAll(() => service.close());

const path = '/v2/company/tam-by-people';
type Filter = {
  company?: Oracle.CompanyFilter & { network_url?: string[] };
  people?: PeopleOracle.PersonFilter & { network_url?: string[]; min_per_company?: number };
};
type Expected = [url: string, matchedPeople: number];

function expected({ company: account = {}, people = {} }: Filter): Expected[] {
  const { network_url, min_per_company = 0, ...wanted } = people;
  const matching = service.world.people.filter(
    (person) =>
      PeopleOracle.personMatches(person, wanted) &&
      (!network_url || network_url.length === 0 || network_url.includes(person.network_url)) &&
      PeopleOracle.accountMatches(employer(person), account),
  );
  const counts = Map.groupBy(matching, employer);
  return companies.flatMap((company): Expected[] => {
    const count = counts.get(company)?.length ?? 0;
    return count >= Math.max(1, min_per_company) ? [[company.network_url, count]] : [];
  });
}

async function found(filter: Filter, maxResults = 50): Promise<Expected[]> {
  const pages = await service.pages(path, { ...filter, max_results: maxResults });
  expect(pages.every((page) => page.fair_usage.records_used === page.results_length)).toBe(true);
  return pages.flatMap((page) =>
    page.results.map(
      (result: SampleService.Body): Expected => [result.company.network_url, result.matched_people],
    ),
  );
}

it('lists every company with people once, the largest first, with their number', async () => {
  const all = await found({}, 17);
  expect(all).toEqual(expected({}));
  expect(all.length).toBeGreaterThan(100);
});

it('has no total', async () => {
  const { body } = await service.post(path, {});
  expect(Object.keys(body)).toEqual(['results', 'results_length', 'max_results', 'cursor', 'fair_usage']);
  expect(Object.keys(body.results[0])).toEqual(['company', 'matched_people']);
});

it('matches what a plain reading of the filter grammar matches', async () => {
  const filters = fc.record({
    people: fc
      .tuple(
        Filters.oneOrMore(PeopleOracle.personFilter(service.world.people)),
        fc.constantFrom({}, {}, { min_per_company: 2 }, { min_per_company: 5 }),
      )
      .map(([filter, floor]) => ({ ...filter, ...floor })),
    company: fc.oneof(fc.constant({}), Filters.oneOrMore(Filters.companyFilter(service.world.companies))),
  });
  await fc.assert(
    fc.asyncProperty(filters, async (filter) => {
      expect(await found(filter)).toEqual(expected(filter));
    }),
    { numRuns: runs(80), seed: 61 },
  );
});

it('counts only the very people and companies that are named, in any form', async () => {
  const [one, two, three] = expected({ people: { job_level: ['C-Team'] } }).map(([url]) => url);
  const some = service.world.people.slice(0, 40);
  const forms = some.map((person, index) =>
    index % 3 === 0
      ? person.network_url
      : index % 3 === 1
        ? `urn:nw:member:${person.member_number}`
        : `https://www.network.example/sales/lead/${person.sales_token},NAME_SEARCH,abcd`,
  );
  const named = { people: { network_url: some.map((person) => person.network_url) } };
  expect(await found({ people: { network_url: forms } })).toEqual(expected(named));
  const there = { company: { network_url: [one, two, three].filter((url) => url !== undefined) } };
  expect(await found(there)).toEqual(expected(there));
  expect(await found({ ...named, ...there })).toEqual(expected({ ...named, ...there }));
});

it('may fall short of a page under a high floor, and goes on until the cursor is null', async () => {
  const limits = {
    broadMin: 1,
    broadMinEach: 1,
    walkedMax: 50,
    gatheredMax: 0,
    fewCompaniesMax: 0,
    rangeRows: [60, 60],
    unsearchedFactor: 1,
  };
  const store = people(service.sql, CallOperation.version, limits);
  const filters = fc.record({
    people: Filters.oneOrMore(PeopleOracle.personFilter(service.world.people)),
    company: Filters.oneOrMore(Filters.companyFilter(service.world.companies)),
  });
  let short = 0;
  await fc.assert(
    fc.asyncProperty(filters, fc.constantFrom(0, 2, 6), async (filter, floor) => {
      const question = {
        people: PersonFilter.condition(value(PersonFilter.personFilter, filter.people)),
        accounts: AccountFilter.condition(value(AccountFilter.accountFilter, filter.company)),
        refs: [],
      };
      const employers: number[] = [];
      let after: number | null = -1;
      while (after !== null) {
        const page: Awaited<ReturnType<typeof store.employers>> = await store.employers(
          question,
          floor,
          after,
          7,
        );
        if (page.employers.length < 7 && page.resumeAfter !== null) short++;
        employers.push(...page.employers.map(({ matchedPeople }) => matchedPeople));
        after = page.resumeAfter;
      }
      const wanted = expected({ ...filter, people: { ...filter.people, min_per_company: floor } });
      expect(employers).toEqual(wanted.map(([, count]) => count));
    }),
    { numRuns: runs(30), seed: 62 },
  );
  expect(short).toBeGreaterThan(5);
});

it('ends at the ceiling without a word', async () => {
  const ask = await CallOperation.asker(service, TamByPeople.limitedTo(5));
  const first = await ask({ max_results: 3 });
  const second = await ask({ max_results: 3, cursor: first.cursor });
  expect(second).toMatchObject({ results_length: 2, cursor: null });
  const urls = [first, second].flatMap((page) =>
    page.results.map((one: SampleService.Body) => one.company.network_url),
  );
  expect(urls).toEqual(
    expected({})
      .slice(0, 5)
      .map(([url]) => url),
  );
});

describe('what is refused', () => {
  const many = Array.from({ length: 51 }, () => SampleService.northwind);
  it.each([
    [{ people: { min_per_company: 26 } }, 'people.min_per_company: Must be between 0 and 25'],
    [{ people: { min_per_company: 2.5 } }, 'people.min_per_company: Expected integer'],
    [
      { people: { network_url: ['https://www.network.example/pub/x'] } },
      'people.network_url[0]: Expected a person network URL such as https://www.network.example/in/<slug>, /sales/lead/<token>, or urn:nw:member:<number>',
    ],
    [{ people: { network_url: many } }, 'people.network_url: Must have at most 50 items'],
    [{ company: { network_url: many } }, 'company.network_url: Must have at most 50 items'],
    [
      { company: { is_agency: true } },
      expect.stringMatching(
        /^company: Unknown field "is_agency"\. Allowed fields: name, industry, .*, network_url$/,
      ),
    ],
  ])('%j', async (body, message) => {
    const answer = await service.post(path, body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((error: SampleService.Body) => `${error.field}: ${error.message}`)).toEqual(
      [message],
    );
  });
});

function value<T>(schema: Schema<T>, body: unknown): T {
  const reading = Read.read(schema, body);
  if (reading.kind !== 'valid') throw new Error('not valid');
  return reading.value;
}
