import type * as Money from '@sluice/kernel/money';
import type { Catalog } from '../../catalog/catalog.ts';
import { covers, type Plan } from '../../catalog/plan.ts';
import { isByUsage, unitOfPlan } from '../../catalog/plan-unit.ts';
import type { Texts } from '../../text/texts.ts';
import { effectivePrice, sizeOf, unitPrice } from './unit-price.ts';

type Offer = Pick<Catalog, 'plans' | 'services'>;

/** Returns what a unit of a plan costs, as its card says it: of credit where all services have one price, or of the units that a plan includes. */
export function worthOf(texts: Texts, plan: Plan, offer: Offer): string {
  const by = isByThousand(offer) ? 1_000 : 1;
  const { services } = offer;
  if (plan.kind === 'credit') {
    const price = creditPrice(plan, offer);
    return price === null ? '' : unitPrice(texts, { price, unit: unitOfPlan(plan, services) }, by);
  }
  const included = includedOf(plan);
  if (included === null) return '';
  return effectivePrice(texts, included.price, included.amount, unitOfPlan(plan, services), by);
}

/** Returns true when a card states the price of 1,000 units. Then all do, so that their prices can be compared. */
function isByThousand(offer: Offer): boolean {
  return offer.plans.some((plan) => {
    const included = includedOf(plan);
    const each = included === null ? creditPrice(plan, offer) : included.price / included.amount;
    return each !== null && sizeOf(each) > 1;
  });
}

/** The price of each unit of credit; null where services have different prices. */
function creditPrice(plan: Plan, { services }: Offer): Money.Money | null {
  const covered = services.filter((service) => plan.kind === 'credit' && covers(plan, service));
  const [price, ...others] = new Set(covered.map((service) => service.price).filter((each) => each > 0));
  return isByUsage(covered) || price === undefined || others.length > 0 ? null : price;
}

/** The units that a subscription includes, and their price. */
function includedOf(plan: Plan): { price: Money.Money; amount: number } | null {
  if (plan.kind !== 'subscription' || plan.included.asset !== 'unit' || plan.included.amount === 0)
    return null;
  return { price: plan.price, amount: plan.included.amount };
}

/** Returns the plan whose included units cost least; null where none is cheaper than another one, or than the same unit that credit pays. */
export function lowestPriced({ plans, services }: Offer): Plan | null {
  const priced = plans.flatMap((plan) => {
    const included = includedOf(plan);
    return included === null ? [] : [{ plan, each: included.price / included.amount }];
  });
  const [first, second] = priced.toSorted((a, b) => a.each - b.each);
  if (first === undefined || second === undefined || first.each >= second.each) return null;
  const byCredit = services.filter((service) =>
    [first.plan, ...plans.filter(({ kind }) => kind === 'credit')].every((plan) => covers(plan, service)),
  );
  return byCredit.some(({ price }) => price > 0 && price <= first.each) ? null : first.plan;
}
