import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as Money from '../src/money.ts';

const amount = fc.integer({ min: 0, max: Money.usdMax * 1_000_000 }).map(Money.ofMicro);

it('reads back every amount that it writes, to the micro-dollar', () => {
  fc.assert(
    fc.property(amount, (money) => {
      expect(Money.parse(Money.format(money))).toBe(money);
      expect(Money.parse(Money.formatExact(money))).toBe(money);
    }),
  );
});

it('writes at least cents, and no more decimals than there are', () => {
  expect(
    ['0.5', '5', '0.001', '12.345678', '0'].map((text) => Money.format(Money.parse(text) ?? Money.zero)),
  ).toEqual(['0.50', '5.00', '0.001', '12.345678', '0.00']);
  expect(Money.formatExact(Money.ofMicro(12_000))).toBe('0.012000');
});

it.each([
  '',
  '-1',
  '+1',
  '1e3',
  '.5',
  '5.',
  '0.0000001',
  ' 1',
  '1,5',
  'NaN',
  '99999999999',
  '1000000000.000001',
  '٣',
])('does not take %j for an amount', (text) => expect(Money.parse(text)).toBeNull());

it('refuses what is not whole or not safe', () => {
  for (const value of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
    expect(() => Money.ofMicro(value)).toThrow(RangeError);
  }
});

it('knows whole cents from parts of them', () => {
  expect(Money.toCents(Money.ofMicro(500_000))).toBe(50);
  expect(Money.toCents(Money.ofMicro(500_001))).toBeNull();
});
