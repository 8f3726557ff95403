import { html } from 'hono/html';
import { placeText } from '../../catalog/meter-price-data.ts';
import {
  allTables,
  fallbackKey,
  type Meter,
  type Metering,
  type PriceTable,
} from '../../catalog/meter-prices.ts';
import type { Service } from '../../catalog/service.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';

/** A link from a service to its prices by meter. */
export function meterTableLink(texts: Texts, { slug }: Service): Html {
  return html`<a href="#prices-${slug}">${say(texts, 'shop.by_usage')}</a>`;
}

/** The prices of a service with meters: a column for each meter, and a row for each value that names a price, such as a model. */
export function meterTable(texts: Texts, { name, slug }: Service, metering: Metering): Html {
  const { meters, priceBy } = metering;
  const key = priceBy === null ? '' : html`<th scope="col"><code>${placeText(priceBy)}</code></th>`;
  return html`<h3 id="prices-${slug}">${name}</h3>
<div class="wide" tabindex="0"><table>
<thead><tr>${key}${meters.map(({ unit }) => html`<th scope="col" class="number">${texts.unitHeading(unit)}</th>`)}</tr></thead>
<tbody>${allTables(metering).map((table) => row(texts, metering, table))}</tbody>
</table></div>`;
}

function row(texts: Texts, { meters, priceBy }: Metering, table: PriceTable): Html {
  const isRest = table.key === fallbackKey;
  const key =
    priceBy === null
      ? ''
      : html`<th scope="row">${isRest ? say(texts, 'shop.any_other') : html`<code>${table.key}</code>`}</th>`;
  return html`<tr>${key}${meters.map((meter, at) => html`<td class="number">${price(texts, meter, table, at)}</td>`)}</tr>`;
}

function price(texts: Texts, { count, unit }: Meter, { per, usd }: PriceTable, at: number): Html {
  if (count.kind === 'cost')
    return count.markup === 0
      ? say(texts, 'shop.provider_price')
      : say(texts, 'shop.provider_price_markup', { percent: texts.decimal(String(count.markup / 100)) });
  return html`${texts.usd(usd[at] ?? '0')} <span class="soft">${size(texts, per, unit)}</span>`;
}

function size(texts: Texts, per: number, unit: string): Html {
  if (per === 1) return say(texts, 'shop.per_unit', { unit: texts.unit(unit) });
  return say(texts, per === 1000 ? 'shop.per_thousand' : 'shop.per_million');
}
