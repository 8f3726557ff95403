import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Money from '@sluice/kernel/money';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import * as CatalogDraft from '../../src/catalog/import/catalog-draft.ts';
import * as CatalogYaml from '../../src/catalog/import/catalog-yaml.ts';

const price = Money.parse('0.002') ?? Money.ofMicro(0);

const parcel = { type: 'object', properties: { id: { type: 'string' } } };
const success = (schema: unknown) => ({
  responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
});
const limit = (more: object) => ({ name: 'limit', in: 'query', schema: { type: 'integer', ...more } });
const list = {
  type: 'object',
  properties: { total: { type: 'integer' }, parcels: { type: 'array', items: parcel } },
};

function drafted(paths: object, more: object = {}): CatalogDraft.Drafting {
  return CatalogDraft.fromOpenApi(
    { openapi: '3.1.0', info: { title: 'Parcels' }, paths, ...more },
    { price },
  );
}

function proposed(paths: object, more: object = {}): CatalogDraft.CatalogDraft {
  const drafting = drafted(paths, more);
  if (drafting.kind !== 'draft') throw new Error(drafting.kind);
  return drafting.proposal;
}

function only(paths: object, more: object = {}) {
  const { services } = proposed(paths, more);
  return services.flatMap(({ operations }) => operations)[0];
}

describe('results are counted', () => {
  test('in the one list of an answer, up to the limit that a request may name', () => {
    const found = only({
      '/v1/parcels': { get: { parameters: [limit({ default: 20, maximum: 50 })], ...success(list) } },
    });
    expect(found).toMatchObject({
      units: '/parcels',
      unitsMax: { pointer: '/limit', default: 20, ceiling: 50 },
      doubts: [],
    });
  });

  test('in the answer itself where that is the list, by a limit that all methods of its path share', () => {
    const path = { parameters: [limit({ maximum: 30 })], get: success({ type: 'array', items: parcel }) };
    expect(only({ '/parcels': path })).toMatchObject({
      units: '',
      unitsMax: { pointer: '/limit', default: 30, ceiling: 30 },
    });
  });

  test('through references, and by a limit in the body', () => {
    const components = {
      schemas: {
        Wish: { allOf: [{ properties: { page_size: { type: 'integer', maximum: 40, default: 10 } } }] },
        Found: { type: 'object', properties: { notes: { type: 'array' }, results: { type: 'array' } } },
      },
    };
    const operation = {
      requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Wish' } } } },
      ...success({ $ref: '#/components/schemas/Found' }),
    };
    expect(only({ '/search': { post: operation } }, { components })).toMatchObject({
      units: '/results',
      unitsMax: { pointer: '/page_size', default: 10, ceiling: 40 },
    });
  });

  test('and what is not described is assumed and said', () => {
    const found = only({ '/parcels': { get: { parameters: [limit({})], ...success(list) } } });
    expect(found?.unitsMax).toEqual({ pointer: '/limit', default: 10, ceiling: 100 });
    expect(found?.doubts).toHaveLength(2);
    expect(only({ '/parcels': { get: success(list) } })).toMatchObject({
      unitsMax: 100,
      doubts: [expect.any(String)],
    });
  });

  test('one by one where an answer has no list', () => {
    expect(only({ '/parcels/{id}': { get: success(parcel) } })).toMatchObject({ units: 1, unitsMax: null });
  });
});

test('what reads and what writes are services of their own, by tag', () => {
  const { services } = proposed({
    '/parcels': { get: { tags: ['Parcels'], ...success(list) }, post: { tags: ['Parcels'] } },
    '/v2/depots/{id}': { get: {} },
  });
  expect(services.map(({ slug, unit }) => [slug, unit])).toEqual([
    ['parcels', 'result'],
    ['parcels-writing', 'call'],
    ['depots', 'result'],
  ]);
});

test.each([
  [
    { type: 'apiKey', in: 'header', name: 'X-Key' },
    { header: 'x-key', value: '{key}' },
  ],
  [
    { type: 'http', scheme: 'bearer' },
    { header: 'authorization', value: 'Bearer {key}' },
  ],
  [
    { type: 'http', scheme: 'basic' },
    { header: 'authorization', value: 'Basic {key}' },
  ],
])('the key goes where %j says', (scheme, key) => {
  expect(proposed({ '/a': { get: {} } }, { components: { securitySchemes: { scheme } } }).key).toEqual(key);
});

test('what cannot be sold is left out with the reason, and the rest is a catalogue that loads', () => {
  const written = CatalogYaml.write(
    proposed({
      '/parcels': { get: { deprecated: true }, post: {} },
      '/account/me': { get: {} },
      '/files/{name}.pdf': { get: {} },
      '/a/{x}': { get: {} },
      '/{y}/b': { get: {} },
    }),
    'api.yaml',
  );
  expect(written.proposal.leftOut.map(({ call }) => call).sort()).toEqual([
    'GET /account/me',
    'GET /parcels',
    'GET /{y}/b',
  ]);
  const parsed = CatalogFile.parse(written.text ?? '', 'catalog.yaml');
  expect(parsed.ok && parsed.catalog.operations.map(({ id }) => id)).toEqual([
    'POST /parcels',
    'GET /files/{name}.pdf',
    'GET /a/{x}',
  ]);
});

