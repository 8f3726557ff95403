import { ofMicro } from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import { conditionOf, type LedgerWriterState } from '../../src/ledger/usage-report.ts';
import { totals } from '../../src/payment/revenue-report.ts';
import { type Reversal, refundable, suggestedRefund } from '../../src/payment/reversal.ts';

const reversal = (amount: number, isEffective = true): Reversal => ({
  id: `re_${amount}`,
  kind: 'refund',
  amount: ofMicro(amount),
  status: 'succeeded',
  isEffective,
  reason: null,
  key: null,
});

test('what was returned cannot be refunded again', () => {
  const paid = ofMicro(5_000_000);
  expect(refundable([], paid)).toBe(5_000_000);
  expect(refundable([reversal(2_000_000), reversal(1_000_000, false)], paid)).toBe(3_000_000);
  expect(refundable([reversal(4_000_000), reversal(3_000_000)], paid)).toBe(0);
});

test('a refund form suggests what the buyer asked for, at most what can be refunded', () => {
  const left = ofMicro(3_000_000);
  const asked = (amount: number, state = 'open') => ({ amount: ofMicro(amount), state });
  expect(suggestedRefund(left, null)).toBe(3_000_000);
  expect(suggestedRefund(left, asked(1_000_000))).toBe(1_000_000);
  expect(suggestedRefund(left, asked(4_000_000))).toBe(3_000_000);
  expect(suggestedRefund(left, asked(1_000_000, 'declined'))).toBe(3_000_000);
});

test('net revenue is without refunds and lost disputes, and net tax without returned tax', () => {
  const day = (gross: number, refunded: number, lost: number, tax: number, taxReturned: number) => ({
    day: '2030-01-31',
    gross: ofMicro(gross),
    refunded: ofMicro(refunded),
    lost: ofMicro(lost),
    tax: ofMicro(tax),
    taxReturned: ofMicro(taxReturned),
  });
  expect(totals([day(10, 2, 1, 4, 3), day(5, 0, 0, 1, 0)])).toEqual({
    gross: 15,
    refunded: 2,
    lost: 1,
    net: 12,
    tax: 5,
    taxReturned: 3,
    netTax: 2,
  });
  expect(totals([]).net).toBe(0);
});

test('a writer without a heartbeat is silent, and an ended one may still hold credit', () => {
  const state = (isOpen: boolean, silentMs: number, leases = 0): LedgerWriterState => ({
    writer: 'a',
    epoch: 1,
    isOpen,
    silentMs,
    uncheckpointed: 0,
    leases,
    leased: { usd: ofMicro(0), units: 0 },
  });
  expect(conditionOf(state(true, 5_000))).toBe('running');
  expect(conditionOf(state(true, 5_001, 3))).toBe('silent');
  expect(conditionOf(state(false, 60_000, 1))).toBe('holds_credit');
  expect(conditionOf(state(false, 60_000))).toBe('ended');
});
