import * as Money from '@sluice/kernel/money';
import type { Link } from './chain.ts';
import type { Step } from './estimate.ts';
import { covers, type Plan, type PriceList, type ShopRequest } from './price-list.ts';

/** The plan that pays for a chain at the least price. */
export type Choice = {
  id: string;
  kind: Plan['kind'];
  /** The total price of all its purchases. */
  amount: Money.Money;
  purchases: number;
  why: string;
  /** The request that gets it, or opens the account that has it. */
  how: ShopRequest;
};

const cent = 10_000;

/** Chooses the plan for all that costs something; null where no single plan covers it. Free chains are borne by the first that does. */
export function choose(
  { plans, register }: PriceList,
  links: readonly Link[],
  steps: readonly Step[],
): Choice | null {
  const services = links.map(({ offer }) => offer.operation.service);
  const units = steps.reduce((total, step) => total + (step.cost.high > 0 ? step.units.high : 0), 0);
  const cost = Money.ofMicro(steps.reduce((total, step) => total + step.cost.high, 0));
  const offers = plans
    .filter((plan) => services.every((service) => covers(plan, service)))
    .flatMap((plan) => priced(plan, units, cost, register));
  // The sort is stable: of two that cost the same, the one that the price list names first.
  return offers.sort((a, b) => a.amount - b.amount || a.purchases - b.purchases)[0] ?? null;
}

function priced(plan: Plan, units: number, cost: Money.Money, register: ShopRequest): Choice[] {
  const { id, kind } = plan;
  switch (plan.kind) {
    case 'trial':
      if (demand(plan, units, cost) > plan.included) return [];
      return [
        {
          id,
          kind,
          amount: Money.zero,
          purchases: 0,
          why: trialWhy(plan, units, cost),
          how: register,
        },
      ];
    case 'credit': {
      const needed = Math.max(plan.min, Math.ceil(cost / cent) * cent);
      const purchases = Math.ceil(needed / plan.max);
      const each = Money.ofMicro(Math.max(plan.min, Math.ceil(needed / purchases / cent) * cent));
      const amount = Money.times(each, purchases);
      const how = { ...plan.purchase, body: { amount_usd: Money.format(each) } };
      const least =
        cost < plan.min
          ? `; ${Money.format(plan.min)} USD is the least that can be bought, and what is left stays`
          : '';
      return [
        {
          id,
          kind,
          amount,
          purchases,
          why: `The calls cost at most ${Money.format(cost)} USD, drawn as they are made${least}.`,
          how,
        },
      ];
    }
    case 'subscription': {
      const periods = Math.max(1, Math.ceil(demand(plan, units, cost) / plan.included));
      const span = periods === 1 ? `one ${plan.every}` : `${periods} ${plan.every}s`;
      const why =
        plan.asset === 'usd'
          ? `Calls for ${Money.format(cost)} USD fit into ${span} of ${usd(plan.included)}, which costs less than credit.`
          : `${units} units fit into ${span} of ${plan.included}, which costs less than credit.`;
      return [
        {
          id,
          kind,
          amount: Money.times(plan.price, periods),
          purchases: periods,
          why,
          how: plan.purchase,
        },
      ];
    }
  }
}

/** Returns what the calls draw from a plan: units, or micro-dollars. */
function demand({ asset }: { asset?: 'usd' }, units: number, cost: Money.Money): number {
  return asset === 'usd' ? cost : units;
}

function usd(micro: number): string {
  return `${Money.format(Money.ofMicro(micro))} USD`;
}

function trialWhy(
  { included, asset }: { included: number; asset?: 'usd' },
  units: number,
  cost: Money.Money,
): string {
  if (units === 0 && cost === 0) return 'The calls are free; the trial opens them.';
  return asset === 'usd'
    ? `The calls cost at most ${usd(cost)}, and a new account has ${usd(included)} of usage for nothing.`
    : `At most ${units} units are needed, and a new account has ${included} for nothing.`;
}
