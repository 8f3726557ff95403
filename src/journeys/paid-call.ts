import { uuidv7 } from '@sluice/kernel/id';
import * as Catalog from '../catalog/catalog.ts';
import { mayHaveBody } from '../catalog/operation.ts';
import { type Plan, requestsPerSecond } from '../catalog/plan.ts';
import type { Hold, HoldRequest } from '../ledger/hold.ts';
import type { ProxyContext } from '../proxy/proxy-context.ts';
import type * as RateLimit from '../proxy/rate-limit.ts';
import * as StreamRequest from '../proxy/stream-request.ts';
import type { Watched } from '../proxy/unpaid-calls.ts';
import type { Sending } from '../proxy/upstream.ts';
import type { StreamedResponse, WholeResponse } from '../proxy/upstream-response.ts';
import type * as WorstCase from '../proxy/worst-case.ts';
import * as CallFailure from './call-failure.ts';
import * as CallHold from './call-hold.ts';
import type { PaidCall } from './call-request.ts';
import type { CallerLeft, CallRefusal, ServedResponse } from './call-result.ts';
import * as CallTrace from './call-trace.ts';
import * as IdempotentCall from './idempotent-call.ts';
import * as JobWatch from './job-watch.ts';
import * as OutboundCall from './outbound-call.ts';
import * as ResponseFields from './own-figures.ts';
import type { PaidCallContext } from './paid-call-context.ts';
import * as ResourceOwnership from './resource-ownership.ts';
import * as CallPrice from './response-price.ts';
import * as Settlement from './settlement.ts';
import * as StartedJob from './started-job.ts';
import * as StreamSale from './stream-sale.ts';
import type * as StreamedCall from './streamed-call.ts';
import * as WithheldLimit from './withheld-limit.ts';

export type { PaidCall } from './call-request.ts';

const left: CallerLeft = { kind: 'left', isKept: false };

/**
 * Makes one paid call: rate limit, ceiling, hold of the worst case, upstream, count, settle. A response is returned only
 * after its charge is recorded, and a charge is recorded only for a returned response. A metered stream is returned before: it is charged before its
 * last event.
 * @param watch receives the upstream request, so that it can be abandoned when the caller disconnects
 */
export async function makeOrStream(
  shop: PaidCallContext,
  call: PaidCall,
  watch: (sending: Sending) => void,
): Promise<ServedResponse | StreamedCall.StreamingCall | IdempotentCall.Replayed | CallRefusal | CallerLeft> {
  const { operation, account, key, callerKey } = call;
  const { service } = operation;
  if (operation.socket !== undefined) return { kind: 'upgrade_required' };
  const forbidden = forbiddenCall(shop, call);
  if (forbidden !== null) return forbidden;
  const opening = Catalog.opening(shop.catalog, service);
  const perSecond = requestsPerSecond(opening.plans, shop.writer.plansOf(account));
  const taking = shop.callLimit.take(`${account} ${operation.id}`, perSecond);
  const taken = taking instanceof Promise ? await taking : taking;
  if (!taken.allowed) return { kind: 'rate_limited', taken, perSecond };

  const isOwned = ResourceOwnership.applies(operation);
  const foreign = isOwned ? await ResourceOwnership.refused(shop, call) : null;
  if (foreign !== null) return foreign;
  const unsettled = await JobWatch.settleNamed(shop, call);
  if (unsettled !== null) return unsettled;

  const asked = CallHold.worstCase(call);
  if ('kind' in asked) return asked;
  // A stream is delivered and a job started before it is counted, so that the whole worst case must be held.
  const isEarly = operation.stream !== null || operation.job !== undefined;
  const worst = isEarly ? { ...asked, isClear: true } : asked;
  const sized = CallHold.size(shop, call, isEarly ? StreamSale.firstHeld(call, worst) : worst);
  if (sized.kind === 'price_ceiling') return sized;
  const callId = uuidv7(shop.clock(), account);
  const request: HoldRequest = {
    callId,
    account,
    plans: opening.ids,
    price: service.price,
    ...(operation.units.kind === 'meters' && { moneyOnly: true }),
    units: sized.units,
    span: call.span,
    key: callerKey && { id: callerKey.id, capped: callerKey.budget !== null },
  };
  const sale: Sale = { request, worst, size: sized, plans: opening.plans, rate: taken };
  return key === null
    ? await sellCounted(shop, call, sale, null, watch)
    : await sellOnce(shop, call, key, sale, watch);
}

