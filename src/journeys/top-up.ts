import * as Money from '@sluice/kernel/money';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import type { CreditPlan } from '../catalog/plan.ts';
import type { Order } from '../payment/order.ts';
import type { CheckoutContext, PaymentContext } from '../payment/payment-context.ts';
import type * as TopUp from '../payment/top-up.ts';
import type * as Consent from '../payment/top-up-consent.ts';
import * as ChargeOrder from './charge-order.ts';
import { settle } from './grant-order.ts';
import * as TopUpConsent from './top-up-consent.ts';

/** Number of accounts that are charged concurrently. */
const beside = 8;

/** Age after which a charge in doubt is looked up before it is repeated. The processor forgets idempotency keys after a day. */
const lookFirstMs = 60 * 60_000;

/** The dependencies of charging saved cards. */
export type TopUpContext = PaymentContext & { readonly topUps: TopUp.TopUps; readonly isTaxed: boolean };

/** The dependencies of the account's own decision about top-ups. */
export type TopUpTermsContext = Pick<PaymentContext, 'clock' | 'consents'> & {
  readonly topUps: TopUp.TopUps;
};

/**
 * Charges the cards of accounts with low credit, and repeats charges whose response was lost, with their own idempotency keys. Any process
 * can do so at any time: each top-up is charged once.
 */
export async function chargeDue(shop: TopUpContext): Promise<void> {
  await each(await shop.topUps.due(), async (account) => {
    const order = await shop.topUps.claim(account);
    if (order) await ChargeOrder.charge(shop, attempt(shop, order));
  });
  await each(await shop.topUps.inDoubt(), async (order) => {
    if (order.createdMs < shop.clock() - lookFirstMs && (await isKnown(shop, order))) return;
    const { orderId, challengeId, credentialDigest } = attempt(shop, order);
    const { outcome } = await shop.orders.claim(orderId, challengeId, credentialDigest);
    if (outcome === 'claimed') await ChargeOrder.charge(shop, attempt(shop, order));
  });
}

/** Returns true when the processor knows a charge for the order. A successful charge is recorded. */
async function isKnown(shop: PaymentContext, order: Order): Promise<boolean> {
  const charges = await shop.processor.chargesOf(order);
  const paid = charges.find(({ state }) => state === 'succeeded');
  if (paid) await settle(shop, order, paid);
  return charges.length > 0;
}

function attempt(
  shop: Pick<CatalogContext, 'isTaxed'> & Pick<PaymentContext, 'processor'>,
  { id, challengeId, savedCard }: Order,
): ChargeOrder.Attempt {
  if (challengeId === null || savedCard === null) throw new Error(`order ${id} is no top-up`);
  return {
    orderId: id,
    challengeId,
    credentialDigest: challengeId,
    // The charge is automatic, so its decline ends the top-ups instead of counting against a buyer.
    payer: null,
    charge: (order) => shop.processor.chargeSaved(order, challengeId, savedCard, shop.isTaxed),
  };
}

/** Calls `work` for all items, a few at a time. Throws the first error after all items of its batch are done. */
async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += beside) {
    const outcomes = await Promise.allSettled(all.slice(at, at + beside).map(work));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
}

export type TopUpChange =
  | { kind: 'done'; topUp: TopUp.TopUp | null }
  /** A cardholder has to agree to these terms first, on the page of the consent. Nothing has changed. */
  | { kind: 'consent_needed'; consent: Consent.Consent };

/** Switches top-ups off, or on within the terms that the cardholder has agreed to. */
export async function change(
  shop: TopUpTermsContext,
  account: string,
  plan: CreditPlan,
  terms: TopUp.TopUpTerms | null,
): Promise<TopUpChange> {
  if (terms === null) await shop.topUps.end(account);
  else if (!(await shop.topUps.set(account, plan.id, terms)))
    return { kind: 'consent_needed', consent: await TopUpConsent.ask(shop, account, plan, terms) };
  return { kind: 'done', topUp: await shop.topUps.of(account) };
}

/** Returns the page where the cardholder reads the terms, agrees to them, and ends them. */
export function pageOf({ publicUrl }: Pick<CheckoutContext, 'publicUrl'>, { id }: Consent.Consent): string {
  return `${publicUrl}/auto-top-up/${id}`;
}

/** Returns the plan that a top-up buys; null when the shop sells no credit. */
export function planOf(shop: Pick<CheckoutContext, 'catalog'>): CreditPlan | null {
  return shop.catalog.plans.find((plan) => plan.kind === 'credit') ?? null;
}

/** Formats top-ups for the account's API responses. */
export function asTopUp(topUp: TopUp.TopUp | null): Record<string, unknown> {
  if (topUp === null) return { state: 'off' };
  const { state, reason, below, amount, monthlyMax, card, chargedThisMonth } = topUp;
  return {
    state,
    ...(state === 'stopped' && { reason }),
    below_usd: Money.format(below),
    amount_usd: Money.format(amount),
    monthly_max_usd: Money.format(monthlyMax),
    charged_this_month_usd: Money.format(chargedThisMonth),
    card: { brand: card.brand, last4: card.last4 },
  };
}
