import { beforeAll, describe, expect, test } from 'vitest';
import type { Advisor } from '../src/advisor.ts';
import * as Chain from '../src/chain.ts';
import * as Goal from '../src/goal.ts';
import * as GoalSet from './goal-set.ts';

let advisor: Advisor;

beforeAll(async () => {
  ({ advisor } = await GoalSet.advisor('fixtures/piers.yaml'));
});

const advise = (goal: string) => GoalSet.ask(advisor, { goal });

describe('an operation that needs numbers of what the goal names', () => {
  test('is called with both coordinates of one item that a search finds by the name', () => {
    const { operations, questions } = advise('water level in Cologne');
    expect(operations.map(({ path }) => path)).toEqual(['/v1/piers/search', '/v1/water-level']);
    expect(new URL(operations[0]?.request.url ?? '').search).toBe('?phrase=Cologne&limit=1');
    expect(operations[1]?.takes.map(({ field, from }) => [field, from])).toEqual([
      ['latitude', { operation: 1, pointer: '/piers/*/lat' }],
      ['longitude', { operation: 1, pointer: '/piers/*/lng' }],
    ]);
    expect(operations.map(({ calls }) => calls)).toEqual([1, 1]);
    expect(questions).toEqual([]);
  });

  test('finds what other languages name after a preposition of their own', () => {
    const { operations } = advise('livello dell’acqua per Passignano');
    expect(new URL(operations[0]?.request.url ?? '').search).toBe('?phrase=Passignano&limit=1');
  });

  test('is called with the number of a thing that a search finds', () => {
    const [, timetable] = advise('daily timetable of the ferries in Cologne').operations;
    expect(timetable?.takes.map(({ from }) => from)).toEqual([
      { operation: 1, pointer: '/piers/*/pier_number' },
    ]);
  });

  test('is called with the id of a place, where its text takes coordinates or an id, and no name', () => {
    const { operations, questions } = advise('wind speed in Cologne');
    expect(operations.map(({ path }) => path)).toEqual(['/v1/piers/search', '/v1/wind']);
    expect(operations[1]?.takes.map(({ field, from }) => [field, from])).toEqual([
      ['location', { operation: 1, pointer: '/piers/*/pier_id' }],
    ]);
    // No value is missing; known by the description alone, the answer is not certain enough to ask nothing.
    expect(questions).toEqual([
      'Is this wanted: Search piers (GET /v1/piers/search), then Wind speed (GET /v1/wind)? Or this: Search piers (GET /v1/piers/search)?',
    ]);
    const [wind, ...more] = advise('wind speed at 50.94,6.96').operations;
    expect(new URL(wind?.request.url ?? '').searchParams.get('location')).toBe('50.94,6.96');
    expect(more).toEqual([]);
  });

  test.each([
    ['daily timetable of pier 412', '?pier_number=412'],
    ['täglicher Fahrplan, Pier Nr. 7', '?pier_number=7'],
    ['the daily timetable, pier #88 please', '?pier_number=88'],
  ])('takes the number that "%s" gives', (goal, wanted) => {
    const [timetable, ...more] = advise(goal).operations;
    expect(new URL(timetable?.request.url ?? '').search).toBe(wanted);
    expect(more).toEqual([]);
  });

  test.each([
    ['water level at 50.94,6.96', ['waterLevel']],
    ['water level in Cologne at 50.94,6.96', ['waterLevel']],
    ['closed waterways in Cologne', ['closures']],
    ['the water level', ['waterLevel']],
  ])('is called at once for "%s", as nothing is to be found', (goal, wanted) => {
    expect(GoalSet.chain(advisor, advise(goal))).toEqual(wanted);
  });
});

test.each([
  ['hourly timetable for Cologne', 'hourlyTimetable'],
  ['daily timetable for Cologne', 'dailyTimetable'],
  ['stündlicher Fahrplan der Fähren in Köln', 'hourlyTimetable'],
  ['täglicher Fahrplan der Fähren in Köln', 'dailyTimetable'],
])('of two operations with similar titles the one is chosen that "%s" names', (goal, wanted) => {
  expect(GoalSet.chain(advisor, advise(goal)).at(-1)).toBe(wanted);
});

test.each([
  ['hourly forecast for Lyon', 'GET /v3/forecast/hourly'],
  ['daily forecast for Lyon', 'GET /v3/forecast/daily'],
  ['previsioni giornaliere per Milano', 'GET /v3/forecast/daily'],
])('of the forecasts of a weather API the one is chosen that "%s" names', async (goal, wanted) => {
  const weather = await GoalSet.advisor('goals/weather.yaml');
  const { operations } = GoalSet.ask(weather.advisor, { goal });
  expect(operations.map(({ operation }) => operation)).toEqual([wanted]);
});

test.each([
  ['water level in Cologne', -1, true],
  ['water level at 50.94,6.96', -1, false],
  ['search piers at 50.94,6.96 and the water level there', 1, true],
])('the calls for "%s" with odds of %i for the search may begin with it: %s', (text, odds, isThere) => {
  const { surface } = advisor;
  const at = (name: string) => surface.offers.findIndex(({ operation }) => operation.path === name);
  const chosen = [at('/v1/piers/search'), at('/v1/water-level')];
  const reading = {
    ...{ odds: surface.offers.map(() => -4), outside: -4, vague: -4, several: 1, known: 1 },
    ...{ parts: [], near: new Map(), by: 'taught' as const, identifiers: [] },
  };
  reading.odds[chosen[0] as number] = odds;
  reading.odds[chosen[1] as number] = 3;
  const drafts = Chain.draftsOf(Chain.prepare(Goal.read(text), surface, reading));
  expect(drafts.some(({ members }) => members.join() === chosen.join())).toBe(isThere);
});
