import type { Money } from '@sluice/kernel/money';
import type { Metering } from './meter-prices.ts';
import type { UpstreamRoute } from './named-upstream.ts';

/** One or more operations whose units have the same price. */
export type Service = {
  slug: string;
  name: string;
  description: string;
  /** The heading under which the reference lists it. */
  group?: string;
  /** The name of a unit: `result`, `page`, `call`. */
  unit: string;
  /** The price of one unit. */
  price: Money;
  /** Its named upstreams; absent when the catalogue has a single one. */
  route?: UpstreamRoute;
  /** Several meters with prices of their own. Then a unit is one micro-dollar of cost, which no text or document should state as a price. */
  metering?: Metering;
};

/** Returns true for a service whose calls cost nothing. */
export function isFree({ metering, price }: Pick<Service, 'metering' | 'price'>): boolean {
  return metering === undefined && price === 0;
}
