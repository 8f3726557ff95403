import { expect, test } from 'vitest';
import type { Operation } from '../../src/catalog/operation.ts';
import type { Reference } from '../../src/discovery/reference.ts';
import * as TryRequest from '../../src/http/pages/routes/try-request.ts';
import type { TryForm } from '../../src/http/pages/shop-facts.ts';
import * as TryFields from '../../src/http/pages/try-fields.ts';

const properties = { max: { type: 'integer', maximum: 50 }, name: { type: 'string' } };
const described = {
  parameters: [{ name: 'page', in: 'query', schema: { type: 'integer' } }],
  requestBody: {
    content: { 'application/json': { schema: { type: 'object', required: ['name'], properties } } },
  },
};
const entries = [{ method: 'POST', path: '/v1/find', operation: described }];
const shop = { reference: { entries, components: [] } as unknown as Reference, description: new Map() };
const service = { unit: 'result', name: 'People', price: 0 };
const fixed = { kind: 'fixed', units: 1 };
const operation = {
  ...{ id: 'POST /v1/find', method: 'POST', path: '/v1/find', service, units: fixed, unitsMax: fixed },
} as Operation;
const read = (form: Record<string, string>) =>
  TryRequest.readTyped(shop, operation, new URLSearchParams(form));
const values = (form: TryForm) =>
  Object.fromEntries(form.typed ?? TryFields.valuesOf(form.fields, operation, form));

test('what was typed into the fields is the JSON that is shown next, also while a field is empty', () => {
  const shown = read({ view: 'raw', 'body.max': '7', 'query.page': '2', body: '{"max":3}' });
  expect(shown).toMatchObject({ isRaw: true, faults: [], path: '/v1/find?page=2' });
  expect(JSON.parse(shown.body)).toEqual({ max: 7 });
});

test('a field that cannot be read stays, with its fault', () => {
  const shown = read({ view: 'raw', 'body.max': '99' });
  expect(shown).toMatchObject({ isRaw: false, faults: [{ field: 'body.max', fault: 'too_large' }] });
  expect(values(shown)['body.max']).toBe('99');
});

test('JSON that was typed is in the fields that are shown next', () => {
  const shown = read({ view: 'fields', path: '/v1/find?page=2', body: '{"name":"Ann","max":9}' });
  expect(shown.isRaw).toBe(false);
  expect(values(shown)).toEqual({ 'body.max': '9', 'body.name': 'Ann', 'query.page': '2' });
});

test.each([
  ['a member without a field', { body: '{"max":9,"other":1}' }],
  ['a value that its field cannot hold', { body: '{"max":"many"}' }],
  ['a parameter without a field', { path: '/v1/find?other=1', body: '{}' }],
  ['a list for a body', { body: '[1]' }],
])('JSON with %s stays as it is', (_, request) => {
  const form = new URLSearchParams({ path: '/v1/find', ...request, view: 'fields' });
  const shown = TryRequest.readTyped(shop, operation, form);
  expect(shown).toMatchObject({ isRaw: true, faults: [], body: request.body });
});

test('JSON that is not valid stays, with its fault', () => {
  const shown = read({ view: 'fields', path: '/v1/find', body: '{"max":' });
  expect(shown).toMatchObject({ isRaw: true, faults: [{ field: TryFields.rawBody }] });
});
