import * as JsonPointer from '@sluice/kernel/json-pointer';
import * as Money from '@sluice/kernel/money';
import * as MeterCost from './meter-cost.ts';
import * as MeterPrices from './meter-prices.ts';
import type { Units, UnitsMax } from './operation.ts';

/** The meters and prices of a service as the file writes them. */
export type DraftMetering = {
  meters?: Readonly<Record<string, DraftMeter>>;
  price_by?: string;
  prices?: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
};

type DraftMeter = {
  unit: string;
  count: string | number | DraftCount;
  part_of?: string;
  optional?: boolean;
  round?: 'up';
};

type DraftCount = {
  bytes?: 'response';
  seconds?: 'duration';
  step?: number;
  header?: string;
  cost?: { pointer: string; unit?: 'usd'; markup?: string };
};

/** The most that one request can cost of each meter, as the file writes it. */
export type DraftMaxima = Readonly<Record<string, number | DraftMax>>;

type DraftMax = {
  bytes?: number;
  plus?: number;
  pointer?: string | readonly string[];
  default?: number;
  ceiling?: number;
  times?: { pointer: string; default: number; ceiling: number };
  usd?: string;
};

/** A call of an operation could cost more than an amount of money may be. */
export class TooDear extends Error {}

/** The unit of a service with meters: the ledger counts its calls in micro-dollars. */
export const chargedUnit = { unit: 'unit', price: Money.ofMicro(1) };

/** Converts the meters and prices of a service; null when it has none. Throws when the source breaks the rules. */
export function toMetering({
  meters: drafts,
  price_by,
  prices = {},
}: DraftMetering): MeterPrices.Metering | null {
  if (drafts === undefined) return null;
  const names = Object.keys(drafts);
  const meters = Object.entries(drafts).map(([name, draft]) => toMeter(name, draft, names));
  const tables = new Map(Object.entries(prices).map(([key, draft]) => [key, toTable(key, draft, meters)]));
  const fallback = tables.get(MeterPrices.fallbackKey) ?? null;
  tables.delete(MeterPrices.fallbackKey);
  return { meters, priceBy: price_by === undefined ? null : toPriceBy(price_by), tables, fallback };
}

function toMeter(name: string, draft: DraftMeter, names: readonly string[]): MeterPrices.Meter {
  const { unit, part_of, optional = false, round } = draft;
  return {
    name,
    unit,
    count: toCount(draft.count),
    outer: part_of === undefined ? -1 : names.indexOf(part_of),
    isOptional: optional || part_of !== undefined,
    roundsUp: round === 'up',
  };
}

function toCount(count: DraftMeter['count']): MeterPrices.MeterCount {
  if (typeof count === 'number') return { kind: 'constant', quantity: count };
  if (typeof count === 'string') {
    const [, inRequest, pointer = ''] = /^(request:)?(.*)$/s.exec(count) ?? [];
    return { kind: inRequest === undefined ? 'pointer' : 'request', pointer: toPointer(pointer) };
  }
  if (count.cost !== undefined) {
    const markup = Math.round(Number((count.cost.markup ?? '0%').slice(0, -1)) * 100);
    return { kind: 'cost', pointer: toPointer(count.cost.pointer), markup };
  }
  if (count.header !== undefined) return { kind: 'header', name: count.header.toLowerCase() };
  return count.seconds === undefined ? { kind: 'bytes' } : { kind: 'seconds', step: count.step ?? 1 };
}

function toTable(
  key: string,
  draft: Readonly<Record<string, string | number>>,
  meters: readonly MeterPrices.Meter[],
): MeterPrices.PriceTable {
  const per = Number(draft.per);
  const usd = meters.map(({ name, count }) => (count.kind === 'cost' ? null : String(draft[name])));
  const rates = meters.map(({ count }, at) =>
    count.kind === 'cost' ? MeterCost.rateOfCost(count.markup) : MeterCost.rateOf(usd[at] ?? '', per),
  );
  return { key, per, usd, rates };
}

