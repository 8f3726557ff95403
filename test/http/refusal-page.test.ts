import { expect, test } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import { callPage } from '../../src/http/fault-page.ts';
import { error } from '../../src/http/reply.ts';
import { english } from '../../src/text/texts.ts';

test('a person who opens a sold address without credit reads what is left in the unit of the shop', async () => {
  const catalog = await CatalogFile.load('openapi/catalog.yaml');
  const browser = { headers: { 'sec-fetch-mode': 'navigate', accept: 'text/html' } };
  const money = { required_usd: '0.05', available_usd: '0.003' };
  const page = async (more: object) => {
    const reply = error(402, 'credit_exhausted', 'for programs', 'req_1', { ...money, ...more });
    return callPage({ catalog, texts: english }, browser, reply)?.text();
  };
  const counted = await page({ affordable_units: 3 });
  expect(counted).toContain('3 results');
  expect(counted).not.toContain('0.05 USD');
  expect(await page({})).toContain('0.05 USD');
});
