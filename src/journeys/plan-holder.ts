import type { CatalogContext } from '../catalog/catalog-context.ts';
import { nameOf } from '../catalog/plan-name.ts';
import type { IdentityContext, MailContext } from '../identity/identity-context.ts';
import type { CheckoutContext, PaymentContext } from '../payment/payment-context.ts';
import * as PlanMail from '../payment/plan-mail.ts';
import { isLive, type Subscription, willRenew } from '../payment/subscription.ts';
import type { TextsContext } from '../text/texts-context.ts';
import * as BillingPortal from './billing-portal.ts';
import { notify } from './notify.ts';
import * as Renewal from './renewal.ts';
import * as SubscriptionCard from './subscription-card.ts';

/** The dependencies of mail to people whose card pays for a plan. */
export type PlanHolderContext = Pick<CatalogContext, 'publicUrl' | 'catalog'> &
  Pick<MailContext, 'mail'> &
  Pick<PaymentContext, 'processor' | 'subscriptions'> &
  TextsContext;

/** Notifies cardholders of an unpaid renewal, once for each period, with a link to pay it. */
export async function notifyUnpaidRenewals(shop: PlanHolderContext): Promise<void> {
  for (const { one, to, key, usableUntilMs } of await shop.subscriptions.takeUnnotifiedPastDue()) {
    const mail = PlanMail.renewalFailed(
      shopOf(shop),
      one,
      nameOf(shop.catalog, one.plan),
      pageOf(shop, key),
      to,
      await BillingPortal.failedPaymentOf(shop, one.id, null),
      usableUntilMs,
    );
    if (!(await notify(shop, mail, `past_due_${one.id}_${one.endMs}`))) return;
    await shop.subscriptions.markPastDueNotified(one.id);
  }
}

/**
 * Mails the links for canceling the plans that an address pays for, to people who have lost access to the account. The result does not reveal
 * whether there are any. At most one mail is sent in an hour.
 */
export async function sendLinks(
  shop: PlanHolderContext & Pick<PaymentContext, 'clock'>,
  email: string,
): Promise<void> {
  const found = await shop.subscriptions.takeForLinks(email);
  const plans = await Promise.all(
    found.map(async ({ one, key }) => ({
      one,
      name: nameOf(shop.catalog, one.plan),
      next: one.nextPlan === null ? null : nameOf(shop.catalog, one.nextPlan),
      price: (await BillingPortal.renewalOf(shop, one.id)).price?.amount ?? null,
      page: pageOf(shop, key),
    })),
  );
  if (plans.length > 0)
    await notify(shop, PlanMail.links(shopOf(shop), plans, email), `links_${email}_${shop.clock()}`);
}

/** Returns the subscription of a link in such a mail. */
export function read(shop: Pick<PaymentContext, 'subscriptions'>, key: string): Promise<Subscription | null> {
  return shop.subscriptions.byKey(key);
}

/** Cancels the renewal of a plan on behalf of its payer, without access to the account. Safe to repeat. */
export async function cancel(shop: PaymentContext, key: string): Promise<Subscription | null> {
  const found = await shop.subscriptions.byKey(key);
  if (found === null || !isLive(found)) return found;
  if (willRenew(found)) await Renewal.stop(shop, found);
  return shop.subscriptions.byKey(key);
}

/**
 * Opens a card page on behalf of the payer. Returns null when the plan does not renew, or the account is frozen: no payment is taken for it then.
 * @param address the block of the client's address
 */
export async function openCardPage(
  shop: CheckoutContext & Pick<IdentityContext, 'accounts'>,
  key: string,
  address: string,
): Promise<SubscriptionCard.CardPageResult | null> {
  const found = await shop.subscriptions.byKey(key);
  if (found === null || !(await mayChangeCard(shop, found))) return null;
  const page = pageOf(shop, key);
  const back = { success: `${page}/card/return?session={CHECKOUT_SESSION_ID}`, cancel: page };
  return SubscriptionCard.openCardPage(shop, found.account, found.id, address, back);
}

/** Returns true when another card can pay for the plan from now on. */
export async function mayChangeCard(
  { accounts }: Pick<IdentityContext, 'accounts'>,
  one: Subscription,
): Promise<boolean> {
  return willRenew(one) && !(await accounts.isFrozen(one.account));
}

function pageOf({ publicUrl }: Pick<PlanHolderContext, 'publicUrl'>, key: string): string {
  return `${publicUrl}/plans/manage/${key}`;
}

function shopOf({ catalog, publicUrl, texts }: PlanHolderContext) {
  return { name: catalog.storefront.name, publicUrl, texts };
}
