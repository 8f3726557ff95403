import type { ProcessorState } from '../../payment/processor.ts';

/** Returns the mode of a secret or restricted key. A key of an unknown form counts as live, because it may charge real cards. */
export function keyMode(secretKey: string): 'test' | 'live' {
  return /^[rs]k_test_/.test(secretKey) ? 'test' : 'live';
}

/** Returns the mode of the processor. Any host but Stripe's own is a sandbox. */
export function modeOf(of: { apiBase: string; secretKey: string }): ProcessorState['mode'] {
  return new URL(of.apiBase).hostname === 'api.stripe.com' ? keyMode(of.secretKey) : 'sandbox';
}
