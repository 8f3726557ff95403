import { expect, test } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import * as Match from '../../src/catalog/match.ts';
import { callPage } from '../../src/http/fault-page.ts';
import { error } from '../../src/http/reply.ts';
import { english } from '../../src/text/texts.ts';

const browser = { headers: { 'sec-fetch-mode': 'navigate', accept: 'text/html' } };

test('a person who opens a sold address without credit reads what is left in the unit of the shop', async () => {
  const catalog = await CatalogFile.load('openapi/catalog.yaml');
  const money = { required_usd: '0.05', available_usd: '0.003' };
  const page = async (more: object) => {
    const reply = error(402, 'credit_exhausted', 'for programs', 'req_1', { ...money, ...more });
    return callPage({ catalog, texts: english }, Match.compile(catalog), browser, reply)?.text();
  };
  const counted = await page({ affordable_units: 3 });
  expect(counted).toContain('3 results');
  expect(counted).not.toContain('0.05 USD');
  expect(await page({})).toContain('0.05 USD');
});

test('a person who opens the address of an operation reads which service it is of, with a link to its reference', async () => {
  const catalog = await CatalogFile.load('openapi/catalog.yaml');
  const matcher = Match.compile(catalog);
  const reply = error(405, 'method_not_allowed', 'for programs', 'req_1', {}, { allow: 'POST' });
  const opened = async (url: string) =>
    callPage({ catalog, texts: english }, matcher, { ...browser, url }, reply)?.text();
  const page = await opened('/v2/search/people?a=1');
  expect(page).toContain('Programs call People search at this address.');
  expect(page).toContain('href="/docs/people-search">Read the reference<');
  expect(await opened('//evil.example')).toContain('href="/docs">Read the reference<');
});