function toPriceBy(text: string): MeterPrices.PriceBy {
  const [, kind, name = ''] = /^(header|query|path):(.*)$/.exec(text) ?? [];
  if (kind === 'header') return { kind, name: name.toLowerCase() };
  if (kind === 'query' || kind === 'path') return { kind, name };
  return { kind: 'body', pointer: toPointer(text) };
}

/** Returns the segment with a parameter, and the length of the `:verb` behind it. */
function placeOf(
  path: string,
  parameter: string,
): Pick<MeterPrices.MeterRule, 'pathSegment' | 'pathVerbChars'> {
  const segments = path.slice(1).split('/');
  const pathSegment = segments.findIndex((segment) => segment.split(':')[0] === parameter);
  return {
    pathSegment,
    pathVerbChars: (segments[pathSegment]?.length ?? parameter.length) - parameter.length,
  };
}

/** Converts the rules of one operation of a service with meters. Throws when the source breaks the rules. */
export function toUnits(
  metering: MeterPrices.Metering,
  path: string,
  maxima: DraftMaxima,
): { units: Units; unitsMax: UnitsMax } {
  const { meters, priceBy } = metering;
  const max = meters.map((meter) => toMax(meter, meters, maxima));
  const rule: MeterPrices.MeterRule = {
    metering,
    max,
    ...(priceBy?.kind === 'path'
      ? placeOf(path, `{${priceBy.name}}`)
      : { pathSegment: -1, pathVerbChars: 0 }),
    readsBody: meters.some(({ count }) => ['pointer', 'bytes', 'seconds', 'cost'].includes(count.kind)),
    headers: meters.flatMap(({ count }) => (count.kind === 'header' ? [count.name] : [])),
  };
  return { units: { kind: 'meters', rule }, unitsMax: { kind: 'fixed', units: worstOf(rule) } };
}

/** Converts the maximum of a meter. A part has the maximum of the meter around it unless the file says otherwise. */
function toMax(
  { name, count, outer }: MeterPrices.Meter,
  meters: readonly MeterPrices.Meter[],
  maxima: DraftMaxima,
): MeterPrices.MeterMax {
  const draft = maxima[name];
  const around = meters[outer];
  if (count.kind === 'constant') return { kind: 'fixed', quantity: count.quantity };
  if (draft === undefined && around !== undefined) return toMax(around, meters, maxima);
  if (draft === undefined) throw new Error(`the rules let meter ${name} through without a maximum`);
  if (typeof draft === 'number') return { kind: 'fixed', quantity: draft };
  if (draft.usd !== undefined) return { kind: 'fixed', quantity: Money.parse(draft.usd) ?? 0 };
  const { bytes, plus = 0, default: usual = 0, ceiling = usual } = draft;
  if (bytes !== undefined) {
    const most = bytes * MeterPrices.requestBytesMax + plus;
    return { kind: 'bytes', perByte: bytes, plus, ceiling: draft.ceiling ?? most };
  }
  const named = draft.pointer ?? [];
  const pointers = (typeof named === 'string' ? [named] : named).map(toPointer);
  return {
    kind: 'pointer',
    pointers: count.kind === 'request' ? [count.pointer] : pointers,
    default: usual,
    ceiling,
    times: draft.times === undefined ? null : { ...draft.times, pointer: toPointer(draft.times.pointer) },
  };
}

/** Returns the highest cost of any call of an operation in micro-dollars, under any of its prices. */
function worstOf({ metering, max }: MeterPrices.MeterRule): number {
  const maxima = metering.meters.map((meter, at) =>
    MeterPrices.exactMax(meter, MeterPrices.ceilingOf(max[at] as MeterPrices.MeterMax)),
  );
  return MeterPrices.allTables(metering).reduce((most, { rates }) => {
    const worst = MeterCost.worstCost(metering.meters, rates, maxima);
    if (worst === null) throw new TooDear('a call could cost more than an amount of money may be');
    return Math.max(most, worst);
  }, 0);
}

function toPointer(text: string): JsonPointer.JsonPointer {
  const pointer = JsonPointer.parse(text);
  if (pointer === null) throw new Error('the schema let a pointer through that cannot be read');
  return pointer;
}
