import type { IdentityContext } from '../identity/identity-context.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import type { KeptCard } from '../payment/processor.ts';
import * as TopUpConsent from '../payment/top-up-consent.ts';
import * as SubscriptionCard from './subscription-card.ts';
import * as Consenting from './top-up-consent.ts';

type KeptCardContext = PaymentContext & Pick<IdentityContext, 'accounts'>;

/** The purpose of a completed card page. */
export type KeptCardPurpose =
  | { kind: 'top_up'; consent: string }
  | { kind: 'subscription'; subscription: string }
  /** The plan was cancelled or its account frozen since the page was opened, so its card is not used. */
  | { kind: 'refused' };

/** Uses the card of a completed card page for the page's purpose. Safe to repeat. Returns null for a page of another shop. */
export async function complete(shop: KeptCardContext, kept: KeptCard): Promise<KeptCardPurpose | null> {
  const { reference } = kept;
  if (reference.startsWith(`${TopUpConsent.idPrefix}_`)) {
    await Consenting.agree(shop, reference, kept);
    return { kind: 'top_up', consent: reference };
  }
  const use = await SubscriptionCard.use(shop, reference, kept);
  if (use === 'refused') return { kind: 'refused' };
  return use === 'used' ? { kind: 'subscription', subscription: reference } : null;
}

/** Handles the cardholder's return from a card page, which can precede the webhook event. Returns null for an unknown or unfinished page. */
export async function comeBack(shop: KeptCardContext, session: string): Promise<KeptCardPurpose | null> {
  const kept = await shop.processor.readCardPage(session);
  return kept && complete(shop, kept);
}
