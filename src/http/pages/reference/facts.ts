import * as Schema from '@sluice/kernel/json-schema';
import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Catalog } from '../../../catalog/catalog.ts';
import type { Operation } from '../../../catalog/operation.ts';
import { covers } from '../../../catalog/plan.ts';
import * as PriceWords from '../../../catalog/price-words.ts';
import type { Service } from '../../../catalog/service.ts';
import type { Entry } from '../../../discovery/entry.ts';
import type { Texts } from '../../../text/texts.ts';
import type { Html } from '../frame.ts';
import { lowestOf } from '../meter-price.ts';
import { say } from '../say.ts';
import { unitPrice } from '../unit-price.ts';
import type { OperationPage } from './outline.ts';

/** The price of a service in short, such as `1.00 USD per 1,000 results`, or the lowest one by usage. */
export function priceOf(texts: Texts, { metering, price, unit }: Service): string {
  const lowest = metering === undefined ? null : lowestOf(texts, metering);
  if (lowest !== null) return texts.text('shop.from_price', { price: lowest });
  if (metering !== undefined) return texts.text('shop.by_usage');
  return price === 0 ? texts.text('shop.free') : unitPrice(texts, { price, unit });
}

/** The facts that a caller needs before a call: price, limits and authentication. */
export function facts(texts: Texts, catalog: Catalog, { entry, sold }: OperationPage): Html {
  const rows =
    sold === null
      ? ownFacts(texts, entry)
      : [
          ...soldFacts(texts, sold),
          // The shop itself answers these calls, and limits no rate.
          ...(sold.answeredBy === 'storefront' ? [] : limitFacts(texts, catalog, sold)),
        ];
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

type Fact = [name: Html, value: Html | string];

function ownFacts(texts: Texts, { id, operation: { security } }: Entry): Fact[] {
  const needs = Schema.list(security).map((need) => Object.keys(Schema.node(need)));
  const isOptional = needs.some((names) => names.length === 0);
  return [
    [
      say(texts, 'reference.price'),
      say(texts, id === 'plans.purchase' ? 'reference.price_of_plan' : 'shop.free'),
    ],
    [say(texts, 'reference.authentication'), authentication(texts, needs.flat(), isOptional)],
  ];
}

/** The credential of an operation of the shop: a bearer token, which may be optional, the signature of a wallet, or none. */
function authentication(texts: Texts, names: readonly string[], isOptional: boolean): Html {
  if (names.length === 0) return say(texts, 'reference.no_authentication');
  if (!names.includes('planAccess')) return say(texts, 'reference.wallet_signature');
  const bearer = html`<a href="/docs#authentication">${say(texts, 'reference.bearer')}</a>`;
  return isOptional ? say(texts, 'reference.optional', { credential: bearer }) : bearer;
}

function soldFacts(texts: Texts, sold: Operation): Fact[] {
  const { service, units, unitsMax } = sold;
  if (PriceWords.isFreeCall(sold)) return [[say(texts, 'reference.price'), say(texts, 'shop.free')]];
  const most = unitsMax.kind === 'fixed' ? unitsMax.units : unitsMax.ceiling;
  const price: Fact = [
    say(texts, 'reference.price'),
    service.metering === undefined
      ? priceOf(texts, service)
      : html`<a href="#prices-${service.slug}">${priceOf(texts, service)}</a>`,
  ];
  const total = texts.usd(Money.format(Money.times(service.price, most)));
  const ceiling: Fact = [
    say(texts, 'reference.most'),
    service.metering === undefined
      ? html`${total} <small>${texts.quantity(most, service.unit)}</small>`
      : total,
  ];
  const isPlain = units.kind === 'fixed' && service.metering === undefined && units.units === 1;
  return [price, ...(isPlain ? [] : [ceiling])];
}

/** Requests per second under each plan that covers the operation, by ascending limits. */
function limitFacts(texts: Texts, { plans }: Catalog, { service }: Operation): Fact[] {
  const byRate = new Map<number, string[]>();
  for (const plan of plans.filter((one) => covers(one, service)))
    byRate.set(plan.requestsPerSecond, [...(byRate.get(plan.requestsPerSecond) ?? []), plan.name]);
  const rates = [...byRate].sort(([a], [b]) => a - b);
  if (rates.length === 0) return [];
  const lines = rates.map(
    ([count, names]) =>
      html`<div>${say(texts, 'reference.per_second', { count })}${rates.length === 1 ? '' : html` <small>${names.join(', ')}</small>`}</div>`,
  );
  return [[say(texts, 'reference.rate_limit'), html`${lines}`]];
}
