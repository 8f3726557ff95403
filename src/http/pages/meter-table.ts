import { html } from 'hono/html';
import {
  allTables,
  fallbackKey,
  type Meter,
  type Metering,
  type PriceBy,
  type PriceTable,
} from '../../catalog/meter-prices.ts';
import type { Service } from '../../catalog/service.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { meterPriceOf, sizeText } from './meter-price.ts';
import { priceOf } from './reference/facts.ts';
import { say } from './say.ts';
import { labelOf } from './try-fields.ts';

/** More meters have a row each: their columns would not fit on a screen. */
const columnsMax = 3;

/** A link from a service to its prices by meter, which names the lowest one. */
export function meterTableLink(texts: Texts, service: Service): Html {
  return html`<a href="#prices-${service.slug}">${priceOf(texts, service)}</a>`;
}

/** The prices of a service with meters, for each value that names a price, such as a model: a column for each meter, or a row when there are many. */
export function meterTable(texts: Texts, { name, slug }: Service, metering: Metering): Html {
  const { meters, priceBy } = metering;
  const isLong = meters.length > columnsMax;
  const key = priceBy === null ? '' : html`<th scope="col">${keyHeading(texts, priceBy)}</th>`;
  const columns = isLong
    ? html`<th scope="col">${say(texts, 'shop.meter')}</th><th scope="col" class="number">${say(texts, 'shop.price')}</th>`
    : meters.map((meter) => html`<th scope="col" class="number">${headingOf(texts, meter)}</th>`);
  const rows = allTables(metering).map((table) =>
    isLong ? rowsOf(texts, metering, table) : rowOf(texts, metering, table),
  );
  return html`<h3 id="prices-${slug}">${name}</h3>
<div class="wide" tabindex="0"><table class="stack">
<thead><tr>${key}${columns}</tr></thead>
<tbody>${rows}</tbody>
</table></div>`;
}

/** The name of the value in a request that names the price, with its place. */
function keyHeading(texts: Texts, priceBy: PriceBy): Html {
  const keys = priceBy.kind === 'body' ? priceBy.pointer : [priceBy.name.replace(/^x-/i, '')];
  const name = html`<code>${priceBy.kind === 'body' ? priceBy.pointer.join('.') : priceBy.name}</code>`;
  const place = say(texts, `shop.place_${priceBy.kind}`, { name });
  return html`${say(texts, 'try.field', { name: labelOf(keys) })} <small>(${place})</small>`;
}

function headingOf(texts: Texts, { unit, count }: Meter): string {
  return texts.unitHeading(unit, count.kind === 'cost' ? 1 : 2);
}

function keyOf(texts: Texts, { priceBy }: Metering, { key }: PriceTable, rows: number): Html | string {
  if (priceBy === null) return '';
  const name = key === fallbackKey ? say(texts, 'shop.any_other') : html`<code>${key}</code>`;
  return html`<th scope="row"${rows === 1 ? '' : html` rowspan="${rows}"`}>${name}</th>`;
}

function rowOf(texts: Texts, metering: Metering, table: PriceTable): Html {
  return html`<tr>${keyOf(texts, metering, table, 1)}${metering.meters.map((meter, at) => html`<td class="number" data-label="${headingOf(texts, meter)}">${price(texts, metering, table, at)}</td>`)}</tr>`;
}

function rowsOf(texts: Texts, metering: Metering, table: PriceTable): Html {
  const { meters } = metering;
  return html`${meters.map((meter, at) => html`<tr>${at === 0 ? keyOf(texts, metering, table, meters.length) : ''}<td>${headingOf(texts, meter)}</td><td class="number">${price(texts, metering, table, at)}</td></tr>`)}`;
}

function price(texts: Texts, metering: Metering, table: PriceTable, at: number): Html | string {
  const { count, unit } = metering.meters[at] as Meter;
  if (count.kind === 'cost')
    return count.markup === 0
      ? say(texts, 'shop.provider_price')
      : say(texts, 'shop.provider_price_markup', { percent: texts.decimal(String(count.markup / 100)) });
  const { per, usd } = meterPriceOf(metering, table, at);
  return html`${texts.usd(usd)} <span class="soft">${sizeText(texts, per, unit)}</span>`;
}
