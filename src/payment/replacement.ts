import type { Money } from '@sluice/kernel/money';

/** The purchase of a dearer plan that replaced a paid period. */
export type Replacement = {
  order: string;
  plan: string;
  /** The worth of the unused part of the period, which was deducted from the price of the dearer plan. */
  credit: Money;
  atMs: number;
};

/** The part that a refund takes from one of the lots that replaced one another, in the asset of the lot. */
export type LotRefund = {
  order: string;
  plan: string;
  asset: 'usd' | 'unit';
  due: number;
  remaining: number;
  /** The part of earlier refunds that was spent already. */
  unpaid: number;
};

/** Replaced periods of orders. */
export interface Replacements {
  /** Finds the replacements of orders, by order. Orders without one are absent. */
  replacementsOf(orders: readonly string[]): Promise<ReadonlyMap<string, Replacement>>;
  /**
   * Returns what a refund of `amount` of an order takes from the lot of each order of its chain, the oldest first; for a negative amount, what
   * refunds of that much have taken.
   */
  refundTakes(order: string, amount: number): Promise<LotRefund[]>;
}
