import { describe, expect, test } from 'vitest';
import * as Description from '../../src/catalog/description.ts';
import * as File from '../../src/catalog/file.ts';
import * as PriceMatrix from '../../src/catalog/price-matrix.ts';
import { breaches } from './schema.ts';
import { shop } from './todo.ts';

const described = Description.parse(
  JSON.stringify({
    openapi: '3.1.0',
    paths: { '/v1/todos/{todo}': { get: { summary: 'One todo' }, put: {} } },
  }),
);
const description = described.ok ? described.description : Description.none;
const context = { baseUrl: 'https://shop.example', description };

describe('the list of services', () => {
  test('fits its schema and links to each service', () => {
    const list = PriceMatrix.list(shop(), context);
    expect(breaches('service.schema.json', list, 'list')).toEqual([]);
    expect(list.services.map(({ url }) => url)).toEqual([
      'https://shop.example/services/todos',
      'https://shop.example/services/writing',
      'https://shop.example/services/account',
    ]);
  });
});

describe('one service', () => {
  test('fits its schema, for the shipped catalogue too', async () => {
    const shipped = await File.load('openapi/catalog.yaml');
    const read = await Description.read(shipped.upstream.description);
    if (!read.ok) throw new Error(read.reason);
    for (const [catalog, own] of [
      [shop(), context],
      [shipped, { ...context, description: read.description }],
    ] as const) {
      for (const { slug } of catalog.services) {
        expect(breaches('service.schema.json', PriceMatrix.detail(catalog, slug, own))).toEqual([]);
      }
    }
    const jobs = PriceMatrix.detail(shipped, 'company-jobs', { ...context, description: read.description });
    expect(jobs?.operations[0]?.summary).toEqual(expect.any(String));
  });

  test('has a schema that takes nothing more', () => {
    expect(
      breaches('service.schema.json', { ...PriceMatrix.detail(shop(), 'todos', context), extra: 1 }),
    ).not.toEqual([]);
  });

  test('has a row for each plan that covers it: what a unit costs and how to get it', () => {
    const row = (slug: string) =>
      PriceMatrix.detail(shop(), slug, context)?.plans.map((it) => [
        it.plan,
        it.kind,
        it.price_usd,
        it.every,
        it.included_units,
        it.price_per_unit_usd,
        it.how.url,
      ]);
    expect(row('todos')).toEqual([
      ['trial', 'trial', '0.00', null, 25, '0.00', 'https://shop.example/agent/auth'],
      ['credit', 'credit', '5.00', null, null, '0.002', 'https://shop.example/plans/credit/purchase'],
      [
        'start',
        'subscription',
        '99.00',
        'month',
        200_000,
        '0.00',
        'https://shop.example/plans/start/purchase',
      ],
      [
        'scale',
        'subscription',
        '499.00',
        'year',
        5_000_000,
        '0.00',
        'https://shop.example/plans/scale/purchase',
      ],
    ]);
    expect(row('writing')?.map(([plan]) => plan)).toEqual(['credit', 'start']);
  });

  test('tells of each operation what the description says and the most that a call can cost', () => {
    const { operations } = PriceMatrix.detail(shop(), 'todos', context) ?? { operations: [] };
    expect(operations).toEqual([
      {
        method: 'GET',
        path: '/v1/todos',
        url: 'https://shop.example/v1/todos',
        summary: null,
        max_units: 100,
        max_cost_usd: '0.20',
      },
      {
        method: 'GET',
        path: '/v1/todos/{id}',
        url: 'https://shop.example/v1/todos/{id}',
        summary: 'One todo',
        max_units: 1,
        max_cost_usd: '0.002',
      },
      expect.objectContaining({ path: '/v1/todos/search', max_units: 5, max_cost_usd: '0.01' }),
    ]);
  });

  test('is null where nothing of that name is sold', () => {
    for (const slug of ['lists', '', 'TODOS', '__proto__'])
      expect(PriceMatrix.detail(shop(), slug, context)).toBeNull();
  });
});
