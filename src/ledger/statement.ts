import type { Asset } from './lot.ts';

/** One lot of an account as the books have it, over all processes. Amounts are in the lot's asset. */
export type StatementLot = {
  lot: number;
  asset: Asset;
  kind: 'trial' | 'allowance' | 'credit' | 'grant' | 'budget';
  plan: string;
  given: number;
  /** What is left of it, set aside or not. */
  remaining: number;
  expiresMs: number | null;
  createdMs: number;
  /** Of what was granted, where it comes from: `seller`, or `promotion:<code>`. */
  source: string | null;
};

/** What accounts were given and have left, exactly, at the moment of asking. */
export interface Statements {
  /** In burn order. */
  of(account: string): Promise<StatementLot[]>;
}

/** What is left of an asset over the lots that have not expired. */
export function remaining(lots: readonly StatementLot[], asset: Asset, nowMs: number): number {
  return lots
    .filter((lot) => lot.asset === asset && (lot.expiresMs === null || lot.expiresMs > nowMs))
    .reduce((sum, lot) => sum + lot.remaining, 0);
}
