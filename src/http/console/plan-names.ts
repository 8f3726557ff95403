import type { CatalogContext } from '../../catalog/catalog-context.ts';
import { nameOf } from '../../catalog/plan-name.ts';
import type { PlanName } from './pages/orders.ts';

/** Returns a function that names a plan of the catalogue by its id. */
export function planNames(shop: Pick<CatalogContext, 'catalog'>): PlanName {
  return (plan) => nameOf(shop.catalog, plan);
}
