import type { JsonPointer } from '@sluice/kernel/json-pointer';
import * as Pointer from '@sluice/kernel/json-pointer';
import * as JsonScan from '@sluice/kernel/json-scan';
import * as Money from '@sluice/kernel/money';
import * as MeterCost from '../catalog/meter-cost.ts';
import * as MeterPrices from '../catalog/meter-prices.ts';
import * as ByteOrderMark from './byte-order-mark.ts';
import * as ContentCoding from './content-coding.ts';
import { responseBytesMax, type UncountableReason } from './meter.ts';
import type { PricedRequest } from './priced-request.ts';
import type { StreamedResponse, WholeResponse } from './upstream-response.ts';

/** The counted quantities of a call and what they cost. */
export type CountedUsage = {
  cost: Money.Money;
  /** By meter. The quantity of an upstream's own price is in micro-dollars, rounded up. */
  quantities: Readonly<Record<string, number>>;
  /** The value in the request that chose the prices, or `default`; absent when a service has only one price. */
  priceKey?: string;
  /** The price that the upstream charges for the call, rounded up to a micro-dollar; absent when it states none. */
  upstreamCost?: Money.Money;
};

export type UsageCount =
  | { kind: 'counted'; units: number; usage: CountedUsage }
  | { kind: 'uncountable'; reason: UncountableReason };

/** The properties of a response that meters may count, besides its JSON. `headers`: a flat list with lower-case names. */
export type Measured = { headers: readonly string[]; bytes: number; durationMs: number };

/**
 * Counts a whole response by the meters of its request. Only a status from 200 to 299 costs anything; in a success without a body, everything that
 * is read from the body is zero. Returns a promise only when a content coding has to be decoded first. Never throws or rejects.
 */
export function countResponse(
  request: PricedRequest,
  response: WholeResponse | StreamedResponse,
  durationMs: number,
): UsageCount | Promise<UsageCount> {
  const { status, headers } = response;
  if (status < 200 || status > 299) return counted(request, { cost: Money.zero, quantities: {} });
  if (response.kind === 'stream')
    return request.rule.readsBody
      ? uncountable('not_whole')
      : count(request, none, { headers, bytes: 0, durationMs });
  const { body } = response;
  const measured = { headers, bytes: body.length, durationMs };
  const pointers = pointersOf(request.rule.metering);
  if (body.length === 0)
    return count(
      request,
      pointers.map(() => zero),
      measured,
    );
  if (pointers.length === 0) return count(request, none, measured);
  const codings = ContentCoding.parse(headers);
  if (codings === 'unknown') return uncountable('undecodable');
  if (codings.length === 0) return countBody(request, body, pointers, measured);
  return ContentCoding.decode(body, codings, responseBytesMax).then((decoded) =>
    decoded === null ? uncountable('undecodable') : countBody(request, decoded, pointers, measured),
  );
}

/**
 * Counts a parsed object that looks like a whole response's JSON, such as the combined usage of a stream. A number of it is counted as the shortest
 * decimal that reads as the same number. Never throws.
 */
export function countUsage(request: PricedRequest, object: unknown, measured: Measured): UsageCount {
  const found = pointersOf(request.rule.metering).map((pointer) => asFound(Pointer.resolve(object, pointer)));
  return count(request, found, measured);
}

function countBody(
  request: PricedRequest,
  body: Buffer,
  pointers: readonly JsonPointer[],
  measured: Measured,
): UsageCount {
  try {
    const found = JsonScan.findEach(body, ByteOrderMark.lengthOf(body), pointers);
    return found === null ? uncountable('not_json') : count(request, found, measured);
  } catch (fault) {
    // An exception here would leave the call's hold in place.
    if (fault instanceof RangeError) return uncountable('no_memory');
    throw fault;
  }
}

const none: readonly JsonScan.FoundText[] = [];
const zero: JsonScan.FoundText = { kind: 'number', value: 0, text: '0' };

/** @param found the values at the pointers of `pointersOf`, in its order */
function count(
  { rule, table, max, counted: known, worst }: PricedRequest,
  found: readonly JsonScan.FoundText[],
  measured: Measured,
): UsageCount {
  const { meters, priceBy } = rule.metering;
  const exact: bigint[] = [];
  const quantities: Record<string, number> = {};
  let upstreamCost: Money.Money | null = null;
  let next = 0;
  for (const [at, meter] of meters.entries()) {
    const value = isRead(meter) ? found[next++] : undefined;
    const quantity = quantityOf(meter, value, known[at] ?? -1, measured);
    if (typeof quantity === 'string') return uncountable(quantity);
    if (quantity > MeterPrices.exactMax(meter, max[at] ?? 0)) return uncountable('above_units_max');
    exact.push(quantity);
    const shown = meter.count.kind === 'cost' ? inMicro(quantity) : Number(quantity);
    quantities[meter.name] = shown;
    if (meter.count.kind === 'cost') upstreamCost = Money.ofMicro(shown);
  }
  const cost = MeterCost.costOf(meters, table.rates, exact);
  if (cost === null || cost > worst) return uncountable('above_units_max');
  const usage: CountedUsage = {
    cost,
    quantities,
    ...(priceBy !== null && { priceKey: table.key }),
    ...(upstreamCost !== null && { upstreamCost }),
  };
  return { kind: 'counted', units: cost, usage };
}

