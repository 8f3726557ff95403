import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import { isBranded, storefrontOf } from '../../src/catalog/import/imported-storefront.ts';

const info = { title: 'Weather  API', description: 'Forecasts.\n\nMore about them.' };
const imported = { ...storefrontOf(info), contact: 'shop@example.com' };

test.each([
  ['as the import wrote it', {}, false],
  ['with another contact', { contact: 'me@example.com' }, false],
  ['with another name', { name: 'Sunny' }, true],
  ['with another description', { description: 'Every forecast.' }, true],
  ['with a colour', { brand: { colour: '#112233' } }, true],
  ['with a logo', { brand: { logo: 'logo.png' } }, true],
])('a storefront %s', (_, change, expected) => {
  expect(isBranded({ ...imported, ...change }, info)).toBe(expected);
});

test('a long title is compared as the import cut it', () => {
  const long = { title: 'A'.repeat(200) };
  expect(isBranded({ ...imported, ...storefrontOf(long) }, long)).toBe(false);
});

test.each(['openapi', 'examples/llm-shop'])(
  'a seller has not yet changed the storefront that comes in %s',
  async (folder) => {
    const path = fileURLToPath(new URL(`../../${folder}/catalog.yaml`, import.meta.url));
    const { storefront } = await CatalogFile.load(path);
    expect(isBranded(storefront, {})).toBe(false);
    expect(isBranded({ ...storefront, description: 'Every profile.' }, {})).toBe(true);
    expect(isBranded({ ...storefront, brand: { colour: '#112233' } }, {})).toBe(true);
  },
);
