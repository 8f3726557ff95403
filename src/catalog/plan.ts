import type { Money } from '@sluice/kernel/money';
import type { Included } from './included.ts';
import type { Service } from './service.ts';

type Offer = {
  id: string;
  name: string;
  description: string;
  /** The services that this plan covers. */
  covers: '*' | ReadonlySet<string>;
  /** Calls per second, per account and operation. */
  requestsPerSecond: number;
  /** True for the plan that the start page highlights. */
  isRecommended?: boolean;
};

/** The facts by which a trial can be given once. */
export type OncePer = 'email' | 'card' | 'wallet' | 'address';
/**
 * Free units or dollars of usage, once per account. A claim adds `includedWhenClaimed` to `included`, in the same asset. With `oncePer` it is
 * given once for each of these facts, when one of them is proved; an address proves nothing and only limits.
 */
export type TrialPlan = Offer & {
  kind: 'trial';
  included: Included;
  includedWhenClaimed: Included;
  oncePer: readonly OncePer[];
  /** The most that all accounts together may use in an hour, in the asset of `included`; null: no limit. */
  perHour: number | null;
};
/** Prepaid money; each unit reduces it by its price. */
export type CreditPlan = Offer & { kind: 'credit'; min: Money; max: Money };
/** An allowance of units or dollars for a period. */
export type SubscriptionPlan = Offer & {
  kind: 'subscription';
  price: Money;
  every: 'month' | 'year';
  included: Included;
  /** True when unused units or dollars remain valid for one more period. */
  rollover: boolean;
  /** Days that the units of a period remain valid while its renewal is unpaid. */
  graceDays: number;
};
/** A plan that is bought. */
export type PaidPlan = CreditPlan | SubscriptionPlan;
export type Plan = TrialPlan | CreditPlan | SubscriptionPlan;

/** Returns true when `plan` covers `service`. */
export function covers(plan: Plan, service: Service): boolean {
  return plan.covers === '*' || plan.covers.has(service.slug);
}

/** Returns the plans that are bought. A trial is not for sale. */
export function forSale(plans: readonly Plan[]): PaidPlan[] {
  return plans.filter((plan) => plan.kind !== 'trial');
}

/** Finds a plan that can be bought, or returns null. */
export function findForSale(plans: readonly Plan[], id: string): PaidPlan | null {
  return forSale(plans).find((plan) => plan.id === id) ?? null;
}

/** Returns the trial of a new account; null when the shop gives none. */
export function trialOf(plans: readonly Plan[]): TrialPlan | null {
  return plans.find((plan) => plan.kind === 'trial') ?? null;
}

/** Returns the facts that earn a trial; none for one that needs no proof. */
export function proofsOf({ oncePer }: Pick<TrialPlan, 'oncePer'>): Exclude<OncePer, 'address'>[] {
  return oncePer.filter((fact) => fact !== 'address');
}

/** Returns true when a new account has the trial at once, without a proof. */
export function isTrialImmediate(plans: readonly Plan[]): boolean {
  const trial = trialOf(plans);
  return trial !== null && proofsOf(trial).length === 0;
}

/** Calls per second of an account that has no plan for the operation. */
const requestsPerSecondWithoutPlan = 10;

/** Returns the calls per second of an account for an operation. While its plans are not loaded (null), the highest of all plans applies. */
export function requestsPerSecond(plans: readonly Plan[], owned: readonly string[] | null): number {
  let most = 0;
  for (const plan of plans)
    if (owned === null || owned.includes(plan.id)) most = Math.max(most, plan.requestsPerSecond);
  return most || requestsPerSecondWithoutPlan;
}
