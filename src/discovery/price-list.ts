import type { PriceList } from '@sluice/advisor/price-list';
import type { Catalog } from '../catalog/catalog.ts';
import type { Operation, Units } from '../catalog/operation.ts';
import * as PurchaseRequest from '../catalog/purchase-offer.ts';

type OnePrice = Operation & { units: Exclude<Units, { kind: 'meters' }> };

function hasOnePrice(operation: Operation): operation is OnePrice {
  return operation.units.kind !== 'meters';
}

/** Converts a catalogue for the advisor. `baseUrl`: the shop's public origin, without a trailing slash. */
export function priceList({ storefront, operations, plans }: Catalog, baseUrl: string): PriceList {
  return {
    name: storefront.name,
    // The advisor estimates units of one price; it does not know meters.
    operations: operations.filter(hasOnePrice),
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
