import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../src/catalog/catalog.ts';
import * as CatalogDiff from '../../src/catalog/catalog-diff.ts';
import * as Description from '../../src/catalog/description.ts';
import * as File from '../../src/catalog/file.ts';
import * as PriceMatrix from '../../src/catalog/price-matrix.ts';
import * as PaymentInfo from '../../src/discovery/payment-info.ts';
import { breaches } from './schema.ts';

const context = { baseUrl: 'https://shop.example', description: Description.none };
const sockets = await File.load('test/fixtures/websockets.yaml');
const jobs = await File.load('test/fixtures/jobs.yaml');

/** A catalogue in which one operation differs. */
function with_(catalog: Catalog, path: string, change: object): Catalog {
  const operations = catalog.operations.map((it) => (it.path === path ? { ...it, ...change } : it));
  return { ...catalog, operations };
}

describe('a WebSocket', () => {
  test('is listed with its charge and without a maximum, because it is charged while it is open', () => {
    const feed = PriceMatrix.detail(sockets, 'feed', context);
    expect(breaches('service.schema.json', feed)).toEqual([]);
    const socket = feed?.operations.find(({ path }) => path === '/v1/bytes');
    expect(socket).toMatchObject({
      upgrade: 'websocket',
      socket: { by: 'bytes', per: 10, of: 'both', charge: '1 token for every 10 bytes of all messages' },
    });
    expect(socket).not.toHaveProperty('max_cost_usd');
  });

  test('has no price of a call in x-payment-info', () => {
    const [operation] = sockets.operations;
    if (operation === undefined) throw new Error('no operation');
    const info = PaymentInfo.ofCall(sockets, operation);
    expect(breaches('payment-info.schema.json', info)).toEqual([]);
    expect(info).toMatchObject({ socket: { by: 'messages', step: 5 }, rates: [{ priceUsd: '0.0001' }] });
    expect(info).not.toHaveProperty('price');
  });

  test('is a raise of the price when its rule changes', () => {
    const socket = { by: 'messages', per: 1, of: 'both', merge: 'sum', step: 5 };
    const [change] = CatalogDiff.between(sockets, with_(sockets, '/v1/feed', { socket }));
    expect(change?.fields).toMatchObject([{ name: 'socket', severity: 'raises_price' }]);
  });
});

test('a job is listed with the path that shows it and the time after which it is settled', () => {
  const listed = jobs.services.map(({ slug }) => PriceMatrix.detail(jobs, slug, context));
  for (const service of listed) expect(breaches('service.schema.json', service)).toEqual([]);
  const found = listed.flatMap((service) => service?.operations ?? []).filter((it) => 'job' in it);
  expect(found[0]).toMatchObject({ job: { poll: expect.stringMatching(/^\//), hours: expect.any(Number) } });
});

test.each([
  ['owned', [{ parameter: 'id', segment: 2, kind: 'file' }], 'takes_away'],
  ['onlyPriced', { list: ['data'], key: ['id'], remove: [], prefix: '' }, 'takes_away'],
  ['owns', { pointer: ['id'], kind: 'file', days: null }, 'harmless'],
])('a changed %s is part of the difference', (name, value, severity) => {
  const [change] = CatalogDiff.between(sockets, with_(sockets, '/v1/plain', { [name]: value }));
  expect(change?.fields).toMatchObject([{ severity }]);
});
