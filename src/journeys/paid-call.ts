import { uuidv7 } from '@sluice/kernel/id';
import * as Catalog from '../catalog/catalog.ts';
import { mayHaveBody } from '../catalog/operation.ts';
import { type Plan, requestsPerSecond } from '../catalog/plan.ts';
import type { HoldRequest, MeteredCall } from '../ledger/hold.ts';
import type { ProxyContext } from '../proxy/proxy-context.ts';
import type * as RateLimit from '../proxy/rate-limit.ts';
import type { Watched } from '../proxy/unpaid-calls.ts';
import type { Sending } from '../proxy/upstream.ts';
import type { StreamedResponse, WholeResponse } from '../proxy/upstream-response.ts';
import type * as WorstCase from '../proxy/worst-case.ts';
import * as CallFailure from './call-failure.ts';
import * as CallHold from './call-hold.ts';
import * as CallMeters from './call-meters.ts';
import type { PaidCall } from './call-request.ts';
import type { CallerLeft, CallRefusal, ServedResponse } from './call-result.ts';
import * as CallTrace from './call-trace.ts';
import * as IdempotentCall from './idempotent-call.ts';
import * as ResponseFields from './own-figures.ts';
import type { PaidCallContext } from './paid-call-context.ts';
import * as CallPrice from './response-price.ts';

export type { PaidCall } from './call-request.ts';

const left: CallerLeft = { kind: 'left', isKept: false };

/**
 * Makes one paid call: rate limit, ceiling, hold of the worst case, upstream, count, settle. A response is returned only
 * after its charge is recorded, and a charge is recorded only for a returned response.
 * @param watch receives the upstream request, so that it can be abandoned when the caller disconnects
 */