/** Makes one paid call like `makeOrStream`, for a caller who takes no streams: a stream is read to its end first. */
export async function make(
  shop: PaidCallContext,
  call: PaidCall,
  watch: (sending: Sending) => void,
): Promise<ServedResponse | IdempotentCall.Replayed | CallRefusal | CallerLeft> {
  const made = await makeOrStream(shop, { ...call, takesStreams: false }, watch);
  if (made.kind === 'streaming') throw new Error('a stream was returned to a caller who takes none');
  return made;
}

/** The inputs of the hold for a call, the plans that cover it, and the state of its rate limit. */
type Sale = {
  request: HoldRequest;
  worst: WorstCase.WorstCase;
  size: CallHold.HoldSize;
  plans: readonly Plan[];
  rate: RateLimit.RateLimitResult;
};

/** Returns why a call is refused whatever its account can pay, or null. */
export function forbiddenCall(
  shop: Pick<ProxyContext, 'unpaid'>,
  { operation, account, callerKey, body }: PaidCall,
): CallRefusal | null {
  const { method, service } = operation;
  if (callerKey?.services && !callerKey.services.includes(service.slug))
    return { kind: 'key_not_allowed', key: callerKey.id, services: callerKey.services };
  const retryAfterSeconds = shop.unpaid.barredSeconds(account);
  if (retryAfterSeconds > 0) return { kind: 'too_many_unpaid', retryAfterSeconds };
  const { route } = service;
  if (route !== undefined && body.length > route.bodyBytesMax)
    return { kind: 'body_too_long', bytesMax: route.bodyBytesMax };
  return body.length > 0 && !mayHaveBody(operation) ? { kind: 'body_not_allowed', method } : null;
}

/** Makes a call once for the caller's key, or returns the stored response of the call that was made with it. */
async function sellOnce(
  shop: PaidCallContext,
  call: PaidCall,
  key: string,
  sale: Sale,
  watch: (sending: Sending) => void,
): Promise<ServedResponse | StreamedCall.StreamingCall | IdempotentCall.Replayed | CallRefusal | CallerLeft> {
  const { callId } = sale.request;
  const asking = call.span === null ? null : call.span.child('idempotency key');
  const started = await IdempotentCall.start(shop, { ...call, key, callId });
  if (asking !== null)
    asking.end({ 'db.system.name': 'postgresql', 'sluice.idempotency_claim': started.kind });
  if (started.kind !== 'started') return started;
  let isOver = false;
  try {
    const sold = await sellCounted(shop, call, sale, started, watch);
    if (sold.kind === 'streaming') {
      isOver = true;
      return untilStreamEnds(shop, sold, started);
    }
    isOver = isKept(sold);
    return sold;
  } finally {
    const given = isOver || shop.idempotencyKeys.giveUp(started.idempotencyKey);
    // While the ledger is unavailable the key is released later; the response must not wait for that.
    if (shop.writer.ready) await given;
  }
}

/** Returns true when a retry with the call's key gets its outcome, so that the key stays claimed. */
function isKept(sold: ServedResponse | CallRefusal | CallerLeft): boolean {
  if (sold.kind === 'served') return sold.kept !== null;
  return sold.kind === 'left' ? sold.isKept : sold.kind === 'charge_in_doubt';
}

/** Keeps the caller's key claimed until the stream of its call has ended. */
function untilStreamEnds(
  shop: Pick<PaidCallContext, 'idempotencyKeys'>,
  streaming: StreamedCall.StreamingCall,
  { idempotencyKey }: IdempotentCall.Started,
): StreamedCall.StreamingCall {
  return {
    ...streaming,
    async settle(end, part) {
      const sold = await streaming.settle(end, part);
      if (!isKept(sold)) await shop.idempotencyKeys.giveUp(idempotencyKey);
      return sold;
    },
    async release() {
      await streaming.release();
      await shop.idempotencyKeys.giveUp(idempotencyKey);
    },
  };
}

/** Sells a call within the limit of withheld responses. */
async function sellCounted(
  ...args: Parameters<typeof sell>
): Promise<ServedResponse | StreamedCall.StreamingCall | CallRefusal | CallerLeft> {
  const [shop, call] = args;
  return WithheldLimit.counted(shop, call, await sell(...args));
}

