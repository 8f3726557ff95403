import type * as Meter from '../proxy/meter.ts';
import type { PriceUnknown } from '../proxy/priced-request.ts';
import type * as RateLimit from '../proxy/rate-limit.ts';
import type { UploadFault } from '../proxy/upload.ts';
import type * as CallHold from './call-hold.ts';
import type * as IdempotentCall from './idempotent-call.ts';
import type { PaidResponse } from './paid-response.ts';
import type { OwnershipRefusal } from './resource-ownership.ts';

/** Why a call was not made, or not charged. */
export type CallRefusal =
  | { kind: 'key_not_allowed'; key: string; services: readonly string[] }
  /** A body with GET or HEAD has no defined meaning, and some servers parse it as the next request (RFC 9110, 9.3.1). */
  | { kind: 'body_not_allowed'; method: string }
  /** The operation is a WebSocket, and the request asks for none. */
  | { kind: 'upgrade_required' }
  /** The body is longer than the upstream of the service takes. */
  | { kind: 'body_too_long'; bytesMax: number }
  /** The body was not received completely; nothing was charged. */
  | { kind: 'upload_failed'; reason: Exclude<UploadFault, 'left'> }
  | { kind: 'rate_limited'; taken: RateLimit.RateLimitResult; perSecond: number }
  /** The account disconnected from too many calls before their responses, which could not be read to the end. */
  | { kind: 'too_many_unpaid'; retryAfterSeconds: number }
  /** Too many responses of the operation to this account were withheld, because they could not be counted. */
  | { kind: 'too_many_uncountable'; retryAfterSeconds: number }
  | CallHold.HoldRefusal
  | OwnershipRefusal
  /** The request names no price: its value is unknown, missing, or could be read in more than one way. */
  | PriceUnknown
  /** The ledger became unavailable while the call was charged. A retry with the call's key returns the outcome. */
  | { kind: 'charge_in_doubt' }
  | IdempotentCall.IdempotencyRefusal
  | { kind: 'busy' }
  /** The upstream succeeded, but the cost of its response cannot be determined. */
  | { kind: 'response_uncountable'; reason: Meter.UncountableReason }
  | { kind: 'account_busy' }
  /** `retryAfterSeconds`: when the upstream accepts a key again, where that is known. */
  | { kind: 'upstream_refused'; retryAfterSeconds?: number }
  | { kind: 'upstream_unavailable' }
  | { kind: 'upstream_timeout' };

/**
 * A response whose charge is recorded in the ledger. Call exactly one of these: `delivered` when it was sent, `brokenOff` when the
 * upstream or this process interrupted it, `callerLeft` when its caller disconnected first. An interrupted response is free. A response
 * whose caller disconnected is free as long as that happens rarely.
 */
export type ServedResponse = PaidResponse & {
  kind: 'served';
  /** Its header fields, when it is stored under the caller's key. */
  kept: readonly string[] | null;
  delivered(): void;
  brokenOff(): void;
  callerLeft(): void;
};

/** The caller disconnected before the response. `isKept`: the response was charged, and is stored under the caller's key. */
export type CallerLeft = { kind: 'left'; isKept: boolean };
