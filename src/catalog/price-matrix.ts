import * as Money from '../kernel/money.ts';
import type { Catalog } from './catalog.ts';
import * as Description from './description.ts';
import type { Operation } from './operation.ts';
import { covers, type Plan } from './plan.ts';
import * as PurchaseRequest from './purchase-request.ts';
import type { Service } from './service.ts';

/** Where the catalogue is served from, and what the upstream says of its own operations. */
export type Context = { baseUrl: string; description: Description.Description };

/** One row of a price matrix: what a unit of the service costs under one plan. */
export type Row = {
  plan: string;
  name: string;
  kind: Plan['kind'];
  /** What the plan costs: nothing, the least credit, a period. */
  price_usd: string;
  every: 'month' | 'year' | null;
  /** Units that the plan holds, shared by all services it covers; null for credit, which holds money. */
  included_units: number | null;
  /** What one unit takes from bought credit; nothing while included units last. */
  price_per_unit_usd: string;
  requests_per_second: number;
  /** The complete request that gets the plan. */
  how: PurchaseRequest.PurchaseRequest;
};

/** The body of `/services`. */
export function list(catalog: Catalog, context: Context) {
  return {
    currency: 'USD',
    services: catalog.services.map((service) => summary(catalog, service, context)),
  };
}

/** The body of `/services/{slug}`, or null where nothing of that name is sold. */
export function detail(catalog: Catalog, slug: string, context: Context) {
  const service = catalog.services.find((candidate) => candidate.slug === slug);
  if (service === undefined) return null;
  return {
    currency: 'USD',
    ...summary(catalog, service, context),
    plans: catalog.plans
      .filter((plan) => covers(plan, service))
      .map((plan) => row(plan, service, context.baseUrl)),
  };
}

function summary(catalog: Catalog, service: Service, { baseUrl, description }: Context) {
  return {
    slug: service.slug,
    name: service.name,
    description: service.description,
    unit: service.unit,
    price_usd: Money.format(service.price),
    url: `${baseUrl}/services/${service.slug}`,
    operations: catalog.operations
      .filter((operation) => operation.service === service)
      .map((operation) => call(operation, baseUrl, description)),
  };
}

function call(
  { method, path, unitsMax, service }: Operation,
  baseUrl: string,
  description: Description.Description,
) {
  const unitsCeiling = unitsMax.kind === 'fixed' ? unitsMax.units : unitsMax.ceiling;
  return {
    method,
    path,
    url: baseUrl + path,
    summary: description.get(Description.key(method, path))?.summary ?? null,
    max_units: unitsCeiling,
    max_cost_usd: Money.format(Money.times(service.price, unitsCeiling)),
  };
}

function row(plan: Plan, service: Service, baseUrl: string): Row {
  const common = {
    plan: plan.id,
    name: plan.name,
    kind: plan.kind,
    requests_per_second: plan.requestsPerSecond,
  };
  const nothing = Money.format(Money.zero);
  if (plan.kind === 'trial') {
    const how = PurchaseRequest.howToTry(baseUrl);
    return {
      ...common,
      price_usd: nothing,
      every: null,
      included_units: plan.included,
      price_per_unit_usd: nothing,
      how,
    };
  }
  const { price_usd, included, purchase } = PurchaseRequest.offer(plan, baseUrl);
  return {
    ...common,
    price_usd,
    every: plan.kind === 'subscription' ? plan.every : null,
    included_units: included,
    price_per_unit_usd: plan.kind === 'credit' ? Money.format(service.price) : nothing,
    how: purchase,
  };
}
