import type * as Credential from '../payment/credential.ts';
import type { Order } from '../payment/order.ts';
import type { CheckoutContext } from '../payment/payment-context.ts';
import type * as Payload from '../payment/x402/payload.ts';
import * as Purchase from './purchase.ts';
import * as PurchaseRequest from './purchase-request.ts';
import * as X402Purchase from './x402-purchase.ts';

/** The payments of one request: a card token in its credential, a signed transfer, or neither. */
export type SentPayments = { credential: Credential.CredentialReading; x402: Payload.PayloadReading };

/** Returns the order that these payments began to pay before; null when there is none. */
export function findBegun(
  shop: CheckoutContext,
  { credential, x402 }: SentPayments,
  body: Buffer,
): Promise<Order | null> {
  return x402.kind === 'none'
    ? PurchaseRequest.findBegunOrder(shop, credential, body)
    : X402Purchase.findBegunPayment(shop, x402);
}

/** Buys with the payment of the request. A request with two payments is refused, because only one of them is owed. */
export async function buy(
  shop: X402Purchase.X402Context,
  request: PurchaseRequest.PurchaseRequest,
  x402: Payload.PayloadReading,
): Promise<Purchase.PurchaseResult | { kind: 'two_payments' }> {
  if (x402.kind === 'none') return Purchase.purchase(shop, request);
  return request.credential.kind === 'none'
    ? X402Purchase.buyWithToken(shop, request, x402)
    : { kind: 'two_payments' };
}
