import { type Asset, isIncludedUsd } from './lot.ts';

/** One lot of an account, over all processes. Amounts are in the lot's asset. */
export type StatementLot = {
  lot: number;
  asset: Asset;
  kind: 'trial' | 'allowance' | 'credit' | 'grant' | 'budget';
  plan: string;
  given: number;
  /** The balance, including what is leased. */
  remaining: number;
  expiresMs: number | null;
  /** Time at which the plan of the lot gives new units, if it does. */
  resetsMs: number | null;
  createdMs: number;
  /** The source of a grant: `seller`, or `promotion:<code>`. */
  source: string | null;
};

/** The exact grants and balances of accounts at the time of the request. */
export interface Statements {
  /** In burn order. */
  of(account: string): Promise<StatementLot[]>;
}

/** Returns the balance of an asset over the lots that have not expired: `usd` is credit, without the dollars that plans include. */
export function remaining(lots: readonly StatementLot[], asset: Asset, nowMs: number): number {
  return lots
    .filter(
      (lot) =>
        lot.asset === asset && !isIncludedUsd(lot) && (lot.expiresMs === null || lot.expiresMs > nowMs),
    )
    .reduce((sum, lot) => sum + lot.remaining, 0);
}

/** Returns the time at which all that is left of the lots has expired; null when a part never expires, or nothing is left. */
export function expiry(lots: readonly StatementLot[]): number | null {
  const left = lots.filter((lot) => lot.remaining > 0).map(({ expiresMs }) => expiresMs);
  return left.length === 0 || left.includes(null) ? null : Math.max(...left.map(Number));
}

/** Returns the rest of the dollars that trials and subscriptions include, in micro-dollars; null when there are no such lots. */
export function includedUsd(lots: readonly StatementLot[], nowMs: number): number | null {
  const live = lots.filter((lot) => isIncludedUsd(lot) && (lot.expiresMs === null || lot.expiresMs > nowMs));
  return live.length === 0 ? null : live.reduce((sum, lot) => sum + lot.remaining, 0);
}
