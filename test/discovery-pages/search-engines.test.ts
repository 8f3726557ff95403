import { expect, test } from 'vitest';
import type { Catalog } from '../../src/catalog/catalog.ts';
import * as Fault from '../../src/catalog/fault.ts';
import * as File from '../../src/catalog/file.ts';
import * as WellKnown from '../../src/discovery/well-known.ts';
import * as Frame from '../../src/http/pages/frame.ts';
import { english } from '../../src/text/texts.ts';

const catalog = await File.load('openapi/catalog.yaml');

async function page(storefront: Partial<Catalog['storefront']>, more: object = {}): Promise<string> {
  const shop = { texts: english, catalog: { storefront: { ...catalog.storefront, ...storefront } } };
  const main = 'text' as unknown as Frame.Html;
  return Frame.respondWithPage(200, shop, { title: 'A page', main, ...more }).text();
}

test('a page with a canonical address has a description and a link preview; quotes in them are escaped', async () => {
  const text = await page({ description: 'Data "for sale" <now>' }, { canonical: 'https://shop.example/' });
  expect(text).toContain('<link rel="canonical" href="https://shop.example/">');
  expect(text).toContain('<meta name="description" content="Data &quot;for sale&quot; &lt;now&gt;">');
  expect(text).toContain('<meta property="og:url" content="https://shop.example/">');
  expect(text).not.toContain('noindex');
});

test('other pages are not listed by search engines', async () => {
  expect(await page({})).toContain('<meta name="robots" content="noindex">');
});

test('the footer has the links of the seller that the catalogue names, and no others', async () => {
  const text = await page({
    links: { terms: 'https://seller.example/terms', imprint: 'https://seller.example/i' },
  });
  expect(text).toContain(
    '<a href="https://seller.example/terms">Terms</a><a href="https://seller.example/i">',
  );
  expect(text).not.toContain('Privacy');
});

test('a link that is no web address is an error of the catalogue with its place', () => {
  const text =
    'storefront:\n  name: Shop\n  contact: a@example.com\n  links: { terms: "javascript:alert(1)" }\n';
  const read = File.parse(text, 'catalog.yaml');
  expect(read.ok ? [] : read.faults.map(Fault.format).join('\n')).toMatch(/write the address of a web page/);
});

test('the sitemap lists the shop and each page of the reference; accounts and payments are closed to crawlers', () => {
  const map = WellKnown.sitemap(catalog, 'https://shop.example');
  for (const at of ['/', '/docs', ...catalog.services.map(({ slug }) => `/docs/${slug}`)])
    expect(map).toContain(`<loc>https://shop.example${at}</loc>`);
  expect(WellKnown.robotsTxt('https://shop.example')).toMatch(
    /Disallow: \/checkout\/\n[\s\S]*Sitemap: https:\/\/shop\.example\/sitemap\.xml\n$/,
  );
});
