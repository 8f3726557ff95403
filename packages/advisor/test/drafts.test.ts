import * as Schema from '@sluice/kernel/json-schema';
import { expect, test } from 'vitest';
import * as Drafts from '../src/drafts.ts';

const operation = {
  summary: 'Track a parcel',
  operationId: 'trackParcel',
  responses: {
    '200': {
      content: {
        'application/json': {
          schema: { properties: { status: { type: 'string' }, lastScan: { type: 'string' } } },
        },
      },
    },
  },
};

test('phrases are drafted from the summary, the required parameters, the response and a common operation', () => {
  const parameters = [{ name: 'trackingNumber', in: 'path', required: true }];
  const asks = Drafts.asks(Schema.reader({}), [
    { call: 'GET /parcels/{trackingNumber}', path: '/parcels/{trackingNumber}', operation, parameters },
  ]).get('GET /parcels/{trackingNumber}');
  expect(asks).toContain('track a parcel, by tracking number');
  expect(asks).toContain('track a parcel: I need status, last scan');
  expect(asks?.length).toBeGreaterThan(3);
});

test.each([
  ['GET /words', 'Search words', 'listWords'],
  ['GET /status', 'Status of the service', 'status'],
  ['GET /forecast', 'Get a weather forecast', 'getForecast'],
  ['GET /customers/{id}', 'Get a customer', 'getCustomer'],
])('%s gets no phrases of a common operation that means something else', (call, summary, operationId) => {
  const operations = [
    { call, path: call.slice(4), operation: { summary, operationId, responses: {} }, parameters: [] },
  ];
  expect(Drafts.asks(Schema.reader({}), operations).get(call)).toEqual([
    summary.charAt(0).toLowerCase() + summary.slice(1),
  ]);
});

test('an operation without a summary, and like no common one, gets none', () => {
  const asks = Drafts.asks(Schema.reader({}), [
    { call: 'GET /zzz', path: '/zzz', operation: { responses: {} }, parameters: [] },
  ]);
  expect(asks.get('GET /zzz')).toEqual([]);
});
