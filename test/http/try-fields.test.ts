import * as Schema from '@sluice/kernel/json-schema';
import { expect, test } from 'vitest';
import type { Operation } from '../../src/catalog/operation.ts';
import type { Reference } from '../../src/discovery/reference.ts';
import * as TryFields from '../../src/http/pages/try-fields.ts';

const operation = { method: 'POST', path: '/v1/{city}/find' } as Operation;
const described = {
  parameters: [
    { name: 'city', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'page', in: 'query', schema: { type: 'integer', minimum: 1 } },
    { name: 'x-trace', in: 'header', schema: { type: 'string' } },
  ],
  requestBody: {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['max', 'filter'],
          properties: {
            note: { type: ['string', 'null'], maxLength: 20 },
            max: { type: 'integer', minimum: 1, maximum: 5 },
            order: { type: 'string', enum: ['up', 'down'] },
            exact: { type: 'boolean' },
            id: { type: 'string', readOnly: true },
            names: { type: 'array', items: { type: 'string' } },
            filter: {
              type: 'object',
              required: ['kind'],
              properties: { kind: { type: 'string' }, rest: {} },
            },
          },
        },
      },
    },
  },
};
const reference = {
  entries: [{ method: 'POST', path: '/v1/{city}/find', operation: described }],
} as unknown as Reference;
const fields = TryFields.fieldsOf(reference, Schema.reader({}), operation);

const typed = {
  'path.city': 'São/Paulo',
  'query.page': '2',
  'body.max': '3',
  'body.order': 'up',
  'body.exact': 'false',
  'body.names': 'Ada\n\n Bob ',
  'body.filter.kind': 'old',
  'body.filter.rest': '{"a":[1]}',
};

test('an operation has a field for each part of its request, the required ones first', () => {
  expect(fields.map(TryFields.nameOf)).toEqual([
    ...['path.city', 'body.max', 'body.filter.kind'],
    ...['query.page', 'body.note', 'body.order', 'body.exact', 'body.names', 'body.filter.rest'],
  ]);
});

test('the fields become the request, and the request the same fields', () => {
  const request = TryFields.requestOf(fields, operation, new URLSearchParams(typed));
  expect(request).toMatchObject({ path: '/v1/S%C3%A3o%2FPaulo/find?page=2', faults: [] });
  expect(JSON.parse(request.body)).toEqual({
    ...{
      max: 3,
      order: 'up',
      exact: false,
      names: ['Ada', 'Bob'],
      filter: { kind: 'old', rest: { a: [1] } },
    },
  });
  const values = TryFields.valuesOf(fields, operation, request);
  expect(TryFields.requestOf(fields, operation, values)).toEqual(request);
});

test.each([
  ['body.max', '', 'required'],
  ['body.max', '1.5', 'number'],
  ['body.max', '1e400', 'number'],
  ['body.max', '0', 'too_small'],
  ['body.max', '6', 'too_large'],
  ['body.filter.rest', '{', 'json'],
  ['path.city', '  ', 'required'],
])('%s with "%s" is refused: %s', (field, value, fault) => {
  const form = new URLSearchParams({ ...typed, [field]: value });
  expect(TryFields.requestOf(fields, operation, form).faults).toEqual([{ field, fault }]);
});

test('a name such as __proto__ is a member like any other', () => {
  const hostile = [
    {
      place: 'body' as const,
      keys: ['__proto__', 'a'],
      description: '',
      isRequired: false,
      input: { kind: 'list' as const },
    },
  ];
  const { body } = TryFields.requestOf(hostile, operation, new URLSearchParams({ 'body.__proto__.a': 'x' }));
  expect(JSON.parse(body)).toHaveProperty(['__proto__'], { a: ['x'] });
  expect({}).not.toHaveProperty('a');
});
