/** Returns the address of a payment in Stripe's dashboard; null for the sandbox, which has none, and for ids of other objects. */
export function pageOf(
  { apiBase, secretKey }: { apiBase: string; secretKey: string },
  payment: string,
): string | null {
  if (new URL(apiBase).hostname !== 'api.stripe.com' || !payment.startsWith('pi_')) return null;
  const mode = /^[rs]k_test_/.test(secretKey) ? '/test' : '';
  return `https://dashboard.stripe.com${mode}/payments/${encodeURIComponent(payment)}`;
}
