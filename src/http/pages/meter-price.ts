import { allTables, type Metering, type PriceTable } from '../../catalog/meter-prices.ts';
import type { Texts } from '../../text/texts.ts';

/** The numbers of units that pages state a price for. */
const sizes = [1, 1_000, 1_000_000];
/** A lower price is stated for more units. */
const usdMin = 0.01;

/** The price of a meter for `per` units: the fewest, at least those of the catalogue, for which no price of the meter is below a cent. */
export function meterPriceOf(
  metering: Metering,
  table: PriceTable,
  at: number,
): { per: number; usd: string } {
  const prices = allTables(metering).flatMap(({ per, usd }) =>
    Number(usd[at] ?? 0) === 0 ? [] : [{ per, usd: Number(usd[at]) }],
  );
  const least = Math.max(table.per, ...prices.map(({ per }) => per));
  const isReadable = (size: number) => prices.every(({ per, usd }) => (usd * size) / per >= usdMin - 1e-12);
  const per = sizes.find((size) => size >= least && isReadable(size)) ?? Math.max(least, ...sizes);
  return { per, usd: shifted(table.usd[at] ?? '0', Math.round(Math.log10(per / table.per))) };
}

/**
 * The lowest price of the first meter, with the units of the other ones, such as `0.05 USD per 1M input tokens, plus output tokens`; null when the
 * first charges the price of a provider.
 */
export function lowestOf(texts: Texts, metering: Metering): string | null {
  const price = lowestOfFirst(texts, metering);
  // A part of another meter is not charged on top of it.
  const [, ...more] = metering.meters.filter(({ outer }) => outer === -1);
  if (price === null || more.length === 0) return price;
  const names = more.map(({ unit, count }) => (count.kind === 'cost' ? texts.unit(unit) : texts.units(unit)));
  const units = new Intl.ListFormat(texts.language).format(names);
  return texts.text('shop.price_plus', { price, units });
}

function lowestOfFirst(texts: Texts, metering: Metering): string | null {
  const [first] = metering.meters;
  if (first === undefined || first.count.kind === 'cost') return null;
  const [lowest] = allTables(metering)
    .map((table) => meterPriceOf(metering, table, 0))
    .toSorted((a, b) => Number(a.usd) - Number(b.usd));
  if (lowest === undefined) return null;
  const amount = texts.usd(lowest.usd);
  if (lowest.per === 1) return texts.text('plans.each', { amount, unit: texts.unit(first.unit) });
  const key = lowest.per === 1_000 ? 'shop.thousand' : 'shop.million';
  return texts.text(key, { amount, units: texts.units(first.unit) });
}

export function sizeText(texts: Texts, per: number, unit: string): string {
  if (per === 1) return texts.text('shop.per_unit', { unit: texts.unit(unit) });
  return texts.text(per === 1_000 ? 'shop.per_thousand' : 'shop.per_million');
}

/** A decimal times a power of ten, with at least two decimal places. */
function shifted(decimal: string, places: number): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const digits = fraction.padEnd(places, '0');
  const moved = `${whole}${digits.slice(0, places)}`.replace(/^0+(?=\d)/, '');
  return `${moved}.${digits.slice(places).replace(/0+$/, '').padEnd(2, '0')}`;
}
