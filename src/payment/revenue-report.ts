import { type Money, ofMicro } from '@sluice/kernel/money';
import type { Order } from './order.ts';
import type { Reversal } from './reversal.ts';

/** The sums of one day (UTC): payments, refunds and lost disputes, all without tax, and the tax that was paid and returned. */
export type DailyRevenue = {
  day: string;
  gross: Money;
  refunded: Money;
  lost: Money;
  tax: Money;
  taxReturned: Money;
};

/** The sums of several days. `net`: gross less refunds and lost disputes. All but the tax figures are without tax. */
export type RevenueTotals = Omit<DailyRevenue, 'day'> & { net: Money; netTax: Money };

/** Adds up days. */
export function totals(days: readonly DailyRevenue[]): RevenueTotals {
  const sum = (of: (day: DailyRevenue) => number) => days.reduce((total, day) => total + of(day), 0);
  const [gross, refunded, lost] = [sum((it) => it.gross), sum((it) => it.refunded), sum((it) => it.lost)];
  const [tax, taxReturned] = [sum((it) => it.tax), sum((it) => it.taxReturned)];
  return {
    gross: ofMicro(gross),
    refunded: ofMicro(refunded),
    lost: ofMicro(lost),
    net: ofMicro(gross - refunded - lost),
    tax: ofMicro(tax),
    taxReturned: ofMicro(taxReturned),
    netTax: ofMicro(tax - taxReturned),
  };
}

/** The sums of one payment rail. `mpp`: card token of a program; `card`: hosted page. */
export type RailRevenue = { rail: Order['rail'] | 'mpp'; orders: number; gross: Money };

/** An order without a final state. */
export type UnfinishedOrder = {
  order: Order;
  email: string | null;
  isAtWork: boolean;
  reason: string | null;
};

/** A refund or dispute with the order that it belongs to; `loss` is the part of the order's credit that had been spent. */
export type ReturnedPayment = Reversal & {
  order: string;
  account: string | null;
  /** The buyer's address, if the account has one. */
  email: string | null;
  payment: string | null;
  createdMs: number;
  updatedMs: number;
  loss: Money;
};

/** A webhook event that was not processed. */
export type OpenWebhookEvent = {
  id: string;
  type: string;
  receivedMs: number;
  attempts: number;
  failure: string | null;
  failedMs: number | null;
};

export type PastDue = {
  subscription: string;
  account: string;
  email: string | null;
  plan: string;
  /** The price of the unpaid period, without tax; null when the next plan has another one. */
  price: Money | null;
  periodEndMs: number;
  /** When what the plan included expires: after the grace period, or later for units that roll over. */
  accessUntilMs: number;
};

/** One ledger entry for an order's lot. Amounts are in the lot's asset. */
export type LotEntry = { atMs: number; kind: string; asset: 'usd' | 'unit'; amount: number };

/** The lot that an order bought, including a part that was moved to a later plan; null before the grant. */
export type OrderLot = {
  asset: 'usd' | 'unit';
  remaining: number;
  clawbackDue: number;
  /** The unspent part of the order's own payment, including units that a dearer plan took over. */
  unspent: Money;
  entries: LotEntry[];
};

/** Reports on all buyers' payments. Lists are sorted with the newest first. */
export interface RevenueReport {
  /** Returns true from the first sale on. */
  hasSold(): Promise<boolean>;
  /** Lists every day from that of `sinceMs`. */
  byDay(sinceMs: number): Promise<DailyRevenue[]>;
  byRail(sinceMs: number): Promise<RailRevenue[]>;
  /** Lists charges without an outcome, at most `max`; only that of `order` when it is given. */
  unfinished(max: number, order?: string): Promise<UnfinishedOrder[]>;
  declined(sinceMs: number, max: number): Promise<Order[]>;
  /** Lists disputes that wait for a response, at most `max`, and then the `max` latest refunds and disputes. */
  returned(max: number): Promise<ReturnedPayment[]>;
  openWebhookEvents(max: number): Promise<OpenWebhookEvent[]>;
  pastDue(max: number): Promise<PastDue[]>;
  lotOf(order: string): Promise<OrderLot | null>;
}
