import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../../src/direct/http/operations.ts';
import type { Node } from '../../src/direct/schema/schema.ts';
import * as House from './house.ts';

let house: House.House;
beforeAll(async () => {
  house = await House.open();
});
afterAll(() => house.close());

const wild = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    0.5,
    1e308,
    '',
    ' ',
    '[]',
    '[CEO]',
    '\u0000',
    '\ud800',
    "'",
    '\\',
    ':*',
    '%',
    'é',
    {},
    [],
  ),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Something right for every text that has a rule. */
const samples = [
  House.northwind,
  'https://www.network.example/in/naomi-whitaker',
  'naomi@tessera-health.example',
  '+16175550142',
  'tessera-health.example',
  'Europe/Berlin',
  'WORLD',
];

/** Bodies in the shape of the schema, with something wrong, odd or right in each place. */
function near(node: Node, oddity: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const right = (): fc.Arbitrary<unknown> => {
    switch (node.kind) {
      case 'optional':
      case 'nullable':
        return near(node.inner, oddity);
      case 'or_word':
        return fc.oneof(near(node.inner, oddity), fc.constant(node.word));
      case 'text':
        return fc.oneof(
          fc.constantFrom(...samples.filter((text) => node.rule?.holds(text) ?? true)),
          fc.string({ unit: 'binary', minLength: node.min, maxLength: Math.min(node.max, 250) }),
        );
      case 'choice':
        return fc.constantFrom(...node.values);
      case 'number':
        return fc.oneof(
          fc.integer({ min: node.min, max: Math.min(node.max, 2 ** 31 - 1) }),
          fc.double({ min: node.min, max: node.max }),
        );
      case 'flag':
        return fc.boolean();
      case 'list':
        return fc.array(near(node.item, oddity), { maxLength: 4 });
      case 'object': {
        const fields = Object.entries(node.fields);
        const model = Object.fromEntries(fields.map(([name, field]) => [name, near(field, oddity)]));
        const needed = fields.flatMap(([name, field]) => (field.kind === 'optional' ? [] : [name]));
        return fc.oneof(fc.record(model, { requiredKeys: needed }), fc.record(model, { requiredKeys: [] }));
      }
    }
  };
  return fc.oneof({ weight: 14, arbitrary: right() }, { weight: 1, arbitrary: oddity });
}

const posts = operations.flatMap((operation) =>
  operation.request ? [{ path: operation.path, request: operation.request }] : [],
);

it.each(posts)(
  '$path answers any body with 200 or 422, and charges only for results',
  async ({ path, request }) => {
    const bodies = fc.oneof(near(request, wild), wild, fc.dictionary(fc.string(), wild));
    const key = await house.issue();
    let expected = await house.remaining(key);
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await house.post(path, body === undefined ? null : body, key);
        seen.add(answer.status);
        expect([200, 422]).toContain(answer.status);
        if (answer.status === 422) {
          expect(answer.body.errors.length).toBeGreaterThan(0);
          expect(answer.body.errors.length).toBeLessThanOrEqual(20);
        } else {
          expected -= Number(answer.headers.get('x-records-used'));
          expect(Number(answer.headers.get('x-records-remaining'))).toBe(expected);
        }
      }),
      { numRuns: 400, seed: 20 },
    );
    expect(seen).toEqual(new Set([200, 422]));
    expect(await house.remaining(key)).toBe(expected);
  },
);

it('answers any bytes of any type without a fault, and charges nothing for what it refuses', async () => {
  const key = await house.issue();
  const types = fc.constantFrom(
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'multipart/form-data',
    'text/plain',
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc.string({ unit: 'binary', maxLength: 400 }).map((text) => new TextEncoder().encode(text)),
    fc
      .array(
        fc.constantFrom(
          'a=b',
          'job.title.include=x',
          'job[',
          ']',
          '&',
          '%00',
          '%',
          '=',
          'job=',
          '{',
          '"',
          '__proto__.x=1',
          '.',
        ),
        { maxLength: 12 },
      )
      .map((parts) => new TextEncoder().encode(parts.join('&'))),
  );
  await fc.assert(
    fc.asyncProperty(types, bytes, async (type, body) => {
      const answer = await house.send('/v2/jobs/company', {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': type },
        body: new Uint8Array(body),
      });
      expect([400, 422]).toContain(answer.status);
    }),
    { numRuns: 400, seed: 21 },
  );
  expect(await house.remaining(key)).toBe(House.unhurried.recordsPerMonth);
});

it('answers the largest filters that are allowed', async () => {
  const values = Array.from({ length: 50 }, (_, index) =>
    `${index} ${'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(3)}`.slice(0, 200),
  );
  const leaf = { include: values, exclude: values };
  const answer = await house.post('/v2/company/tam-by-jobs', {
    job: { title: leaf, description: leaf, ai_keywords: leaf, field: leaf, location: { city: leaf } },
    company: { keywords: leaf, hq: { city: leaf, state: leaf } },
  });
  expect(answer.status).toBe(200);
});
