import * as Money from '@sluice/kernel/money';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Match from '../../src/catalog/match.ts';
import type { Operation } from '../../src/catalog/operation.ts';
import * as Arguments from '../../src/http/mcp/arguments.ts';
import * as SoldInput from '../../src/http/mcp/sold-input.ts';
import * as SoldTool from '../../src/http/mcp/sold-tool.ts';

function operation(id: string): Operation {
  const [method = '', path = ''] = id.split(' ');
  const service = {
    slug: 's',
    name: 'Things',
    description: 'Things of all kinds.',
    unit: 'thing',
    price: Money.ofMicro(1_000),
  };
  return {
    id,
    method,
    path,
    service,
    units: { kind: 'fixed', units: 1 },
    unitsMax: { kind: 'fixed', units: 1 },
    uncountable: 'withhold',
    yield: { low: 1, high: 1 },
    answeredBy: 'upstream',
    stream: null,
  };
}

const thing = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', example: 'x' },
    size: { type: ['integer', 'null'], default: null },
    of: { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] },
  },
};
const document = { components: { schemas: { Thing: thing, Old: { type: 'string', nullable: true } } } };

function described(own: object, shared: unknown[] = []): SoldInput.DescribedOperation {
  return { operation: { ...own }, shared };
}

function json(schema: object): object {
  return { requestBody: { content: { 'application/json': { schema } } } };
}

describe('the arguments of a sold operation', () => {
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'lang', in: 'query', description: 'Of the answer.', schema: { type: 'string' } },
    { name: 'x-trace', in: 'header', schema: { type: 'string' } },
  ];

  test('stand side by side where no name is there twice', () => {
    const { form, schema } = SoldInput.inputOf(
      operation('PUT /things/{id}'),
      described({ parameters, ...json({ $ref: '#/components/schemas/Thing' }) }),
      document,
    );
    expect(Object.keys(schema.properties)).toEqual(['id', 'lang', 'name', 'size', 'of', 'storefront']);
    expect(schema.required).toEqual(['id', 'name']);
    const filled = Arguments.fill(form, { id: 'a b', lang: 'de', name: 'n', size: 2 });
    expect(filled).toMatchObject({ ok: true, target: { path: '/things/a%20b', query: '?lang=de' } });
    expect(filled.ok && filled.body.toString()).toBe('{"name":"n","size":2}');
  });

  test('have a place each where one is there twice, and where nobody described them', () => {
    const clash = { properties: { id: { type: 'string' } } };
    for (const said of [described({ parameters, ...json(clash) }), null]) {
      const { form, schema } = SoldInput.inputOf(operation('PUT /things/{id}'), said, document);
      expect(Object.keys(schema.properties)).toEqual(['path', 'query', 'body', 'storefront']);
      const filled = Arguments.fill(form, { path: { id: 7 }, query: { a: [1, 2] }, body: { id: 'other' } });
      expect(filled).toMatchObject({ ok: true, target: { path: '/things/7', query: '?a=1&a=2' } });
      expect(filled.ok && filled.body.toString()).toBe('{"id":"other"}');
    }
  });

  test('need not be null to be left out, and are the same whichever OpenAPI says so', () => {
    const { schema } = SoldInput.inputOf(
      operation('POST /things'),
      described(json({ properties: { ...thing.properties, old: { $ref: '#/components/schemas/Old' } } })),
      document,
    );
    expect(schema.properties.size).toEqual({ type: 'integer' });
    expect(schema.properties.of).toEqual({ $ref: '#/$defs/Thing' });
    expect(schema.$defs).toMatchObject({ Thing: { properties: { of: { $ref: '#/$defs/Thing' } } } });
  });

  test('that no operation takes are named, with the nearest that it takes', () => {
    const { form } = SoldInput.inputOf(operation('GET /things/{id}'), described({ parameters }), document);
    expect(Arguments.fill(form, { id: 1, langg: 'de' })).toMatchObject({
      ok: false,
      faults: [{ field: 'langg', message: 'No such argument. Did you mean "lang"?' }],
    });
    expect(Arguments.fill(form, {})).toMatchObject({ ok: false, faults: [{ field: 'id' }] });
  });

  test('whatever they are, leave the path that they were meant for never', () => {
    const form = SoldInput.inputOf(operation('GET /things/{id}/parts'), null, document).form;
    const matcher = Match.compile({ operations: [operation('GET /things/{id}/parts')] } as never);
    const odd = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('..', '.', '\ud800', '%2e', 'a/..', '//', '\\', '?', '#', ''),
    );
    fc.assert(
      fc.property(odd, fc.dictionary(fc.string(), fc.jsonValue()), (id, query) => {
        const filled = Arguments.fill(form, { path: { id }, query });
        if (!filled.ok) return;
        const found = Match.find(matcher, 'GET', filled.target.path);
        if (found.kind === 'operation')
          expect(decodeURIComponent(filled.target.path.split('/')[2] ?? '')).toBe(id);
      }),
    );
  });

  test('are found again in the request that an advice writes out', () => {
    const { form } = SoldInput.inputOf(
      operation('PUT /things/{id}'),
      described({ parameters, ...json(thing) }),
      document,
    );
    const args = { id: 'a b', lang: 'de', name: 'n' };
    const filled = Arguments.fill(form, args);
    if (!filled.ok) throw new Error('not filled');
    const url = `https://shop.example${filled.target.path}${filled.target.query}`;
    expect(Arguments.argumentsOf(form, { url, body: JSON.parse(filled.body.toString()) })).toEqual(args);
  });
});

test('a description that is no JSON Schema, or leads nowhere, stops nobody from selling', () => {
  const bad = { type: 'nonsense', properties: { a: { $ref: '#/nowhere' } } };
  const own = {
    ...json(bad),
    operationId: 'things.make!',
    responses: { 200: { content: { 'application/json': { schema: bad } } } },
  };
  const taken = new Set(['things_make']);
  const sold = operation('POST /things');
  const tool = SoldTool.soldTool(
    {} as never,
    sold,
    described(own),
    document,
    Match.compile({ operations: [sold] } as never),
    taken,
  );
  expect(tool.listed).toMatchObject({ name: 'things_make_2', title: 'Things' });
  expect(tool.listed.outputSchema).toBeUndefined();
  expect(tool.listed.description).toContain('Price: 0.001 USD per thing');
});
