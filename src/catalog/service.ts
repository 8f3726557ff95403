import type { Money } from '@sluice/kernel/money';
import type { UpstreamRoute } from './named-upstream.ts';

/** One or more operations whose units have the same price. */
export type Service = {
  slug: string;
  name: string;
  description: string;
  /** The name of a unit: `result`, `page`, `call`. */
  unit: string;
  /** The price of one unit. */
  price: Money;
  /** Its named upstreams; absent when the catalogue has a single one. */
  route?: UpstreamRoute;
};
