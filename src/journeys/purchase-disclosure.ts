import { withoutBudget } from '@sluice/kernel/statement-deadline';
import type { IdentityContext } from '../identity/identity-context.ts';
import type { Issued } from '../identity/jwt.ts';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import type { PayerEvidence } from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import type { Granted } from './charge-order.ts';
import * as PurchaseTokens from './purchase-tokens.ts';
import * as PurchasedPlan from './purchased-plan.ts';

/** The dependencies of deciding what a response reveals. */
export type DisclosureContext = Pick<PaymentContext, 'orders'> &
  Pick<IdentityContext, 'clock' | 'tokenVerifier'> &
  Pick<LedgerContext, 'statements'>;

/** The facts about the account in the response to a paid purchase, beside the receipt. */
export type Disclosure = {
  plan: PurchasedPlan.PurchasedPlan;
  /** The tokens of the account that the purchase created. */
  tokens: { access: Issued; assertion: Issued } | null;
};

/**
 * Returns what the sender of a paid request may see: plan and balance for the account itself, and with its tokens for the buyer who created
 * it. Null for anyone else: x402 payments are public and can be replayed by anyone, so a replay reveals nothing of the account.
 * @param sender the account of the request's bearer token
 * @param isConnected returns true while the sender can receive the response
 */
export async function disclose(
  shop: DisclosureContext,
  { order, payer }: { order: Granted; payer: PayerEvidence },
  planId: string,
  sender: string | null,
  isConnected: () => boolean,
): Promise<Disclosure | null> {
  if (sender !== null && sender !== order.account) return null;
  // Tokens are issued once, so everything that can fail comes before.
  const plan = await PurchasedPlan.read(shop, order.account, planId, order);
  if (sender !== null) return { tokens: null, plan };
  const tokens = await withoutBudget(() => PurchaseTokens.issue(shop, order, payer, isConnected));
  return tokens && { tokens, plan };
}
