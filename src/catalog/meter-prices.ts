import type { JsonPointer } from '@sluice/kernel/json-pointer';

/** The source of a meter's quantity, by the catalogue's `count`. */
export type MeterCount =
  /** A number, or the length of a list, in the response. */
  | { kind: 'pointer'; pointer: JsonPointer }
  /** A response header with a number; its name in lower case. */
  | { kind: 'header'; name: string }
  /** The same quantity for every success. */
  | { kind: 'constant'; quantity: number }
  /** A number, or the length of a list, in the request. */
  | { kind: 'request'; pointer: JsonPointer }
  /** The bytes of the response's body. */
  | { kind: 'bytes' }
  /** Wall time from sending the request to the end of the response, rounded up to a multiple of `step` seconds. */
  | { kind: 'seconds'; step: number }
  /** The upstream's own price in USD. `markup` is in hundredths of a percent: 3000 adds 30 %. */
  | { kind: 'cost'; pointer: JsonPointer; markup: number };

/** One quantity that a call is charged for. */
export type Meter = {
  name: string;
  /** The name of its unit: `input token`. */
  unit: string;
  count: MeterCount;
  /** The index of the meter that this one is a part of; -1 for none. Its quantity is subtracted from that meter before pricing. */
  outer: number;
  /** True when its absence from a response counts as zero. Always true for a part of another meter. */
  isOptional: boolean;
  /** True when a fraction is rounded up; otherwise a fraction cannot be counted. */
  roundsUp: boolean;
};

/** The place in a request that names its price. */
export type PriceBy =
  | { kind: 'body'; pointer: JsonPointer }
  | { kind: 'header' | 'query' | 'path'; name: string };

/** The prices of all meters under one price key. `usd` and `rates` have the order of the meters. */
export type PriceTable = {
  /** The value in the request that chooses this table, such as a model; `default` for the fallback. */
  key: string;
  /** The number of units that the prices in `usd` are for. */
  per: number;
  /** The prices as the catalogue writes them; null for a meter that counts the upstream's own price. */
  usd: readonly (string | null)[];
  /** Exact prices of one quantity (see meter-cost.ts). */
  rates: readonly bigint[];
};

/** The meters and prices of a service. */
export type Metering = {
  meters: readonly Meter[];
  /** Null when all requests have the same prices. */
  priceBy: PriceBy | null;
  /** By price key, without the fallback. */
  tables: ReadonlyMap<string, PriceTable>;
  /** The prices of a request whose value is not in `tables`; null when such a request is refused. */
  fallback: PriceTable | null;
};

/** The largest quantity of one meter that a request can cost, known before it is forwarded. */
export type MeterMax =
  | { kind: 'fixed'; quantity: number }
  /** `perByte` for each byte of the request's body, and `plus`; at most `ceiling`. */
  | { kind: 'bytes'; perByte: number; plus: number; ceiling: number }
  /** The largest number at `pointers`, multiplied by the number at `times`. */
  | {
      kind: 'pointer';
      pointers: readonly JsonPointer[];
      default: number;
      ceiling: number;
      times: Times | null;
    };

/** A factor in the request, such as a number of alternatives. */
export type Times = { pointer: JsonPointer; default: number; ceiling: number };

/** The meters of one operation. `max` has the order of the meters. */
export type MeterRule = {
  metering: Metering;
  max: readonly MeterMax[];
  /** The index in the path template's segments of the segment that names the price; -1 when none does. */
  pathSegment: number;
  /** The length of the `:verb` at the end of that segment, which is not part of the value. */
  pathVerbChars: number;
  /** True when the response has to be read whole before it can be charged. */
  readsBody: boolean;
  /** Response headers that are counted, in lower case. */
  headers: readonly string[];
};

/** The key of the fallback prices, and of the only prices of a service without `price_by`. */
export const fallbackKey = 'default';

/** The most bytes of a request's body that the maximum of a `bytes` rule without a ceiling allows for. 1 MiB. */
export const requestBytesMax = 1024 * 1024;

/** The fraction digits of an upstream's own price that are counted exactly; further ones are rounded up. */
export const costPlaces = 24;

/** Returns the largest quantity that any request can cost. */
export function ceilingOf(max: MeterMax): number {
  switch (max.kind) {
    case 'fixed':
      return max.quantity;
    case 'bytes':
      return max.ceiling;
    case 'pointer':
      return max.ceiling * (max.times?.ceiling ?? 1);
  }
}

/** Returns all price tables, the fallback last. */
export function allTables({ tables, fallback }: Metering): PriceTable[] {
  return fallback === null ? [...tables.values()] : [...tables.values(), fallback];
}

/** Returns a maximum as a quantity for the arithmetic: an upstream's own price is counted in 10^-24 USD, and its maximum in micro-dollars. */
export function exactMax({ count }: Meter, max: number): bigint {
  return count.kind === 'cost' ? BigInt(max) * 10n ** BigInt(costPlaces - 6) : BigInt(max);
}

/** States the prices of a service in words: `$0.15 per 1M input tokens, $0.60 per 1M output tokens`. */
export function inWords(metering: Metering): string {
  const tables = allTables(metering);
  const [only] = tables;
  if (only !== undefined && tables.length === 1) return tableInWords(metering, only);
  return tables.map((table) => `${table.key}: ${tableInWords(metering, table)}`).join('; ');
}

/** States the prices of one table in words. */
export function tableInWords({ meters }: Metering, { per, usd }: PriceTable): string {
  return meters
    .map(({ unit, count }, at) => {
      if (count.kind === 'cost')
        return count.markup === 0
          ? "the provider's price"
          : `the provider's price plus ${count.markup / 100} %`;
      const size = per === 1 ? unit : `${per === 1000 ? '1,000' : '1M'} ${unit}s`;
      return `$${usd[at]} per ${size}`;
    })
    .join(', ');
}
