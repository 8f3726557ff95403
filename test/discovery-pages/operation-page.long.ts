import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
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

function read(path: string, method: string, page: 1 | 'all'): string {
  const made = Page.pageOf(reference, { page, words: null, path, method, service: null });
  if (made.kind !== 'page') throw new Error('no page');
  return made.json;
}

test.each(reference.entries)(
  '$method $path alone is valid OpenAPI once its references are resolved',
  async ({ path, method }) => {
    const { components } = JSON.parse(read(path, method, 'all'));
    const document = { ...JSON.parse(read(path, method, 1)), components };
    expect(await new Validator().validate(document)).toMatchObject({ valid: true });
  },
);

test.each([...reference.components.keys()])('the document of %s is valid OpenAPI', async (ref) => {
  const json = OperationPage.componentPage(reference, ref.slice('#/components/'.length)) ?? '';
  expect(await new Validator().validate(JSON.parse(json))).toMatchObject({ valid: true });
});
