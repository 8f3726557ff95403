import { expect, test } from 'vitest';
import type { PriceList } from '../src/price-list.ts';
import * as Surface from '../src/surface.ts';

type Described = {
  path: string;
  method?: string;
  /** Required parameters, and the body's fields. */
  needs?: Record<string, 'string' | 'integer'>;
  sends?: Record<string, unknown>;
  returns?: unknown;
};

const list = (name: string, ...fields: string[]) => ({
  type: 'object',
  properties: { [name]: { type: 'array', items: thing(...fields) } },
});
function thing(...fields: string[]) {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
  };
}

/** Returns by operation the pointers of values that other operations give for what it needs: `GET /x: field <- METHOD /path #/pointer`. */
function makersOf(described: readonly Described[]): string[] {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path, method = 'GET', needs = {}, sends, returns = thing('ok') } of described) {
    const parameters = Object.entries(needs).map(([name, type]) => {
      return { name, in: path.includes(`{${name}}`) ? 'path' : 'query', required: true, schema: { type } };
    });
    const requestBody = { content: { 'application/json': { schema: sends } } };
    const responses = { 200: { description: 'OK', content: { 'application/json': { schema: returns } } } };
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        summary: path,
        parameters,
        responses,
        ...(sends !== undefined && { requestBody }),
      },
    };
  }
  const service = { slug: 'all', name: 'All', description: '', price: 1 };
  const operations = described.map(({ path, method = 'GET' }) => ({
    ...{ id: `${method} ${path}`, method, path, service, yield: { low: 1, high: 1 } },
    ...{ units: { kind: 'fixed', units: 1 }, unitsMax: { kind: 'fixed', units: 1 } },
  }));
  const prices = { name: 'Shop', operations, plans: [] } as unknown as PriceList;
  return Surface.readSurface(prices, { openapi: '3.1.0', paths }).offers.flatMap(({ id, asks }) =>
    asks.flatMap(({ slot, makers }) =>
      makers.map(
        ({ at, leaf, isOwn }) =>
          `${id}: ${slot.leaf.path.join('.')} <- ${operations[at]?.id} /${leaf.path.join('/')}${isOwn ? ' own' : ''}`,
      ),
    ),
  );
}

test('a key is found by its name, and by what it is of', () => {
  expect(
    makersOf([
      { path: '/orders/{order_id}', needs: { order_id: 'string' } },
      { path: '/shipments', returns: list('shipments', 'order_id') },
      { path: '/orders/search', returns: list('orders', 'id', 'total') },
      { path: '/buyers', returns: list('buyers', 'id') },
    ]),
  ).toEqual([
    'GET /orders/{order_id}: order_id <- GET /shipments /shipments/*/order_id',
    'GET /orders/{order_id}: order_id <- GET /orders/search /orders/*/id own',
  ]);
});

test('a key in an address is found where the things at that address are listed or created, under any bare name', () => {
  const needs = { 'case-key': 'string' } as const;
  expect(
    makersOf([
      { path: '/cases/{case-key}/trail', needs },
      { path: '/cases', returns: list('items', 'ref', 'title') },
      { path: '/cases', method: 'POST', sends: thing('title'), returns: thing('ref', 'title') },
      { path: '/teams', returns: list('items', 'ref') },
    ]),
  ).toEqual([
    'GET /cases/{case-key}/trail: case-key <- GET /cases /items/*/ref own',
    'GET /cases/{case-key}/trail: case-key <- POST /cases /ref own',
  ]);
});

test('a value that is no key of the thing is not passed on: not its name, nor the key of another thing', () => {
  expect(
    makersOf([
      { path: '/agents/{agent_id}', needs: { agent_id: 'string' } },
      { path: '/agents/search', returns: list('agents', 'name', 'team_id') },
      { path: '/teams', returns: list('teams', 'id') },
    ]),
  ).toEqual([]);
});

test('a whole number in an address is a key, too', () => {
  const numbered = { type: 'object', properties: { id: { type: 'integer' }, subject: { type: 'string' } } };
  expect(
    makersOf([
      { path: '/tickets/{id}', needs: { id: 'integer' } },
      {
        path: '/tickets',
        returns: { type: 'object', properties: { tickets: { type: 'array', items: numbered } } },
      },
    ]),
  ).toEqual(['GET /tickets/{id}: id <- GET /tickets /tickets/*/id own']);
});
