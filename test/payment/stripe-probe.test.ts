import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modeOf } from '../../src/adapters/stripe/key-mode.ts';
import { openStripe } from '../../src/adapters/stripe/processor.ts';

let requests = 0;
let status = 200;
const stripe = createServer((_, response) => {
  requests += 1;
  const error = { type: 'invalid_request_error', message: 'No.' };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(status === 200 ? { object: 'list', data: [] } : { error }));
});
let address = '';
beforeAll(async () => {
  await new Promise<void>((listening) => stripe.listen(0, '127.0.0.1', listening));
  address = `http://127.0.0.1:${(stripe.address() as AddressInfo).port}`;
});
afterAll(() => void stripe.close());

const opened = (apiBase = address, secretKey = 'sk_test_1') =>
  openStripe({
    ...{ apiBase, secretKey, webhookSecrets: ['whsec_1'] },
    mark: { origin: 'https://shop.example', former: [] },
  });

test.each([
  [200, 'works'],
  [401, 'refused'],
  [403, 'refused'],
  [500, 'unreachable'],
] as const)('a response with %i says that the processor %s', async (answered, state) => {
  status = answered;
  expect(await opened().probe()).toMatchObject({ state });
});

test('a processor that nothing answers for is unreachable', async () => {
  expect(await opened('http://127.0.0.1:1').probe()).toMatchObject({ state: 'unreachable' });
});

test('requests at the same time, and soon after one another, ask once', async () => {
  status = 200;
  const processor = opened();
  const before = requests;
  await Promise.all([processor.probe(), processor.probe()]);
  await processor.probe();
  expect(requests - before).toBe(1);
});

test.each([
  ['https://api.stripe.com', 'rk_live_1', 'live'],
  ['https://api.stripe.com', 'sk_test_1', 'test'],
  ['http://127.0.0.1:4021', 'sk_test_1', 'sandbox'],
])('%s with %s is in the mode %s', (apiBase, key, mode) => {
  expect(modeOf({ apiBase, secretKey: key })).toBe(mode);
});
