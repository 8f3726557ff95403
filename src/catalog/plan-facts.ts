import * as Money from '@sluice/kernel/money';
import * as Included from './included.ts';
import type { Plan, TrialPlan } from './plan.ts';

/** Returns the facts of a plan by the keys of the file, for comparison; none of an absent plan. */
export function planFacts(plan: Plan | undefined): Record<string, string> {
  if (!plan) return {};
  return {
    kind: plan.kind,
    ...termsOf(plan),
    covers: plan.covers === '*' ? '*' : [...plan.covers].sort().join(', '),
    requests_per_second: `${plan.requestsPerSecond}`,
    ...(plan.isRecommended && { recommended: 'true' }),
    name: plan.name,
    description: plan.description,
  };
}

/** Returns the price and contents of a plan, by the keys of the file. */
function termsOf(plan: Plan): Record<string, string> {
  switch (plan.kind) {
    case 'trial':
      return {
        ...includedFact(plan.included),
        ...claimedFact(plan.includedWhenClaimed),
        ...(plan.oncePer.length > 0 && { once_per: [...plan.oncePer].sort().join(', ') }),
        ...hourFact(plan),
      };
    case 'credit':
      return { min_usd: Money.format(plan.min), max_usd: Money.format(plan.max) };
    case 'subscription':
      return {
        price_usd: Money.format(plan.price),
        every: plan.every,
        ...includedFact(plan.included),
        rollover: `${plan.rollover}`,
        grace_days: `${plan.graceDays}`,
      };
  }
}

/** Returns what a plan includes under the key of the file: `included`, or `included_usd`. */
function includedFact(included: Included.Included): Record<string, string> {
  const usd = Included.usd(included);
  return usd === null ? { included: `${included.amount}` } : { included_usd: usd };
}

function hourFact({ included, perHour }: TrialPlan): Record<string, string> {
  if (perHour === null) return {};
  const usd = Included.usd(Included.another(included, perHour));
  return usd === null ? { all_per_hour: `${perHour}` } : { all_usd_per_hour: usd };
}

function claimedFact(more: Included.Included): Record<string, string> {
  const usd = Included.usd(more);
  return usd === null ? { included_when_claimed: `${more.amount}` } : { included_usd_when_claimed: usd };
}
