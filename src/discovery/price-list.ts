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
    plans: plans.map((plan) =>
      plan.kind === 'trial' ? plan : { ...plan, purchase: PurchaseRequest.how(plan, baseUrl) },
    ),
    register: PurchaseRequest.howToTry(baseUrl),
  };
}
