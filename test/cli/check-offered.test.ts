import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Catalog } from '../../src/catalog/catalog.ts';
import * as Upstream from '../../src/cli/check/upstream.ts';

const realTime = '/api/search/waterfall-icp-real-time';
let description: object = {};
const server = createServer((request, response) => {
  const status = request.headers['x-api-key'] === 'right' || request.url === '/openapi.json' ? 200 : 401;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(request.url === '/openapi.json' ? JSON.stringify(description) : '{}');
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const service = { price: 1_000 };
const catalog = {
  upstream: { key: { header: 'x-api-key', value: '{key}' } },
  operations: [
    { method: 'GET', path: '/me', units: { kind: 'fixed', units: 0 }, service },
    { method: 'POST', path: realTime, units: { kind: 'pointer' }, service },
  ],
} as unknown as Catalog;
const look = () => Upstream.checkUpstream({ url, key: 'right', catalog, isBundled: true, probe: null });

test('operations that the data API does not offer are reported while they are for sale', async () => {
  const me = { get: {} };
  description = { info: { title: 'Professional B2B data API' }, paths: { '/me': me } };
  expect(await look()).toMatchObject([
    { state: 'ok' },
    { state: 'ok' },
    {
      state: 'problem',
      says: `the catalogue sells POST ${realTime}, which the data API does not offer now`,
      next: expect.stringContaining('DIRECT_LIVE_URL'),
    },
  ]);
  description = { ...description, paths: { '/me': me, [realTime]: { post: {} } } };
  expect(await look()).toMatchObject([{ state: 'ok' }, { state: 'ok' }]);
  // Another API's description can be incomplete.
  description = { info: { title: 'Weather' }, paths: {} };
  expect(await look()).toHaveLength(2);
});
