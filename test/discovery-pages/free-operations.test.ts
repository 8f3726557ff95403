import { expect, test } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import * as PriceWords from '../../src/catalog/price-words.ts';
import * as PaymentInfo from '../../src/discovery/payment-info.ts';
import { breaches } from '../catalog/schema.ts';

test.each([
  ['GET /v1/models', true],
  ['GET /v1/files', true],
  ['DELETE /v1/files/{file_id}', true],
  ['POST /v1/files', false],
  ['POST /v1/images/generations', false],
  ['POST /v1/chat/completions', false],
])('%s states a price only if a call can cost something', async (id, isFree) => {
  const catalog = await CatalogFile.load('examples/llm-shop/catalog.yaml');
  const operation = catalog.operations.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`the shop does not sell ${id}`);
  const info = PaymentInfo.ofCall(catalog, operation);
  expect(breaches('payment-info.schema.json', info)).toEqual([]);
  expect(PriceWords.callInWords(operation) === 'free').toBe(isFree);
  expect(info.rates === undefined && info.metering === undefined).toBe(isFree);
  if (isFree) expect(info.price).toEqual({ mode: 'fixed', currency: 'USD', amount: '0.00' });
});
