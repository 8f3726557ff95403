import type { Operation } from '../catalog/operation.ts';
import { covers } from '../catalog/plan.ts';
import * as PurchaseRequest from '../catalog/purchase-request.ts';
import type * as Bearer from '../identity/bearer.ts';
import * as Recipe from '../identity/recipe.ts';
import type * as PaidCall from '../journeys/paid-call.ts';
import type { Shop } from '../journeys/shop.ts';
import * as Money from '../kernel/money.ts';
import * as RateLimit from '../relay/rate-limit.ts';
import { error, type Reply } from './reply.ts';

const retrySoonSeconds = '1';
const retryLaterSeconds = '5';

/** The 401, with a request that makes the caller somebody. */
export function unidentified(
  shop: Shop,
  refusal: Bearer.Refusal,
  method: string,
  target: string,
  requestId: string,
): Reply {
  const registration = Recipe.of(shop.publicUrl, method, target);
  const headers = { 'www-authenticate': Recipe.challenge(shop.publicUrl, refusal) };
  return refusal.kind === 'absent'
    ? error(
        401,
        'bearer_required',
        'Send an access token. Registration is one free request: see `registration`.',
        requestId,
        { registration },
        headers,
      )
    : error(
        401,
        'token_invalid',
        'This access token opens nothing. Exchange your assertion or register again: see `registration`.',
        requestId,
        { registration },
        headers,
      );
}

/** While the record is out of reach: then no money moves either. */
export function unanswerable(requestId: string): Reply {
  return error(
    503,
    'ledger_unavailable',
    'The books are out of reach; nothing was charged. Try again.',
    requestId,
    {},
    { 'retry-after': retryLaterSeconds },
  );
}

/** Its seller lets this account do nothing but look. */
export function frozen(requestId: string): Reply {
  return error(
    403,
    'account_frozen',
    'This shop has frozen your account: it may be looked at, and its credit stays, but nothing can be called, bought or changed. Write to the contact of the shop.',
    requestId,
  );
}

