import type { Catalog } from '../catalog/catalog.ts';
import type { Operation } from '../catalog/operation.ts';
import * as OwnershipRule from '../catalog/ownership-rule.ts';
import type { Service } from '../catalog/service.ts';
import type { StreamRule } from '../catalog/stream-rule.ts';
import type { Hold } from '../ledger/hold.ts';
import { type SoldPart, StreamGrowth } from '../proxy/stream-growth.ts';
import type { StreamResult } from '../proxy/stream-meter.ts';
import * as StreamRequest from '../proxy/stream-request.ts';
import type { Watched } from '../proxy/unpaid-calls.ts';
import type { StreamedResponse, WholeResponse } from '../proxy/upstream-response.ts';
import type { WorstCase } from '../proxy/worst-case.ts';
import type { PaidCall } from './call-request.ts';
import type { CallerLeft, CallRefusal, ServedResponse } from './call-result.ts';
import { GrowingHold } from './growing-hold.ts';
import type { Started } from './idempotent-call.ts';
import type { PaidCallContext } from './paid-call-context.ts';
import * as ResponsePrice from './response-price.ts';
import * as Settlement from './settlement.ts';
import * as StreamedCall from './streamed-call.ts';

/** A caller who reads nothing for longer has left its stream. */
const stallMsMax = 30_000;

/**
 * Returns the time after which a caller who reads nothing has left, in milliseconds. It is shorter than the longest pause that its upstream may make:
 * otherwise the upstream would be cut first, and the stream would be free.
 */
function stallMsOf({ upstream, upstreams }: Catalog, { route }: Service): number {
  const names = route === undefined ? [] : [route.upstream, ...route.otherwise];
  const idleMs = names.map((name) => upstreams.get(name)?.idleMs ?? upstream.timeoutMs);
  return Math.min(stallMsMax, ...(names.length === 0 ? [upstream.timeoutMs] : idleMs).map((ms) => ms / 2));
}

/** Returns true when a response is metered as a stream. One that names resources of its caller has to be read whole. */
export function isSoldAsStream(operation: Operation, response: WholeResponse | StreamedResponse): boolean {
  return !OwnershipRule.readsResponse(operation) && StreamedCall.ruleFor(operation, response) !== null;
}

/**
 * Returns the worst case that is held at first: for a stream whose hold grows, its first step. A caller who takes no streams, or whose request does
 * not ask for one, gets a whole response, for which everything is held.
 */
export function firstHeld(call: PaidCall, worst: WorstCase): WorstCase {
  const { operation, takesStreams, rawHeaders, body } = call;
  const rule = operation.stream;
  if (rule?.extend === undefined || takesStreams !== true || OwnershipRule.readsResponse(operation))
    return worst;
  if (rule.when !== null && !StreamRequest.prepare(rule, rawHeaders, body).asks) return worst;
  return { ...worst, units: StreamGrowth.first(rule.extend, worst) };
}

/** A response that is a stream, and the call that it belongs to. */
export type StreamSale = {
  hold: Hold;
  response: WholeResponse | StreamedResponse;
  /** When its request was sent; only meters of time read it. */
  startedMs: number;
  prepared: StreamRequest.StreamRequest;
  started: Started | null;
  watched: Watched;
};

/** Sells a response that is a stream: metered while it is passed on, or collected first for a caller who takes no streams. */
export async function sell(
  shop: PaidCallContext,
  call: PaidCall,
  worst: WorstCase,
  { hold, response, startedMs, prepared, started, watched }: StreamSale,
): Promise<ServedResponse | StreamedCall.StreamingCall | CallRefusal | CallerLeft> {
  const { operation } = call;
  const rule = StreamedCall.ruleFor(operation, response) as StreamRule;
  const hidesUsage = rule.hidesUsage && prepared.asks && !prepared.asksUsage;
  const holding = new GrowingHold(shop, call, hold);
  let isSettling = false;
  const settleStream = async (
    whole: WholeResponse | StreamedResponse,
    { usage, hasFailed, bytes }: Omit<StreamResult, 'withheld'>,
    sold?: SoldPart,
  ) => {
    const current = await holding.current();
    if (sold !== undefined && !hasFailed) {
      const part = soldPart(current, worst, sold);
      return Settlement.settle(shop, call, part, whole, started, { left: 'no' });
    }
    if (usage === null || hasFailed) {
      const event = hasFailed ? 'stream_failed' : 'usage_missing';
      shop.report(event, { call: hold.callId, operation: operation.id });
    }
    // A stream that reports an error is free. A few are normal; an account with more has its worst case held in full.
    if (hasFailed) shop.unpaid.add(call.account);
    const priced = await ResponsePrice.priceStream(
      shop,
      { ...call, operation: StreamedCall.operationFor(operation, rule, prepared.asks, hasFailed) },
      current,
      {
        status: whole.status,
        headers: whole.headers,
        usage: hasFailed ? null : usage,
        bytes,
        startedMs,
      },
      worst,
    ).catch((fault: unknown) => {
      shop.writer.release(current);
      throw fault;
    });
    return Settlement.settle(shop, call, priced, whole, started, { left: 'no' });
  };
  if (call.takesStreams === true && response.kind === 'stream') {
    return {
      kind: 'streaming',
      callId: hold.callId,
      operation,
      rule,
      response,
      held: StreamedCall.worth(hold),
      hidesUsage,
      stallMs: stallMsOf(shop.catalog, operation.service),
      isFinished: () => rule.onLeave === 'finish' || shop.unpaid.isOut(call.account),
      isPartCharged: () => shop.unpaid.isCharged(call.account),
      readOn: (abandon) => shop.unpaid.readOn(abandon),
      growing: growingOf(operation, rule, worst, hold, holding),
      settle(end, sold) {
        isSettling = true;
        return settleStream(response, end, sold);
      },
      async release() {
        // A settlement releases the hold itself; releasing it twice would let its credit be spent twice.
        if (!isSettling) shop.writer.release(await holding.current());
      },
    };
  }
  const collected = await StreamedCall.collect(rule, hidesUsage, response);
  if (collected === null || watched.left === 'free') {
    shop.writer.release(hold);
    return collected === null
      ? { kind: 'response_uncountable', reason: 'not_whole' }
      : { kind: 'left', isKept: false };
  }
  return settleStream(collected.response, collected.end);
}

/** Returns how the hold of a stream grows; null without a rule for it. One whose worst case is held does not grow, but its parts have a price. */
function growingOf(
  operation: Operation,
  rule: StreamRule,
  worst: WorstCase,
  { units }: Hold,
  holding: GrowingHold,
): StreamedCall.GrowingStream | null {
  if (rule.extend === undefined) return null;
  return {
    growth: new StreamGrowth(rule, rule.extend, operation, worst),
    extend: (needed, wanted) => holding.extend(needed, wanted),
    heldUnits: units,
    refusal: () => holding.refusal,
  };
}

/** Returns the price of the part of a stream that was passed on before credit ran out. It was covered by the hold. */
function soldPart(
  hold: Hold,
  { priced }: WorstCase,
  { units, quantities }: SoldPart,
): ResponsePrice.PricedResponse {
  const part = { kind: 'priced', hold, units: Math.min(units, hold.units), isCountable: true } as const;
  if (quantities === undefined) return part;
  const priceKey = priced?.rule.metering.priceBy ? { priceKey: priced.table.key } : {};
  return { ...part, measured: { quantities, ...priceKey } };
}
