import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as PeopleService from '../support/people-service.ts';

const day = 86_400_000;
const profile = (rest: string) => `https://www.network.example${rest}`;
const before = (days: number) => PeopleService.startMs - days * day;

const marta: PeopleService.Person = {
  slug: 'marta-lindqvist',
  memberNumber: 700_001,
  profileToken: 'ACoAAA1b2C3d',
  salesToken: 'ACwAAA9z8Y7x',
  record: {
    first_name: 'Marta',
    last_name: 'Lindqvist',
    connections_count: 500,
    experiences: [
      { job_title: 'Head of Data', company_name: 'Northwind', job_is_current: true },
      { job_title: 'Analyst', company_name: 'Halden' },
    ],
  },
  emails: [
    { email: 'marta@halden.example', jobOrder: 2, verifiedAtMs: before(1) },
    { email: 'marta@northwind.example', jobOrder: 1, companySlug: 'northwind', verifiedAtMs: before(29) },
    { email: 'm.lindqvist@old.example', jobOrder: 3, verifiedAtMs: before(31) },
    { email: 'marta@guess.example', jobOrder: 1, verifiedAtMs: null },
  ],
  phones: [
    { phone: '+12065550100', kind: 'direct' },
    { phone: '+12065550199', kind: 'mobile' },
    { phone: '+442079460958', kind: 'mobile' },
  ],
};
const people: PeopleService.Person[] = [
  marta,
  {
    slug: 'stale',
    emails: [{ email: 'stale@x.example', jobOrder: 1, verifiedAtMs: before(40) }],
    phones: [{ phone: '+14165550100', kind: 'mobile' }],
  },
  { slug: 'nobody-reachable' },
  {
    slug: 'successor',
    emails: [
      { email: 'info@shared.example', jobOrder: 1, verifiedAtMs: before(2) },
      { email: 'jana@xn--mnchen-3ya.example', jobOrder: 2, verifiedAtMs: before(2) },
    ],
  },
  {
    slug: 'predecessor',
    emails: [{ email: 'info@shared.example', jobOrder: 2, verifiedAtMs: before(1) }],
  },
];

let service: PeopleService.PeopleService;
beforeAll(async () => {
  service = await PeopleService.start(people);
});
afterAll(() => service.close());

const ask = (operation: string, body: unknown, as?: string) =>
  service.post(`/v2/enrichment/${operation}`, body, as);

/** Response of each operation without a result, and a request with one. */
const cases: [operation: string, hit: object, miss: object, missed: object][] = [
  [
    'person',
    { person_network_url: profile('/in/marta-lindqvist') },
    { person_network_url: profile('/in/no') },
    { person: null },
  ],
  [
    'email',
    { person_network_url: profile('/in/marta-lindqvist') },
    { person_network_url: profile('/in/no') },
    { email: null, all_emails: [] },
  ],
  [
    'phone',
    { person_network_url: profile('/in/marta-lindqvist') },
    { person_network_url: profile('/in/no') },
    { phone: null },
  ],
  [
    'email-to-person',
    { email: 'marta@northwind.example' },
    { email: 'no@northwind.example' },
    { person: null },
  ],
  ['phone-to-person', { phone: '+12065550199' }, { phone: '+12065550198' }, { person: null }],
];

describe.each(cases)('enrichment/%s', (operation, hit, miss, missed) => {
  it('costs one record where it finds, and nothing where it does not', async () => {
    const found = await ask(operation, hit);
    expect(found.status).toBe(200);
    expect(found.body).toMatchObject({ found: true, fair_usage: { records_used: 1 } });
    const nothing = await ask(operation, miss);
    expect(nothing.status).toBe(200);
    const { fair_usage: usage, ...body } = nothing.body;
    expect(body).toEqual({ found: false, ...missed });
    expect(usage.records_used).toBe(0);
    expect(found.body.fair_usage.records_remaining).toBe(usage.records_remaining);
  });

  it('needs its one field, refuses every other and charges nothing for that', async () => {
    const [field = ''] = Object.keys(hit);
    const none = await ask(operation, {});
    expect(none.status).toBe(422);
    expect(none.body.errors).toEqual([{ field, message: 'Required' }]);
    const more = await ask(operation, { ...hit, verbose: true });
    expect(more.status).toBe(422);
    expect(more.body.errors).toEqual([
      { field: 'body', message: `Unknown field "verbose". Allowed fields: ${field}` },
    ]);
    expect((await ask(operation, { [field]: 7 })).body.errors).toEqual([
      { field, message: 'Expected string' },
    ]);
    expect((await ask(operation, undefined)).status).toBe(400);
  });

  it('says 402 where no record is left, 401 without a key and 429 when asked too often', async () => {
    const poor = await service.issue({ name: 'Poor', requestsPerSecond: 2, recordsPerMonth: 1 });
    expect((await ask(operation, hit, poor)).status).toBe(200);
    const refused = await ask(operation, hit, poor);
    expect(refused.status).toBe(402);
    expect(refused.body.fair_usage).toMatchObject({ records_used: 0, records_remaining: 0 });
    expect((await ask(operation, hit, poor)).status).toBe(429);
    expect((await ask(operation, hit, 'sk_bad')).status).toBe(401);
    const elsewhere = await service.issue(undefined, ['/v2/jobs/company']);
    expect((await ask(operation, hit, elsewhere)).status).toBe(402);
  });
});

