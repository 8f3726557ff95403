import { expect, test } from 'vitest';
import * as Schema from '../src/json-schema.ts';

const root = {
  components: {
    schemas: {
      Fault: {
        type: 'object',
        required: ['code'],
        properties: { code: { type: 'string', examples: ['gone'] } },
      },
      Usd: { type: 'string', examples: ['5.00'] },
    },
  },
};
const read = Schema.reader(root);
const fault = { $ref: '#/components/schemas/Fault' };
const more = { required: ['price'], properties: { price: { $ref: '#/components/schemas/Usd' } } };

test('a schema that adds fields to another one has the fields of both', () => {
  for (const schema of [{ ...fault, ...more }, { allOf: [fault], ...more }, { allOf: [fault, more] }]) {
    expect(Object.keys(Schema.node(read(schema).properties))).toEqual(['code', 'price']);
    expect(Schema.sample(read, schema)).toEqual({ code: 'gone', price: '5.00' });
  }
});

test('a text that is described in parts stays a text', () => {
  const schema = { description: 'The price.', allOf: [{ $ref: '#/components/schemas/Usd' }] };
  expect(read(schema)).toMatchObject({ type: 'string', description: 'The price.' });
  expect(Schema.sample(read, schema)).toBe('5.00');
});

test('the sample of an object without named fields is an object', () => {
  expect(Schema.sample(read, { type: 'object', additionalProperties: { type: 'string' } })).toEqual({});
  expect(Schema.sample(read, { type: ['object', 'null'] })).toEqual({});
});
