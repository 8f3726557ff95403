import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PersonEntry } from '../../../src/direct/entries/person.ts';
import * as House from '../house.ts';
import * as PeopleOracle from '../people-oracle.ts';

let house: House.House;
beforeAll(async () => {
  house = await House.open();
});
afterAll(() => house.close());

const keyword = '/v2/search/waterfall-icp-keyword';
const realTime = '/api/search/waterfall-icp-real-time';

function peopleAt(company: string): PersonEntry[] {
  const employer = PeopleOracle.employers(house.world.companies);
  return house.world.people.filter((person) => employer(person)?.network_url === company);
}

const cascades = () => fc.array(PeopleOracle.step(peopleAt(House.northwind)), { minLength: 1, maxLength: 4 });
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
          const connected = peopleAt(House.northwind).filter(
            (person) =>
              (person.connections_count ?? -1) >= profile_min_connections || profile_min_connections === 0,
          );
          const expected = PeopleOracle.cascade(connected, cascade).slice(0, max_results);
          const { body } = await house.post(keyword, {
            company_network_url: House.northwind,
            cascade,
            profile_min_connections,
            max_results,
          });
          expect(body).toMatchObject({
            company_network_url: House.northwind,
            max_results,
            results_length: expected.length,
          });
          expect(body.fair_usage.records_used).toBe(expected.length);
          expect(
            body.results.map(({ icp, ranking, person }: House.Body) => [icp, ranking, person.network_url]),
          ).toEqual(expected.map(({ icp, person }, index) => [icp, index + 1, person.network_url]));
        },
      ),
      { numRuns: 120, seed: 51 },
    );
  });

  it('has an answer with the whole person, and 10 of them unless told otherwise', async () => {
    const cascade = [{ include_title: ['Engineer'], location: ['WORLD'] }];
    const { body } = await house.post(keyword, { company_network_url: House.northwind, cascade });
    expect(body.max_results).toBe(10);
    expect(Object.keys(body.results[0])).toEqual(['icp', 'ranking', 'person']);
    expect(body.results[0].person.experiences.length).toBeGreaterThan(0);
  });

  it('serves up to the balance', async () => {
    const key = await house.issue({ name: 'Test', requestsPerSecond: 1_000, recordsPerMonth: 2 });
    const body = { company_network_url: House.northwind, cascade: [{ include_title: [] }] };
    expect((await house.post(keyword, body, key)).body).toMatchObject({ results_length: 2, max_results: 10 });
    expect((await house.post(keyword, body, key)).status).toBe(402);
  });
});

describe('in real time', () => {
  it('stops at the first step that finds anybody', async () => {
    let later = 0;
    await fc.assert(
      fc.asyncProperty(cascades(), sizes, async (cascade, max_results) => {
        const all = PeopleOracle.cascade(peopleAt(House.northwind), cascade);
        const expected = all.filter(({ icp }) => icp === all[0]?.icp).slice(0, max_results);
        if ((all[0]?.icp ?? 1) > 1) later++;
        const before = await house.remaining();
        const { body } = await house.post(realTime, {
          company_network_url: House.northwind,
          cascade,
          max_results,
        });
        expect(
          body.results.map(({ icp, ranking, basic_info }: House.Body) => [
            icp,
            ranking,
            basic_info.profile_url,
          ]),
        ).toEqual(expected.map(({ icp, person }, index) => [icp, index + 1, person.network_url]));
        expect(before - (await house.remaining())).toBe(expected.length);
      }),
      { numRuns: 120, seed: 52 },
    );
    expect(later).toBeGreaterThan(5);
  });

  it('tells what was used in headers alone', async () => {
    const answer = await house.post(realTime, {
      company_network_url: House.northwind,
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
    const [someone] = PeopleOracle.ordered(peopleAt(House.northwind)).filter((person) =>
      person.headline?.startsWith(`${PeopleOracle.titleOf(person)} |`),
    );
    if (!someone) throw new Error('not in this world');
    const title = PeopleOracle.titleOf(someone) ?? '';
    const [word = ''] = title.split(' ');
    const { body } = await house.post(realTime, {
      company_network_url: House.northwind,
      cascade: [
        { include_title: [word, `[${title.toUpperCase()}]`, 'Zoologist'], include_headline_search: true },
      ],
      max_results: 100,
    });
    const found = body.results.find(
      (result: House.Body) => result.basic_info.profile_url === someone.network_url,
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
      current_company_url: House.northwind,
      email: null,
    });
    const present = found.experience.find((position: House.Body) => position.is_current);
    expect(present).toMatchObject({ company_network_url: House.northwind, title });
    expect(present.duration).toMatch(/^(\d+ yrs?)?( ?\d+ mos?)?$/);
    expect(present).not.toHaveProperty('end_date');
    expect(present).not.toHaveProperty('skills');
    expect(JSON.stringify({ ...found, basic_info: { ...found.basic_info, email: '' } })).not.toContain(
      'null',
    );
  });

  it('is allowed and limited under its own name', async () => {
    const body = {
      company_network_url: House.northwind,
      cascade: [{ include_title: ['x'] }],
      max_results: 1,
    };
    const allowed = await house.issue(House.unhurried, ['/search/waterfall-icp-real-time']);
    expect((await house.post(realTime, body, allowed)).status).toBe(200);
    const other = await house.post(keyword, body, allowed);
    expect(other.status).toBe(402);
    expect(other.body.message).toContain('/search/waterfall-icp-keyword');
  });
});

describe('both', () => {
  it.each([keyword, realTime])(
    '%s finds nobody, for nothing, at a company that is not there',
    async (path) => {
      const url = 'https://www.network.example/company/nobody';
      const before = await house.remaining();
      const { body } = await house.post(path, {
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
      expect(await house.remaining()).toBe(before);
    },
  );

  const step = { include_title: ['CEO'] };
  const good = { company_network_url: House.northwind, cascade: [step], max_results: 1 };
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
      'cascade[0].location[0]: Expected a country code of 2 letters or WORLD',
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
      const answer = await house.post(path, body);
      expect(answer.status).toBe(422);
      expect(answer.body.errors.map((error: House.Body) => `${error.field}: ${error.message}`)).toEqual([
        message,
      ]);
    }
  });

  it('ask for the company as a URI and for a size only in real time', async () => {
    const bare = { ...good, company_network_url: 'network.example/company/northwind-analytics' };
    expect((await house.post(keyword, bare)).status).toBe(200);
    expect((await house.post(realTime, bare)).status).toBe(422);
    const { max_results: _, ...unsized } = good;
    expect((await house.post(keyword, unsized)).status).toBe(200);
    expect((await house.post(realTime, unsized)).body.errors).toEqual([
      { field: 'max_results', message: 'Required' },
    ]);
  });
});
