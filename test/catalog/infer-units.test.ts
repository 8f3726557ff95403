import * as Schema from '@sluice/kernel/json-schema';
import { describe, expect, test } from 'vitest';
import { listOperations } from '../../src/catalog/import/found-operation.ts';
import * as InferUnits from '../../src/catalog/import/infer-units.ts';

const text = { type: 'string' };
const whole = { type: 'integer' };
const texts = { type: 'array', items: text };
const things = { type: 'array', items: { type: 'object', properties: { a: text } } };

type Described = { properties?: object; status?: number; more?: object };

function counted(
  call: string,
  { properties = {}, status = 200, more = {} }: Described,
): InferUnits.Countable {
  const [method = '', path = ''] = call.split(' ');
  const schema = { type: 'object', properties };
  const responses = { [status]: { description: '', content: { 'application/json': { schema } } } };
  const document = { paths: { [path]: { [method.toLowerCase()]: { responses, ...more } } } };
  const read = Schema.reader(document);
  const [found] = listOperations(document, read, null);
  if (found === undefined) throw new Error('no operation');
  return InferUnits.find(read, found);
}

const query = (name: string, schema: object, description = '') => ({
  name,
  in: 'query',
  schema,
  description,
});

describe('one thing with an incidental list is one unit', () => {
  const thing = { id: text, subject: text, tags: texts };
  test.each([
    ['POST /cases', { properties: thing, status: 201 }],
    ['POST /cases/{id}/messages', { properties: { id: text, body: text, attachments: things }, status: 201 }],
    ['POST /cases', { properties: { case_id: text, tags: texts } }],
    ['GET /cases/latest', { properties: thing }],
    ['PATCH /settings', { properties: { updated_at: text, values: texts } }],
    ['POST /orders', { properties: { id: text, items: things }, status: 201 }],
    ['GET /orders/{id}', { properties: { id: text, items: things } }],
    ['POST /issues/{id}/assignees', { properties: { id: text, assignees: things }, status: 201 }],
    ['POST /cases', { properties: { case: { type: 'object', properties: { id: text } }, notes: things } }],
    ['POST /transcriptions', { properties: { text, language: text, segments: things } }],
    ['GET /movie', { properties: { name: text, genres: texts } }],
  ])('%s %j', (call, described) => {
    expect(counted(call, described)).toMatchObject({ units: 1, unitsMax: null });
  });

  test('and a list that was passed over without an id is a guess, which is named', () => {
    const properties = { text, segments: things };
    expect(counted('POST /transcriptions', { properties }).doubts).toEqual([
      'each success counts as one: should the items of /segments be counted?',
    ]);
  });
});

test.each([
  ['GET /cases', '/cases', { properties: { cases: things, total: whole } }],
  ['GET /cases/{id}/tags', '/tags', { properties: { id: text, tags: texts } }],
  ['POST /search', '/results', { properties: { id: text, answer: text, results: things } }],
  ['POST /search', '/results', { properties: { request_id: text, results: texts } }],
  ['GET /satisfaction', '/ratings', { properties: { ratings: things, average: whole } }],
  ['GET /words', '/words', { properties: { words: texts, next_cursor: text } }],
  ['GET /point', '/hourly', { properties: { lat: whole, lon: whole, timezone: text, hourly: things } }],
  ['POST /cases', '/created', { properties: { created: things, total: whole }, status: 201 }],
  [
    'GET /lists/{id}',
    '/items',
    { properties: { id: text, items: things }, more: { parameters: [query('page_size', whole)] } },
  ],
])('a list that is the main content is counted: %s %s', (call, units, described) => {
  expect(counted(call, described).units).toBe(units);
});

describe('the maximum of a limiting parameter', () => {
  const ofHours = (...parameters: object[]) =>
    counted('GET /forecast/hourly', { properties: { hours: things }, more: { parameters } });

  test.each([
    [query('hours', { ...whole, maximum: 120, default: 48 }), 120, 48],
    [query('limit', { ...whole, exclusiveMaximum: 201, default: 5 }), 200, 5],
    [query('page_size', { ...whole, enum: [10, 250], default: 10 }), 250, 10],
  ])('%j is its schema maximum, without a guess', (parameter, ceiling, usual) => {
    expect(ofHours(parameter)).toMatchObject({
      unitsMax: { pointer: `/${parameter.name}`, default: usual, ceiling },
      doubts: [],
    });
  });

  test.each([
    ['max 120', 120],
    ['Number of hours (1-120).', 120],
    ['Between 1 and 120.', 120],
    ['Default 24, maximum: 1,000', 1_000],
    ['Maximum value is `250`.', 250],
    ['Cannot exceed 500', 500],
    ['up to twenty-four hours, or 48 at most', 48],
    ['at most one hundred', 100],
  ])('in words is a guess: %s', (prose, ceiling) => {
    const found = ofHours(query('hours', whole, prose));
    expect(found.unitsMax).toMatchObject({ pointer: '/hours', ceiling });
    expect(found.doubts[0]).toBe(`the largest hours is ${ceiling} in the words of the description`);
  });

  test('is not below a described default, and a default in words is used', () => {
    expect(ofHours(query('hours', { ...whole, default: 90 }, 'up to 48')).unitsMax).toMatchObject({
      ceiling: 90,
    });
    expect(ofHours(query('hours', whole, 'Defaults to 24, max 48')).unitsMax).toMatchObject({ default: 24 });
  });

  test('counts its longer periods in those of the list', () => {
    expect(ofHours(query('days', { ...whole, maximum: 3 })).unitsMax).toBe(72);
  });
});

describe('without a limiting parameter', () => {
  const ofDays = (description: string, more: object = {}) =>
    counted('GET /history/daily', { properties: { days: { ...things, ...more } }, more: { description } });

  test.each([
    ['Observed rain. At most 366 days per call.', 366],
    ['Forecast for up to 15 days', 15],
    ['For up to two weeks', 14],
    ['No more than 1,000 results.', 1_000],
    ['Up to 250 per page', 250],
    ['Covers the next 400 days', 400],
  ])('the description says it: %s', (description, most) => {
    const found = ofDays(description);
    expect(found.unitsMax).toBe(most);
    expect(found.doubts).toHaveLength(1);
  });

  test.each([
    'From 1979 to yesterday',
    'Today and the next three days',
    'max 10 km',
    'since 2020-01-31 days',
    '',
  ])('a number that is no maximum never lowers what is assumed: %s', (description) => {
    expect(ofDays(description)).toMatchObject({
      unitsMax: 100,
      doubts: ['no limit is described: at most 100 in one answer is assumed'],
    });
  });

  test('maxItems of the list is its maximum', () => {
    expect(ofDays('', { maxItems: 31 })).toMatchObject({ unitsMax: 31, doubts: [] });
  });
});

test('a description that is long and hostile is read in bounded time', () => {
  const hostile = ['1', '-', ' ', 'up to 1 a', '1,111', 'max '].map((part) => part.repeat(50_000));
  const started = performance.now();
  for (const description of hostile)
    counted('GET /days', { properties: { days: things }, more: { description } });
  expect(performance.now() - started).toBeLessThan(5_000);
});
