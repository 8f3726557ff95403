import type { Money } from '../kernel/money.ts';
import type { Service } from './service.ts';

type Offer = {
  id: string;
  name: string;
  description: string;
  /** The services that this plan opens. */
  covers: '*' | ReadonlySet<string>;
  /** Calls a second for each account and operation. */
  requestsPerSecond: number;
};

/** Free units, once for each account; `includedWhenClaimed` are further ones, on top of `included`. */
export type TrialPlan = Offer & { kind: 'trial'; included: number; includedWhenClaimed: number };
/** Prepaid money, drawn by the price of each unit. */
export type CreditPlan = Offer & { kind: 'credit'; min: Money; max: Money };
/** An allowance of units for a period. */
export type SubscriptionPlan = Offer & {
  kind: 'subscription';
  price: Money;
  every: 'month' | 'year';
  included: number;
  /** Whether what is left of a period stays for one more. */
  rollover: boolean;
  /** How long the units of a period live on while its renewal has not been paid. */
  graceDays: number;
};
/** What money buys. */
export type PaidPlan = CreditPlan | SubscriptionPlan;
export type Plan = TrialPlan | CreditPlan | SubscriptionPlan;

/** Whether `plan` opens `service`. */
export function covers(plan: Plan, service: Service): boolean {
  return plan.covers === '*' || plan.covers.has(service.slug);
}
