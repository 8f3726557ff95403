import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../src/http/operations.ts';
import type { Node } from '../src/schema/schema.ts';
import * as SampleService from './support/sample-service.ts';

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start();
});
afterAll(() => service.close());

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

/** Valid values for each text with a rule. */
const samples = [
  SampleService.northwind,
  'https://www.network.example/in/naomi-whitaker',
  'naomi@tessera-health.example',
  '+16175550142',
  'tessera-health.example',
  'Europe/Berlin',
  'WORLD',
];

/** Bodies in the structure of the schema, with a valid, unusual or invalid value in each place. */
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
          {
            // Random text is almost never a code.
            weight: typeof node.rule?.otherwise === 'function' ? 20 : 1,
            arbitrary: fc.constantFrom(
              ...[...samples, 'US', 'de'].filter((text) => node.rule?.holds(text) ?? true),
            ),
          },
          {
            weight: 1,
            arbitrary: fc.string({
              unit: 'binary',
              minLength: node.min,
              maxLength: Math.min(node.max, 250),
            }),
          },
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
    const key = await service.issue();
    let expected = await service.remaining(key);
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await service.post(path, body === undefined ? null : body, key);
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
    expect(await service.remaining(key)).toBe(expected);
  },
);

it('answers any bytes of any type without a fault, and charges nothing for what it refuses', async () => {
  const key = await service.issue();
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
      const answer = await service.send('/v2/jobs/company', {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': type },
        body: new Uint8Array(body),
      });
      expect(type === 'text/plain' ? [415] : [400, 422]).toContain(answer.status);
    }),
    { numRuns: 400, seed: 21 },
  );
  expect(await service.remaining(key)).toBe(SampleService.unlimited.recordsPerMonth);
});

it('refuses the largest filters by their number of terms, and answers shorter ones', async () => {
  const values = Array.from({ length: 50 }, (_, index) =>
    `${index} ${'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(3)}`.slice(0, 200),
  );
  const ask = (list: string[]) => {
    const leaf = { include: list, exclude: list };
    return service.post('/v2/company/tam-by-jobs', {
      job: { title: leaf, description: leaf, ai_keywords: leaf, field: leaf, location: { city: leaf } },
      company: { keywords: leaf, hq: { city: leaf, state: leaf } },
    });
  };
  const refused = await ask(values);
  expect(refused.status).toBe(422);
  expect(refused.body.errors[0].message).toContain('at most 4,000 are allowed');
  expect((await ask(values.slice(0, 2))).status).toBe(200);
});
