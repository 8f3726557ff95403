import { modeOf } from './key-mode.ts';

/** Returns the address of a payment in Stripe's dashboard; null for the sandbox, which has none, and for ids of other objects. */
export function pageOf(settings: { apiBase: string; secretKey: string }, payment: string): string | null {
  const mode = modeOf(settings);
  if (mode === 'sandbox' || !payment.startsWith('pi_')) return null;
  return `https://dashboard.stripe.com${mode === 'test' ? '/test' : ''}/payments/${encodeURIComponent(payment)}`;
}
