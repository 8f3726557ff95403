import { z } from 'zod';

/** A trouble that a test ordered for the next calls of a route. */
export type Fault = {
  /** `POST /v1/payment_intents`, as the routes are written. */
  route: string;
  kind: (typeof kinds)[number];
  /** How many calls it still strikes. */
  times: number;
  /** For `delay_before` only. */
  delay_ms: number;
};

/**
 * `500_before`: fails before anything is done, nothing is kept under the idempotency key. `500_after`: done, but
 * answered with a 500, which is also what the key then replays. `timeout_after`, `cut_after`: done and kept, but the
 * answer never comes, or the connection breaks instead. `delay_before`: the call is at work for `delay_ms` first.
 */
const kinds = ['500_before', '500_after', 'timeout_after', 'cut_after', 'delay_before'] as const;

const faultsMax = 100;

/** What `POST /_sandbox/faults` takes, for the routes that there are. */
export function orderSchema(routes: readonly string[]) {
  return z.strictObject({
    route: z.enum(routes as [string, ...string[]]),
    kind: z.enum(kinds),
    times: z.int().min(1).max(1_000).default(1),
    delay_ms: z.int().min(0).max(60_000).default(0),
  });
}

/** Adds an order; the oldest goes when there are too many. */
export function order(faults: Fault[], fault: Fault): void {
  faults.push(fault);
  if (faults.length > faultsMax) faults.shift();
}

/** Whether the oldest order for this route and kind strikes now, which uses it up by one. */
export function strike(faults: Fault[], route: string, kind: Fault['kind']): Fault | null {
  const found = faults.findIndex((fault) => fault.route === route && fault.kind === kind);
  const fault = faults[found];
  if (fault === undefined) return null;
  fault.times -= 1;
  if (fault.times === 0) faults.splice(found, 1);
  return fault;
}
