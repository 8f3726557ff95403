import type { PriceList } from '@sluice/advisor/price-list';
import type { Catalog } from '../catalog/catalog.ts';
import * as PurchaseRequest from '../catalog/purchase-offer.ts';

/** Converts a catalogue for the advisor. `baseUrl`: the shop's public origin, without a trailing slash. */
export function priceList({ storefront, operations, plans }: Catalog, baseUrl: string): PriceList {
  return {
    name: storefront.name,
    operations,
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
