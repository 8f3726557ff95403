import * as Money from '@sluice/kernel/money';
import type { Target } from '@sluice/kernel/request-target';
import type { Span } from '@sluice/kernel/tracing';
import type { Operation } from '../catalog/operation.ts';
import type { CallerKey } from '../identity/jwt.ts';
import type { Upload } from '../proxy/upload.ts';
import type { CallerEnd } from './identification.ts';

/** One call of a known account to a sold operation. */
export type PaidCall = {
  operation: Operation;
  account: string;
  /** The account key that the call is made with; null for an access token. */
  callerKey: CallerKey | null;
  target: Target;
  rawHeaders: readonly string[];
  body: Buffer;
  /** A long body that is forwarded while it arrives; `body` is empty then. */
  upload?: Upload | null;
  /** The maximum that the caller will pay (`Storefront-Max-Cost`). */
  ceiling: Money.Money | null;
  /** The caller's own key (`Idempotency-Key`), with which the call is made once. */
  key: string | null;
  /** The trace span of the request. */
  span: Span | null;
  /** True when the caller wants a signed receipt (`Storefront-Receipt: jws`). */
  wantsReceipt: boolean;
  /** True when its response may be passed on as a stream, with its cost in the trailers. */
  takesStreams?: boolean;
  /** Identifies the caller again, before its stream holds more. Resolves with the reason why it must not, or null. */
  ended?(): Promise<CallerEnd | null>;
};

/** Maximum length of a caller's key (`Idempotency-Key`); the minimum is one character. */
export const keyCharsMax = 255;

/** Reads the ceiling that a caller sent for the cost of a call, a decimal amount in USD; null when there is none. */
export function readCeiling(sent: unknown): Money.Money | null | 'malformed' {
  if (sent === undefined) return null;
  return (typeof sent === 'string' ? Money.parse(sent) : null) ?? 'malformed';
}

/** Returns the ceiling that applies: the lowest that the caller sent. */
export function lowestCeiling(sent: readonly (Money.Money | null)[]): Money.Money | null {
  return sent.reduce(
    (lowest, one) => (lowest === null || (one !== null && one < lowest) ? one : lowest),
    null,
  );
}

/** Reads the caller's own key for a call; null when there is none. */
export function readKey(sent: unknown): string | null | 'malformed' {
  if (sent === undefined || sent === null) return null;
  return typeof sent === 'string' && sent.length >= 1 && sent.length <= keyCharsMax ? sent : 'malformed';
}
