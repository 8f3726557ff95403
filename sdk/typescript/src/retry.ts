import type { Reply } from './reply.ts';

const backoffMsMax = 8_000;
const backoffMsMin = 500;
const jitterMsMax = 500;
const retryAfterMsDefault = 60_000;

/** How an attempt ended. `sent`: the service may have seen it, and done what it asks. */
export type Outcome =
  | { kind: 'reply'; reply: Pick<Reply, 'status' | 'code' | 'retryAfterMs'> }
  | { kind: 'lost'; sent: boolean };

/**
 * How long to wait before the n-th retry (from 1), or null where a repetition is of no use or could cost twice.
 * `repeatable`: doing it twice is as good as doing it once.
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
  // The attempt before this one is still under way at the storefront, which will give its answer to this one too.
  if (status === 409 && code === 'idempotency_in_flight') return backoffMs();
  return status >= 500 ? backoffMs() : null;
}
