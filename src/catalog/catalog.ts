import type { Operation } from './operation.ts';
import { covers, type Plan } from './plan.ts';
import type { Service } from './service.ts';

/** What a shop sells: the parsed and checked catalogue file. */
export type Catalog = {
  /** `seller` and `tax` are what receipts say of either. */
  storefront: { name: string; description: string; contact: string; seller?: string; tax?: string };
  upstream: {
    /** Absolute path of the OpenAPI description of what is resold; '' where there is none. */
    description: string;
    /** How the operator's key travels: `value` holds `{key}` where the key goes. */
    key: { header: string; value: string };
    timeoutMs: number;
  };
  services: readonly Service[];
  operations: readonly Operation[];
  /** What is for sale. */
  plans: readonly Plan[];
  /** What is sold to nobody any more: who has it uses it up, and what renews goes on. */
  retired: readonly Plan[];
};

/** The plans that open `service`, for those who have them. */
export function opening({ plans, retired }: Catalog, service: Service): Plan[] {
  return [...plans, ...retired].filter((plan) => covers(plan, service));
}
