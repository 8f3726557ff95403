import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import * as DataSet from '../../src/adapters/data-set.ts';
import { people } from '../../src/adapters/people.ts';
import type { PersonEntry } from '../../src/entries/person.ts';
import * as AccountFilter from '../../src/filters/account-filter.ts';
import * as PersonFilter from '../../src/filters/person-filter.ts';
import * as PersonUrl from '../../src/filters/person-url.ts';
import * as Search from '../../src/people/search.ts';
import * as Read from '../../src/schema/read.ts';
import type { Schema } from '../../src/schema/schema.ts';
import * as Filters from '../support/arbitrary-filters.ts';
import type * as Oracle from '../support/oracle.ts';
import * as PeopleOracle from '../support/people-oracle.ts';
import * as SampleService from '../support/sample-service.ts';
import * as CallOperation from './call-operation.ts';

let service: SampleService.SampleService;
let everyone: PersonEntry[];
let employer: ReturnType<typeof PeopleOracle.employers>;
beforeAll(async () => {
  service = await SampleService.start();
  everyone = PeopleOracle.ordered(service.world.people);
  employer = PeopleOracle.employers(service.world.companies);
});
afterAll(() => service.close());

const path = '/v2/search/people';
type Filter = {
  company?: Oracle.CompanyFilter & { network_url?: string[] };
  people?: PeopleOracle.PersonFilter;
};
const urlsOf = (pages: SampleService.Body[]): string[] =>
  pages.flatMap((page) => page.results.map((result: { network_url: string }) => result.network_url));

function expected({ company = {}, people = {} }: Filter): PersonEntry[] {
  return everyone.filter(
    (person) =>
      PeopleOracle.personMatches(person, people) && PeopleOracle.accountMatches(employer(person), company),
  );
}
const urls = (people: readonly PersonEntry[]) => people.map((person) => person.network_url);

/** Expects exactly these people: their number, and the first of them on two pages. */
async function expectFound(filter: Filter, people: readonly PersonEntry[]): Promise<void> {
  const first = (await service.post(path, { ...filter, max_results: 50 })).body;
  const { cursor } = first;
  const pages = [
    first,
    ...(cursor ? [(await service.post(path, { ...filter, max_results: 50, cursor })).body] : []),
  ];
  expect(pages.map((page) => page.total_results)).toEqual(pages.map(() => people.length));
  expect(urlsOf(pages)).toEqual(urls(people.slice(0, 100)));
}

describe('paging', () => {
  it('visits everyone once, the best connected first, in pages that are full', async () => {
    const pages = await service.pages(path, { max_results: 49 });
    expect(urlsOf(pages)).toEqual(urls(expected({})));
    expect(pages.slice(0, -1).every((page) => page.results_length === 49)).toBe(true);
    expect(pages.every((page) => page.total_results === service.world.people.length)).toBe(true);
    expect(pages.every((page) => page.fair_usage.records_used === page.results_length)).toBe(true);
  });

  it('costs nothing where nobody is found', async () => {
    const { body } = await service.post(path, { people: { job_title: { include: ['Lighthouse Keeper'] } } });
    expect(body).toMatchObject({ total_results: 0, results: [], results_length: 0, cursor: null });
    expect(body.fair_usage.records_used).toBe(0);
  });

  it('ends at the ceiling without a word, while the total counts on', async () => {
    const ask = await CallOperation.asker(service, Search.limitedTo(7));
    const first = await ask({ max_results: 5 });
    expect(first).toMatchObject({ results_length: 5, total_results: service.world.people.length });
    const second = await ask({ max_results: 5, cursor: first.cursor });
    expect(second).toMatchObject({
      results_length: 2,
      total_results: service.world.people.length,
      cursor: null,
    });
    expect(urlsOf([first, second])).toEqual(urls(expected({})).slice(0, 7));
  });

  it('goes on in the data that it began in, without gaps or repeats, when others take their place', async () => {
    const filter = { people: { location: { continent: ['Europe'] } }, max_results: 50 };
    const first = (await service.post(path, filter)).body;
    const before = urls(expected(filter));
    const kept = service.world.people.filter((_, index) => index % 2 === 0);
    const load = { given: { people: kept }, digests: {}, nowMs: service.clock.nowMs };
    await DataSet.load(service.sql, load);
    const pages = [first];
    for (let cursor = first.cursor; cursor !== null; cursor = pages.at(-1).cursor) {
      pages.push((await service.post(path, { ...filter, cursor })).body);
    }
    expect(urlsOf(pages)).toEqual(before);
    // A new query uses the new data as soon as the program has been notified.
    const after = urls(
      PeopleOracle.ordered(kept).filter((one) => PeopleOracle.personMatches(one, filter.people)),
    );
    for (;;) {
      const { body } = await service.post(path, filter);
      if (body.total_results !== before.length) {
        expect(body.total_results).toBe(after.length);
        expect(urlsOf([body])).toEqual(after.slice(0, 50));
        break;
      }
    }
    await DataSet.load(service.sql, { ...load, given: { people: service.world.people } });
    while ((await service.post(path, filter)).body.total_results !== before.length);
  });

  it('refuses the cursor of other filters', async () => {
    const { cursor } = (await service.post(path, { max_results: 1 })).body;
    const other = await service.post(path, { cursor, people: { job_level: ['VP'] } });
    expect(other.status).toBe(422);
    expect(other.body.errors[0].field).toBe('cursor');
  });

  it('serves up to the balance and takes it up again where it ended', async () => {
    const key = await service.issue({ name: 'Test', requestsPerSecond: 1_000, recordsPerMonth: 3 });
    const { body } = await service.post(path, { max_results: 10 }, key);
    expect(urlsOf([body])).toEqual(urls(expected({})).slice(0, 3));
    expect(body.cursor).not.toBeNull();
    expect((await service.post(path, { cursor: body.cursor }, key)).status).toBe(402);
  });
});

