import type { Money } from '@sluice/kernel/money';

/** The total holdings of one plan, on sale or retired, according to the ledger. */
export type PlanHoldings = {
  plan: string;
  /** Accounts that hold credit or units of it, and their totals. */
  accounts: number;
  usd: Money;
  units: number;
  /** Running periods by the terms of their purchase: a renewal costs the same as the period before it. */
  periods: readonly Period[];
  /** Subscriptions that will change to it. */
  coming: number;
  /** Accounts with an automatic top-up of it. */
  topUps: number;
  /** Active promotions that grant it. */
  promotions: number;
  /** Orders that can still be paid: a hosted payment page does not know the catalogue. */
  offers: number;
};

/** Number of accounts with a period on these terms. */
export type Period = {
  accounts: number;
  price: Money;
  every: 'month' | 'year';
  /** Units, or micro-dollars by the asset. */
  units: number;
  asset: 'unit' | 'usd';
};

/** Reads plan holdings; an adapter implements it. */
export interface PlanHoldingsReader {
  /** Returns every plan with holdings. */
  all(): Promise<readonly PlanHoldings[]>;
}
