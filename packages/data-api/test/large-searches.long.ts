import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as Waits from '../../../test/support/waits.ts';
import * as Config from '../src/config.ts';
import * as JobFilter from '../src/filters/job-filter.ts';
import * as PersonFilter from '../src/filters/person-filter.ts';
import * as SearchCost from '../src/filters/search-cost.ts';
import * as SplitSearch from '../src/filters/split-search.ts';
import * as Tsquery from '../src/filters/tsquery.ts';
import { operations } from '../src/http/operations.ts';
import * as Read from '../src/schema/read.ts';
import type { Schema } from '../src/schema/schema.ts';
import * as LargeSearches from '../src/usage/large-searches.ts';
import { fitted, heavyBodies } from './support/heavy-bodies.ts';
import * as SampleService from './support/sample-service.ts';

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start();
});
afterAll(() => service.close());

function valid<T>(schema: Schema<T>, body: unknown): T {
  const reading = Read.read(schema, body);
  if (reading.kind === 'invalid') throw new Error(JSON.stringify(reading.faults));
  return reading.value;
}

describe('a search with many terms', () => {
  const words = [
    'engineer',
    'manager',
    'data',
    'senior',
    'sales',
    'head',
    'director',
    'analyst',
    'lead',
    'of',
  ];
  const values = [...words, ...words.flatMap((one) => words.map((other) => `${one} ${other}`))].slice(0, 50);

  it.each([
    ['exclusions', { exclude: values }],
    ['alternatives', { include: values.slice(10) }],
    ['both', { include: values.slice(10), exclude: values.slice(45) }],
  ])('finds the same people with %s as one query for the whole search', async (_, titles) => {
    const filter = { job_title: { ...titles, include_network_headline: true } };
    const { search } = PersonFilter.condition(valid(PersonFilter.personFilter, filter));
    expect(SplitSearch.isLarge(search)).toBe(true);
    const rows = await service.sql`
      select p.slug from direct.person p where p.search @@ ${Tsquery.indexed(search)}::tsquery order by p.id`;
    const pages = await service.pages('/v2/search/people', { people: filter, max_results: 50 });
    const slugs = pages.flatMap(({ results }) =>
      results.map(({ network_url }: { network_url: string }) => network_url.split('/').at(-1)),
    );
    expect(pages[0].total_results).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(50);
    expect(slugs).toEqual(rows.map(({ slug }) => slug));
  });

  it('finds the same postings and companies', async () => {
    const filter = { ai_keywords: { exclude: ['forecasting', ...values.slice(10, 40)] } };
    const { search } = JobFilter.condition(valid(JobFilter.jobFilter, filter), null, 0);
    expect(SplitSearch.isLarge(search)).toBe(true);
    const [row] = await service.sql`
      select count(*)::int as jobs, count(distinct company_id)::int as companies
      from direct.job j where j.search @@ ${Tsquery.indexed(search)}::tsquery`;
    const { body } = await service.post('/v2/jobs/search', { job: filter });
    expect(body.total_results).toBe(row?.jobs);
    expect(row?.jobs).toBeGreaterThan(0);
    const pages = await service.pages('/v2/company/tam-by-jobs', { job: filter, max_results: 50 });
    expect(pages.flatMap(({ results }) => results)).toHaveLength(row?.companies);
  });

  it('is split into parts that mean the same, whatever the search', async () => {
    const list = fc.array(fc.constantFrom(...values, "O'Neil \\ (a|b) & !c"), { maxLength: 30 });
    const searches = fc
      .sample(fc.record({ include: list, exclude: list }), 60)
      .map((titles) =>
        Tsquery.all([
          PersonFilter.titles(titles, true),
          Tsquery.includeExclude({ include: titles.exclude }, Tsquery.phrase(['e1', 'e2'])),
          Tsquery.none([Tsquery.lexeme('v=Other'), Tsquery.lexeme('c=US')]),
        ]),
      );
    for (const search of searches) {
      if (search === null) continue;
      const { main, groups, excluded } = SplitSearch.split(search);
      const all = [main, ...groups.map((parts) => Tsquery.any(parts)), Tsquery.none(excluded)];
      const [row] = await service.sql`
        select count(*)::int as differing from direct.person p
        where (p.search @@ ${search}::tsquery) <> (p.search @@ ${Tsquery.all(all) ?? ''}::tsquery)`;
      expect(row?.differing, search).toBe(0);
    }
  });
});

