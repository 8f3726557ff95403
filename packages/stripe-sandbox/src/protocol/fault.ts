import { z } from 'zod';

/** A fault that a test ordered for the next calls of a route. */
export type OrderedFault = {
  /** `POST /v1/payment_intents`, as the routes are written. */
  route: string;
  kind: (typeof kinds)[number];
  /** The number of calls that it still affects. */
  times: number;
  /** For `delay_before` only. */
  delay_ms: number;
  /** For `refuse` only. */
  error: RefusedAs | null;
};

/** The error in the response of `refuse`, in Stripe's format. */
export type RefusedAs = { status: number; type: string; message: string; code?: string; param?: string };

/**
 * `500_before`: fails before the call is executed; nothing is stored under the idempotency key. `500_after`: the call is executed, but the
 * response is a 500, which the key then replays. `timeout_after`, `cut_after`: the call is executed and stored, but there is no response, or
 * the connection breaks. `delay_before`: the call runs `delay_ms` longer. `refuse`: the call is not executed, and the response is `error`:
 * a missing permission, a rate limit, a feature that is not enabled, an amount that is too small. `lock_timeout`: a 429, as if another
 * request held the object; the call is not executed and nothing is stored under the idempotency key.
 */
const kinds = [
  '500_before',
  '500_after',
  'timeout_after',
  'cut_after',
  'delay_before',
  'lock_timeout',
  'refuse',
] as const;

const faultsMax = 100;

/** Returns the schema of `POST /_sandbox/faults` for these routes. */
export function orderSchema(routes: readonly string[]) {
  return z.strictObject({
    route: z.enum(routes as [string, ...string[]]),
    kind: z.enum(kinds),
    times: z.int().min(1).max(1_000).default(1),
    delay_ms: z.int().min(0).max(60_000).default(0),
    error: z
      .strictObject({
        status: z.int().min(400).max(499),
        type: z.enum(['invalid_request_error', 'api_error', 'card_error', 'idempotency_error']),
        message: z.string().max(500),
        code: z.string().max(100).exactOptional(),
        param: z.string().max(200).exactOptional(),
      })
      .nullable()
      .default(null),
  });
}

/** Adds a fault; the oldest is removed when there are too many. */
export function order(faults: OrderedFault[], fault: OrderedFault): void {
  faults.push(fault);
  if (faults.length > faultsMax) faults.shift();
}

/** Returns the oldest fault for this route and kind, and counts one call. Null when there is none. */
export function strike(
  faults: OrderedFault[],
  route: string,
  kind: OrderedFault['kind'],
): OrderedFault | null {
  const found = faults.findIndex((fault) => fault.route === route && fault.kind === kind);
  const fault = faults[found];
  if (fault === undefined) return null;
  fault.times -= 1;
  if (fault.times === 0) faults.splice(found, 1);
  return fault;
}
