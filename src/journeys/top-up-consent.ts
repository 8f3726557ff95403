import { id } from '@sluice/kernel/id';
import type * as Money from '@sluice/kernel/money';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import type { CreditPlan } from '../catalog/plan.ts';
import * as Email from '../identity/email.ts';
import type { MailContext } from '../identity/identity-context.ts';
import * as Order from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import { ProcessorUnavailable } from '../payment/processor.ts';
import type { SavedCard } from '../payment/saved-card.ts';
import type { TopUps, TopUpTerms } from '../payment/top-up.ts';
import * as Consent from '../payment/top-up-consent.ts';
import type { TextsContext } from '../text/texts-context.ts';
import { balance } from './balance.ts';
import * as CardTesting from './card-testing.ts';
import { notify } from './notify.ts';
import * as Receipts from './receipts.ts';

type ConsentContext = Pick<CatalogContext, 'publicUrl' | 'catalog' | 'isTaxed'> &
  Pick<PaymentContext, 'cardAttempts' | 'cardLimits' | 'clock' | 'consents' | 'processor' | 'report'> &
  TextsContext;

/** Returns the open consent for these terms, creating one when there is none. Its page asks the cardholder to agree. */
export function ask(
  shop: Pick<PaymentContext, 'clock' | 'consents'>,
  account: string,
  plan: CreditPlan,
  terms: TopUpTerms,
): Promise<Consent.Consent> {
  const expiresMs = shop.clock() + Consent.lifeMs;
  return shop.consents.offer(id(Consent.idPrefix, account), account, plan.id, terms, expiresMs);
}

/** Reads a consent. If its card page was completed and the webhook event is late, the agreement is recorded now. */
export async function read(shop: ConsentContext, consentId: string): Promise<Consent.Consent | null> {
  const found = await shop.consents.find(consentId);
  if (found?.state !== 'offered' || found.session === null) return found;
  try {
    const { kept } = await shop.processor.readCheckout(found.session);
    if (kept === null) return found;
    await agree(shop, consentId, kept);
    return shop.consents.find(consentId);
  } catch (fault) {
    if (fault instanceof ProcessorUnavailable) return found;
    throw fault;
  }
}

/** Records the agreement on a completed card page, so that charges by these terms begin. Safe to repeat. */
export async function agree(
  shop: Pick<PaymentContext, 'consents'>,
  consentId: string,
  { card, email }: { card: SavedCard; email: string | null },
): Promise<void> {
  await shop.consents.agree(
    consentId,
    { ...card, consent: consentId },
    email === null ? null : Email.parse(email),
  );
}

export type ConsentPage =
  | { kind: 'page'; url: string }
  /** The consent can no longer be given. */
  | { kind: 'closed' }
  /** The account or address opens too many pages, or has too many declines. */
  | { kind: 'limited'; waitMs: number };

/**
 * Opens the processor's card page, which states the terms.
 * @param address the block of the client's address
 */
export async function openPage(
  shop: ConsentContext,
  consentId: string,
  address: string,
): Promise<ConsentPage> {
  const found = await read(shop, consentId);
  if (found === null || Consent.stateAt(found, shop.clock()) !== 'offered') return { kind: 'closed' };
  const { account } = found;
  const delay = await CardTesting.beginPage(shop, { order: found.id, number: 0 }, { account, address });
  if (delay !== null) return { kind: 'limited', waitMs: delay.waitMs };
  const page = await shop.processor.openCardPage({
    reference: found.id,
    customer: null,
    message: Consent.sentence(shop.texts, found, shop.catalog.storefront.name, shop.isTaxed),
    success: `${shop.publicUrl}/cards/return?session={CHECKOUT_SESSION_ID}`,
    cancel: `${shop.publicUrl}/auto-top-up/${found.id}`,
    isTaxed: shop.isTaxed,
    // Derived from the consent alone and not from the current time, because a repeated request must be identical.
    expiresMs: found.expiresMs + Order.pageGraceMs,
  });
  await shop.consents.attach(found.id, page.session);
  await shop.cardAttempts.keepSetup({ session: page.session, reference: found.id, account, address });
  return page.url === null ? { kind: 'closed' } : { kind: 'page', url: page.url };
}

/**
 * The charges under a consent. `isDue`: the card is charged at once, because the credit is below the agreed amount. `isPaused`: the account has turned
 * auto top-up off, or a charge was declined; it can turn it on again.
 */
export type Charging = {
  isDue: boolean;
  isPaused: boolean;
  /** The charges of this month, including one whose outcome is not known; null before the account had top-ups. */
  chargedThisMonth: Money.Money | null;
};

/** Reads what a consent charges now, or would charge as soon as it is given. */
export async function chargingOf(
  shop: Parameters<typeof balance>[0] & { readonly topUps: Pick<TopUps, 'of'> },
  { id: consentId, account, terms }: Consent.Consent,
): Promise<Charging> {
  const [credit, topUp] = await Promise.all([balance(shop, account), shop.topUps.of(account)]);
  const charged = topUp?.chargedThisMonth ?? null;
  const monthly = (charged ?? 0) + terms.amount;
  return {
    isDue: credit < terms.below && monthly <= terms.monthlyMax,
    isPaused: topUp?.state !== 'on' || topUp.card.consent !== consentId,
    chargedThisMonth: charged,
  };
}

/** Stops the charges of a consent on behalf of its holder. Safe to repeat. Returns the consent in its new state; null when it is unknown. */
export async function stop(
  { consents }: Pick<PaymentContext, 'consents'>,
  consentId: string,
): Promise<Consent.Consent | null> {
  await consents.end(consentId);
  return consents.find(consentId);
}

/** Notifies cardholders of each charge. */
export async function notifyCardholders(
  shop: Pick<CatalogContext, 'catalog' | 'publicUrl'> &
    Pick<PaymentContext, 'consents'> &
    Pick<MailContext, 'mail'> &
    Receipts.ReceiptContext &
    TextsContext,
): Promise<void> {
  const { publicUrl, texts } = shop;
  const { name } = shop.catalog.storefront;
  for (const { order, consent, chargedThisMonth } of await shop.consents.unnotifiedCharges()) {
    const to = consent.email;
    if (to !== null) {
      const receipt = (await Receipts.ofPurchase(shop, consent.account, order.id))?.url ?? null;
      const facts = { name, publicUrl, texts };
      const mail = Consent.chargeMail(facts, order, consent, chargedThisMonth, to, receipt);
      if (!(await notify(shop, mail, `top_up_${order.id}`))) return;
    }
    await shop.consents.markNotified(order.id);
  }
}
