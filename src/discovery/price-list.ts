import type { Operation as AdvisedOperation, PriceList } from '@sluice/advisor/price-list';
import * as Money from '@sluice/kernel/money';
import type { Catalog } from '../catalog/catalog.ts';
import type { Operation } from '../catalog/operation.ts';
import * as PurchaseRequest from '../catalog/purchase-offer.ts';
import * as MeteredEstimate from './metered-estimate.ts';

/** Converts a catalogue for the advisor. `baseUrl`: the shop's public origin, without a trailing slash. */
export function priceList(
  { storefront, operations, plans, goals = [], concepts }: Catalog,
  baseUrl: string,
): PriceList {
  return {
    name: storefront.name,
    operations: operations.map(advised),
    samples: goals,
    ...(concepts && { concepts }),
    plans: plans.map((plan) => {
      if (plan.kind === 'credit') return { ...plan, purchase: PurchaseRequest.how(plan, baseUrl) };
      const { asset, amount } = plan.included;
      const inside = { included: amount, ...(asset === 'usd' && { asset }) };
      return plan.kind === 'trial'
        ? { ...plan, ...inside }
        : { ...plan, ...inside, purchase: PurchaseRequest.how(plan, baseUrl) };
    }),
    register: PurchaseRequest.howToTry(baseUrl),
  };
}

/** An operation with meters is estimated by its request. */
function advised(operation: Operation): AdvisedOperation {
  const { units, unitsMax, service } = operation;
  if (units.kind !== 'meters') return { ...operation, units };
  const most = unitsMax.kind === 'fixed' ? unitsMax.units : unitsMax.ceiling;
  const ceiling = Money.times(service.price, most);
  return {
    ...operation,
    units: {
      kind: 'meters',
      estimate: (request) => MeteredEstimate.estimate(units.rule, ceiling, request),
    },
  };
}
