import type { Catalog } from '../catalog/catalog.ts';
import type { Operation } from '../catalog/operation.ts';
import * as OwnershipRule from '../catalog/ownership-rule.ts';
import type { Service } from '../catalog/service.ts';
import type { StreamRule } from '../catalog/stream-rule.ts';
import type { Hold } from '../ledger/hold.ts';
import type { StreamResult } from '../proxy/stream-meter.ts';
import type { StreamRequest } from '../proxy/stream-request.ts';
import type { Watched } from '../proxy/unpaid-calls.ts';
import type { StreamedResponse, WholeResponse } from '../proxy/upstream-response.ts';
import type { WorstCase } from '../proxy/worst-case.ts';
import type { PaidCall } from './call-request.ts';
import type { CallerLeft, CallRefusal, ServedResponse } from './call-result.ts';
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

/** A response that is a stream, and the call that it belongs to. */
export type StreamSale = {
  hold: Hold;
  response: WholeResponse | StreamedResponse;
  /** When its request was sent; only meters of time read it. */
  startedMs: number;
  prepared: StreamRequest;
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
  let isSettling = false;
  const settleStream = async (
    whole: WholeResponse | StreamedResponse,
    { usage, hasFailed, bytes }: Omit<StreamResult, 'withheld'>,
  ) => {
    if (usage === null || hasFailed) {
      const event = hasFailed ? 'stream_failed' : 'usage_missing';
      shop.report(event, { call: hold.callId, operation: operation.id });
    }
    // A stream that reports an error is free. A few are normal; an account with more has its worst case held in full.
    if (hasFailed) shop.unpaid.add(call.account);
    const priced = await ResponsePrice.priceStream(
      shop,
      { ...call, operation: StreamedCall.operationFor(operation, rule, prepared.asks, hasFailed) },
      hold,
      {
        status: whole.status,
        headers: whole.headers,
        usage: hasFailed ? null : usage,
        bytes,
        startedMs,
      },
      worst,
    ).catch((fault: unknown) => {
      shop.writer.release(hold);
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
      readOn: (abandon) => shop.unpaid.readOn(abandon),
      settle(end) {
        isSettling = true;
        return settleStream(response, end);
      },
      async fail(isUnpaid) {
        // A settlement releases the hold itself; releasing it twice would let its credit be spent twice.
        if (!isSettling) shop.writer.release(hold);
        if (isUnpaid) shop.unpaid.add(call.account);
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
