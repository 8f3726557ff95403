import type { Operation } from './operation.ts';
import type { Plan } from './plan.ts';
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
  plans: readonly Plan[];
};
