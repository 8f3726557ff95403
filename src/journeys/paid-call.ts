import * as Catalog from '../catalog/catalog.ts';
import type { Operation } from '../catalog/operation.ts';
import type { Plan } from '../catalog/plan.ts';
import type { CallerKey } from '../identity/jwt.ts';
import { uuidv7 } from '../kernel/id.ts';
import { type Money, ofMicro, times } from '../kernel/money.ts';
import type { Span } from '../kernel/tracing.ts';
import type { Hold, HoldAnswer, HoldRequest } from '../ledger/hold.ts';
import { type Answer, type Failure, refusesKey, type Streamed, type Whole } from '../relay/answer.ts';
import * as Meter from '../relay/meter.ts';
import type * as RateLimit from '../relay/rate-limit.ts';
import type { Target } from '../relay/target.ts';
import type { Sending } from '../relay/upstream.ts';
import * as KeyedCall from './keyed-call.ts';
import type { PaidAnswer } from './paid-answer.ts';
import type { Shop } from './shop.ts';

/** Calls a second of an account that has no plan for the operation. */
const perSecondWithoutPlan = 10;

/** One call of a known account to a sold operation. */
export type PaidCall = {
  operation: Operation;
  account: string;
  /** The account's own key that it is made with. */
  callerKey: CallerKey | null;
  target: Target;
  rawHeaders: readonly string[];
  body: Buffer;
  /** The most that the caller will pay (`Storefront-Max-Cost`). */
  ceiling: Money | null;
  /** The caller's own key (`Idempotency-Key`): under it the call is made once. */
  key: string | null;
  /** The request that it came with, in its trace. */
  span: Span | null;
  /** Whether the caller wants a signed receipt (`Storefront-Receipt: jws`). */
  wantsReceipt: boolean;
};

export type Refusal =
  | { kind: 'key_not_allowed'; key: string; services: readonly string[] }
  | { kind: 'rate_limited'; taken: RateLimit.Taken; perSecond: number }
  | { kind: 'price_ceiling'; required: Money; ceiling: Money }
  | Exclude<HoldAnswer, { kind: 'held' | 'unavailable' | 'budget_exhausted' }>
  | { kind: 'budget_exhausted'; key: string; required: Money; budget: Money; spent: Money }
  | { kind: 'ledger_unavailable' }
  /** The books went away as the call was charged: the next try under its key is told how it stands. */
  | { kind: 'charge_in_doubt' }
  | KeyedCall.Refusal
  | { kind: 'busy' }
  | { kind: 'upstream_refused' }
  | { kind: 'upstream_unavailable' }
  | { kind: 'upstream_timeout' };

/** When the answer has left, `delivered` is to be called; where the upstream broke it off on its way, `brokenOff`: it costs nothing then. */
export type Answered = PaidAnswer & {
  kind: 'answered';
  /** Its headers where they are kept under the caller's key. */
  kept: readonly string[] | null;
  delivered(): void;
  brokenOff(): void;
};

/** The caller left before anything was charged. */
export type Left = { kind: 'left' };

/**
 * The way of one paid call: rate limit, ceiling, hold of the worst case, upstream, count, settle. Nothing is charged
 * unless the returned answer is on the books, and nothing is returned that is not.
 * @param watch is given the request under way, to abandon it when the caller leaves
 */
export async function run(
  shop: Shop,
  call: PaidCall,
  watch: (sending: Sending) => void,
): Promise<Answered | KeyedCall.Replayed | Refusal | Left> {
  const { operation, account, key, callerKey } = call;
  const { service } = operation;
  if (callerKey?.services && !callerKey.services.includes(service.slug))
    return { kind: 'key_not_allowed', key: callerKey.id, services: callerKey.services };
  const opening = Catalog.opening(shop.catalog, service);
  const perSecond = ratePerSecond(opening.plans, shop.lane.plansOf(account));
  const taking = shop.callLimit.take(`${account} ${operation.id}`, perSecond);
  const taken = taking instanceof Promise ? await taking : taking;
  if (!taken.allowed) return { kind: 'rate_limited', taken, perSecond };

  const worst = Meter.worstCase(operation.unitsMax, {
    rawHeaders: call.rawHeaders,
    body: call.body,
    query: call.target.query,
  });
  const required = times(service.price, worst);
  if (call.ceiling !== null && required > call.ceiling)
    return { kind: 'price_ceiling', required, ceiling: call.ceiling };
  const callId = uuidv7(shop.clock());
  const request: HoldRequest = {
    callId,
    account,
    plans: opening.ids,
    price: service.price,
    units: worst,
    span: call.span,
    key: callerKey && { id: callerKey.id, capped: callerKey.budget !== null },
  };
  if (key === null) return await sell(shop, call, request, null, watch);

  const asking = call.span === null ? null : call.span.child('idempotency ticket');
  const started = await KeyedCall.start(shop, { ...call, key, callId });
  if (asking !== null) asking.end({ 'db.system.name': 'postgresql', 'sluice.ticket': started.kind });
  if (started.kind !== 'started') return started;
  let isOver = false;
  try {
    const sold = await sell(shop, call, request, started, watch);
    isOver = sold.kind === 'answered' ? sold.kept !== null : sold.kind === 'charge_in_doubt';
    return sold;
  } finally {
    const given = isOver || shop.tickets.giveUp(started.ticket);
    // While the books are away it is given up later: nobody waits for that.
    if (shop.lane.ready) await given;
  }
}

