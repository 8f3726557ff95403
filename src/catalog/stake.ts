import type { Money } from '../kernel/money.ts';

/** What accounts have at stake under one plan, sold or not, by the books. */
export type Stake = {
  plan: string;
  /** Accounts that hold something of it, and how much they hold together. */
  accounts: number;
  usd: Money;
  units: number;
  /** Periods that run, by the terms that they were bought on: a renewal costs what the period before it did. */
  periods: readonly Period[];
  /** Subscriptions of other plans that change to it. */
  coming: number;
  /** Accounts whose card is charged for it when they run low. */
  topUps: number;
  /** Promotions that give it and have not ended. */
  promotions: number;
  /** Orders that may still be paid: a hosted page knows nothing of the catalogue. */
  offers: number;
};

/** So many accounts have a period on these terms. */
export type Period = { accounts: number; price: Money; every: 'month' | 'year'; units: number };

/** Where that is known; an adapter implements it. */
export interface Stakes {
  /** Of every plan of which there is anything. */
  all(): Promise<readonly Stake[]>;
}
