import { ofCents } from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import type { Order } from '../../src/payment/order.ts';
import type { PeriodTerms } from '../../src/payment/proration.ts';
import { linesOf } from '../../src/payment/receipt-lines.ts';
import * as ReceiptNumber from '../../src/payment/receipt-number.ts';

const terms: PeriodTerms = {
  every: 'month',
  price: ofCents(49_900),
  units: 1_000,
  rollover: false,
  graceDays: 3,
};
const replaces = { order: 'pur_old', credit: ofCents(9_899) };
const order = (cents: number, more: Partial<PeriodTerms> = {}): Pick<Order, 'amount' | 'period'> => ({
  amount: ofCents(cents),
  period: { units: 1_000, terms: { ...terms, ...more } },
});
const price = { text: null, amount: ofCents(49_900) };
const credit = { text: 'Start at the shop', amount: ofCents(-9_899) };

test('the receipt of a plan change lists the price and the deducted rest of the plan before', () => {
  const lines = [
    { kind: 'bought', amount: ofCents(49_900) },
    { kind: 'unused', order: 'pur_old', amount: ofCents(-9_899) },
  ];
  expect(linesOf(order(40_001, { replaces, lines: [credit, price] }))).toEqual(lines);
  // Stored before its lines were: the terms add up to the amount.
  expect(linesOf(order(40_001, { replaces }))).toEqual(lines);
});

test('the lines of a receipt add up to its amount, whatever the processor added or took off', () => {
  const extra = { text: 'Set-up', amount: ofCents(2_500) };
  for (const [cents, lines] of [
    [52_400, [price, extra]],
    [44_900, [price]],
    [38_000, [credit, price, extra]],
    [0, [price]],
  ] as const) {
    const found = linesOf(order(cents, { replaces, lines }));
    expect(found.reduce((sum, { amount }) => sum + (amount ?? 0), 0)).toBe(ofCents(cents));
  }
});

test('a receipt states no parts that are not known', () => {
  expect(linesOf(order(40_001))).toEqual([{ kind: 'bought', amount: null }]);
  expect(linesOf(order(30_000, { replaces }))).toEqual([{ kind: 'bought', amount: null }]);
  expect(linesOf(order(49_900))).toEqual([{ kind: 'bought', amount: ofCents(49_900) }]);
  expect(linesOf({ amount: ofCents(500), period: null })).toEqual([{ kind: 'bought', amount: ofCents(500) }]);
});

test('the number of a receipt finds its purchase', () => {
  const id = 'pur_1a2b3c4d5e6f7a8b00000000000000ff';
  const number = ReceiptNumber.of(id);
  expect(number).toBe('1A2B-3C4D-5E6F-7A8B');
  expect(ReceiptNumber.idsOf(String(number))).toContain('pur_1a2b3c4d5e6f7a8b');
  expect(ReceiptNumber.of('in_1MtHbELkdIwHu7ixl4OzzPMv')).toBeNull();
  expect(ReceiptNumber.idsOf('1A2B-3C4D')).toBeNull();
});
