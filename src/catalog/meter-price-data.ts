import { allTables, type Meter, type Metering, type PriceBy } from './meter-prices.ts';

/** A meter in a JSON document. `part_of`: the meter whose quantity contains this one. */
export type MeterData = {
  name: string;
  unit: string;
  part_of: string | null;
  /** Of a meter that charges the provider's own price: the percentage that is added to it. It has no entry in `usd`. */
  provider_price_markup_percent?: number;
};

/** The prices of one price key: USD for `per` units of each meter, as exact decimals. */
export type MeterPriceData = { key: string; per: number; usd: Readonly<Record<string, string>> };

/** The meters and prices of a service in a JSON document. */
export type MeteringData = {
  /** The place in the request that names the price, as the catalogue writes it; null when all requests have the same prices. */
  price_by: string | null;
  meters: readonly MeterData[];
  /** `default` is the key of every value that no other key names. */
  prices: readonly MeterPriceData[];
};

/** Returns the meters and prices of a service as data. */
function meteringData(metering: Metering): MeteringData {
  const { meters, priceBy } = metering;
  return {
    price_by: priceBy === null ? null : placeText(priceBy),
    meters: meters.map((meter) => meterData(meter, meters)),
    prices: allTables(metering).map(({ key, per, usd }) => ({
      key,
      per,
      usd: Object.fromEntries(
        meters.flatMap(({ name }, at) => {
          const price = usd[at] ?? null;
          return price === null ? [] : [[name, price]];
        }),
      ),
    })),
  };
}

/** The member `metering` of a JSON document; empty for a service with one price. */
export function member({ metering }: { metering?: Metering }): { metering?: MeteringData } {
  return metering === undefined ? {} : { metering: meteringData(metering) };
}

function meterData({ name, unit, outer, count }: Meter, meters: readonly Meter[]): MeterData {
  return {
    name,
    unit,
    part_of: meters[outer]?.name ?? null,
    ...(count.kind === 'cost' && { provider_price_markup_percent: count.markup / 100 }),
  };
}

/** Writes the place of a price as the catalogue does: `/model`, `header:x-voice`. */
export function placeText(priceBy: PriceBy): string {
  if (priceBy.kind !== 'body') return `${priceBy.kind}:${priceBy.name}`;
  return priceBy.pointer.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
