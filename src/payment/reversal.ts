import type { Money } from '../kernel/money.ts';

/** Money that goes back: a refund by the seller, or a dispute by the holder of the card. */
export type Reversal = {
  /** The processor's object, `re_...` or `dp_...`: one reversal each. */
  id: string;
  kind: 'refund' | 'dispute';
  amount: Money;
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

/** What the reversals of one payment take of it in all: never more than was paid. */
export function total(reversals: readonly Reversal[], paid: Money): Money {
  const gone = reversals.reduce((sum, { amount, counts }) => sum + (counts ? amount : 0), 0);
  return Math.min(gone, paid) as Money;
}
