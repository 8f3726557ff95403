import type { JsonPointer } from '@sluice/kernel/json-pointer';
import type { Money } from '@sluice/kernel/money';
import * as MeterCost from '../catalog/meter-cost.ts';
import * as MeterPrices from '../catalog/meter-prices.ts';
import * as ClearJson from './clear-json.ts';
import * as FormText from './form-text.ts';
import * as Headers from './headers.ts';

/** The parts of a request that decide its prices and its worst case. `path` and `query` as the upstream receives them. */
export type Asked = { rawHeaders: readonly string[]; body: Buffer; path: string; query: string };

/** A request whose prices are known. */
export type PricedRequest = {
  rule: MeterPrices.MeterRule;
  /** The prices that apply, by the request's own words. */
  table: MeterPrices.PriceTable;
  /** The largest quantity of each meter, in the order of the meters. */
  max: readonly number[];
  /** The quantities that the request itself determines; -1 for all others. */
  counted: readonly number[];
  /** The highest cost of the call: that much is held. */
  worst: Money;
  /** The highest cost of any request with these prices. */
  ceiling: Money;
  /** False when a number could be read in more than one way, so that the ceiling of its meter applies. */
  isClear: boolean;
};

/** The request does not name a price: its value is unknown, missing or unclear. `at`: where the catalogue looks for it. */
export type PriceUnknown = {
  kind: 'price_unknown';
  at: string;
  value: string | null;
  isClear: boolean;
  known: readonly string[];
};

/** Values longer than this are not repeated in a refusal. */
const echoCharsMax = 100;

/**
 * Finds the prices of a request and the most that it can cost. The value that chooses the prices must be clear: no parser may find another one in
 * the same request. A number that is not clear makes the ceiling of its meter apply.
 */
export function read(rule: MeterPrices.MeterRule, asked: Asked): PricedRequest | PriceUnknown {
  const source = sourceOf(asked);
  const chosen = chooseTable(rule, asked, source);
  if ('kind' in chosen) return chosen;
  const { meters } = rule.metering;
  const max: number[] = [];
  const counted: number[] = [];
  let isClear = true;
  for (const [at, { count }] of meters.entries()) {
    const most = largest(rule.max[at] as MeterPrices.MeterMax, asked, source);
    if (count.kind === 'request' && !most.isClear)
      return {
        kind: 'price_unknown',
        at: pointerText(count.pointer),
        value: null,
        isClear: false,
        known: [],
      };
    max.push(most.quantity);
    counted.push(count.kind === 'request' ? most.quantity : count.kind === 'constant' ? count.quantity : -1);
    isClear &&= most.isClear;
  }
  const { rates } = chosen;
  const cost = (maxima: readonly number[]) =>
    MeterCost.worstCost(
      meters,
      rates,
      meters.map((meter, at) => MeterPrices.exactMax(meter, maxima[at] ?? 0)),
    );
  const worst = cost(max);
  const ceiling = cost(rule.max.map(MeterPrices.ceilingOf));
  if (worst === null || ceiling === null)
    throw new RangeError('the catalogue allows a call that costs too much');
  return { rule, table: chosen, max, counted, worst, ceiling, isClear };
}

/** Reads a value at a pointer of the request's body. */
type Source = (pointer: JsonPointer) => ClearJson.ClearValue;

function sourceOf({ rawHeaders, body, query }: Asked): Source {
  const read = bodySource(rawHeaders, body);
  const inQuery = FormText.names(query[0] === '?' ? query.slice(1) : query);
  if (inQuery.length === 0) return read;
  // An upstream that merges body and query could take either.
  return (pointer) => {
    const name = ClearJson.fold(pointer.at(-1) ?? '');
    return inQuery.some((one) => FormText.mentions(one, name)) ? { kind: 'unclear' } : read(pointer);
  };
}

function bodySource(rawHeaders: readonly string[], body: Buffer): Source {
  const unclear: Source = () => ({ kind: 'unclear' });
  if (body.length === 0) return () => ({ kind: 'unnamed' });
  const contentType = Headers.first(rawHeaders, 'content-type') ?? '';
  if (occurrences(rawHeaders, 'content-encoding') > 0 || occurrences(rawHeaders, 'content-type') > 1)
    return unclear;
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType))
    return FormText.isPlain(contentType) ? FormText.formSource(body) : unclear;
  if (/^multipart\//i.test(contentType)) return FormText.multipartSource(body, contentType);
  return FormText.isPlain(contentType) ? ClearJson.reader(body) : unclear;
}

