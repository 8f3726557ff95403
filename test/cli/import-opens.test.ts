import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import * as CatalogCommand from '../../src/cli/commands/catalog.ts';
import * as CatalogOpening from '../../src/process/catalog-opening.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-import-'));
afterAll(() => rmSync(folder, { recursive: true }));

const json = (schema: unknown) => ({ content: { 'application/json': { schema } } });

/** A description with one operation that sends and returns `schema`. */
const described = (schema: unknown, components: unknown = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Awkward', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  components: { schemas: components },
  paths: {
    '/v1/things': {
      post: {
        requestBody: json(schema),
        responses: {
          200: {
            description: 'things',
            ...json({ type: 'object', properties: { items: { type: 'array', items: schema } } }),
          },
        },
      },
    },
  },
});
const thing = { $ref: '#/components/schemas/Thing' };

describe('a description that import accepts opens a shop', () => {
  test.each([
    [
      'with nullable of OpenAPI 3.0 beside no type',
      described(thing, { Thing: { nullable: true, oneOf: [{ type: 'string' }] } }),
    ],
    ['with a pattern that is no regular expression', described({ type: 'string', pattern: '(' })],
    ['with a keyword of the wrong type', described({ type: 'object', required: 'name' })],
    [
      'with a schema that refers to itself',
      described(thing, { Thing: { type: 'object', properties: { parent: thing } } }),
    ],
    ['with a reference to nothing', described({ $ref: '#/components/schemas/Missing' })],
    ['with an unknown type', described({ type: 'file' })],
    ['with a schema that is no mapping', described('string')],
    ['without responses', { ...described({}), paths: { '/v1/things': { get: {} } } }],
  ])('%s', async (name, document) => {
    const [source, out] = [join(folder, `${name}.json`), join(folder, `${name}.yaml`)];
    writeFileSync(source, JSON.stringify(document));
    const code = await CatalogCommand.run([
      ...[
        'import',
        source,
        '--out',
        out,
        '--price',
        '0.001',
        '--trial',
        '0',
        '--min',
        '0.50',
        '--yes',
        '--json',
      ],
    ]);
    expect(code).toBe(0);
    expect(await CatalogCommand.run(['check', out, '--json'])).toBe(0);
    const loaded = await CatalogFile.read(out);
    const opened = await CatalogOpening.openCatalog(
      loaded,
      { publicUrl: 'https://shop.example.com', rails: [] },
      { claim: false, x402: false },
    );
    expect(opened.reference.entries.some(({ service }) => service !== null)).toBe(true);
  });
});
