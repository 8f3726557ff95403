import Stripe from 'stripe';
import type { ProcessorState } from '../../payment/processor.ts';
import { modeOf } from './key-mode.ts';

const timeoutMs = 2_000;
/** A result is reused for this long, so that reloads of a page do not use up the limit on requests. */
const reusedMs = 10_000;

const { errors } = Stripe;

/** Returns a function that asks Stripe whether it accepts the shop's key. */
export function openProbe(
  stripe: Stripe,
  settings: { apiBase: string; secretKey: string },
): () => Promise<ProcessorState> {
  const mode = modeOf(settings);
  let last: { atMs: number; state: Promise<ProcessorState['state']> } | null = null;
  return async () => {
    const nowMs = performance.now();
    if (last === null || nowMs - last.atMs > reusedMs) last = { atMs: nowMs, state: ask(stripe) };
    return { mode, state: await last.state };
  };
}

/** Reads with a permission that every shop needs. */
async function ask(stripe: Stripe): Promise<ProcessorState['state']> {
  try {
    await stripe.paymentIntents.list({ limit: 1 }, { timeout: timeoutMs, maxNetworkRetries: 0 });
    return 'works';
  } catch (fault) {
    const isRefused =
      fault instanceof errors.StripeAuthenticationError || fault instanceof errors.StripePermissionError;
    return isRefused ? 'refused' : 'unreachable';
  }
}
