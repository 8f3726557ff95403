import * as Endpoint from '@sluice/kernel/endpoints';
import * as Money from '@sluice/kernel/money';
import { english } from '../text/texts.ts';
import type { Catalog } from './catalog.ts';
import * as Included from './included.ts';
import * as MeterPriceData from './meter-price-data.ts';
import { covers, type Plan } from './plan.ts';
import * as PriceWords from './price-words.ts';
import * as PurchaseRequest from './purchase-offer.ts';
import type { Service } from './service.ts';
import * as TaxNote from './tax-note.ts';

export type Context = {
  /** The shop's public origin, without a trailing slash. */
  baseUrl: string;
  /** The payment rails: `card`, `mpp`, `x402`. */
  rails: readonly string[];
  /** Further pages of the shop by relation: `{ openapi: '/openapi.json' }`. Only pages that are served. */
  links?: Readonly<Record<string, string>>;
};

/**
 * Returns the body of `/manifest.json`: everything a program needs to choose and buy a plan. It is authoritative for prices.
 * Amounts are decimal strings in USD. The same catalogue and context give the same manifest.
 */
export function manifest(catalog: Catalog, { baseUrl, rails, links = {} }: Context) {
  const absolute = (path: string) => baseUrl + path;
  // The prices of meters are not one number for a unit.
  const inUnits = catalog.services.filter(({ metering }) => metering === undefined);
  return {
    name: catalog.storefront.name,
    description: catalog.storefront.description,
    contact: catalog.storefront.contact,
    currency: 'USD',
    ...TaxNote.member(english, catalog),
    base_url: baseUrl,
    services: catalog.services.map((service) => ({
      slug: service.slug,
      name: service.name,
      description: service.description,
      ...(service.metering !== undefined && { price: PriceWords.priceInWords(service) }),
      ...MeterPriceData.member(service),
      url: absolute(`/services/${service.slug}`),
      operations: catalog.operations
        .filter((operation) => operation.service === service)
        .map(({ method, path, socket }) => ({ method, path, ...(socket && { upgrade: 'websocket' }) })),
    })),
    meters: [...new Set(inUnits.map(({ unit }) => unit))].map(meter),
    plans: catalog.plans.map((plan) => planEntry(plan, baseUrl)),
    prices: inUnits.map((service) => price(catalog, service)),
    pools: pools(catalog),
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

/** A meter sums units over calls. */
function meter(unit: string) {
  return {
    id: unit,
    unit,
    aggregation: 'sum',
    description: `Each ${unit} of a successful answer counts one; an error or an empty answer counts nothing.`,
  };
}

/** `includedUnits`, `includedUsd`: the free units or dollars of the trial, shared by all services that it covers. */
function price(catalog: Catalog, service: Service) {
  const trial = catalog.plans.find((plan) => plan.kind === 'trial' && covers(plan, service));
  return {
    service: service.slug,
    meter: service.unit,
    unit: service.unit,
    unitSize: 1,
    priceUsd: Money.format(service.price),
    includedUnits: trial?.kind === 'trial' ? (Included.units(trial.included) ?? 0) : 0,
    ...(trial?.kind === 'trial' && dollars('includedUsd', trial.included)),
    includedPool: trial?.id ?? null,
  };
}

/** Returns the member of a plan that includes dollars. */
function dollars(name: string, included: Included.Included): Record<string, string> {
  const usd = Included.usd(included);
  return usd === null ? {} : { [name]: usd };
}

/** The free units or dollars of a new account: one pool, which the services share. */
function pools({ plans, services }: Catalog) {
  return plans.flatMap((plan) =>
    plan.kind === 'trial'
      ? [
          {
            id: plan.id,
            units: Included.units(plan.included) ?? 0,
            ...dollars('usd', plan.included),
            services: services.filter((service) => covers(plan, service)).map(({ slug }) => slug),
          },
        ]
      : [],
  );
}

/** Returns the smallest amount that buys anything, or null when nothing is on sale. */
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
        included: Included.units(plan.included),
        included_when_claimed: Included.units(plan.includedWhenClaimed),
        ...dollars('included_usd', plan.included),
        ...dollars('included_usd_when_claimed', plan.includedWhenClaimed),
        ...(plan.oncePer.length > 0 && { once_per: plan.oncePer }),
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