/** Holds, calls, counts, settles. */
async function sell(
  shop: Shop,
  call: PaidCall,
  request: HoldRequest,
  started: KeyedCall.Started | null,
  watch: (sending: Sending) => void,
): Promise<Answered | Refusal | Left> {
  const { operation } = call;
  const { callId } = request;
  const held = await shop.lane.hold(request);
  if (held.kind === 'unavailable') return { kind: 'ledger_unavailable' };
  if (held.kind === 'budget_exhausted') return overBudget(shop, call, held.required);
  if (held.kind !== 'held') return held;
  const { hold } = held;
  if (started && started.ticket.epoch !== hold.epoch) {
    // The lane was ended since the ticket was drawn: it may be somebody else's by now.
    shop.lane.release(hold);
    return { kind: 'ledger_unavailable' };
  }

  // What is counted by its content has to be read to its end first; the rest streams.
  const metered = operation.units.kind === 'pointer';
  const span = call.span === null ? null : exchangeOf(call.span);
  const sending = shop.upstream.send({
    method: operation.method,
    target: call.target,
    rawHeaders: call.rawHeaders,
    body: call.body.length > 0 ? call.body : null,
    metered,
    traceparent: span === null ? null : span.forUpstream,
  });
  watch(sending);
  const answer = await sending.answer;
  if (span !== null) endExchange(span, answer);
  if (answer.kind !== 'answer' && answer.kind !== 'stream') return failed(shop, operation, hold, answer);
  const units = judge(shop, operation, hold, answer);
  if (typeof units !== 'number') {
    sending.abandon();
    return units;
  }

  const paid = { callId, account: call.account, operation, answer, units, wantsReceipt: call.wantsReceipt };
  const outcome = { units, status: answer.status, service: operation.service.slug, operation: operation.id };
  const cost = started && shop.lane.cost(hold, units);
  const keeping =
    started &&
    cost &&
    (await KeyedCall.keep(shop, started, { ...paid, cost }).catch((fault: unknown) => {
      shop.lane.release(hold);
      sending.abandon();
      throw fault;
    }));
  const settlement = await shop.lane.settle(hold, outcome, keeping);
  if (call.span !== null) call.span.event(settlement.kind);
  if (settlement.kind === 'refused') {
    sending.abandon();
    return { kind: started && settlement.inDoubt ? 'charge_in_doubt' : 'ledger_unavailable' };
  }
  return {
    ...paid,
    kind: 'answered',
    cost: cost ?? settlement,
    kept: keeping?.headers ?? null,
    delivered: () => shop.lane.delivered(settlement.seq),
    brokenOff: () => shop.lane.undelivered(settlement.seq, callId),
  };
}

/** Gives back what was held for a call that the upstream did not answer. */
function failed(shop: Shop, operation: Operation, hold: Hold, failure: Failure): Refusal | Left {
  shop.lane.release(hold);
  switch (failure.kind) {
    case 'abandoned':
      return { kind: 'left' };
    case 'busy':
      return { kind: 'busy' };
    case 'timeout':
      shop.report('upstream_timeout', { call: hold.callId, operation: operation.id });
      return { kind: 'upstream_timeout' };
    case 'unavailable':
      shop.report('upstream_unavailable', {
        call: hold.callId,
        operation: operation.id,
        reason: failure.reason,
      });
      return { kind: 'upstream_unavailable' };
  }
}

/** The units that an answer is to be charged for; or why it is not sold, and what was held for it has gone back. */
function judge(shop: Shop, operation: Operation, hold: Hold, answer: Whole | Streamed): number | Refusal {
  const tell = { call: hold.callId, operation: operation.id };
  if (refusesKey(answer, operation.path)) {
    shop.lane.release(hold);
    shop.report('upstream_refused', { ...tell, status: answer.status });
    return { kind: 'upstream_refused' };
  }
  if (answer.kind === 'stream' && operation.units.kind === 'pointer' && answer.status < 300) {
    // Too large to be read before it leaves: released, it could not be charged exactly.
    shop.lane.release(hold);
    shop.report('answer_too_large', tell);
    return { kind: 'upstream_unavailable' };
  }
  const count = Meter.count(operation.units, answer);
  if (count.kind === 'uncountable') shop.report('answer_uncountable', { ...tell, reason: count.reason });
  const counted = count.kind === 'counted' ? count.units : 0;
  // More than the request could ask for: the catalogue's `units_max` is too low, and the difference is the seller's.
  if (counted > hold.units) shop.report('units_above_hold', { ...tell, counted, held: hold.units });
  return Math.min(counted, hold.units);
}

/** The exchange with the upstream, as a part of a call whose worst case has just been held. */
function exchangeOf(call: Span): Span {
  call.event('held');
  return call.child('upstream');
}

function endExchange(span: Span, answer: Answer): void {
  if (answer.kind === 'answer' || answer.kind === 'stream')
    span.end({ 'http.response.status_code': answer.status, 'sluice.streamed': answer.kind === 'stream' });
  else span.end({}, answer.kind);
}

async function overBudget(shop: Shop, { callerKey }: PaidCall, required: Money): Promise<Refusal> {
  const lots = callerKey && (await shop.statements.of(callerKey.id).catch(() => null));
  if (!callerKey?.budget || !lots) return { kind: 'ledger_unavailable' };
  const spent = ofMicro(lots.reduce((sum, { given, remaining }) => sum + given - remaining, 0));
  return { kind: 'budget_exhausted', key: callerKey.id, required, budget: callerKey.budget, spent };
}

/** How often an account may call. One that nobody has looked at yet may be on any of the plans. */
function ratePerSecond(plans: readonly Plan[], owned: readonly string[] | null): number {
  let most = 0;
  for (const plan of plans)
    if (owned === null || owned.includes(plan.id)) most = Math.max(most, plan.requestsPerSecond);
  return most || perSecondWithoutPlan;
}
