import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import type { Stored } from './stored.ts';

/** Money that moved into or out of the shop's balance with the processor, in minor units. */
export type BalanceTransaction = Stored<Stripe.BalanceTransaction>;

export const balanceTransactions = Store.table<BalanceTransaction>('balance_transactions');

export type Movement = {
  type: 'charge' | 'refund' | 'refund_failure' | 'adjustment' | 'payout';
  reportingCategory: 'charge' | 'refund' | 'refund_failure' | 'dispute' | 'dispute_reversal' | 'payout';
  /** Negative where money leaves. */
  amount: number;
  fee: number;
  currency: string;
  /** The object that moved the money; null for a payout, which the sandbox keeps no object of. */
  source: string | null;
  description: string | null;
};

/** The processor's list price for a domestic card: 2.9 % and 30 minor units. */
export function chargeFee(amount: number): number {
  return Math.round(amount * 0.029) + 30;
}

/** The fee for a dispute, in minor units, on top of the disputed amount. */
export const disputeFee = 1_500;

export function create(ctx: RequestContext, movement: Movement): BalanceTransaction {
  const { amount, fee, currency } = movement;
  return Store.put(ctx.store, balanceTransactions, {
    id: id('txn'),
    object: 'balance_transaction',
    amount,
    available_on: ctx.now,
    balance_type: 'payments',
    created: ctx.now,
    currency,
    description: movement.description,
    exchange_rate: null,
    fee,
    fee_details:
      fee === 0
        ? []
        : [{ amount: fee, application: null, currency, description: 'Processing fees', type: 'stripe_fee' }],
    net: amount - fee,
    reporting_category: movement.reportingCategory,
    source: movement.source,
    status: 'available',
    type: movement.type,
  });
}

/** Sums of all movements, by currency. */
function sumsOf({ store }: RequestContext): Map<string, number> {
  const sums = new Map<string, number>([['usd', 0]]);
  for (const { currency, net } of Store.all(store, balanceTransactions)) {
    sums.set(currency, (sums.get(currency) ?? 0) + net);
  }
  return sums;
}

/** The available balance in a currency, in minor units. */
export function available(ctx: RequestContext, currency: string): number {
  return sumsOf(ctx).get(currency) ?? 0;
}

/** Pays the whole available balance out to the seller's bank. */
export function payOut(ctx: RequestContext): BalanceTransaction[] {
  const positive = [...sumsOf(ctx)].filter(([, amount]) => amount > 0);
  return positive.map(([currency, amount]) =>
    create(ctx, {
      type: 'payout',
      reportingCategory: 'payout',
      amount: -amount,
      fee: 0,
      currency,
      source: null,
      description: 'STRIPE PAYOUT',
    }),
  );
}

/** The balance: the sum of all movements by currency, all of it available at once. */
export function balance(ctx: RequestContext): Stripe.Balance {
  const sums = sumsOf(ctx);
  const available = [...sums].map(([currency, amount]) => ({
    amount,
    currency,
    source_types: { card: amount },
  }));
  const pending = [...sums.keys()].map((currency) => ({ amount: 0, currency, source_types: { card: 0 } }));
  return { object: 'balance', available, livemode: false, pending };
}
