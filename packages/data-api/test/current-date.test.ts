import { afterAll, beforeAll, expect, it } from 'vitest';
import * as PeopleService from './support/people-service.ts';

let service: PeopleService.PeopleService;
beforeAll(async () => {
  service = await PeopleService.start();
});
afterAll(() => service.close());

const ask = (body?: unknown, as?: string) => service.post('/v2/utils/current-date', body, as);

it('says what time it is in New York unless told otherwise, even without a body', async () => {
  for (const answer of [await ask(), await ask({}), await ask({ region: null })]) {
    expect(answer.status).toBe(200);
    const { fair_usage: usage, ...body } = answer.body;
    expect(body).toEqual({
      datetime: '2026-05-14 05:30:00 -04:00',
      timestamp: PeopleService.startMs / 1_000,
      timezone: 'America/New_York',
      timezone_name: '(GMT-04:00) New York',
    });
    expect(usage.records_used).toBe(0);
    expect(usage.rate_limit).toBeDefined();
  }
});

it.each([
  ['Asia/Kolkata', '2026-05-14 15:00:00 +05:30', '(GMT+05:30) Kolkata'],
  ['Asia/Kathmandu', '2026-05-14 15:15:00 +05:45', '(GMT+05:45) Kathmandu'],
  ['UTC', '2026-05-14 09:30:00 +00:00', '(GMT+00:00) UTC'],
  ['Europe/London', '2026-05-14 10:30:00 +01:00', '(GMT+01:00) London'],
  ['America/Argentina/Buenos_Aires', '2026-05-14 06:30:00 -03:00', '(GMT-03:00) Buenos Aires'],
  ['Pacific/Kiritimati', '2026-05-14 23:30:00 +14:00', '(GMT+14:00) Kiritimati'],
])('says what time it is in %s', async (region, datetime, name) => {
  const { body } = await ask({ region });
  expect(body).toMatchObject({ datetime, timezone: region, timezone_name: name });
});

it('follows the clocks through the year, the first hour of a day and of a year included', async () => {
  try {
    service.clock.nowMs = Date.UTC(2027, 0, 1, 5, 0, 59);
    expect((await ask()).body).toMatchObject({
      datetime: '2027-01-01 00:00:59 -05:00',
      timezone_name: '(GMT-05:00) New York',
    });
  } finally {
    service.clock.nowMs = PeopleService.startMs;
  }
});

it('refuses what is no zone with the nearest that is one', async () => {
  const near = await ask({ region: 'America/NewYork' });
  expect(near.status).toBe(422);
  expect(near.body.errors).toEqual([
    { field: 'region', message: 'Invalid value "America/NewYork". Did you mean "America/New_York"?' },
  ]);
  for (const region of ['+05:30', 'Mars/Olympus', 'EST ', '', 7]) {
    expect((await ask({ region })).status).toBe(422);
  }
  expect((await ask({ zone: 'UTC' })).body.errors[0].message).toContain('Allowed fields: region');
});

it('is free, so a key without records may ask', async () => {
  const poor = await service.issue({ name: 'Poor', requestsPerSecond: 10, recordsPerMonth: 0 });
  expect((await ask({}, poor)).status).toBe(200);
});
