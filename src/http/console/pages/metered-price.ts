import { allTables, type Metering } from '../../../catalog/meter-prices.ts';
import { count } from './figures.ts';

/** The price of a service with meters, by its first meter: `From 0.15 USD per 1,000,000 input tokens`. Several prices are shown as the lowest one. */
export function meteredPrice(metering: Metering): string {
  const tables = allTables(metering);
  const at = metering.meters.findIndex(({ count: { kind } }) => kind !== 'cost');
  const priced = tables.flatMap(({ per, usd, rates }) => {
    const [price, rate] = [usd[at], rates[at]];
    return price === undefined || price === null || rate === undefined ? [] : [{ per, price, rate }];
  });
  const lowest = priced.reduce<(typeof priced)[number] | null>(
    (least, one) => (least !== null && least.rate <= one.rate ? least : one),
    null,
  );
  const meter = metering.meters[at];
  if (lowest === null || meter === undefined) return 'the provider’s price';
  const { per, price } = lowest;
  const several = metering.meters.length > 1 || priced.some(({ rate }) => rate !== lowest.rate);
  return `${several ? 'From ' : ''}${price} USD per ${per === 1 ? meter.unit : `${count(per)} ${meter.unit}s`}`;
}

/** The word for the values that choose a price, such as `model`; null when all requests have the same prices, or the place has no name. */
export function keyWord({ priceBy }: Metering): string | null {
  if (priceBy === null) return null;
  const name = priceBy.kind === 'body' ? (priceBy.pointer.at(-1) ?? '') : priceBy.name;
  return /^[a-z_]+$/i.test(name) ? name.replaceAll('_', ' ').toLowerCase() : null;
}