describe('a person', () => {
  it.each([
    ['/in/marta-lindqvist'],
    ['/in/Marta-Lindqvist/?trk=x#about'],
    ['/in/ACoAAA1b2C3d'],
    ['/sales/lead/ACwAAA9z8Y7x,NAME_SEARCH,abcd'],
    ['/sales/people/ACwAAA9z8Y7x,NAME_SEARCH,abcd?_ntb=x'],
  ])('is found by %s', async (path) => {
    const { body } = await ask('person', { person_network_url: profile(path) });
    expect(body.person?.network_url).toBe(profile('/in/marta-lindqvist'));
  });

  it.each([
    ['urn:nw:fsd_profile:ACoAAA1b2C3d'],
    ['urn:nw:fs_salesProfile:(ACwAAA9z8Y7x,NAME_SEARCH,abcd)'],
    ['urn:nw:member:700001'],
    ['de.network.example/in/marta-lindqvist'],
  ])('is found by %s', async (url) => {
    expect((await ask('person', { person_network_url: url })).body.found).toBe(true);
    expect((await ask('email', { person_network_url: url })).body.found).toBe(true);
    expect((await ask('phone', { person_network_url: url })).body.found).toBe(true);
  });

  it('is not found by a token in other letters, which is somebody else', async () => {
    const { body } = await ask('person', { person_network_url: profile('/in/ACoAAA1B2C3D') });
    expect(body.found).toBe(false);
  });

  it('comes with the whole career, all keys present', async () => {
    const { body } = await ask('person', { person_network_url: profile('/in/marta-lindqvist') });
    expect(Object.keys(body.person)).toHaveLength(15);
    expect(body.person).toMatchObject({
      full_name: 'Marta Lindqvist',
      profile_picture_url: null,
      skills: null,
    });
    expect(body.person.experiences.map((position: { job_title: string }) => position.job_title)).toEqual([
      'Head of Data',
      'Analyst',
    ]);
  });

  it('is refused in a form that names none, saying what is expected', async () => {
    const { status, body } = await ask('person', { person_network_url: profile('/pub/marta') });
    expect(status).toBe(422);
    expect(body.errors[0]).toEqual({
      field: 'person_network_url',
      message: expect.stringMatching(/^Expected a person network URL such as/),
    });
  });
});

describe('an email', () => {
  const ofMarta = { person_network_url: profile('/in/marta-lindqvist') };

  it('is that of the first position that has one; all come in the order of the profile', async () => {
    const { body } = await ask('email', ofMarta);
    expect(body.email).toBe('marta@northwind.example');
    expect(body.all_emails).toEqual([
      {
        email: 'marta@northwind.example',
        job_order_in_profile: 1,
        company_network_url: profile('/company/northwind'),
        email_domain: 'northwind.example',
      },
      {
        email: 'marta@halden.example',
        job_order_in_profile: 2,
        company_network_url: null,
        email_domain: 'halden.example',
      },
    ]);
  });

  it('is answered to the last moment of thirty days after its verification, and no longer', async () => {
    try {
      service.clock.nowMs = before(29) + 30 * day;
      expect((await ask('email', ofMarta)).body.email).toBe('marta@northwind.example');
      expect((await ask('email-to-person', { email: 'marta@northwind.example' })).body.found).toBe(true);
      service.clock.nowMs += 1;
      expect((await ask('email', ofMarta)).body.email).toBe('marta@halden.example');
      expect((await ask('email-to-person', { email: 'marta@northwind.example' })).body.found).toBe(false);
    } finally {
      service.clock.nowMs = PeopleService.startMs;
    }
  });

  it.each([['stale'], ['nobody-reachable']])('is not found, and free, for %s', async (slug) => {
    const { body } = await ask('email', { person_network_url: profile(`/in/${slug}`) });
    expect(body).toMatchObject({
      found: false,
      email: null,
      all_emails: [],
      fair_usage: { records_used: 0 },
    });
  });

  it('that no server confirmed leads to nobody', async () => {
    for (const email of ['stale@x.example', 'marta@guess.example', 'm.lindqvist@old.example']) {
      expect((await ask('email-to-person', { email })).body.found).toBe(false);
    }
  });

  it('leads to its person whatever its capitals and its spelling of the domain', async () => {
    const slugBehind = async (email: string) =>
      (await ask('email-to-person', { email })).body.person?.network_url.split('/').at(-1);
    expect(await slugBehind(' Marta@NORTHWIND.example ')).toBe('marta-lindqvist');
    expect(await slugBehind('jana@München.example')).toBe('successor');
    expect(await slugBehind('info@shared.example')).toBe('successor');
  });

  it('is refused where it is none', async () => {
    for (const email of ['marta', '@northwind.example', 'a b@c.de', 'a@localhost', 'a@1.2.3.4', '']) {
      expect((await ask('email-to-person', { email })).status).toBe(422);
    }
  });
});

describe('a phone number', () => {
  it('is the mobile one before the direct one, and never one from abroad', async () => {
    const { body } = await ask('phone', { person_network_url: profile('/in/marta-lindqvist') });
    expect(body.phone).toBe('+12065550199');
    expect((await ask('phone', { person_network_url: profile('/in/stale') })).body).toMatchObject({
      found: false,
      phone: null,
    });
  });

  it('leads to its person however it is written', async () => {
    for (const phone of ['+12065550100', '(206) 555-0100', '1 206 555 0100', '206.555.0100 ext. 12']) {
      expect((await ask('phone-to-person', { phone })).body.found).toBe(true);
    }
  });

  it('from abroad is not found, even if known, and what is no number is refused', async () => {
    for (const phone of ['+442079460958', '+1 416 555 0100', '+123456789']) {
      const { status, body } = await ask('phone-to-person', { phone });
      expect([status, body.found]).toEqual([200, false]);
    }
    for (const phone of ['marta', '', '12', '+1 206 CALL-NOW', '1'.repeat(16)]) {
      expect((await ask('phone-to-person', { phone })).status).toBe(422);
    }
  });
});
