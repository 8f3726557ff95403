/** What is counted in a lot: micro-dollars, or units of results. */
export type Asset = 'usd' | 'unit';

/**
 * What an account was given at one time, as one lane sees it. Amounts are whole numbers of the lot's asset.
 * `free` and `held` are this lane's own; `avail` and `others` are as of the lane's last look into the books.
 */
export type Lot = {
  readonly id: number;
  readonly asset: Asset;
  readonly kind: 'trial' | 'allowance' | 'credit' | 'grant' | 'budget';
  readonly plan: string;
  /** Milliseconds since the epoch; null: never. */
  expiresMs: number | null;
  /** Not set aside for any lane. */
  avail: number;
  /** Set aside for other lanes. */
  others: number;
  /** Set aside for this lane, and not held. */
  free: number;
  /** Held by calls under way in this lane. */
  held: number;
};

/** Whether a call that may draw on `plans` may draw on this lot now. */
export function serves(lot: Lot, plans: readonly string[], nowMs: number): boolean {
  return plans.includes(lot.plan) && (lot.expiresMs === null || lot.expiresMs > nowMs);
}

/** All that is left of the lot, over all lanes. */
export function total(lot: Lot): number {
  return lot.avail + lot.others + lot.free + lot.held;
}