export async function make(
  shop: PaidCallContext,
  call: PaidCall,
  watch: (sending: Sending) => void,
): Promise<ServedResponse | IdempotentCall.Replayed | CallRefusal | CallerLeft> {
  const { operation, account, key, callerKey } = call;
  const { service } = operation;
  const forbidden = forbiddenCall(shop, call);
  if (forbidden !== null) return forbidden;
  const opening = Catalog.opening(shop.catalog, service);
  const perSecond = requestsPerSecond(opening.plans, shop.writer.plansOf(account));
  const taking = shop.callLimit.take(`${account} ${operation.id}`, perSecond);
  const taken = taking instanceof Promise ? await taking : taking;
  if (!taken.allowed) return { kind: 'rate_limited', taken, perSecond };

  const worst = CallHold.worstCase(call);
  if ('kind' in worst) return worst;
  const sized = CallHold.size(shop, call, worst);
  if (sized.kind === 'price_ceiling') return sized;
  const callId = uuidv7(shop.clock());
  const request: HoldRequest = {
    callId,
    account,
    plans: opening.ids,
    price: service.price,
    units: sized.units,
    span: call.span,
    key: callerKey && { id: callerKey.id, capped: callerKey.budget !== null },
  };
  const sale: Sale = { request, worst, size: sized, plans: opening.plans, rate: taken };
  return key === null
    ? await sell(shop, call, sale, null, watch)
    : await sellOnce(shop, call, key, sale, watch);
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
function forbiddenCall(
  shop: Pick<ProxyContext, 'unpaid'>,
  { operation, account, callerKey, body }: PaidCall,
): CallRefusal | null {
  const { method, service } = operation;
  if (callerKey?.services && !callerKey.services.includes(service.slug))
    return { kind: 'key_not_allowed', key: callerKey.id, services: callerKey.services };
  const retryAfterSeconds = shop.unpaid.barredSeconds(account);
  if (retryAfterSeconds > 0) return { kind: 'too_many_unpaid', retryAfterSeconds };
  return body.length > 0 && !mayHaveBody(operation) ? { kind: 'body_not_allowed', method } : null;
}

/** Makes a call once for the caller's key, or returns the stored response of the call that was made with it. */
async function sellOnce(
  shop: PaidCallContext,
  call: PaidCall,
  key: string,
  sale: Sale,
  watch: (sending: Sending) => void,
): Promise<ServedResponse | IdempotentCall.Replayed | CallRefusal | CallerLeft> {
  const { callId } = sale.request;
  const asking = call.span === null ? null : call.span.child('idempotency key');
  const started = await IdempotentCall.start(shop, { ...call, key, callId });
  if (asking !== null)
    asking.end({ 'db.system.name': 'postgresql', 'sluice.idempotency_claim': started.kind });
  if (started.kind !== 'started') return started;
  let isOver = false;
  try {
    const sold = await sell(shop, call, sale, started, watch);
    if (sold.kind === 'served') isOver = sold.kept !== null;
    else isOver = sold.kind === 'left' ? sold.isKept : sold.kind === 'charge_in_doubt';
    return sold;
  } finally {
    const given = isOver || shop.idempotencyKeys.giveUp(started.idempotencyKey);
    // While the ledger is unavailable the key is released later; the response must not wait for that.
    if (shop.writer.ready) await given;
  }
}

/** Holds the worst case, calls the upstream, counts the response and settles. */
async function sell(
  shop: PaidCallContext,
  call: PaidCall,
  { request, worst, size, plans, rate }: Sale,
  started: IdempotentCall.Started | null,
  watch: (sending: Sending) => void,
): Promise<ServedResponse | CallRefusal | CallerLeft> {
  const { operation } = call;
  const held = await CallHold.take(shop, call, request, size);
  if (held.kind !== 'held') return held;
  const { hold } = held;
  if (started && started.idempotencyKey.epoch !== hold.epoch) {
    // The ledger writer was restarted since the idempotency key was claimed, so another process may own the key now.
    shop.writer.release(hold);
    return { kind: 'ledger_unavailable' };
  }

  // A response that is counted by its content must be read to its end first; all others are streamed.
  const span = call.span === null ? null : CallTrace.start(call.span);
  const startedMs = worst.priced === undefined ? 0 : shop.clock();
  const sending = shop.upstream.send({
    method: operation.method,
    target: call.target,
    rawHeaders: call.rawHeaders,
    body: call.body.length > 0 ? call.body : null,
    metered: CallMeters.isReadWhole(operation),
    editsJson: shop.catalog.upstream.responseFields.length > 0,
    account: call.account,
    traceparent: span === null ? null : span.forUpstream,
    ...(worst.priced && CallMeters.outbound(worst.priced, call)),
  });
  const watched = shop.unpaid.watch(call.account, sending, CallHold.isFree(operation));
  watch(watched);
  let isHanded = false;
  try {
    const response = await sending.response;
    if (span !== null) CallTrace.end(span, response);
    if (response.kind !== 'whole' && response.kind !== 'stream')
      return CallFailure.end(shop, operation, hold, response);
    const priced = await CallPrice.priceResponse(shop, call, hold, response, worst, startedMs);
    if (priced.kind !== 'priced') return priced;
    if (watched.left === 'free') {
      shop.writer.release(priced.hold);
      return left;
    }
    // Only the hold loads the plans of the account; until then the highest rate limit of all plans applied.
    const perSecond = requestsPerSecond(plans, shop.writer.plansOf(call.account));
    const editing = ResponseFields.withOwnFigures(shop, call, priced, response, { perSecond, rate });
    const own = editing instanceof Promise ? await editing : editing;
    if (own.kind !== 'whole' && own.kind !== 'stream') return own;
    const sold = await settle(shop, call, priced, own, started, watched);
    isHanded = sold.kind === 'served';
    return sold;
  } finally {
    watched.end();
    if (!isHanded) sending.abandon();
  }
}

/** Charges for a response, stores it under the caller's key, and returns it unless the caller has disconnected. */
async function settle(
  shop: PaidCallContext,
  call: PaidCall,
  { hold, units, isCountable, usage }: CallPrice.PricedResponse,
  response: WholeResponse | StreamedResponse,
  started: IdempotentCall.Started | null,
  watched: Watched,
): Promise<ServedResponse | CallRefusal | CallerLeft> {
  const { operation, account, wantsReceipt } = call;
  const { callId } = hold;
  const paid = { callId, account, operation, response, units, usage, wantsReceipt };
  const outcome: MeteredCall = {
    units,
    status: response.status,
    service: operation.service.slug,
    operation: operation.id,
  };
  if (usage !== undefined) CallMeters.record(outcome, usage);
  // A response that was free only because it could not be counted is not stored, because a retry may be countable.
  const keeps = isCountable || units > 0 ? started : null;
  const cost = keeps && shop.writer.cost(hold, units);
  const keeping =
    keeps &&
    cost &&
    (await IdempotentCall.keep(shop, keeps, { ...paid, cost }).catch((fault: unknown) => {
      shop.writer.release(hold);
      throw fault;
    }));
  const settlement = await shop.writer.settle(hold, outcome, keeping);
  if (call.span !== null) call.span.event(settlement.kind);
  if (settlement.kind === 'refused')
    return { kind: started && settlement.inDoubt ? 'charge_in_doubt' : 'ledger_unavailable' };
  const { seq } = settlement;
  const isFree = settlement.charges.length === 0;
  const delivered = () => shop.writer.delivered(seq);
  const brokenOff = () => shop.writer.undelivered(seq, callId);
  if (watched.left !== 'no') {
    watched.left === 'charged' ? delivered() : brokenOff();
    return { kind: 'left', isKept: keeping !== null };
  }
  return {
    ...paid,
    kind: 'served',
    cost: cost ?? settlement,
    kept: keeping?.headers ?? null,
    delivered,
    brokenOff,
    callerLeft: () => (isFree || shop.unpaid.isCharged(account) ? delivered() : brokenOff()),
  };
}
