import type { Stripe } from 'stripe';
import { id } from '../../kernel/id.ts';
import type { Act } from '../act.ts';
import * as Store from '../store.ts';
import type { Stored } from './stored.ts';

/** Money that moved into or out of the shop's balance with the processor, in minor units. */
export type BalanceTransaction = Stored<Stripe.BalanceTransaction>;

export const balanceTransactions = Store.table<BalanceTransaction>('balance_transactions');

export type Movement = {
  type: 'charge' | 'refund' | 'refund_failure' | 'adjustment';
  reportingCategory: 'charge' | 'refund' | 'refund_failure' | 'dispute' | 'dispute_reversal';
  /** Negative where money leaves. */
  amount: number;
  fee: number;
  currency: string;
  source: string;
  description: string | null;
};

/** The processor's list price for a domestic card: 2.9 % and 30 minor units. */
export function chargeFee(amount: number): number {
  return Math.round(amount * 0.029) + 30;
}

/** What a dispute costs, in minor units, on top of the amount. */
export const disputeFee = 1_500;

export function create(act: Act, movement: Movement): BalanceTransaction {
  const { amount, fee, currency } = movement;
  return Store.put(act.store, balanceTransactions, {
    id: id('txn'),
    object: 'balance_transaction',
    amount,
    available_on: act.now,
    balance_type: 'payments',
    created: act.now,
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

/** The balance: what all movements add up to, by currency; all of it is available at once. */
export function balance(act: Act): Stripe.Balance {
  const sums = new Map<string, number>([['usd', 0]]);
  for (const { currency, net } of Store.all(act.store, balanceTransactions)) {
    sums.set(currency, (sums.get(currency) ?? 0) + net);
  }
  const available = [...sums].map(([currency, amount]) => ({
    amount,
    currency,
    source_types: { card: amount },
  }));
  const pending = [...sums.keys()].map((currency) => ({ amount: 0, currency, source_types: { card: 0 } }));
  return { object: 'balance', available, livemode: false, pending };
}
