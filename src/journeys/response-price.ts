import type { Hold, Measured } from '../ledger/hold.ts';
import * as Meter from '../proxy/meter.ts';
import { refusesKey, type StreamedResponse, type WholeResponse } from '../proxy/upstream-response.ts';
import * as WorstCase from '../proxy/worst-case.ts';
import * as CallHold from './call-hold.ts';
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
 * @param worstUnits the maximum of the request, which can exceed the hold when credit was short
 */
export async function priceResponse(
  shop: PaidCallContext,
  call: PaidCall,
  hold: Hold,
  response: WholeResponse | StreamedResponse,
  worstUnits: number,
): Promise<PricedResponse | UnsoldResponse> {
  const { operation } = call;
  const { callId } = hold;
  if (refusesKey(response, operation.path)) {
    shop.writer.release(hold);
    shop.report('upstream_refused', { call: callId, operation: operation.id, status: response.status });
    return { kind: 'upstream_refused' };
  }
  const counting = Meter.count(operation.units, response);
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
  const uncounted = operation.uncountable === 'max' && !isFree ? worstUnits : 0;
  const units = isCountable ? Math.min(found.units, most) : uncounted;
  const covered = await CallHold.cover(shop, call, hold, units);
  if (covered.kind === 'held') return { kind: 'priced', hold: covered.hold, units, isCountable };
  shop.writer.release(hold);
  if (covered.kind !== 'ledger_unavailable') shop.unpaid.add(call.account);
  return covered;
}

/** Rejects a count above the operation's published maximum. */
function atMost(counted: Meter.Count, most: number): Meter.Count {
  return counted.kind === 'counted' && counted.units > most
    ? { kind: 'uncountable', reason: 'above_units_max' }
    : counted;
}

/**
 * Prices a stream that was delivered except for its end, by the usage of its events. It is charged even if its usage exceeds what can be held:
 * then the whole hold is charged, and never more.
 * @param stream the status, and the usage as the JSON text of a response that is not streamed
 */
export async function priceStream(
  shop: PaidCallContext,
  call: PaidCall,
  hold: Hold,
  { status, usage }: { status: number; usage: string | null },
  worstUnits: number,
): Promise<PricedResponse> {
  const { operation } = call;
  const headers = ['content-type', 'application/json'];
  const body = Buffer.from(usage ?? '{}');
  const counting = Meter.count(operation.units, { kind: 'whole', status, headers, body });
  const counted = counting instanceof Promise ? await counting : counting;
  const isCountable = counted.kind === 'counted';
  if (!isCountable && operation.service.price > 0)
    shop.uncountable({ call: hold.callId, operation: operation.id, reason: counted.reason });
  const uncounted = operation.uncountable === 'max' ? Math.min(worstUnits, hold.units) : 0;
  const wanted = isCountable ? Math.min(counted.units, WorstCase.ceiling(operation.unitsMax)) : uncounted;
  const covered = await CallHold.cover(shop, call, hold, wanted);
  if (covered.kind === 'held') return { kind: 'priced', hold: covered.hold, units: wanted, isCountable };
  shop.report('stream_above_hold', {
    call: hold.callId,
    operation: operation.id,
    units: wanted,
    held: hold.units,
  });
  return { kind: 'priced', hold, units: hold.units, isCountable };
}
