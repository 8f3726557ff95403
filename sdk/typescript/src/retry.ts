import type { Reply } from './reply.ts';

const backoffMsMax = 8_000;
const backoffMsMin = 500;
const jitterMsMax = 500;
const retryAfterMsDefault = 60_000;

/** Outcome of an attempt. `sent`: the service may have received and executed the request. */
export type Outcome =
  | { kind: 'reply'; reply: Pick<Reply, 'status' | 'code' | 'retryAfterMs'> }
  | { kind: 'lost'; sent: boolean };

/**
 * Returns the wait before the n-th retry (from 1), or null if a retry is useless or could be charged twice.
 * `repeatable`: a repetition has no further effect.
 */
export function waitMs(
  outcome: Outcome,
  n: number,
  repeatable: boolean,
  random: () => number,
): number | null {
  const backoffMs = () => Math.min(backoffMsMax, backoffMsMin * 2 ** (n - 1)) + random() * jitterMsMax;
  if (outcome.kind === 'lost') return outcome.sent && !repeatable ? null : backoffMs();
  const { status, code, retryAfterMs } = outcome.reply;
  if (status === 429) return retryAfterMs ?? retryAfterMsDefault;
  // The storefront still executes the previous attempt and will return its response to this one too.
  if (status === 409 && code === 'idempotency_in_flight') return backoffMs();
  return status >= 500 ? backoffMs() : null;
}
