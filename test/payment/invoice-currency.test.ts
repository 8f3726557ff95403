import { ofCents } from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import * as Renewal from '../../src/journeys/renewal.ts';
import type { PaymentContext } from '../../src/payment/payment-context.ts';
import type { Invoice } from '../../src/payment/subscription.ts';

const invoice: Invoice = {
  id: 'in_1',
  order: 'pur_1',
  isForeign: false,
  isFirst: false,
  change: null,
  subscription: 'sub_1',
  payment: 'pi_1',
  currency: 'eur',
  paid: ofCents(9_900),
  tax: ofCents(0),
  plan: 'start',
  units: 200_000,
  terms: { price: 99_000_000, every: 'month', rollover: false, graceDays: 3 } as Invoice['terms'],
  startMs: 0,
  endMs: 1,
};

test.each([true, false])(
  'an invoice in another currency begins no period (the first one: %s)',
  async (isFirst) => {
    const reports: unknown[] = [];
    const paymentContext = {
      report: (event: string, detail: object) => reports.push({ event, ...detail }),
      subscriptions: { book: () => expect.unreachable() },
      orders: { find: () => expect.unreachable() },
    } as unknown as PaymentContext;
    expect(await Renewal.book(paymentContext, { ...invoice, isFirst })).toBeNull();
    expect(reports).toEqual([
      { event: 'payment_mismatch', order: 'pur_1', payment: 'pi_1', currency: 'eur', received: 99_000_000 },
    ]);
  },
);