describe('the limits', () => {
  it('refuse too many terms by the field that has most of them, and use no records', async () => {
    const before = await service.remaining();
    const schools = Array.from({ length: 50 }, (_, index) => `University of the City number ${index}`);
    const { status, body } = await service.post('/v2/search/people', {
      people: { job_title: { include: ['CEO'] }, education: { include: schools } },
    });
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      {
        field: 'people.education.include',
        message: expect.stringContaining('The search has 6,002 terms, but at most 4,000 are allowed'),
      },
    ]);
    expect(body.errors[0].message).toContain('Send fewer or shorter values');
    expect(await service.remaining()).toBe(before);
  });

  it('let every list of plain values at its maximum length pass', async () => {
    const body = {
      people: {
        job_title: { include: Array(50).fill('Head of Sales'), exclude: Array(50).fill('Sales Intern') },
        location: { city: { include: Array(50).fill('New York') } },
        education: { include: Array(50).fill('Stanford University') },
      },
      company: {
        keywords: { include: Array(50).fill('SaaS software') },
        hq: { country_code: Array(50).fill('us') },
      },
    };
    expect((await service.post('/v2/search/people', body)).status).toBe(200);
  });

  it('answer or refuse the worst bodies of every search operation within two seconds', async () => {
    const before = await service.remaining();
    let used = 0;
    for (const heavy of heavyBodies.filter(({ name }) =>
      /only exclusions$|one common word|waterfall/.test(name),
    )) {
      const { max_results: _, ...body } = fitted(heavy, Config.searchTermsMaxDefault) as {
        max_results: number;
      };
      for (const each of [heavy.body, { ...body, max_results: 1 }]) {
        const startMs = performance.now();
        const { status, body: answer } = await service.post(heavy.path, each);
        expect(performance.now() - startMs, heavy.name).toBeLessThan(Waits.busyFactor * 2_000);
        expect([200, 422], `${heavy.name}: ${JSON.stringify(answer).slice(0, 300)}`).toContain(status);
        if (status === 200) used += answer.results_length;
      }
    }
    expect(await service.remaining()).toBe(before - used);
  });

  it('count no fewer terms than the search has, also where one character is folded to many words', () => {
    const folded = Array.from({ length: 39 }, (_, index) => `${index} ${'\u3300\u3302\u3303 '.repeat(20)}`);
    const doubled = Array.from({ length: 20 }, (_, index) => `a b${index}b a c${index}c`);
    const disguised = [folded, doubled].map((exclude) => ({
      path: '/v2/search/people',
      body: { people: { job_title: { exclude } } },
    }));
    for (const { path, body } of [...heavyBodies, ...disguised].filter(
      ({ path }) => path === '/v2/search/people',
    )) {
      const request = operations.find((operation) => operation.path === path)?.request as Schema;
      const { people } = valid(request, body) as { people: PersonFilter.PersonFilter };
      expect(SearchCost.of(request, { people }).terms).toBeGreaterThanOrEqual(
        SplitSearch.terms(PersonFilter.condition(people).search),
      );
    }
  });

  it('leave small searches alone while large ones are running', async () => {
    const large = {
      people: { job_title: { exclude: Array.from({ length: 50 }, (_, index) => `engineer ${index}`) } },
    };
    const answers = await Promise.all([
      ...Array.from({ length: 30 }, () => service.post('/v2/search/people', large)),
      ...Array.from({ length: 30 }, () =>
        service.post('/v2/search/people', { people: { job_title: { include: ['Engineer'] } } }),
      ),
    ]);
    expect(answers.slice(30).map(({ status }) => status)).toEqual(Array(30).fill(200));
    for (const { status, headers, body } of answers.slice(0, 30)) {
      expect([200, 429]).toContain(status);
      if (status === 429) {
        expect(headers.get('retry-after')).toBe('1');
        expect(body.message).toMatch(/^Too many large searches at the same time/);
      }
    }
  });

  it('run two large searches at a time and refuse those that would wait too long', async () => {
    const slots = LargeSearches.createSlots();
    const ends = Promise.withResolvers<string>();
    const running = [1, 2].map(() => LargeSearches.inSlot(slots, () => ends.promise));
    const waiting = Array.from({ length: 9 }, () => LargeSearches.inSlot(slots, async () => 'ran'));
    await expect(waiting[8]).rejects.toThrow('busy');
    ends.resolve('done');
    expect(await Promise.all([...running, ...waiting.slice(0, 8)])).toEqual([
      'done',
      'done',
      ...Array(8).fill('ran'),
    ]);
    expect(slots.running).toBe(0);
    await expect(LargeSearches.inSlot(slots, () => Promise.reject(new Error('failed')))).rejects.toThrow(
      'failed',
    );
    expect(slots.running).toBe(0);
  });

  it('refuse a large search that takes too long by its field, and no other error', async () => {
    const cost = { terms: 500, largest: { field: 'job.title.include', terms: 400 } };
    const large = {
      data: null,
      termsMax: 1_000,
      slots: LargeSearches.createSlots(),
      isTimeLimit: (error: unknown) => error instanceof RangeError,
    };
    const slow = LargeSearches.run(large, cost, () => Promise.reject(new RangeError('too long')));
    await expect(slow).rejects.toMatchObject({
      reason: {
        kind: 'invalid',
        faults: [{ field: 'job.title.include', message: expect.stringContaining('took too long') }],
      },
    });
    await expect(LargeSearches.run(large, cost, () => Promise.reject(new Error('other')))).rejects.toThrow(
      'other',
    );
  });

  it('are settings', () => {
    const database = { DATABASE_URL: 'postgres://localhost/x' };
    expect(Config.read(database)).toMatchObject({ searchTermsMax: 4_000, largeSearchMs: 1_000 });
    const own = { DIRECT_SEARCH_TERMS_MAX: '20000', DIRECT_LARGE_SEARCH_MS: '3000' };
    expect(Config.read({ ...database, ...own })).toMatchObject({
      searchTermsMax: 20_000,
      largeSearchMs: 3_000,
    });
    expect(() => Config.read({ ...database, DIRECT_SEARCH_TERMS_MAX: '3' })).toThrow('from 500 to 100000');
    expect(() => Config.read({ ...database, DIRECT_LARGE_SEARCH_MS: '1s' })).toThrow('from 10 to 60000');
  });
});
