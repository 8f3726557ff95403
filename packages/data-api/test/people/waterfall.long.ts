import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { liveStaff } from '../../src/data/live-staff.ts';
import type { PersonEntry } from '../../src/entries/person.ts';
import * as PeopleOracle from '../support/people-oracle.ts';
import * as SampleService from '../support/sample-service.ts';

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start();
});
afterAll(() => service.close());

const keyword = '/v2/search/waterfall-icp-keyword';
const realTime = '/api/search/waterfall-icp-real-time';

function peopleAt(company: string): PersonEntry[] {
  const employer = PeopleOracle.employers(service.world.companies);
  return service.world.people.filter((person) => employer(person)?.network_url === company);
}

/** The people whom the stand-in for a live source knows. */
function livePeopleAt(company: string): PersonEntry[] {
  const employer = service.world.companies.find(({ network_url }) => network_url === company);
  if (!employer) throw new Error('no such company');
  const hq = employer.hq && { ...employer.hq, country_name: null, region: null, continent: null };
  return liveStaff({ ...employer, hq }, peopleAt(company), service.clock.nowMs) as PersonEntry[];
}

const cascades = () =>
  fc.array(PeopleOracle.step(peopleAt(SampleService.northwind)), { minLength: 1, maxLength: 4 });
const sizes = fc.constantFrom(1, 3, 10, 100);

describe('by keyword', () => {
  it('fills the places from the first step down, nobody twice', async () => {
    const connections = fc.constantFrom(0, 50, 333.3, 500);
    await fc.assert(
      fc.asyncProperty(
        cascades(),
        connections,
        sizes,
        async (cascade, profile_min_connections, max_results) => {
          const connected = peopleAt(SampleService.northwind).filter(
            (person) =>
              (person.connections_count ?? -1) >= profile_min_connections || profile_min_connections === 0,
          );
          const expected = PeopleOracle.cascade(connected, cascade).slice(0, max_results);
          const { body } = await service.post(keyword, {
            company_network_url: SampleService.northwind,
            cascade,
            profile_min_connections,
            max_results,
          });
          expect(body).toMatchObject({
            company_network_url: SampleService.northwind,
            max_results,
            results_length: expected.length,
          });
          expect(body.fair_usage.records_used).toBe(expected.length);
          expect(
            body.results.map(({ icp, ranking, person }: SampleService.Body) => [
              icp,
              ranking,
              person.network_url,
            ]),
          ).toEqual(expected.map(({ icp, person }, index) => [icp, index + 1, person.network_url]));
        },
      ),
      { numRuns: runs(120), seed: 51 },
    );
  });

  it('has an answer with the whole person, and 10 of them unless told otherwise', async () => {
    const cascade = [{ include_title: ['Engineer'], location: ['WORLD'] }];
    const { body } = await service.post(keyword, { company_network_url: SampleService.northwind, cascade });
    expect(body.max_results).toBe(10);
    expect(Object.keys(body.results[0])).toEqual(['icp', 'ranking', 'person']);
    expect(body.results[0].person.experiences.length).toBeGreaterThan(0);
  });

  it('serves up to the balance', async () => {
    const key = await service.issue({ name: 'Test', requestsPerSecond: 1_000, recordsPerMonth: 2 });
    const body = { company_network_url: SampleService.northwind, cascade: [{ include_title: [] }] };
    expect((await service.post(keyword, body, key)).body).toMatchObject({
      results_length: 2,
      max_results: 10,
    });
    expect((await service.post(keyword, body, key)).status).toBe(402);
  });
});

