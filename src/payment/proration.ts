import * as Money from '@sluice/kernel/money';
import type { SubscriptionPlan } from '../catalog/plan.ts';

/**
 * One line of the processor's invoice, without tax. `text`: the processor's description; null for the line that charges for the period
 * itself. A negative amount is a credit.
 */
export type InvoiceLine = { text: string | null; amount: Money.Money };

/** The terms of one period of a plan. They are stored with its order, so a change of the catalogue does not affect sold periods. */
export type PeriodTerms = {
  every: 'month' | 'year';
  /** Buys `units`. It sets the value of a unit for the whole period, even if the period began with fewer units. */
  price: Money.Money;
  units: number;
  /** `usd` when the period includes dollars: every figure in units is then in micro-dollars. */
  asset?: 'usd';
  rollover: boolean;
  graceDays: number;
  /** The period of a cheaper plan that this one replaces. */
  replaces?: ReplacedPeriod;
  /** The lines of the invoice that paid it, for its receipt; absent when there is no invoice, and when its lines were not read. */
  lines?: readonly InvoiceLine[];
};

/** A period that is replaced by one of a dearer plan: its order, and the maximum credit for it. */
export type ReplacedPeriod = { order: string; credit: Money.Money };

/** Returns the end of a period that begins at `startMs`, as the processor counts: on the same day, or on the last one of a shorter month. */
export function periodEnd(startMs: number, every: PeriodTerms['every']): number {
  const start = new Date(startMs);
  const end = new Date(startMs);
  end.setUTCDate(1);
  end.setUTCMonth(start.getUTCMonth() + (every === 'year' ? 12 : 1));
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  return end.setUTCDate(Math.min(start.getUTCDate(), lastDay));
}

/** A paid period that is running. */
export type RunningPeriod = {
  order: string;
  subscription: string;
  /** True when the processor renews it. */
  renews: boolean;
  plan: string;
  /** The price of the plan, and the units that it buys. The period itself can have begun with fewer units. */
  price: Money.Money;
  pricedUnits: number;
  /** The units at its start, and the remaining units. */
  units: number;
  left: number;
  /** `usd` when the period includes dollars, as in its terms. */
  asset?: 'usd';
  startMs: number;
  endMs: number;
};

export function termsOf({ every, price, included, rollover, graceDays }: SubscriptionPlan): PeriodTerms {
  const asset = included.asset === 'usd' ? { asset: included.asset } : {};
  return { every, price, units: included.amount, ...asset, rollover, graceDays };
}

/**
 * Returns the credit for a running period that a dearer plan replaces: the smaller of its remaining share of time and its
 * unused units, at the plan's price per unit, rounded down to whole cents. This way it never pays to buy, use and change.
 */
export function prorationCredit(running: RunningPeriod, nowMs: number): Money.Money {
  const time = Math.max(0, running.endMs - nowMs) / (running.endMs - running.startMs);
  const units = Math.min(running.left, running.units * Math.min(1, time));
  return Money.ofCents(Math.floor(share(running.price, units, running.pricedUnits) / 10_000));
}

/** Returns `amount * part / whole`. Whole numbers are multiplied exactly, because micro-dollars by micro-dollars exceed a double. */
export function share(amount: number, part: number, whole: number): number {
  if (!Number.isInteger(part)) return (amount * part) / whole;
  const product = BigInt(amount) * BigInt(part);
  const quotient = product / BigInt(whole);
  return Number(quotient) + Number(product % BigInt(whole)) / whole;
}

/** Returns what a period includes. */
export function assetOf({ asset }: Pick<PeriodTerms | RunningPeriod, 'asset'>): 'unit' | 'usd' {
  return asset ?? 'unit';
}
