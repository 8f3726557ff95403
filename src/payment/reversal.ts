import * as Money from '../kernel/money.ts';
import * as Gift from './gift.ts';
import type * as Wish from './wish.ts';

/** Money that goes back: a refund by the seller, or a dispute by the holder of the card. */
export type Reversal = {
  /** The processor's object, `re_...` or `dp_...`: one reversal each. */
  id: string;
  kind: 'refund' | 'dispute';
  amount: Money.Money;
  /** The processor's word for how it stands. */
  status: string;
  /** Whether the money is gone as things stand. A refund that fails, or a dispute that is won, brings it back. */
  counts: boolean;
  reason: string | null;
  /** The seller's own key of a refund that he asked for here under one. */
  key: string | null;
};

/** Characters of a seller's key. */
export const keyCharsMax = 100;

/** What the seller wants to send back: `amount` of an order, null for all that has not gone back yet; once under his own `key`. */
export type Refund = { order: string; amount: Money.Money | null; key: string | null };

/** Reads what is to be sent back: `purchase`; where wanted `amount_usd`, in whole cents, and `key`. */
export function parse(body: unknown): { kind: 'wish'; wish: Refund } | Gift.Faulty {
  const faults: Wish.Fault[] = [];
  const {
    purchase,
    amount_usd,
    key = null,
  } = Gift.membersOf(body, ['purchase', 'amount_usd', 'key'], faults);
  const amount = amount_usd === undefined ? null : Money.parse(String(amount_usd));
  if (typeof purchase !== 'string') faults.push({ field: 'purchase', message: 'Required: pur_...' });
  if (amount_usd !== undefined && (!amount || Money.toCents(amount) === null))
    faults.push({ field: 'amount_usd', message: 'Must be an amount in USD in whole cents' });
  const isKey = typeof key === 'string' && key.length > 0 && key.length <= keyCharsMax;
  if (key !== null && !isKey)
    faults.push({ field: 'key', message: `Must be a text of 1 to ${keyCharsMax} characters` });
  if (faults.length > 0 || typeof purchase !== 'string') return { kind: 'fault', faults };
  return { kind: 'wish', wish: { order: purchase, amount, key: isKey ? key : null } };
}

/** What the reversals of one payment take of it in all: never more than was paid. */
export function total(reversals: readonly Reversal[], paid: Money.Money): Money.Money {
  const gone = reversals.reduce((sum, { amount, counts }) => sum + (counts ? amount : 0), 0);
  return Math.min(gone, paid) as Money.Money;
}

/** What sending money of an order back does to its credit: so much of it goes, and so much had been spent: the seller's loss. */
export type Effect = { asset: 'usd' | 'unit'; taken: number; missing: number };

/**
 * What a refund of `amount` would do to an order's lot, in the lot's asset, as things stand; `gone` went back before. Of included units
 * the share that the money is of the price, in the buyer's favour.
 */
export function effect(
  order: { amount: Money.Money; units: number | null },
  gone: Money.Money,
  amount: Money.Money,
  remaining: number,
): Effect {
  const { units } = order;
  const share = (money: number) => (units === null ? money : Math.floor((units * money) / order.amount));
  const due = share(gone + amount) - share(gone);
  const taken = Math.min(due, remaining);
  return { asset: units === null ? 'usd' : 'unit', taken, missing: due - taken };
}
