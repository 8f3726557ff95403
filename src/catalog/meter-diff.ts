import { placeText } from './meter-price-data.ts';
import * as MeterPrices from './meter-prices.ts';

/** One price of a service with meters: of a meter under a price key. */
type Price = { rate: bigint; text: string };

/** The effect of a changed price on buyers. */
type PriceEffect = 'harmless' | 'raises_price' | 'takes_away';

/** Returns the facts of a service with meters that a change can alter: one for each meter, and one for each price of it. */
export function facts(metering: MeterPrices.Metering): Record<string, string> {
  const { meters, priceBy } = metering;
  return {
    ...(priceBy !== null && { price_by: placeText(priceBy) }),
    ...Object.fromEntries(meters.map((meter) => [`meters.${meter.name}`, meterText(meter, meters)])),
    ...Object.fromEntries([...prices(metering)].map(([name, { text }]) => [name, text])),
  };
}

/** Returns the effect of a changed fact on buyers. A change that cannot be compared, such as another count, is treated as a price increase. */
export function severity(
  name: string,
  old: MeterPrices.Metering | undefined,
  fresh: MeterPrices.Metering | undefined,
): PriceEffect {
  if (!/^(?:price_by$|meters\.|prices\.)/.test(name)) return 'harmless';
  if (old === undefined || fresh === undefined || !name.startsWith('prices.')) return 'raises_price';
  const [was, is] = [prices(old).get(name), prices(fresh).get(name)];
  const [, key = '', meter = ''] = /^prices\.(.*)\.([^.]*)$/.exec(name) ?? [];
  const before = was ?? ofRest(old, meter);
  const after = is ?? ofRest(fresh, meter);
  // A meter that is not counted any more costs nothing; a price key that is gone, without prices of all others, is refused.
  if (after === undefined) return fresh.meters.some((one) => one.name === meter) ? 'takes_away' : 'harmless';
  if (before === undefined) return hasKey(old, key) ? 'raises_price' : 'harmless';
  return after.rate > before.rate ? 'raises_price' : 'harmless';
}

function hasKey({ tables, fallback }: MeterPrices.Metering, key: string): boolean {
  return fallback !== null || tables.has(key);
}

/** Returns the price of a meter for values without a price of their own. */
function ofRest(metering: MeterPrices.Metering, meter: string): Price | undefined {
  return prices(metering).get(`prices.${MeterPrices.fallbackKey}.${meter}`);
}

function prices(metering: MeterPrices.Metering): Map<string, Price> {
  return new Map(
    MeterPrices.allTables(metering).flatMap(({ key, per, usd, rates }) =>
      metering.meters.map(({ name, count }, at): [string, Price] => [
        `prices.${key}.${name}`,
        { rate: rates[at] ?? 0n, text: priceText(count, usd[at] ?? null, per) },
      ]),
    ),
  );
}

function priceText(count: MeterPrices.MeterCount, usd: string | null, per: number): string {
  return count.kind === 'cost'
    ? `the provider's price plus ${count.markup / 100} %`
    : `${usd} USD per ${per}`;
}

function meterText(meter: MeterPrices.Meter, meters: readonly MeterPrices.Meter[]): string {
  const { unit, outer, isOptional, roundsUp } = meter;
  return [
    `${unit} ${countText(meter.count)}`,
    ...(outer < 0 ? [] : [`part of ${meters[outer]?.name}`]),
    ...(isOptional ? ['optional'] : []),
    ...(roundsUp ? ['rounded up'] : []),
  ].join(', ');
}

/** Writes a count as the catalogue does. The markup of a cost is one of the prices. */
function countText(count: MeterPrices.MeterCount): string {
  switch (count.kind) {
    case 'pointer':
      return placeText({ kind: 'body', pointer: count.pointer });
    case 'request':
      return `request:${placeText({ kind: 'body', pointer: count.pointer })}`;
    case 'constant':
      return String(count.quantity);
    case 'header':
      return `header ${count.name}`;
    case 'bytes':
      return 'bytes of the response';
    case 'seconds':
      return `seconds, step ${count.step}`;
    case 'cost':
      return `cost ${placeText({ kind: 'body', pointer: count.pointer })}`;
  }
}
