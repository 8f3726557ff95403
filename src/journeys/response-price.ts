import type { Operation } from '../catalog/operation.ts';
import type { Hold, Measured } from '../ledger/hold.ts';
import * as CountMeters from '../proxy/count-meters.ts';
import * as Meter from '../proxy/meter.ts';
import { refusesKey, type StreamedResponse, type WholeResponse } from '../proxy/upstream-response.ts';
import * as WorstCase from '../proxy/worst-case.ts';
import * as CallHold from './call-hold.ts';
import * as CallMeters from './call-meters.ts';
import type { PaidCall } from './call-request.ts';
import type { PaidCallContext } from './paid-call-context.ts';

/** The cost of a response, with a hold that covers all of it. `isCountable`: its units were read from it. */
export type PricedResponse = {
  kind: 'priced';
  hold: Hold;
  units: number;
  isCountable: boolean;
  /** The measurements of a metered call. */
  measured?: Measured;
};

export type UnsoldResponse =
  | { kind: 'upstream_refused' }
  | { kind: 'response_uncountable'; reason: Meter.UncountableReason }
  | CallHold.HoldRefusal;

/**
 * Counts the units of a response and extends the hold to all of them. When the response must not be sold, it is refused and
 * the hold of its call is released.
 * @param worst the maximum of the request, which can exceed the hold when credit was short
 * @param startedMs when the request was sent; only meters of time read it
 */
export async function priceResponse(
  shop: PaidCallContext,
  call: PaidCall,
  hold: Hold,
  response: WholeResponse | StreamedResponse,
  worst: WorstCase.WorstCase,
  startedMs: number,
): Promise<PricedResponse | UnsoldResponse> {
  const { operation } = call;
  const { callId } = hold;
  if (refusesKey(response, operation.path)) {
    shop.writer.release(hold);
    shop.report('upstream_refused', { call: callId, operation: operation.id, status: response.status });
    return { kind: 'upstream_refused' };
  }
  const counting = countUnits(shop, operation, response, worst, startedMs);
  const counted = counting instanceof Promise ? await counting : counting;
  const isFree = operation.service.price === 0;
  const most = WorstCase.ceiling(operation.unitsMax);
  const found = isFree ? counted : atMost(counted, most);
  const isCountable = found.kind === 'counted';
  // Nothing is lost when an uncountable response is free.
  if (!isCountable && !isFree) {
    shop.uncountable({ call: callId, operation: operation.id, reason: found.reason });
    if (operation.uncountable === 'withhold') {
      shop.writer.release(hold);
      return { kind: 'response_uncountable', reason: found.reason };
    }
  }
  const uncounted = operation.uncountable === 'max' && !isFree ? worst.units : 0;
  const units = isCountable ? Math.min(found.units, most) : uncounted;
  const covered = await CallHold.cover(shop, call, hold, units);
  if (covered.kind === 'held') {
    const priced: PricedResponse = { kind: 'priced', hold: covered.hold, units, isCountable };
    if (isCountable && 'usage' in found) priced.measured = CallMeters.measured(found.usage);
    return priced;
  }
  shop.writer.release(hold);
  if (covered.kind !== 'ledger_unavailable') shop.unpaid.add(call.account);
  return covered;
}

function countUnits(
  shop: Pick<PaidCallContext, 'clock'>,
  { units }: Operation,
  response: WholeResponse | StreamedResponse,
  { priced }: WorstCase.WorstCase,
  startedMs: number,
): Count | Promise<Count> {
  if (units.kind !== 'meters') return Meter.count(units, response);
  if (priced === undefined) throw new Error('the request of a call by meters was not read');
  return CountMeters.countResponse(priced, response, shop.clock() - startedMs);
}

type Count = Meter.Count | CountMeters.UsageCount;

/** Rejects a count above the operation's published maximum. */
function atMost(counted: Count, most: number): Count {
  return counted.kind === 'counted' && counted.units > most
    ? { kind: 'uncountable', reason: 'above_units_max' }
    : counted;
}

/** The end of a stream, as far as its price depends on it. */
export type StreamEnd = {
  status: number;
  headers: readonly string[];
  /** The usage as the JSON text of a response that is not streamed; null when there is none. */
  usage: string | null;
  bytes: number;
  startedMs: number;
};

/**
 * Prices a stream that was delivered except for its end, by the usage of its events. It is charged even if its usage exceeds what can be held:
 * then the whole hold is charged, and never more.
 */
export async function priceStream(
  shop: PaidCallContext,
  call: PaidCall,
  hold: Hold,
  end: StreamEnd,
  worst: WorstCase.WorstCase,
): Promise<PricedResponse> {
  const { operation } = call;
  const counting = countStream(shop, operation, end, worst);
  const counted = counting instanceof Promise ? await counting : counting;
  const isCountable = counted.kind === 'counted';
  if (!isCountable && operation.service.price > 0)
    shop.uncountable({ call: hold.callId, operation: operation.id, reason: counted.reason });
  const isAbove = !isCountable && counted.reason === 'above_units_max';
  const uncounted = operation.uncountable === 'max' || isAbove ? Math.min(worst.units, hold.units) : 0;
  const wanted = isCountable ? Math.min(counted.units, WorstCase.ceiling(operation.unitsMax)) : uncounted;
  const covered = await CallHold.cover(shop, call, hold, wanted);
  const measured = isCountable && 'usage' in counted ? { measured: CallMeters.measured(counted.usage) } : {};
  if (covered.kind === 'held')
    return { kind: 'priced', hold: covered.hold, units: wanted, isCountable, ...measured };
  const { callId, units } = hold;
  shop.report('stream_above_hold', { call: callId, operation: operation.id, units: wanted, held: units });
  return { kind: 'priced', hold, units, isCountable, ...measured };
}

function countStream(
  shop: Pick<PaidCallContext, 'clock'>,
  { units }: Operation,
  { status, headers, usage, bytes, startedMs }: StreamEnd,
  { priced }: WorstCase.WorstCase,
): Count | Promise<Count> {
  if (units.kind !== 'meters') {
    const body = Buffer.from(usage ?? '{}');
    return Meter.count(units, {
      kind: 'whole',
      status,
      headers: ['content-type', 'application/json'],
      body,
    });
  }
  if (priced === undefined) throw new Error('the request of a call by meters was not read');
  if (usage === null) return { kind: 'uncountable', reason: 'missing' };
  return CountMeters.countUsage(priced, JSON.parse(usage), {
    headers,
    bytes,
    durationMs: shop.clock() - startedMs,
  });
}
