import * as Money from '@sluice/kernel/money';
import { operationKey } from '@sluice/kernel/operation-key';
import { english } from '../text/texts.ts';
import type { Catalog } from './catalog.ts';
import type * as Description from './description.ts';
import * as Included from './included.ts';
import * as MeterPriceData from './meter-price-data.ts';
import type { Operation } from './operation.ts';
import { covers, type Plan } from './plan.ts';
import * as PriceWords from './price-words.ts';
import * as PurchaseRequest from './purchase-offer.ts';
import type { Service } from './service.ts';
import * as SocketRule from './socket-rule.ts';
import * as TaxNote from './tax-note.ts';

/** The public origin of the shop and the upstream's description. */
export type PriceContext = { baseUrl: string; description: Description.Description };

/** A row of a price matrix: the price of a unit of the service under one plan. */
export type PriceRow = {
  plan: string;
  name: string;
  kind: Plan['kind'];
  /** The price of the plan: zero for a trial, the minimum for credit, a period for a subscription. */
  price_usd: string;
  every: 'month' | 'year' | null;
  /** Units in the plan, shared by all services that it covers; null for credit, which is money. */
  included_units: number | null;
  /** Dollars of usage in the plan, when it includes no units. */
  included_usd?: string;
  /** Price of one unit in credit or included dollars; zero while included units last. Absent for a service with meters. */
  price_per_unit_usd?: string;
  requests_per_second: number;
  /** The complete request that buys the plan. */
  how: PurchaseRequest.PurchaseRequest;
};

/** Returns the body of `/services`. */
export function list(catalog: Catalog, context: PriceContext) {
  return {
    currency: 'USD',
    ...TaxNote.member(english, catalog),
    services: catalog.services.map((service) => summary(catalog, service, context)),
  };
}

/** Returns the body of `/services/{slug}`, or null when there is no such service. */
export function detail(catalog: Catalog, slug: string, context: PriceContext) {
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

function summary(catalog: Catalog, service: Service, { baseUrl, description }: PriceContext) {
  return {
    slug: service.slug,
    name: service.name,
    description: service.description,
    ...PriceWords.unitPrice(service),
    ...(service.metering !== undefined && { price: PriceWords.priceInWords(service) }),
    ...MeterPriceData.member(service),
    url: `${baseUrl}/services/${service.slug}`,
    operations: catalog.operations
      .filter((operation) => operation.service === service)
      .map((operation) => call(operation, baseUrl, description)),
  };
}

function call(
  { method, path, units, unitsMax, service, job, socket }: Operation,
  baseUrl: string,
  description: Description.Description,
) {
  const unitsCeiling = unitsMax.kind === 'fixed' ? unitsMax.units : unitsMax.ceiling;
  return {
    method,
    path,
    url: baseUrl + path,
    summary: description.get(operationKey(method, path))?.summary ?? null,
    // A WebSocket has no maximum: it is charged while it is open.
    ...(socket === undefined
      ? {
          ...(service.metering === undefined && { max_units: unitsCeiling }),
          max_cost_usd: Money.format(Money.times(service.price, unitsCeiling)),
        }
      : { upgrade: 'websocket', socket: SocketRule.described(socket, { units, service }) }),
    ...(job && { job: { poll: job.poll, hours: job.hours, unended: job.unended } }),
  };
}

function row(plan: Plan, service: Service, baseUrl: string): PriceRow {
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
      ...includedIn(plan.included),
      ...(service.metering === undefined && {
        price_per_unit_usd: plan.included.asset === 'usd' ? Money.format(service.price) : nothing,
      }),
      how,
    };
  }
  const { price_usd, purchase } = PurchaseRequest.offer(plan, baseUrl);
  const isMoney = plan.kind === 'credit' || plan.included.asset === 'usd';
  return {
    ...common,
    price_usd,
    every: plan.kind === 'subscription' ? plan.every : null,
    ...(plan.kind === 'credit' ? { included_units: null } : includedIn(plan.included)),
    ...(service.metering === undefined && {
      price_per_unit_usd: isMoney ? Money.format(service.price) : nothing,
    }),
    how: purchase,
  };
}

function includedIn(included: Included.Included) {
  const usd = Included.usd(included);
  return { included_units: Included.units(included), ...(usd !== null && { included_usd: usd }) };
}