function counted({ rule, table }: PricedRequest, usage: CountedUsage): UsageCount {
  const priceKey = rule.metering.priceBy === null ? {} : { priceKey: table.key };
  return { kind: 'counted', units: usage.cost, usage: { ...usage, ...priceKey } };
}

function uncountable(reason: UncountableReason): UsageCount {
  return { kind: 'uncountable', reason };
}

const pointers = new WeakMap<MeterPrices.Metering, readonly JsonPointer[]>();

/** Returns the pointers of the meters that are read from the response's JSON, in the order of the meters. */
function pointersOf(metering: MeterPrices.Metering): readonly JsonPointer[] {
  let list = pointers.get(metering);
  if (list === undefined) {
    list = metering.meters.flatMap(({ count }) =>
      count.kind === 'pointer' || count.kind === 'cost' ? [count.pointer] : [],
    );
    pointers.set(metering, list);
  }
  return list;
}

function isRead({ count }: MeterPrices.Meter): boolean {
  return count.kind === 'pointer' || count.kind === 'cost';
}

/** Returns the exact quantity of a meter, or the reason why it has none. */
function quantityOf(
  meter: MeterPrices.Meter,
  found: JsonScan.FoundText | undefined,
  known: number,
  { headers, bytes, durationMs }: Measured,
): bigint | UncountableReason {
  const { count } = meter;
  switch (count.kind) {
    case 'constant':
    case 'request':
      return BigInt(known);
    case 'bytes':
      return BigInt(bytes);
    case 'seconds':
      // Every response takes some time, even if the clock has not moved or was set back.
      return BigInt(Math.ceil(Math.max(durationMs, 1) / 1000 / count.step) * count.step);
    case 'header':
      return headerQuantity(meter, headers, count.name);
    case 'pointer':
      return foundQuantity(meter, found);
    case 'cost':
      return found?.kind === 'number'
        ? (MeterCost.exactUsd(found.text) ?? 'not_a_count')
        : absent(meter, found);
  }
}

/** Counts a number as itself, a list as its length, true as one and false as zero. */
function foundQuantity(
  meter: MeterPrices.Meter,
  found: JsonScan.FoundText | undefined,
): bigint | UncountableReason {
  switch (found?.kind) {
    case 'number':
      return wholeQuantity(meter, found.value);
    case 'array':
      return BigInt(found.length);
    case 'true':
      return 1n;
    case 'false':
      return 0n;
    default:
      return absent(meter, found);
  }
}

/** A meter that may be absent is zero without a value and with null; any other one must have a number. */
function absent(
  { isOptional }: MeterPrices.Meter,
  found: JsonScan.FoundText | undefined,
): bigint | UncountableReason {
  const isAbsent = found === undefined || found.kind === 'nothing' || found.kind === 'null';
  if (isAbsent) return isOptional ? 0n : 'missing';
  return 'not_a_count';
}

function headerQuantity(
  meter: MeterPrices.Meter,
  headers: readonly string[],
  name: string,
): bigint | UncountableReason {
  const values = headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === name);
  const [value] = values;
  if (value === undefined) return meter.isOptional ? 0n : 'missing';
  if (values.length > 1 || !/^\d{1,15}(\.\d{1,15})?$/.test(value)) return 'not_a_count';
  return wholeQuantity(meter, Number(value));
}

function wholeQuantity({ roundsUp }: MeterPrices.Meter, value: number): bigint | UncountableReason {
  const whole = roundsUp ? Math.ceil(value) : value;
  return Number.isSafeInteger(whole) && value >= 0 ? BigInt(whole) : 'not_a_count';
}

function inMicro(exact: bigint): number {
  const perMicro = 10n ** BigInt(MeterPrices.costPlaces - 6);
  return Number((exact + perMicro - 1n) / perMicro);
}

function asFound(value: unknown): JsonScan.FoundText {
  switch (typeof value) {
    case 'number':
      return { kind: 'number', value, text: String(value) };
    case 'string':
      return { kind: 'string' };
    case 'boolean':
      return { kind: value ? 'true' : 'false' };
    case 'undefined':
      return { kind: 'nothing' };
    default:
      if (Array.isArray(value)) return { kind: 'array', length: value.length };
      return { kind: value === null ? 'null' : 'object' };
  }
}
