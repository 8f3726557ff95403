import type * as Money from '@sluice/kernel/money';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import { findForSale, type PaidPlan } from '../catalog/plan.ts';
import * as Challenge from '../payment/challenge.ts';
import type * as Credential from '../payment/credential.ts';
import type * as Order from '../payment/order.ts';
import type { CheckoutContext, PaymentContext } from '../payment/payment-context.ts';
import * as PurchaseInput from '../payment/purchase-input.ts';
import type * as Tax from '../payment/tax.ts';
import type { TextsContext } from '../text/texts-context.ts';

/** A purchase: a plan, an amount of credit or the price of a period, and the raw body, which the challenge is bound to. */
export type PurchaseRequest = {
  plan: PaidPlan;
  amount: Money.Money;
  /** The plan whose running period this purchase replaces. */
  replaces: string | null;
  returnUrl: string | null;
  /** The account of the bearer token; null without one: then the purchase creates an account. */
  account: string | null;
  body: Buffer;
  credential: Credential.CredentialReading;
  /** The client's address, which a decline counts against in addition to the account. */
  address: string;
  billingAddress?: Tax.BillingAddress | null;
};

export type ParsedPurchase =
  | { kind: 'asked'; plan: PaidPlan; purchaseInput: PurchaseInput.PurchaseInput }
  | { kind: 'unknown_plan' }
  | { kind: 'fault'; faults: readonly PurchaseInput.FieldFault[] };

/**
 * Parses the body of a purchase. When the catalogue has changed, a payment that has `begun` keeps the terms of its order, so that it
 * is completed as if the catalogue were unchanged.
 */
export async function parsePurchase(
  { catalog, texts }: Pick<CatalogContext, 'catalog'> & TextsContext,
  planId: string,
  body: unknown,
  begun: () => Promise<Order.Order | null>,
): Promise<ParsedPurchase> {
  const plan = findForSale(catalog.plans, planId);
  const parsed = plan && PurchaseInput.parse(texts, body, plan);
  if (plan && parsed?.ok) return { kind: 'asked', plan, purchaseInput: parsed.purchaseInput };
  const known = findForSale([...catalog.plans, ...catalog.retired], planId);
  const order = known && (await begun());
  if (known && order?.plan === planId)
    return {
      kind: 'asked',
      plan: known,
      purchaseInput: { amount: order.amount, replaces: null, returnUrl: null },
    };
  return parsed && !parsed.ok ? { kind: 'fault', faults: parsed.faults } : { kind: 'unknown_plan' };
}

/** Returns the order of a challenge that can still be paid or was paid; null when there is none. */
export async function findBegunOrder(
  shop: Pick<CheckoutContext, 'challengeSecrets'> & Pick<PaymentContext, 'clock' | 'orders'>,
  credential: Credential.CredentialReading,
  body: Buffer,
): Promise<Order.Order | null> {
  if (credential.kind !== 'credential') return null;
  const verdict = Challenge.verify(credential.challenge, shop.challengeSecrets, shop.clock());
  if (verdict.kind === 'malformed' || verdict.kind === 'unknown') return null;
  if (!Challenge.matchesBody(verdict.terms, body)) return null;
  const order = await shop.orders.find(verdict.terms.opaque.order ?? '');
  return order?.state === 'offered' && verdict.kind === 'expired' ? null : order;
}