function chooseTable(
  { metering, ...place }: MeterPrices.MeterRule,
  asked: Asked,
  source: Source,
): MeterPrices.PriceTable | PriceUnknown {
  const { priceBy, tables, fallback } = metering;
  if (priceBy === null && fallback !== null) return fallback;
  const named =
    priceBy === null ? ({ kind: 'unclear' } as const) : chosenValue(priceBy, place, asked, source);
  const value = named.kind === 'number' ? String(named.value) : named.kind === 'text' ? named.value : null;
  const table = value === null ? undefined : tables.get(value);
  if (table !== undefined) return table;
  const isClear = named.kind === 'unnamed' || (value !== null && !isDisguised(value, tables));
  if (fallback !== null && isClear) return fallback;
  const shown = value !== null && value.length <= echoCharsMax ? value : null;
  return { kind: 'price_unknown', at: whereText(priceBy), value: shown, isClear, known: [...tables.keys()] };
}

/**
 * Returns true when an upstream could take the value for one that has prices of its own, so that the fallback must not apply: another case,
 * blanks, a percent-encoding, a control character.
 */
function isDisguised(value: string, tables: ReadonlyMap<string, MeterPrices.PriceTable>): boolean {
  if (!/^[\w.:@/+~ -]+$/.test(value)) return true;
  const folded = ClearJson.fold(value);
  for (const key of tables.keys()) if (ClearJson.fold(key) === folded) return true;
  return false;
}

function chosenValue(
  priceBy: MeterPrices.PriceBy,
  { pathSegment, pathVerbChars }: Pick<MeterPrices.MeterRule, 'pathSegment' | 'pathVerbChars'>,
  { rawHeaders, path, query }: Asked,
  source: Source,
): ClearJson.ClearValue {
  switch (priceBy.kind) {
    case 'body':
      return source(priceBy.pointer);
    case 'path': {
      const segment = path.slice(1).split('/')[pathSegment] ?? '';
      return { kind: 'text', value: segment.slice(0, segment.length - pathVerbChars) };
    }
    case 'query':
      return FormText.field(query[0] === '?' ? query.slice(1) : query, priceBy.name);
    case 'header': {
      const value = Headers.first(rawHeaders, priceBy.name);
      if (occurrences(rawHeaders, priceBy.name) > 1) return { kind: 'unclear' };
      return value === undefined ? { kind: 'unnamed' } : { kind: 'text', value };
    }
  }
}

/** Counts the headers that some server takes for `name`: CGI reads `x-model` and `x_model` alike. */
function occurrences(rawHeaders: readonly string[], name: string): number {
  let found = 0;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    if ((rawHeaders[at] as string).toLowerCase().replaceAll('_', '-') === name) found++;
  return found;
}

type Most = { quantity: number; isClear: boolean };

function largest(max: MeterPrices.MeterMax, { body }: Asked, source: Source): Most {
  switch (max.kind) {
    case 'fixed':
      return { quantity: max.quantity, isClear: true };
    case 'bytes':
      return { quantity: Math.min(body.length * max.perByte + max.plus, max.ceiling), isClear: true };
    case 'pointer': {
      const read = max.pointers.map((pointer) => numberOf(source(pointer), max.ceiling));
      if (read.includes('unclear')) return { quantity: MeterPrices.ceilingOf(max), isClear: false };
      const named = read.filter((one) => typeof one === 'number');
      const base = named.length === 0 ? max.default : Math.max(...named);
      const times = max.times === null ? 1 : numberOf(source(max.times.pointer), max.times.ceiling);
      if (times === 'unclear') return { quantity: MeterPrices.ceilingOf(max), isClear: false };
      return { quantity: base * (times === 'unnamed' ? (max.times?.default ?? 1) : times), isClear: true };
    }
  }
}

/** A number that the upstream would clamp or refuse is unclear, as is a text that it could convert. */
function numberOf(value: ClearJson.ClearValue, ceiling: number): number | 'unnamed' | 'unclear' {
  if (value.kind === 'unnamed') return 'unnamed';
  const number = value.kind === 'number' ? value.value : value.kind === 'list' ? value.length : -1;
  return Number.isInteger(number) && number >= 1 && number <= ceiling ? number : 'unclear';
}

function whereText(priceBy: MeterPrices.PriceBy | null): string {
  if (priceBy === null) return '';
  return priceBy.kind === 'body' ? pointerText(priceBy.pointer) : `${priceBy.kind}:${priceBy.name}`;
}

function pointerText(pointer: JsonPointer): string {
  return pointer.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