test('whatever a description holds, it becomes a catalogue that loads, or nothing', () => {
  const schema = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(
        { $ref: '#/components/schemas/A' },
        { $ref: '#/nowhere' },
        { $ref: '#/%zz' },
        { $ref: 7 },
        null,
        [],
      ),
      fc.record(
        {
          type: fc.constantFrom('array', 'object', ['array', 'null'], 3),
          properties: fc.dictionary(fc.constantFrom('items', 'limit', '', 'a/b', '__proto__'), tie('schema')),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    ),
  })).schema;
  const operation = fc.record(
    {
      tags: fc.array(fc.oneof(fc.string(), fc.integer())),
      summary: fc.string(),
      parameters: fc.array(
        fc.record({ name: fc.constantFrom('limit', '$top', 'x'), in: fc.constant('query'), schema }),
      ),
      requestBody: fc.record({
        content: fc.dictionary(fc.constantFrom('application/json', 'text/csv'), fc.record({ schema })),
      }),
      responses: fc.dictionary(
        fc.constantFrom('200', '2XX', 'default'),
        fc.record({ content: fc.dictionary(fc.constant('application/json'), fc.record({ schema })) }),
      ),
    },
    { requiredKeys: [] },
  );
  const paths = fc.dictionary(
    fc.oneof(fc.constantFrom('/a', '/a/{id}', '/b//c', '/{x}/a', 'a', '/plans/x', '/a/../b'), fc.string()),
    fc.dictionary(
      fc.constantFrom('get', 'post', 'x-more', 'parameters'),
      fc.oneof(operation, fc.jsonValue()),
    ),
    { maxKeys: 6 },
  );
  fc.assert(
    fc.property(paths, schema, (described, A) => {
      const isEmpty = drafted(described).kind === 'unknown';
      if (isEmpty) return;
      const { text } = CatalogYaml.write(proposed(described, { components: { schemas: { A } } }), 'api.yaml');
      expect(text === null || CatalogFile.parse(text, 'c.yaml').ok).toBe(true);
    }),
    { numRuns: 50 },
  );
});

describe('npm run catalog', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice catalog '));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const command = (...args: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, '../../src/cli/sluice.ts'), 'catalog', ...args], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 60_000,
    });
  const description = JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Parcels' },
    servers: [{ url: 'https://api.parcels.example' }],
    paths: { '/parcels': { get: { parameters: [limit({ maximum: 50 })], ...success(list) } } },
  });

  test('makes a catalogue beside the description, which checks, and is not replaced unasked', async () => {
    await writeFile(join(folder, 'api.json'), description);
    const made = command('import', 'api.json', '--price', '0.25', '--yes');
    expect(made.stdout).toContain('UPSTREAM_URL=https://api.parcels.example');
    expect(made.status).toBe(0);
    const catalog = await CatalogFile.load(join(folder, 'catalog.yaml'));
    expect(catalog.services).toMatchObject([{ slug: 'parcels', price: 250_000 }]);
    expect(command('check', 'catalog.yaml').status).toBe(0);
    const text = await readFile(join(folder, 'catalog.yaml'), 'utf8');
    expect(command('import', 'api.json', '--price', '9').status).toBe(1);
    expect(await readFile(join(folder, 'catalog.yaml'), 'utf8')).toBe(text);
  });

  test('reads Swagger 2.0: the operations, their counts, and the address with its base path', async () => {
    const forecast = { type: 'object', properties: { days: { type: 'array', items: { type: 'object' } } } };
    const swagger = {
      swagger: '2.0',
      info: { title: 'Weather', version: '1' },
      host: 'api.weather.example',
      basePath: '/v1',
      schemes: ['https'],
      paths: { '/forecast': { get: { responses: { 200: { description: 'OK', schema: forecast } } } } },
    };
    await writeFile(join(folder, 'swagger.json'), JSON.stringify(swagger));
    const made = command('import', 'swagger.json', '--out', 'weather.yaml', '--price', '0.01', '--yes');
    expect(made.stdout).toContain('UPSTREAM_URL=https://api.weather.example/v1');
    const catalog = await CatalogFile.load(join(folder, 'weather.yaml'));
    expect(catalog.operations).toMatchObject([
      { method: 'GET', path: '/forecast', units: { kind: 'pointer', pointer: ['days'] } },
    ]);
  });

  test('says what is wrong, and writes nothing', async () => {
    await writeFile(join(folder, 'not.json'), '{"swagger":"1.2"}');
    for (const [args, code, said] of [
      [['import', 'not.json', '--out', 'x.yaml'], 1, /not an OpenAPI description/],
      [['import', 'absent.json', '--out', 'x.yaml'], 1, /cannot be read/],
      [['import', 'api.json', '--out', 'x.yaml', '--price', 'much'], 2, /not an amount such as 0.002/],
      [['check', 'x.yaml'], 1, /cannot be read/],
    ] as const) {
      const { status, stderr } = command(...args);
      expect(stderr).toMatch(said);
      expect(status).toBe(code);
    }
  });

  test('fetches a description and keeps it, for the shop to read at each start', async () => {
    const server = createServer((_, response) => response.end(description)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const Import = await import('../../src/cli/commands/catalog.ts');
      const out = join(folder, 'fetched.yaml');
      expect(
        await Import.run(['import', `http://127.0.0.1:${port}/openapi.json`, '--out', out, '--yes']),
      ).toBe(0);
      expect((await CatalogFile.load(out)).upstream.description).toBe(join(folder, 'upstream.json'));
    } finally {
      server.close();
    }
  });
});