describe('filters', () => {
  it('match what a plain reading of the filter grammar matches', async () => {
    const filters = fc.record({
      people: Filters.oneOrMore(PeopleOracle.personFilter(service.world.people)),
      company: fc.oneof(fc.constant({}), Filters.oneOrMore(Filters.companyFilter(service.world.companies))),
    });
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const wanted = expected(filter);
        if (wanted.length > 0) hits++;
        await expectFound(filter, wanted);
      }),
      { numRuns: 100, seed: 31 },
    );
    expect(hits).toBeGreaterThan(25);
  });

  it('match the same whichever way people are looked for', async () => {
    const ways = [
      { broadMin: 1, walkedMax: 40, fewCompaniesMax: 0 },
      { broadMin: 1, walkedMax: 100_000, fewCompaniesMax: 0 },
      { broadMin: 100_000, walkedMax: 1, fewCompaniesMax: 0 },
      { broadMin: 100_000, walkedMax: 1, fewCompaniesMax: 100_000 },
    ].map((limits) =>
      people(service.sql, CallOperation.version, {
        ...limits,
        broadMinEach: limits.broadMin,
        gatheredMax: 0,
        rangeRows: [1],
        unsearchedFactor: 1,
      }),
    );
    const filters = fc.record({
      people: Filters.oneOrMore(PeopleOracle.personFilter(service.world.people)),
      company: Filters.oneOrMore(Filters.companyFilter(service.world.companies)),
    });
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const question = {
          people: PersonFilter.condition(value(PersonFilter.personFilter, filter.people)),
          accounts: AccountFilter.condition(value(AccountFilter.accountFilter, filter.company)),
          refs: [],
        };
        const wanted = urls(expected(filter));
        for (const way of ways) {
          const total = await way.count(question);
          expect(total).toBe(wanted.length);
          const page = await way.page(question, total, -1, 5);
          expect(page.map(({ record }) => record.network_url)).toEqual(wanted.slice(0, 5));
        }
      }),
      { numRuns: runs(50), seed: 32 },
    );
  });

  it('find a bracketed title only as a whole, whatever its case and accents', async () => {
    const engineers = expected({ people: { job_title: { include: ['Engineer'] } } });
    const title = engineers.map(PeopleOracle.titleOf).find((text) => text?.includes(' ')) ?? fail();
    const loud = `[${title.toUpperCase().replaceAll('E', 'É')}]`;
    const exact = expected({}).filter((person) => PeopleOracle.titleOf(person) === title);
    expect(exact.length).toBeLessThan(engineers.length);
    await expectFound({ people: { job_title: { include: [loud] } } }, exact);
    const mixed = { people: { job_title: { include: [loud, 'Nurse'] } } };
    await expectFound(mixed, expected(mixed));
  });

  it('look into the headline only where told to, for what is excluded too', async () => {
    const isSpeaker = (person: PersonEntry) => / \| Speaker \| /.test(person.headline ?? '');
    const [speakers, others] = [
      expected({}).filter(isSpeaker),
      expected({}).filter((one) => !isSpeaker(one)),
    ];
    expect(speakers.length).toBeGreaterThan(0);
    const withHeadline = { include_network_headline: true };
    await expectFound({ people: { job_title: { include: ['Speaker'] } } }, []);
    await expectFound({ people: { job_title: { include: ['Speaker'], ...withHeadline } } }, speakers);
    await expectFound({ people: { job_title: { exclude: ['Speaker'], ...withHeadline } } }, others);
  });

  it('put those without a company under the industry Unknown', async () => {
    const isUnknown = (person: PersonEntry) => (employer(person)?.industry ?? null) === null;
    expect(expected({}).some((person) => employer(person) === null)).toBe(true);
    await expectFound({ company: { industry: { include: ['Unknown'] } } }, expected({}).filter(isUnknown));
    const known = expected({}).filter((person) => !isUnknown(person));
    await expectFound({ company: { industry: { exclude: ['Unknown'] } } }, known);
  });

  it('take education as one entry at a time, in any order of the words', async () => {
    const [one, other] = expected({})
      .map((person) => person.education ?? [])
      .find(
        (entries) =>
          entries.length === 2 && entries[0]?.end_date?.slice(0, 4) !== entries[1]?.start_date?.slice(0, 4),
      ) ?? [fail(), fail()];
    const within = `${one?.end_date?.slice(0, 4)} ${one?.school_name}`;
    const across = `${one?.school_name} ${other?.start_date?.slice(0, 4)}`;
    for (const value of [within, across]) {
      const filter = { people: { education: { include: [value] } } };
      await expectFound(filter, expected(filter));
    }
    const without = expected({ people: { education: { exclude: [within] } } });
    expect(without.length).toBeLessThan(service.world.people.length);
    await expectFound({ people: { education: { exclude: [within] } } }, without);
  });

  it('find nobody by a field that is not known of them', async () => {
    const everyLevel = ['C-Team', 'Director', 'Manager', 'Other', 'Staff', 'VP'];
    const told = expected({}).filter((person) => person.job_level !== null);
    expect(told.length).toBeLessThan(service.world.people.length);
    await expectFound({ people: { job_level: everyLevel } }, told);
  });

  it('name companies by any form of their address, those that are not there too', async () => {
    const company = service.world.companies.find(
      ({ network_url }) => network_url === SampleService.northwind,
    );
    const nobody = 'https://www.network.example/company/nobody';
    const there = expected({ company: { network_url: [SampleService.northwind] } });
    for (const form of [
      SampleService.northwind,
      'network.example/company/Northwind-Analytics/?trk=x',
      `urn:nw:organization:${company?.network_id}`,
    ]) {
      await expectFound({ company: { network_url: [form, nobody] } }, there);
    }
    await expectFound({ company: { network_url: [nobody] } }, []);
  });

  it('are refused with the field to shorten when they have too many terms', async () => {
    const words = Array.from(
      { length: 50 },
      (_, index) => `${index} ${'a b c d e f g h i j k l m '.repeat(7)}`,
    );
    const leaf = { include: words, exclude: words };
    const { status, body } = await service.post(path, {
      company: { name: leaf, keywords: leaf, lead_investors: leaf, hq: { city: leaf, state: leaf } },
      people: {
        job_title: { ...leaf, include_network_headline: true },
        location: { city: leaf },
        education: leaf,
      },
    });
    expect(status).toBe(422);
    expect(body.errors[0].field).toBe('company.lead_investors.include');
    expect(body.errors[0].message).toContain('at most 4,000 are allowed');
  });
});

