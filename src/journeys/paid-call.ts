import type { Operation } from '../catalog/operation.ts';
import { covers, type Plan } from '../catalog/plan.ts';
import { uuidv7 } from '../kernel/id.ts';
import { type Money, times } from '../kernel/money.ts';
import type { Hold, HoldAnswer, Settlement } from '../ledger/hold.ts';
import { refusesKey, type Streamed, type Whole } from '../relay/answer.ts';
import * as Meter from '../relay/meter.ts';
import * as RateLimit from '../relay/rate-limit.ts';
import type { Target } from '../relay/target.ts';
import type { Sending } from '../relay/upstream.ts';
import type { Shop } from './shop.ts';

/** Calls a second of an account that has no plan for the operation. */
const perSecondWithoutPlan = 10;

/** One call of a known account to a sold operation. */
export type PaidCall = {
  operation: Operation;
  account: string;
  target: Target;
  rawHeaders: readonly string[];
  body: Buffer;
  /** The most that the caller will pay (`Storefront-Max-Cost`). */
  ceiling: Money | null;
  /** Whether the caller wants a signed receipt (`Storefront-Receipt: jws`). */
  wantsReceipt: boolean;
};

export type Refusal =
  | { kind: 'rate_limited'; taken: RateLimit.Taken; perSecond: number }
  | { kind: 'price_ceiling'; required: Money; ceiling: Money }
  | Exclude<HoldAnswer, { kind: 'held' | 'unavailable' }>
  | { kind: 'ledger_unavailable' }
  | { kind: 'busy' }
  | { kind: 'upstream_refused' }
  | { kind: 'upstream_unavailable' }
  | { kind: 'upstream_timeout' };

/** When the answer has left, `delivered` is to be called; where the upstream broke it off on its way, `brokenOff`: it costs nothing then. */
export type Answered = {
  kind: 'answered';
  callId: string;
  answer: Whole | Streamed;
  units: number;
  settlement: Extract<Settlement, { kind: 'settled' }>;
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
): Promise<Answered | Refusal | Left> {
  const { operation, account } = call;
  const { service } = operation;
  const plans = shop.catalog.plans.filter((plan) => covers(plan, service));
  const perSecond = ratePerSecond(plans, shop.lane.plansOf(account));
  const taken = RateLimit.take(shop.limiter, `${account} ${operation.id}`, perSecond, shop.clock());
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
  const held = await shop.lane.hold({
    callId,
    account,
    plans: plans.map((plan) => plan.id),
    price: service.price,
    units: worst,
  });
  if (held.kind === 'unavailable') return { kind: 'ledger_unavailable' };
  if (held.kind !== 'held') return held;

  // What is counted by its content has to be read to its end first; the rest streams.
  const metered = operation.units.kind === 'pointer';
  const sending = shop.upstream.send({
    method: operation.method,
    target: call.target,
    rawHeaders: call.rawHeaders,
    body: call.body.length > 0 ? call.body : null,
    metered,
  });
  watch(sending);
  const answer = await sending.answer;
  switch (answer.kind) {
    case 'answer':
    case 'stream':
      return finish(shop, operation, held.hold, answer, sending);
    case 'abandoned':
      shop.lane.release(held.hold);
      return { kind: 'left' };
    case 'busy':
      shop.lane.release(held.hold);
      return { kind: 'busy' };
    case 'timeout':
      shop.lane.release(held.hold);
      shop.report('upstream_timeout', { call: callId, operation: operation.id });
      return { kind: 'upstream_timeout' };
    case 'unavailable':
      shop.lane.release(held.hold);
      shop.report('upstream_unavailable', { call: callId, operation: operation.id, reason: answer.reason });
      return { kind: 'upstream_unavailable' };
  }
}

/** How often an account may call. One that nobody has looked at yet may be on any of the plans. */
function ratePerSecond(plans: readonly Plan[], owned: readonly string[] | null): number {
  let most = 0;
  for (const plan of plans)
    if (owned === null || owned.includes(plan.id)) most = Math.max(most, plan.requestsPerSecond);
  return most || perSecondWithoutPlan;
}

async function finish(
  shop: Shop,
  operation: Operation,
  hold: Hold,
  answer: Whole | Streamed,
  sending: Sending,
): Promise<Answered | Refusal> {
  const { callId } = hold;
  if (refusesKey(answer, operation.path)) {
    shop.lane.release(hold);
    sending.abandon();
    shop.report('upstream_refused', { call: callId, operation: operation.id, status: answer.status });
    return { kind: 'upstream_refused' };
  }
  if (answer.kind === 'stream' && operation.units.kind === 'pointer' && answer.status < 300) {
    // Too large to be read before it leaves: released, it could not be charged exactly.
    shop.lane.release(hold);
    sending.abandon();
    shop.report('answer_too_large', { call: callId, operation: operation.id });
    return { kind: 'upstream_unavailable' };
  }
  const count = Meter.count(operation.units, answer);
  if (count.kind === 'uncountable')
    shop.report('answer_uncountable', { call: callId, operation: operation.id, reason: count.reason });
  const counted = count.kind === 'counted' ? count.units : 0;
  // More than the request could ask for: the catalogue's `units_max` is too low, and the difference is the seller's.
  if (counted > hold.units)
    shop.report('units_above_hold', { call: callId, operation: operation.id, counted, held: hold.units });
  const units = Math.min(counted, hold.units);
  const { service } = operation;
  const settlement = await shop.lane.settle(hold, {
    units,
    status: answer.status,
    service: service.slug,
    operation: operation.id,
  });
  if (settlement.kind === 'refused') {
    sending.abandon();
    return { kind: 'ledger_unavailable' };
  }
  return {
    kind: 'answered',
    callId,
    answer,
    units,
    settlement,
    delivered: () => shop.lane.delivered(settlement.seq),
    brokenOff: () => shop.lane.undelivered(settlement.seq, callId),
  };
}
