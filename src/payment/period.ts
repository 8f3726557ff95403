import type { SubscriptionPlan } from '../catalog/plan.ts';
import * as Money from '../kernel/money.ts';

/** The terms of one period of a plan. They travel with its order: a change of the catalogue changes no period that is sold. */
export type Terms = {
  every: 'month' | 'year';
  price: Money.Money;
  rollover: boolean;
  graceDays: number;
  /** The period of a smaller plan that this one takes the place of. */
  replaces?: Replaced;
};

/** A period that is given up for a larger plan: its order, the units that were left, and what they count for. */
export type Replaced = { order: string; units: number; credit: Money.Money };

/** A paid period that runs. */
export type Running = {
  order: string;
  subscription: string;
  /** Whether the processor renews it. */
  renews: boolean;
  plan: string;
  price: Money.Money;
  /** The units that it began with, and those that are left. */
  units: number;
  left: number;
  startMs: number;
  endMs: number;
};

export function termsOf({ every, price, rollover, graceDays }: SubscriptionPlan): Terms {
  return { every, price, rollover, graceDays };
}

/**
 * What a running period counts for when a larger plan takes its place: the part of its price that is neither past nor
 * used up, whichever is smaller, in whole cents, rounded down. Nobody gains by buying, using and changing.
 */
export function credit(running: Running, nowMs: number): Money.Money {
  const time = Math.max(0, running.endMs - nowMs) / (running.endMs - running.startMs);
  const part = Math.min(1, time, running.left / running.units);
  return Money.ofCents(Math.floor((running.price * part) / 10_000));
}
