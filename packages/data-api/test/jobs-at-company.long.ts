import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import type { JobEntry } from '../src/entries/job.ts';
import * as Filters from './support/arbitrary-filters.ts';
import * as Oracle from './support/oracle.ts';
import * as SampleService from './support/sample-service.ts';

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start();
});
afterAll(() => service.close());

const path = '/v2/jobs/company';
const ask = (body: object, key?: string) =>
  service.post(path, { company_network_url: SampleService.northwind, ...body }, key);
const cursorFault = [{ field: 'cursor', message: 'Invalid cursor. Omit it to start from the first page.' }];

function ofNorthwind(): JobEntry[] {
  return service.world.jobs.filter((job) => job.company_network_url === SampleService.northwind);
}

describe('paging', () => {
  it('visits every posting once, the newest first, with the same total on each page', async () => {
    const pages = await service.pages(path, { company_network_url: SampleService.northwind, max_results: 9 });
    const urls = pages.flatMap((page) => page.results.map((job: { url: string }) => job.url));
    const expected = Oracle.newestFirst(ofNorthwind()).map(
      (job) => `https://www.network.example/jobs/view/${job.id}`,
    );
    expect(urls).toEqual(expected);
    expect(expected.length).toBeGreaterThanOrEqual(60);
    expect(new Set(pages.map((page) => page.total_results))).toEqual(new Set([expected.length]));
    expect(pages.slice(0, -1).every((page) => page.results_length === 9)).toBe(true);
  });

  it('defaults to ten results and ends without a cursor when a page is exactly full', async () => {
    expect((await ask({})).body).toMatchObject({ results_length: 10, max_results: 10 });
    const total = ofNorthwind().length;
    const rest = await service.pages(path, {
      company_network_url: SampleService.northwind,
      max_results: total / 2,
    });
    expect(rest.map((page) => page.results_length)).toEqual([total / 2, total / 2]);
  });

  it('gives the same page again for the same cursor', async () => {
    const { cursor } = (await ask({ max_results: 4 })).body;
    const [once, again] = [await ask({ max_results: 4, cursor }), await ask({ max_results: 4, cursor })];
    expect(once.body.results_length).toBe(4);
    expect(again.body.results).toEqual(once.body.results);
    expect(again.body.cursor).toBe(once.body.cursor);
  });

  it('lets the page size change on the way', async () => {
    const first = await ask({ max_results: 3 });
    const second = await ask({ max_results: 50, cursor: first.body.cursor });
    expect(second.body.results_length).toBe(50);
  });

  it('refuses a cursor that was tampered with, or is of other filters, another key or other data', async () => {
    const job = { title: { include: ['Engineer'] } };
    const { cursor } = (await ask({ job, max_results: 2 })).body;
    const [payload, signature] = cursor.split('.');
    const forged = Buffer.from(JSON.stringify({ after: [0, 0], delivered: 0 })).toString('base64url');
    const attempts = [
      ask({ job, cursor: 'abc' }),
      ask({ job, cursor: `${payload}.${signature.slice(0, -2)}AA` }),
      ask({ job, cursor: `${forged}.${signature}` }),
      ask({ job, cursor: `${cursor}.` }),
      ask({ job: { title: { include: ['Analyst'] } }, cursor }),
      ask({ cursor }),
      ask({ job, cursor }, await service.issue()),
      ask({ job, cursor, company_network_url: 'https://www.network.example/company/quillon-software' }),
      service.post('/v2/company/tam-by-jobs', { job, cursor }),
    ];
    const before = await service.remaining();
    for (const answer of await Promise.all(attempts)) {
      expect(answer.status).toBe(422);
      expect(answer.body.errors).toEqual(cursorFault);
    }
    expect(await service.remaining()).toBe(before);
    expect((await ask({ job, cursor })).status).toBe(200);
    expect((await ask({ cursor: 'ab' })).body.errors[0].message).toBe('Must have at least 3 characters');
  });

  it('reads null and absence alike, so that the cursor of one serves the other', async () => {
    const { cursor } = (await ask({ max_results: 2, job: null, cursor: null })).body;
    const answer = await ask({ max_results: null, job: { title: null, location: { city: null } }, cursor });
    expect(answer.status).toBe(200);
  });
});

