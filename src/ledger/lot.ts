import type { Money } from '@sluice/kernel/money';

/** The asset of a lot: micro-dollars, or units of results. */
export type Asset = 'usd' | 'unit';

/**
 * One grant to an account, as a writer sees it. Amounts are whole numbers of the lot's asset. `free` and `held` are this writer's leases;
 * `avail` and `others` are as of its last reading of the ledger.
 */
export type Lot = {
  readonly id: number;
  readonly asset: Asset;
  readonly kind: 'trial' | 'allowance' | 'credit' | 'grant' | 'budget';
  readonly plan: string;
  /** Milliseconds since the epoch; null: never. */
  expiresMs: number | null;
  /** Not leased to any writer. */
  avail: number;
  /** True for a trial of which nothing can be leased now, because all trials together have used up their hour. Later lots pay meanwhile. */
  paused?: boolean;
  /** Leased to other writers. */
  others: number;
  /** Leased to this writer, and not held. */
  free: number;
  /** Held by running calls of this writer. */
  held: number;
};

/** The terms on which a call draws on lots. */
export type DrawTerms = {
  plans: readonly string[];
  price: Money;
  /** True for a call that units of results never pay for. */
  moneyOnly?: boolean;
};

/** Returns true if a call on these terms may draw on the lot now. */
export function serves(lot: Lot, { plans, moneyOnly }: DrawTerms, nowMs: number): boolean {
  if (moneyOnly === true && lot.asset === 'unit') return false;
  return plans.includes(lot.plan) && (lot.expiresMs === null || lot.expiresMs > nowMs);
}

/** Returns the balance of the lot over all writers. */
export function total(lot: Lot): number {
  return lot.avail + lot.others + lot.free + lot.held;
}

/** Returns true for the dollars that a trial or subscription includes. They pay for calls as credit does, and before it. */
export function isIncludedUsd({ asset, kind }: Pick<Lot, 'asset' | 'kind'>): boolean {
  return asset === 'usd' && (kind === 'trial' || kind === 'allowance');
}
