import * as Money from '@sluice/kernel/money';
import { nameOf } from '../catalog/plan-name.ts';
import type { IdentityContext } from '../identity/identity-context.ts';
import type { CheckoutContext, PaymentContext } from '../payment/payment-context.ts';
import type { KeptCard } from '../payment/processor.ts';
import type { Subscription } from '../payment/subscription.ts';
import { willRenew } from '../payment/subscription.ts';
import * as CardTesting from './card-testing.ts';
import * as Renewal from './renewal.ts';

/** A page that was completed longer ago is ignored, because another card may have been chosen since. */
const freshMs = 24 * 60 * 60_000;

export type CardPageResult =
  | { kind: 'page'; url: string; expiresMs: number }
  | { kind: 'no_subscription' }
  /** The account or address opens too many pages, or has too many declines. */
  | { kind: 'limited'; waitMs: number };

/** The pages that the card page leads back to. */
type ReturnUrls = { success: string; cancel: string };

/**
 * Opens a card page for a subscription of the account that renews. Its card is charged for the open invoice at once, and for all renewals.
 * @param address the block of the client's address
 */
export async function openCardPage(
  shop: CheckoutContext,
  account: string,
  subscription: string,
  address: string,
  back: ReturnUrls = {
    success: `${shop.publicUrl}/cards/return?session={CHECKOUT_SESSION_ID}`,
    cancel: `${shop.publicUrl}/cards/cancelled`,
  },
): Promise<CardPageResult> {
  const found = (await shop.subscriptions.of(account)).find(({ id }) => id === subscription);
  if (found === undefined || !willRenew(found)) return { kind: 'no_subscription' };
  // Each page is another one, and counts.
  const delay = await CardTesting.beginPage(shop, { order: null, number: 0 }, { account, address });
  if (delay !== null) return { kind: 'limited', waitMs: delay.waitMs };
  const price = await shop.processor.renewalOf(subscription);
  const page = await shop.processor.openCardPage({
    reference: subscription,
    customer: price.customer,
    message: terms(shop, found, price),
    ...back,
    isTaxed: shop.isTaxed,
    expiresMs: null,
  });
  await shop.cardAttempts.keepSetup({ session: page.session, reference: subscription, account, address });
  if (page.url === null) throw new Error(`the new card page ${page.session} is closed`);
  return { kind: 'page', url: page.url, expiresMs: page.expiresMs };
}

/** The sentence that the cardholder agrees to. */
function terms(
  { texts, isTaxed, catalog }: CheckoutContext,
  { plan, status, nextPlan, endMs }: Subscription,
  { amount, every }: { amount: Money.Money; every: string },
): string {
  // The plans of a shop renew by the month or by the year.
  const interval = every === 'year' ? 'year' : 'month';
  const key = isTaxed ? (`renewal_card.${interval}_taxed` as const) : (`renewal_card.${interval}` as const);
  const shop = catalog.storefront.name;
  const name = nameOf(catalog, nextPlan ?? plan);
  // The amount is that of the next period.
  const charged =
    nextPlan === null ? name : texts.text('renewal_card.plan_from', { plan: name, day: texts.day(endMs) });
  const sentence = texts.text(key, { shop, amount: texts.usd(Money.format(amount)), plan: charged });
  return status === 'past_due' ? texts.text('renewal_card.due', { sentence }) : sentence;
}

/** `refused`: no page would be opened now. `unknown`: the subscription is unknown, or the page is old. */
export type CardUse = 'used' | 'refused' | 'unknown';

/**
 * Sets the card of a completed page as the subscription's card, and charges it for an open invoice. Nothing is changed or charged when the plan
 * was cancelled, or its account frozen, since the page was opened.
 */
export async function use(
  shop: PaymentContext & Pick<IdentityContext, 'accounts'>,
  subscription: string,
  { card, createdMs }: KeptCard,
): Promise<CardUse> {
  if (createdMs < shop.clock() - freshMs) return 'unknown';
  const found = await shop.subscriptions.find(subscription);
  if (found === null) return 'unknown';
  if (!willRenew(found) || (await shop.accounts.isFrozen(found.account))) return 'refused';
  await shop.processor.useCard(subscription, card);
  await Renewal.syncSubscription(shop, subscription);
  return 'used';
}