describe('the company', () => {
  it('is found by every form of its address', async () => {
    const forms = [
      'http://www.network.example/company/northwind-analytics/',
      'https://network.example/company/Northwind-Analytics?trk=x#about',
      'HTTPS://DE.Network.Example/company/northwind-analytics',
      'www.network.example/company/northwind-analytics',
      'https://www.network.example/company/7000001',
      'https://www.network.example/sales/company/7000001',
      'urn:nw:organization:7000001',
      'urn:nw:company:7000001',
    ];
    for (const company_network_url of forms) {
      expect((await ask({ company_network_url, max_results: 1 })).body.total_results).toBe(
        ofNorthwind().length,
      );
    }
  });

  it('is refused under every other form', async () => {
    const others = [
      '',
      'northwind-analytics',
      'https://www.network.example/in/someone',
      'https://network.example.evil.example/company/a',
      'https://a.b.network.example/company/a',
      'https://www.network.example/company/a/jobs',
      'https://www.network.example/company/%E0%A4%A',
      'https://www.network.example/company/a%00b',
      'urn:nw:person:7',
      'ftp://www.network.example/company/a',
    ];
    for (const company_network_url of others) {
      const answer = await ask({ company_network_url });
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0].field).toBe('company_network_url');
    }
  });

  it('has an empty list where it is not in the data', async () => {
    const { body } = await ask({ company_network_url: 'https://www.network.example/company/not-there' });
    expect(body).toMatchObject({ total_results: 0, results: [], results_length: 0, cursor: null });
  });
});

describe('filters', () => {
  it('match what a plain reading of the filter grammar matches', async () => {
    const jobs = ofNorthwind();
    await fc.assert(
      fc.asyncProperty(Filters.jobFilter(service.world.jobs), async (job) => {
        const pages = await service.pages(path, {
          company_network_url: SampleService.northwind,
          job,
          max_results: 50,
        });
        const found = pages
          .flatMap((page) => page.results.map((result: { url: string }) => result.url))
          .sort();
        const expected = jobs
          .filter((candidate) => Oracle.jobMatches(candidate, job, service.clock.nowMs))
          .map((candidate) => `https://www.network.example/jobs/view/${candidate.id}`)
          .sort();
        expect(found).toEqual(expected);
      }),
      { numRuns: runs(150), seed: 7 },
    );
  });

  it('take a bracketed title as the whole of it, but for case and accents', async () => {
    const [posting] = await service.sql<{ id: number }[]>`
      select id from direct.job where company_id is not null and title = 'Café Manager' limit 1`;
    expect(posting).toBeDefined();
    const count = async (include: string[]) => {
      const pages = await service.pages('/v2/company/tam-by-jobs', {
        job: { title: { include } },
        max_results: 50,
      });
      return pages.flatMap((page) => page.results).reduce((sum, result) => sum + result.matched_jobs, 0);
    };
    const whole = await count(['[Café Manager]']);
    expect(whole).toBeGreaterThan(0);
    expect(await count(['[CAFE  manager]'])).toBe(whole);
    expect(await count(['[manager café]'])).toBe(0);
    expect(await count(['manager café'])).toBeGreaterThan(whole);
  });

  it('widen nothing when a value cannot match', async () => {
    // U+037A is a letter that folding removes.
    for (const value of [
      '\u037a',
      '[\u037a]',
      "'); drop table direct.job; --",
      '\\',
      'a\u0000b',
      '!x & (y | z):*',
    ]) {
      const { status, body } = await ask({ job: { title: { include: [`${value} zzqx`, value] } } });
      if (status === 422) expect(body.errors[0].message).toBe('Must contain a letter or a digit');
      else expect(body.results).toEqual([]);
    }
  });
});

describe('dates', () => {
  it('counts days from the first page on, whatever the clock does between pages', async () => {
    const job = { date_posted: { last_days: 20 } };
    const expected = ofNorthwind().filter(
      (posting) => Date.parse(posting.posted_at) >= service.clock.nowMs - 20 * 86_400_000,
    );
    const first = await ask({ job, max_results: 5 });
    expect(first.body.total_results).toBe(expected.length);
    service.clock.nowMs += 20 * 86_400_000;
    try {
      const second = await ask({ job, max_results: 50, cursor: first.body.cursor });
      expect(second.body.results_length).toBe(expected.length - 5);
    } finally {
      service.clock.nowMs -= 20 * 86_400_000;
    }
  });

  it('are written in the local time of the job', async () => {
    const { body } = await ask({ job: { location: { country_code: { include: ['BR'] } } }, max_results: 1 });
    expect(body.results[0].date_posted).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d-03$/);
  });
});

it('cuts a query off after 5,000 postings and still counts them all', async () => {
  const [company] = await service.sql<{ id: number; slug: string }[]>`
    select id, slug from direct.company where slug = 'halden-energy'`;
  if (!company) throw new Error('no company');
  const [before] = await service.sql<{ total: number }[]>`
    select count(*) as total from direct.job where company_id = ${company.id}`;
  await service.sql`
    insert into direct.job
    select (jsonb_populate_record(j, jsonb_build_object('id', 9000000000 + n))).*
    from direct.job j, generate_series(1, 5100) n
    where j.id = (select min(id) from direct.job where company_id = ${company.id})`;
  const pages = await service.pages(path, {
    company_network_url: `https://www.network.example/company/${company.slug}`,
    max_results: 49,
  });
  const urls = pages.flatMap((page) => page.results.map((job: { url: string }) => job.url));
  expect(urls).toHaveLength(5_000);
  expect(new Set(urls).size).toBe(5_000);
  expect(pages.at(-1)?.total_results).toBe(5_100 + (before?.total ?? 0));
});
