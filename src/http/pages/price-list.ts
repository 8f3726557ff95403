import { operationKey } from '@sluice/kernel/operation-key';
import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import type * as Description from '../../catalog/description.ts';
import type { Operation } from '../../catalog/operation.ts';
import { isFree, type Service } from '../../catalog/service.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { meterTableLink } from './meter-table.ts';
import { say } from './say.ts';
import { unitPrice } from './unit-price.ts';

/** Longer lists of services with one price are folded. */
const foldedAbove = 8;

/** The table of services. A long one with one price is folded under that price. */
export function priceList(texts: Texts, catalog: Catalog, description: Description.Description): Html {
  const { services } = catalog;
  const tableOf = (
    priceOf: ((service: Service) => Html | string) | null,
  ) => html`<div class="wide"><table class="stack">
<thead><tr><th scope="col">${say(texts, 'shop.service')}</th><th scope="col">${say(texts, 'shop.operations')}</th>${priceOf === null ? '' : html`<th scope="col" class="number">${say(texts, 'shop.price')}</th>`}</tr></thead>
${grouped(services).map(([group, own]) => html`<tbody>${group === '' ? '' : html`<tr><th colspan="${priceOf === null ? 2 : 3}" scope="rowgroup" class="soft">${group}</th></tr>`}${own.map((service) => row(service, catalog, description, priceOf))}</tbody>`)}
</table></div>`;
  const free = services.filter(isFree).map(({ name }) => name);
  const first = onePriced(services);
  if (services.length <= foldedAbove || first === null)
    return tableOf((service) => priceOfService(texts, service));
  return html`<p>${say(texts, 'shop.one_price', { price: unitPrice(texts, first) })}${free.length === 0 ? '' : html` ${say(texts, 'shop.free_services', { services: free.join(', ') })}`}</p>
<details><summary>${say(texts, 'shop.all_services', { count: services.length })}</summary>${tableOf(null)}</details>`;
}

/** Returns a priced service, when all priced services have its unit and its price; null when they differ. */
export function onePriced(services: readonly Service[]): Service | null {
  const priced = services.filter((service) => !isFree(service));
  const [first] = priced;
  const isOne = priced.every(
    (one) => one.metering === undefined && one.price === first?.price && one.unit === first.unit,
  );
  return first !== undefined && isOne ? first : null;
}

/** Services by the group that the catalogue gives them; '' for none. */
function grouped(services: readonly Service[]): [string, Service[]][] {
  const groups = new Map<string, Service[]>();
  for (const service of services)
    groups.set(service.group ?? '', [...(groups.get(service.group ?? '') ?? []), service]);
  return [...groups];
}

/** @param priceOf null for a list without prices */
function row(
  service: Service,
  { operations }: Catalog,
  description: Description.Description,
  priceOf: ((service: Service) => Html | string) | null,
): Html {
  const own = operations.filter((operation) => operation.service === service);
  return html`<tr><th scope="row">${service.name}<br><span class="soft" style="font-weight:400">${service.description}</span></th>
<td>${own.map((operation) => call(operation, description))}</td>${priceOf === null ? '' : html`<td class="number">${priceOf(service)}</td>`}</tr>`;
}

function priceOfService(texts: Texts, service: Service): Html | string {
  if (service.metering !== undefined) return meterTableLink(texts, service);
  return isFree(service) ? say(texts, 'shop.free') : unitPrice(texts, service);
}

function call(operation: Operation, description: Description.Description): Html {
  const { method, path, service } = operation;
  const text = description.get(operationKey(method, path))?.summary ?? null;
  const name = html`<code>${method} ${path}</code>`;
  const link = html`<a href="/docs/${service.slug}">${name}</a>`;
  return html`<div>${link}${text === null || text === operation.service.name ? '' : html` <span class="soft">${text}</span>`}</div>`;
}