describe('in real time', () => {
  it('stops at the first step that finds anybody', async () => {
    let later = 0;
    await fc.assert(
      fc.asyncProperty(cascades(), sizes, async (cascade, max_results) => {
        const all = PeopleOracle.cascade(livePeopleAt(SampleService.northwind), cascade);
        const expected = all.filter(({ icp }) => icp === all[0]?.icp).slice(0, max_results);
        if ((all[0]?.icp ?? 1) > 1) later++;
        const before = await service.remaining();
        const { body } = await service.post(realTime, {
          company_network_url: SampleService.northwind,
          cascade,
          max_results,
        });
        expect(
          body.results.map(({ icp, ranking, basic_info }: SampleService.Body) => [
            icp,
            ranking,
            basic_info.profile_url,
          ]),
        ).toEqual(expected.map(({ icp, person }, index) => [icp, index + 1, person.network_url]));
        expect(before - (await service.remaining())).toBe(expected.length);
      }),
      { numRuns: 120, seed: 52 },
    );
    expect(later).toBeGreaterThan(5);
  });

  it('tells what was used in headers alone', async () => {
    const answer = await service.post(realTime, {
      company_network_url: SampleService.northwind,
      cascade: [{ include_title: ['Engineer'] }],
      max_results: 3,
    });
    expect(Object.keys(answer.body)).toEqual([
      'company_network_url',
      'max_results',
      'results_length',
      'results',
    ]);
    expect(answer.headers.get('x-records-used')).toBe('3');
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('leaves out of a profile what is not known, and says what was found where', async () => {
    const [someone] = PeopleOracle.ordered(livePeopleAt(SampleService.northwind)).filter((person) =>
      person.headline?.startsWith(`${PeopleOracle.titleOf(person)} |`),
    );
    if (!someone) throw new Error('not in this world');
    const title = PeopleOracle.titleOf(someone) ?? '';
    const [word = ''] = title.split(' ');
    const { body } = await service.post(realTime, {
      company_network_url: SampleService.northwind,
      cascade: [
        { include_title: [word, `[${title.toUpperCase()}]`, 'Zoologist'], include_headline_search: true },
      ],
      max_results: 100,
    });
    const found = body.results.find(
      (result: SampleService.Body) => result.basic_info.profile_url === someone.network_url,
    );
    expect(found.what_matched).toEqual([
      { value: word, key: 'job_title' },
      { value: `[${title.toUpperCase()}]`, key: 'job_title' },
      { value: word, key: 'headline' },
    ]);
    expect(found.basic_info).toMatchObject({
      fullname: someone.full_name,
      public_identifier: someone.network_url.split('/').at(-1),
      urn: `urn:nw:fsd_profile:${someone.profile_token}`,
      headline: someone.headline,
      current_company: 'Northwind Analytics',
      current_company_url: SampleService.northwind,
      email: someone.profile_email,
    });
    const present = found.experience.find((position: SampleService.Body) => position.is_current);
    expect(present).toMatchObject({ company_network_url: SampleService.northwind, title });
    expect(present.duration).toMatch(/^(\d+ yrs?)?( ?\d+ mos?)?$/);
    expect(present).not.toHaveProperty('end_date');
    expect(JSON.stringify({ ...found, basic_info: { ...found.basic_info, email: '' } })).not.toContain(
      'null',
    );
  });

  it('is allowed and limited under its own name', async () => {
    const body = {
      company_network_url: SampleService.northwind,
      cascade: [{ include_title: ['x'] }],
      max_results: 1,
    };
    const allowed = await service.issue(SampleService.unlimited, ['/api/search/waterfall-icp-real-time']);
    expect((await service.post(realTime, body, allowed)).status).toBe(200);
    const other = await service.post(keyword, body, allowed);
    expect(other.status).toBe(402);
    expect(other.body.message).toContain('/v2/search/waterfall-icp-keyword');
  });
});

describe('both', () => {
  it.each([keyword, realTime])(
    '%s finds nobody, for nothing, at a company that is not there',
    async (path) => {
      const url = 'https://www.network.example/company/nobody';
      const before = await service.remaining();
      const { body } = await service.post(path, {
        company_network_url: url,
        cascade: [{ include_title: [] }],
        max_results: 5,
      });
      expect(body).toMatchObject({
        company_network_url: url,
        max_results: 5,
        results_length: 0,
        results: [],
      });
      expect(await service.remaining()).toBe(before);
    },
  );

  const step = { include_title: ['CEO'] };
  const good = { company_network_url: SampleService.northwind, cascade: [step], max_results: 1 };
  const many = Array.from({ length: 51 }, (_, index) => `value ${index}`);
  it.each([
    [{ ...good, cascade: [] }, 'cascade: Must have at least 1 item'],
    [{ ...good, cascade: Array(11).fill(step) }, 'cascade: Must have at most 10 items'],
    [{ ...good, cascade: null }, 'cascade: Required'],
    [{ ...good, cascade: [{}] }, 'cascade[0].include_title: Required'],
    [
      { ...good, cascade: [step, { include_title: many }] },
      'cascade[1].include_title: Must have at most 50 items',
    ],
    [
      { ...good, cascade: [{ ...step, exclude_title: many }] },
      'cascade[0].exclude_title: Must have at most 50 items',
    ],
    [
      { ...good, cascade: [{ ...step, location: ['USA'] }] },
      'cascade[0].location[0]: Invalid country code "USA". Did you mean "US"? WORLD means anywhere',
    ],
    [
      { ...good, cascade: [{ ...step, include_headline: true }] },
      'cascade[0]: Unknown field "include_headline". Allowed fields: include_title, exclude_title, location, include_headline_search',
    ],
    [{ ...good, max_results: 101 }, 'max_results: Must be between 1 and 100'],
    [
      { ...good, company_network_url: 'https://www.network.example/school/x' },
      'company_network_url: Expected a company network URL such as https://www.network.example/company/<slug>, or urn:nw:organization:<number>',
    ],
  ])('refuse %j', async (body, message) => {
    for (const path of [keyword, realTime]) {
      const answer = await service.post(path, body);
      expect(answer.status).toBe(422);
      expect(
        answer.body.errors.map((error: SampleService.Body) => `${error.field}: ${error.message}`),
      ).toEqual([message]);
    }
  });

  it('ask for the company as a URI and for a size only in real time', async () => {
    const bare = { ...good, company_network_url: 'network.example/company/northwind-analytics' };
    expect((await service.post(keyword, bare)).status).toBe(200);
    expect((await service.post(realTime, bare)).status).toBe(422);
    const { max_results: _, ...unsized } = good;
    expect((await service.post(keyword, unsized)).status).toBe(200);
    expect((await service.post(realTime, unsized)).body.errors).toEqual([
      { field: 'max_results', message: 'Required' },
    ]);
  });
});