/** Holds the worst case, calls the upstream, counts the response and settles. */
async function sell(
  shop: PaidCallContext,
  call: PaidCall,
  sale: Sale,
  started: IdempotentCall.Started | null,
  watch: (sending: Sending) => void,
): Promise<ServedResponse | StreamedCall.StreamingCall | CallRefusal | CallerLeft> {
  const { request, size, worst } = sale;
  const { operation } = call;
  // Before anything is held, because it reads what the caller wrote.
  const prepared = StreamRequest.prepare(operation.stream, call.rawHeaders, call.body);
  const held = await CallHold.take(shop, call, request, size);
  if (held.kind !== 'held') return held;
  const { hold } = held;
  if (started && started.idempotencyKey.epoch !== hold.epoch) {
    // The ledger writer was restarted since the idempotency key was claimed, so another process may own the key now.
    shop.writer.release(hold);
    return { kind: 'ledger_unavailable' };
  }
  const retryAfterSeconds = shop.withheld.take(call.account, operation.id);
  if (retryAfterSeconds > 0) {
    shop.writer.release(hold);
    return { kind: 'too_many_uncountable', retryAfterSeconds };
  }

  const span = call.span === null ? null : CallTrace.start(call.span);
  const startedMs = worst.priced === undefined ? 0 : shop.clock();
  const sending = shop.upstream.send(OutboundCall.of(shop, call, prepared, worst.priced, span));
  const runsOn = operation.job !== undefined;
  const watched = shop.unpaid.watch(call.account, sending, CallHold.isFree(operation), runsOn);
  watch(call.upload ? OutboundCall.untilUploaded(call.upload, sending, watched) : watched);
  let isHanded = false;
  try {
    const received = await sending.response;
    if (span !== null) CallTrace.end(span, received);
    if (received.kind !== 'whole' && received.kind !== 'stream')
      return CallFailure.end(shop, operation, hold, received);
    const response = ResourceOwnership.applies(operation)
      ? await ResourceOwnership.restrict(shop, call, hold, received)
      : received;
    if (response.kind !== 'whole' && response.kind !== 'stream') return response;
    if (StreamSale.isSoldAsStream(operation, response)) {
      const sold = await StreamSale.sell(shop, call, worst, {
        hold,
        response,
        startedMs,
        prepared,
        started,
        watched,
      });
      isHanded = sold.kind === 'served' || sold.kind === 'streaming';
      return sold;
    }
    const sold = await sellWhole(shop, call, sale, { hold, response, startedMs, started, watched });
    isHanded = sold.kind === 'served';
    return sold;
  } finally {
    watched.end();
    if (!isHanded) sending.abandon();
  }
}

/** A response that is sold as it is, once its charge is recorded, and the call that it belongs to. */
type WholeSale = {
  hold: Hold;
  response: WholeResponse | StreamedResponse;
  /** When its request was sent; only meters of time read it. */
  startedMs: number;
  started: IdempotentCall.Started | null;
  watched: Watched;
};

/** Counts a response and settles. */
async function sellWhole(
  shop: PaidCallContext,
  call: PaidCall,
  { worst, plans, rate }: Sale,
  { hold, response, startedMs, started, watched }: WholeSale,
): Promise<ServedResponse | CallRefusal | CallerLeft> {
  const { operation } = call;
  const isJob = StartedJob.isStarted(operation, response);
  const priced = isJob
    ? await StartedJob.start(shop, call, hold, response, worst.priced)
    : await CallPrice.priceResponse(shop, call, hold, response, worst, startedMs);
  if (priced.kind !== 'priced') return priced;
  if (watched.left === 'free' && !isJob) {
    shop.writer.release(priced.hold);
    return left;
  }
  // Only the hold loads the plans of the account; until then the highest rate limit of all plans applied.
  const perSecond = requestsPerSecond(plans, shop.writer.plansOf(call.account));
  const editing = ResponseFields.withOwnFigures(shop, call, priced, response, { perSecond, rate });
  const own = editing instanceof Promise ? await editing : editing;
  if (own.kind !== 'whole' && own.kind !== 'stream') return own;
  const unbound = ResourceOwnership.applies(operation)
    ? await ResourceOwnership.bind(shop, call, priced.hold, own)
    : null;
  if (unbound !== null) return unbound;
  return Settlement.settle(shop, call, priced, own, started, watched);
}
