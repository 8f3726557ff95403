import type * as Purchase from '../../journeys/purchase.ts';
import type { PaymentContext } from '../../payment/payment-context.ts';
import * as AcceptedToken from '../../payment/x402/accepted-token.ts';
import type * as Payload from '../../payment/x402/payload.ts';
import * as PaymentRequired from '../../payment/x402/payment-required.ts';
import * as X402Response from '../../payment/x402/response.ts';

/** The offer for clients of x402: version 2 reads the header field, version 1 the body. */
export function x402Offer(required: PaymentRequired.PaymentRequired) {
  const networks = required.requirements.map(({ network }) => network.id);
  return {
    method: 'evm',
    intent: 'charge',
    rail: { rail: 'x402', scheme: 'exact', networks },
    members: PaymentRequired.legacyBody(required),
    headers: { 'payment-required': PaymentRequired.header(required) },
  };
}

/** The header field that confirms the payment in the client's own scheme. */
export function proofOfPayment(
  shop: Pick<PaymentContext, 'acceptedTokens'>,
  order: Purchase.Granted,
  receipt: string,
  x402: Payload.PayloadReading,
): Record<string, string> {
  const offered =
    x402.kind === 'payload' && shop.acceptedTokens && AcceptedToken.networkOf(shop.acceptedTokens, x402);
  if (x402.kind !== 'payload' || !offered) return { 'payment-receipt': receipt };
  const paid = { network: offered.network, amount: BigInt(order.amount) };
  const [name, value] = X402Response.field(x402, paid, order.transaction ?? '');
  return { [name.toLowerCase()]: value };
}