describe('a person', () => {
  it('comes with the whole career, and null for what is not known', async () => {
    const [first] = expected({ company: { network_url: [SampleService.northwind] } });
    const { body } = await service.post(path, {
      company: { network_url: [SampleService.northwind] },
      max_results: 1,
    });
    expect(body.results[0]).toMatchObject({
      network_url: first?.network_url,
      connections_count: first?.connections_count,
      headline: first && PeopleOracle.headlineOf(first),
      profile_picture_url: null,
    });
    expect(body.results[0].experiences).toHaveLength(first?.experiences.length ?? -1);
    expect(PersonUrl.person(body.results[0].network_url)?.kind).toBe('slug');
  });
});

describe('what is refused', () => {
  const many = Array.from({ length: 51 }, (_, index) => `value ${index}`);
  it.each([
    [
      { people: { network_url: [] } },
      'people: Unknown field "network_url". Allowed fields: job_title, job_function, job_level, min_connections, location, education',
    ],
    [{ people: { jobLevel: ['VP'] } }, 'people: Unknown field "jobLevel". Did you mean "job_level"?'],
    [{ people: { job_level: ['vp'] } }, 'people.job_level[0]: Invalid value "vp". Did you mean "VP"?'],
    [{ people: { job_title: { include: many } } }, 'people.job_title.include: Must have at most 50 items'],
    [{ people: { job_function: many } }, 'people.job_function: Must have at most 50 items'],
    [{ company: { network_url: many } }, 'company.network_url: Must have at most 50 items'],
    [{ people: { min_connections: 501 } }, 'people.min_connections: Must be between 0 and 500'],
    [
      { people: { location: { country_code: ['USA'] } } },
      'people.location.country_code[0]: Invalid country code "USA". Did you mean "US"?',
    ],
    [
      { company: { network_url: ['https://www.network.example/in/somebody'] } },
      'company.network_url[0]: Expected a company network URL such as https://www.network.example/company/<slug>, or urn:nw:organization:<number>',
    ],
    [{ company: { revenue: { min: 5, max: 4 } } }, 'company.revenue: min must not be greater than max'],
    [{ max_results: 51 }, 'max_results: Must be between 1 and 50'],
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
  return reading.kind === 'valid' ? reading.value : fail();
}

function fail(): never {
  throw new Error('not in this world');
}
