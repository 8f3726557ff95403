import { createHmac } from 'node:crypto';

/** The `Stripe-Signature` header: the time in seconds, and an HMAC-SHA256 over `<time>.<payload>` under the endpoint's secret. */
export function sign(payload: string, secret: string, nowSeconds: number): string {
  const digest = createHmac('sha256', secret).update(`${nowSeconds}.${payload}`).digest('hex');
  return `t=${nowSeconds},v1=${digest}`;
}
