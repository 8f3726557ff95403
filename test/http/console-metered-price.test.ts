import { expect, test } from 'vitest';
import type { Metering, PriceTable } from '../../src/catalog/meter-prices.ts';
import { keyWord, meteredPrice } from '../../src/http/console/pages/metered-price.ts';

const table = (key: string, per: number, input: string, rate: bigint): PriceTable => ({
  ...{ key, per },
  ...{ usd: [input, '9'], rates: [rate, 90n] },
});
const meter = { unit: 'input token', count: { kind: 'pointer' } };
const of = (meters: unknown[], ...tables: PriceTable[]) =>
  ({
    ...{ meters, fallback: null },
    priceBy: { kind: 'body', pointer: ['model'] },
    tables: new Map(tables.map((one) => [one.key, one])),
  }) as unknown as Metering;

test('a metered service is shown with its lowest price, by the exact price of one unit', () => {
  const both = [meter, { ...meter, unit: 'output token' }];
  const prices = of(both, table('large', 1000, '0.01', 10_000n), table('small', 1_000_000, '0.15', 150n));
  expect(meteredPrice(prices)).toBe('From 0.15 USD per 1,000,000 input tokens');
  expect(keyWord(prices)).toBe('model');
  expect(meteredPrice(of([meter], table('default', 1, '0.02', 20_000n)))).toBe('0.02 USD per input token');
  const cost = { unit: 'usd', count: { kind: 'cost' } };
  expect(meteredPrice(of([cost], table('default', 1, '1', 1n)))).toBe('the provider’s price');
});
