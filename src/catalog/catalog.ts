import type { Brand, Logo } from './brand.ts';
import type { Goal } from './goals-file.ts';
import type { NamedUpstream } from './named-upstream.ts';
import type { Operation } from './operation.ts';
import { covers, type Plan } from './plan.ts';
import type { ResponseField } from './response-field.ts';
import type { Service } from './service.ts';
import type { Limits } from './upstream-limits.ts';

/** The products of a shop: the parsed and validated catalogue file. */
export type Catalog = {
  /** Receipts print `seller` and `tax_note`. `tax`: the service that calculates tax on top of the prices. */
  storefront: {
    name: string;
    description: string;
    contact: string;
    seller?: string;
    tax_note?: string;
    tax?: 'stripe' | 'none';
    /** Web pages of the seller that the footer links to. */
    links?: Readonly<Partial<Record<'terms' | 'privacy' | 'imprint' | 'status', string>>>;
    brand?: Brand;
  };
  /** The file of `storefront.brand.logo`. */
  logo?: Logo;
  upstream: {
    /** Absolute path of the OpenAPI description of the upstream; '' when there is none. */
    description: string;
    /** The header that sends the operator's key; `value` contains `{key}` in place of the key. */
    key: { header: string; value: string };
    timeoutMs: number;
    /** A GET that answers 2xx while the upstream can serve; null when any response counts. */
    readinessPath: string | null;
    /** Limits of running and waiting calls, in total and per account; absent ones have their default. */
    limits?: Readonly<Partial<Limits>>;
    /** Maximum length of a request body; absent for the default. */
    bodyBytesMax?: number;
    /** Fields of JSON responses that are replaced or removed before a response is delivered. */
    responseFields: readonly ResponseField[];
    /** The path under which the shop has the API, such as `/acme`; '' when paths are the same at both. */
    mount: string;
  };
  /** The upstreams by name; empty when there is only `upstream`, whose key and limits are not used otherwise. */
  upstreams: ReadonlyMap<string, NamedUpstream>;
  services: readonly Service[];
  operations: readonly Operation[];
  /** Goals that callers state, and the operations that answer them. */
  goals?: readonly Goal[];
  /** Word forms by concept and language, beyond those that the advisor knows. */
  concepts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The plans on sale. */
  plans: readonly Plan[];
  /** Plans that are no longer sold: holders can use them up, and subscriptions renew. */
  retired: readonly Plan[];
  /** The plans that cover each service, computed once. */
  openings: ReadonlyMap<Service, Opening>;
};

/** The plans that cover a service, on sale or retired, and their ids. */
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

/** Returns the plans that cover `service`. */
export function opening(catalog: Catalog, service: Service): Opening {
  return catalog.openings.get(service) ?? closed;
}

/**
 * Returns the keys of all price tables behind the upstream of a service, such as models; null when any value has a price there, or when
 * nothing is priced by a key.
 */
export function priceKeys({ services }: Pick<Catalog, 'services'>, of: Service): ReadonlySet<string> | null {
  const metered = services.filter(
    ({ metering, route }) => metering?.priceBy != null && route?.upstream === of.route?.upstream,
  );
  if (metered.length === 0 || metered.some(({ metering }) => metering?.fallback != null)) return null;
  return new Set(metered.flatMap(({ metering }) => [...(metering?.tables.keys() ?? [])]));
}
