import * as Money from '@sluice/kernel/money';
import type { PaymentFacts } from '../../src/http/console/pages/payment.ts';
import type { Order } from '../../src/payment/order.ts';
import type { StoredReversal } from '../../src/payment/reversal.ts';
import { unpaidOrder } from '../purchase/unpaid-order.ts';

export const boughtMs = Date.UTC(2026, 10, 27, 9, 30);
export const endMs = Date.UTC(2026, 11, 27, 9, 30);
export const usd = (dollars: number) => Money.ofMicro(dollars * 1_000_000);
const terms = { every: 'month', price: usd(99), units: 5_000, rollover: false, graceDays: 3 } as const;

/** A paid purchase: of 5.00 USD of credit. */
export const orderOf = (more: Partial<Order> = {}): Order =>
  unpaidOrder({
    ...{ id: 'pur_1', state: 'granted', account: 'acc_1', payment: 'pi_1', challengeId: null },
    ...{ createdMs: boughtMs, expiresMs: boughtMs, grantedMs: boughtMs },
    ...more,
  });

/** A month of a plan for 99.00 USD that includes 5,000 results. */
export const periodOf = (more: Partial<Order> = {}): Order =>
  orderOf({
    ...{ plan: 'start', amount: usd(99), period: { units: 5_000, terms } },
    ...{ periodStartMs: boughtMs, periodEndMs: endMs },
    ...more,
  });

export const reversalOf = (more: Partial<StoredReversal>): StoredReversal => ({
  ...{ id: 're_1', kind: 'refund', amount: usd(5), tax: Money.zero, status: 'succeeded', isEffective: true },
  ...{ reason: null, key: null, dueMs: null, createdMs: boughtMs + 60_000, updatedMs: boughtMs + 60_000 },
  ...more,
});

/** The names of plans by id. */
export const planName = (id: string) => ({ credit: 'Pay as you go', start: 'Start' })[id] ?? id;

/** The facts of a paid purchase without anything special. */
export const factsOf = (order: Order, more: Partial<PaymentFacts> = {}): PaymentFacts => ({
  ...{
    order,
    planName,
    email: 'ada@example.com',
    reversals: [],
    lot: null,
    replacement: null,
    planEndedMs: null,
    holdup: null,
    card: null,
    charges: [],
    fees: [],
    signals: [],
  },
  ...{ loss: { certain: Money.zero, pending: Money.zero }, left: order.amount, page: null, request: null },
  ...{ preview: null, unconfirmed: null, canRefund: true, canDecline: true, nowMs: boughtMs + 3_600_000 },
  ...{ result: null, draft: null, declining: null },
  ...more,
});

/** The text of a page, with its elements as spaces. */
export const textOf = (page: unknown) =>
  String(page)
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replace(/\s+/g, ' ');
