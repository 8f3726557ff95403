import * as Endpoint from '../identity/endpoint.ts';
import * as Money from '../kernel/money.ts';
import type { Catalog } from './catalog.ts';
import { covers, type Plan } from './plan.ts';
import * as PurchaseRequest from './purchase-request.ts';
import type { Service } from './service.ts';

export type Context = {
  /** The shop's public origin, without a slash at its end. */
  baseUrl: string;
  /** How money can be sent: `card`, `mpp`, `x402`. */
  rails: readonly string[];
  /** Further pages of the shop by relation: `{ openapi: '/openapi.json' }`. Nothing is linked that is not served. */
  links?: Readonly<Record<string, string>>;
};

/**
 * The body of `/manifest.json`: all that a program needs to choose a plan and to get it. The authority for prices.
 * Amounts are decimal strings in USD. The same catalogue and context give the same manifest.
 */
export function manifest(catalog: Catalog, { baseUrl, rails, links = {} }: Context) {
  const absolute = (path: string) => baseUrl + path;
  return {
    name: catalog.storefront.name,
    description: catalog.storefront.description,
    contact: catalog.storefront.contact,
    currency: 'USD',
    base_url: baseUrl,
    services: catalog.services.map((service) => ({
      slug: service.slug,
      name: service.name,
      description: service.description,
      url: absolute(`/services/${service.slug}`),
      operations: catalog.operations
        .filter((operation) => operation.service === service)
        .map(({ method, path }) => ({ method, path })),
    })),
    meters: [...new Set(catalog.services.map(({ unit }) => unit))].map(meter),
    plans: catalog.plans.map((plan) => planEntry(plan, baseUrl)),
    prices: catalog.services.map((service) => price(catalog, service)),
    payment: { rails, minimumUsd: minimum(catalog) },
    identity: {
      scheme: 'bearer',
      register: PurchaseRequest.howToTry(baseUrl),
      guide: absolute(Endpoint.path.guide),
      protected_resource: absolute(Endpoint.path.protectedResource),
      authorization_server: absolute(Endpoint.path.authorizationServer),
    },
    links: Object.fromEntries(
      Object.entries({ self: '/manifest.json', services: '/services', ...links }).map(([rel, path]) => [
        rel,
        absolute(path),
      ]),
    ),
  };
}

/** A meter adds up units over calls. */
function meter(unit: string) {
  return {
    id: unit,
    unit,
    aggregation: 'sum',
    description: `Each ${unit} of a successful answer counts one; an error or an empty answer counts nothing.`,
  };
}

/** `includedUnits` are the trial's free units of a new account, shared by all services that the trial covers. */
function price(catalog: Catalog, service: Service) {
  const trial = catalog.plans.find((plan) => plan.kind === 'trial' && covers(plan, service));
  return {
    service: service.slug,
    meter: service.unit,
    unit: service.unit,
    unitSize: 1,
    priceUsd: Money.format(service.price),
    includedUnits: trial?.kind === 'trial' ? trial.included : 0,
  };
}

/** The least amount that buys anything; null where nothing is for sale. */
function minimum(catalog: Catalog): string | null {
  const amounts = catalog.plans
    .filter((plan) => plan.kind !== 'trial')
    .map((plan) => (plan.kind === 'credit' ? plan.min : plan.price));
  const [least] = amounts.sort((a, b) => a - b);
  return least === undefined ? null : Money.format(least);
}

function planEntry(plan: Plan, baseUrl: string) {
  const common = {
    id: plan.id,
    name: plan.name,
    kind: plan.kind,
    description: plan.description,
    covers: plan.covers === '*' ? plan.covers : [...plan.covers],
    requests_per_second: plan.requestsPerSecond,
  };
  switch (plan.kind) {
    case 'trial':
      return {
        ...common,
        price_usd: Money.format(Money.zero),
        included: plan.included,
        included_when_claimed: plan.includedWhenClaimed,
        purchase: null,
      };
    case 'credit':
      return {
        ...common,
        ...PurchaseRequest.offer(plan, baseUrl),
        min_usd: Money.format(plan.min),
        max_usd: Money.format(plan.max),
      };
    case 'subscription':
      return {
        ...common,
        ...PurchaseRequest.offer(plan, baseUrl),
        every: plan.every,
        rollover: plan.rollover,
        grace_days: plan.graceDays,
      };
  }
}
