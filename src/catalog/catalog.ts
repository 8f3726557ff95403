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
  /** What opens each service, found once for all calls. */
  openings: ReadonlyMap<Service, Opening>;
};

/** The plans that open a service for those who have them, be they still for sale or not; and their ids. */
export type Opening = { plans: readonly Plan[]; ids: readonly string[] };

export function openings(services: readonly Service[], plans: readonly Plan[]): Catalog['openings'] {
  return new Map(
    services.map((service) => {
      const covering = plans.filter((plan) => covers(plan, service));
      return [service, { plans: covering, ids: covering.map(({ id }) => id) }];
    }),
  );
}

const closed: Opening = { plans: [], ids: [] };

/** What opens `service`. */
export function opening(catalog: Catalog, service: Service): Opening {
  return catalog.openings.get(service) ?? closed;
}
