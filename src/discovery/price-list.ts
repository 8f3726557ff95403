import type { PriceList } from '@sluice/advisor/price-list';
import type { Catalog } from '../catalog/catalog.ts';
import * as PurchaseRequest from '../catalog/purchase-offer.ts';

/** Converts a catalogue for the advisor. `baseUrl`: the shop's public origin, without a trailing slash. */
export function priceList({ storefront, operations, plans }: Catalog, baseUrl: string): PriceList {
  return {
    name: storefront.name,
    operations,
    plans: plans.map((plan) =>
      plan.kind === 'trial' ? plan : { ...plan, purchase: PurchaseRequest.how(plan, baseUrl) },
    ),
    register: PurchaseRequest.howToTry(baseUrl),
  };
}
