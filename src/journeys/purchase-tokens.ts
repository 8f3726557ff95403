import { sha256Hex } from '@sluice/kernel/digest';
import type { IdentityContext } from '../identity/identity-context.ts';
import type { Issued } from '../identity/jwt.ts';
import type { Order, PayerEvidence } from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import { newAccount, session } from './registration.ts';

/** Returns the evidence of a browser that paid on a hosted page. @param browser its secret */
export function browserEvidence(browser: string): PayerEvidence {
  return { credentialDigest: null, isFirstClaim: false, browserDigest: sha256Hex(browser) };
}

/**
 * Issues the tokens of the account that an order created, once for each order and only to the payer (docs/decisions/0009-tokens-once.md).
 * Returns null for every other request.
 * @param isConnected returns true while the caller can receive the response, because tokens that cannot be delivered are not issued
 */
export async function issue(
  shop: Pick<IdentityContext, 'clock' | 'tokenVerifier'> & Pick<PaymentContext, 'orders'>,
  order: Order,
  payer: PayerEvidence,
  isConnected: () => boolean,
): Promise<{ access: Issued; assertion: Issued } | null> {
  if (order.account === null || !isConnected()) return null;
  if (!(await shop.orders.issueTokens(order, payer))) return null;
  return session(shop, newAccount(order.account));
}