/** What a refused paid call is told: one body for each kind of refusal (docs/api.md). */
export function ofCall(
  shop: Shop,
  operation: Operation,
  refusal: PaidCall.Refusal,
  requestId: string,
): Reply {
  const { service } = operation;
  const plans = shop.catalog.plans
    .filter((plan) => plan.kind !== 'trial')
    .filter((plan) => covers(plan, service))
    .map((plan) => PurchaseRequest.offer(plan, shop.publicUrl));
  const say = (status: number, code: string, message: string, members = {}, headers = {}) =>
    error(status, code, message, requestId, members, headers);
  switch (refusal.kind) {
    case 'rate_limited':
      return say(
        429,
        'rate_limited',
        'Too many calls to this operation in one second.',
        {},
        pairs(RateLimit.headers(refusal.taken, refusal.perSecond)),
      );
    case 'no_plan':
      return say(
        403,
        'plan_required',
        'No active plan of yours covers this operation. Buy one of `plans` and call again.',
        {
          service: service.slug,
          operation: operation.id,
          plans,
        },
      );
    case 'key_not_allowed':
      return say(403, 'key_not_allowed', 'The key that you sent may not call this service.', {
        service: service.slug,
        key: refusal.key,
        services: refusal.services,
      });
    case 'budget_exhausted':
      return say(
        402,
        'budget_exhausted',
        'The most that this call could be worth is more than is left of the budget of your key; nothing was charged.',
        {
          key: refusal.key,
          required_usd: Money.format(refusal.required),
          budget_usd: Money.format(refusal.budget),
          spent_usd: Money.format(refusal.spent),
        },
      );
    case 'price_ceiling':
      return say(
        402,
        'price_ceiling',
        'This call could cost more than your Storefront-Max-Cost; nothing was charged.',
        {
          required_usd: Money.format(refusal.required),
          ceiling_usd: Money.format(refusal.ceiling),
        },
      );
    case 'exhausted':
      return say(
        402,
        'credit_exhausted',
        'The most that this call could cost is more than you have left. Ask for fewer results, or buy one of `plans`.',
        {
          required_usd: Money.format(refusal.required),
          available_usd: Money.format(refusal.available),
          affordable_units: refusal.affordableUnits,
          next_reset_at: refusal.resetsMs === null ? null : new Date(refusal.resetsMs).toISOString(),
          plans,
        },
      );
    case 'in_flight':
      return say(
        429,
        'credit_in_flight',
        'Your credit is enough, but calls under way hold it. Try again when they have ended.',
        {
          required_usd: Money.format(refusal.required),
          available_usd: Money.format(refusal.available),
          held_usd: Money.format(refusal.held),
        },
        { 'retry-after': retrySoonSeconds },
      );
    case 'ledger_unavailable':
      return unanswerable(requestId);
    case 'charge_in_doubt':
      return say(
        503,
        'ledger_unavailable',
        'The books went out of reach as this call was charged. Send it again under the same Idempotency-Key: it is charged once at most, and then answered.',
        {},
        { 'retry-after': retryLaterSeconds },
      );
    case 'idempotency_mismatch':
      return say(
        422,
        'idempotency_mismatch',
        'This Idempotency-Key was used for another request. Use a fresh key for each.',
      );
    case 'idempotency_in_flight':
      return say(
        409,
        'idempotency_in_flight',
        'The first request under this Idempotency-Key is still under way. Ask again for its answer.',
        {},
        { 'retry-after': retrySoonSeconds },
      );
    case 'idempotency_exhausted':
      return say(
        429,
        'idempotency_exhausted',
        'This account has used as many Idempotency-Keys as it may in a day (UTC). Without one the call is made; nothing was charged.',
        {},
        { 'retry-after': '3600' },
      );
    case 'answer_not_kept':
      return say(
        410,
        'answer_not_kept',
        'The first request under this Idempotency-Key was answered and charged; the answer was too large to be kept. A fresh key makes a new call.',
        { call: `call_${refusal.callId}` },
      );
    case 'busy':
      return say(
        503,
        'busy',
        'Too many calls are waiting; nothing was charged. Try again.',
        {},
        { 'retry-after': retrySoonSeconds },
      );
    case 'upstream_refused':
      return say(
        503,
        'upstream_refused',
        'This shop is out of order: the service behind it does not serve it. Nothing was charged; its operator has been told.',
        {},
        { 'retry-after': '60' },
      );
    case 'upstream_unavailable':
      return say(
        502,
        'upstream_unavailable',
        'The service behind this shop gave no usable answer; nothing was charged.',
      );
    case 'upstream_timeout':
      return say(
        504,
        'upstream_timeout',
        'The service behind this shop did not answer in time; nothing was charged.',
      );
  }
}

function pairs(flat: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < flat.length; at += 2)
    headers[(flat[at] ?? '').toLowerCase()] = flat[at + 1] ?? '';
  return headers;
}

/** When something went wrong: what is away will come back, all else is a mistake of ours. Nothing of the inside is told. */
export function ofFault(fault: unknown, requestId: string): Reply {
  return isUnreachable(fault)
    ? error(
        503,
        'unavailable',
        'Something that this needs is out of reach. Try again.',
        requestId,
        {},
        { 'retry-after': retryLaterSeconds },
      )
    : error(500, 'internal', 'This went wrong on our side; quote the request_id.', requestId);
}

/** Whether a fault is the database's or the processor's absence, which passes, rather than a mistake of ours. */
function isUnreachable(fault: unknown): boolean {
  const code = typeof fault === 'object' && fault !== null && 'code' in fault ? String(fault.code) : '';
  const type = typeof fault === 'object' && fault !== null && 'type' in fault ? String(fault.type) : '';
  return (
    /^(E[A-Z]+|CONNECT|CONNECTION_|08|53|57)/.test(code) ||
    type === 'StripeConnectionError' ||
    type === 'StripeAPIError'
  );
}
