import * as Money from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import * as Receipts from '../../src/journeys/receipts.ts';

const period = { price: Money.ofCents(49_900), endMs: null };

test('a receipt of a change shows the price of the period and what the plan before took off it', () => {
  expect(Receipts.deducted('400.01', period)).toEqual({ price: '499.00', credit: '-98.99' });
  expect(Receipts.deducted('499.00', period)).toBeNull();
});

test('a receipt shows what is left of a payment after its refunds', () => {
  expect(Receipts.paidAfter('5.95', '1.00')).toBe('4.95');
  expect(Receipts.paidAfter('5.00', '6.00')).toBe('0.00');
});
