import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as CatalogFile from '../../src/catalog/file.ts';
import * as Page from '../../src/discovery/openapi-page.ts';
import * as OperationPage from '../../src/discovery/operation-page.ts';
import * as Reference from '../../src/discovery/reference.ts';

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const baseUrl = 'https://prospect-data.storefront.example';
const catalog = await CatalogFile.load(file('openapi/catalog.yaml'));
const upstream = parse(await readFile(file('packages/data-api/openapi/data-api.yaml'), 'utf8'));
const offers = { claim: true, x402: true };
const reference = await Reference.openReference(catalog, upstream, { baseUrl, offers });

const query = { page: 1, words: null, path: null, method: null, service: null };
const external = `${baseUrl}/openapi.json?component=`;

function read(asked: Partial<Page.ReferenceQuery>): string {
  const page = Page.pageOf(reference, { ...query, ...asked });
  if (page.kind !== 'page') throw new Error('no page');
  return page.json;
}

function refsIn(json: string): string[] {
  return [...json.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref);
}

/** The value at a JSON Pointer in a document. */
function at(document: object, fragment: string): unknown {
  const tokens = fragment.replace(/^#?\//, '').split('/');
  return tokens.reduce<unknown>((value, token) => (value as Record<string, unknown>)[token], document);
}

describe.each(reference.entries)('$method $path alone', ({ method, path, id }) => {
  const json = read({ path, method });
  const document = JSON.parse(json);

  test('takes less than 8 KB', () => {
    expect(Buffer.byteLength(json)).toBeLessThan(8 * 1024);
    expect(document.paths[path][method.toLowerCase()].operationId).toBe(id);
  });

  test('leads to everything that it leaves out', () => {
    for (const ref of refsIn(json)) {
      if (ref.startsWith('#')) {
        expect(at(document, ref), ref).toBeDefined();
        continue;
      }
      expect(ref.startsWith(external), ref).toBe(true);
      const [name = '', fragment = ''] = ref.slice(external.length).split('#');
      const there = JSON.parse(OperationPage.componentPage(reference, name) ?? 'null');
      expect(at(there, fragment), ref).toBeDefined();
    }
    const whole = JSON.parse(read({ path, method, page: 'all' }));
    expect(document.info['x-complete']).toContain('page=all');
    expect(refsIn(JSON.stringify(whole)).every((ref) => ref.startsWith('#/'))).toBe(true);
  });
});

test('a component is described with all that it needs, and an unknown one is not', () => {
  for (const ref of reference.components.keys()) {
    const json = OperationPage.componentPage(reference, ref.slice('#/components/'.length)) ?? '';
    const document = JSON.parse(json);
    for (const inner of refsIn(json)) expect(at(document, inner), inner).toBeDefined();
  }
  expect(OperationPage.componentPage(reference, 'schemas/Nothing')).toBeNull();
});

test('the operations of one path are described together', () => {
  const document = JSON.parse(read({ path: '/account/keys' }));
  expect(Object.keys(document.paths['/account/keys'])).toEqual(['get', 'post']);
});

test('the fields of a request are described on its own page before those of the response', () => {
  const { components } = JSON.parse(read({ path: '/v2/search/people' }));
  expect(components.schemas.SearchPeopleRequest.properties).toHaveProperty('max_results');
  expect(components.schemas.Person.$ref).toBe(`${external}schemas/Person#/components/schemas/Person`);
});
