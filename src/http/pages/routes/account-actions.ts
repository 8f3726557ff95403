import * as Money from '@sluice/kernel/money';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import { nameOf } from '../../../catalog/plan-name.ts';
import { sharedUnit } from '../../../catalog/plan-unit.ts';
import * as AccountKey from '../../../identity/account-key.ts';
import { blockOf } from '../../../identity/address-block.ts';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import * as AccountJourney from '../../../journeys/account.ts';
import * as AccountKeys from '../../../journeys/account-keys.ts';
import * as OAuth from '../../../journeys/oauth.ts';
import * as PlanChange from '../../../journeys/plan-change.ts';
import { redeem } from '../../../journeys/redeem-promotion.ts';
import * as RefundRequests from '../../../journeys/refund-requests.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import * as SubscriptionCard from '../../../journeys/subscription-card.ts';
import * as TopUps from '../../../journeys/top-up.ts';
import * as BillingDetails from '../../../payment/billing-details.ts';
import type { CheckoutContext, PaymentContext } from '../../../payment/payment-context.ts';
import * as RefundRequest from '../../../payment/refund-request.ts';
import { outlook, type Subscription } from '../../../payment/subscription.ts';
import * as TopUp from '../../../payment/top-up.ts';
import type { TextsContext } from '../../../text/texts-context.ts';
import { actorOf, address, onlyOwn } from '../../request-context.ts';
import * as PromotionResult from '../promotion-result.ts';
import { againMs } from '../when-again.ts';
import { bad, badField, faulty, good, type Result, type Submission } from './account-form.ts';

const dayMs = 86_400_000;

export async function createKey(
  shop: Pick<IdentityContext, 'clock' | 'keys'> & TextsContext,
  { account, visitor, form }: Submission,
): Promise<Result> {
  const days = form.get('days')?.trim() || null;
  const budget_usd = form.get('budget_usd')?.trim() || null;
  if (days !== null && !/^[1-9]\d{0,3}$/.test(days))
    return badField(shop.texts.text('result.key_days'), 'days');
  const expires_at = days === null ? null : new Date(shop.clock() + Number(days) * dayMs).toISOString();
  const parsed = AccountKey.parse(
    shop.texts,
    { name: form.get('name'), budget_usd, expires_at },
    [],
    shop.clock(),
  );
  if (parsed.kind === 'faults') return faulty(shop, parsed.faults);
  const made = await AccountKeys.make(shop, account, AccountKeys.creatorOf(visitor.member), parsed.limits);
  if (made === null) return bad(shop.texts.text('result.keys_max', { keys: AccountKey.keysMax }));
  const text = shop.texts.text('result.key_created', { name: made.name });
  return { text, secret: made.key ?? null, isBad: false };
}

export async function revokeKey(
  shop: Pick<IdentityContext, 'clock' | 'keys' | 'revocations'> & TextsContext,
  { account, visitor, form }: Submission,
): Promise<Result> {
  const who = { creator: onlyOwn(visitor.member), by: actorOf({ key: null, member: visitor.member }) };
  return (await AccountKeys.revoke(shop, account, form.get('key') ?? '', who))
    ? good(shop.texts.text('result.key_revoked'))
    : bad(shop.texts.text('result.no_key'));
}

export async function disconnect(
  shop: OAuth.OAuthContext & TextsContext,
  { account, visitor, form }: Submission,
): Promise<Result> {
  return (await OAuth.disconnect(shop, account, form.get('connection') ?? '', onlyOwn(visitor.member)))
    ? good(shop.texts.text('result.disconnected'))
    : bad(shop.texts.text('result.not_connected'));
}

/** Says what happens to a plan next: it renews, it ends with its period, or it has ended. */
function renewalText(
  { catalog, texts }: Pick<CatalogContext, 'catalog'> & TextsContext,
  one: Subscription,
): string {
  const keys = {
    ended: 'result.ended',
    ends: 'result.cancelled',
    past_due: 'result.resumed',
    renews: 'result.resumed',
  } as const;
  return texts.text(keys[outlook(one)], { plan: nameOf(catalog, one.plan), day: texts.day(one.endMs) });
}

export async function cancel(
  shop: PaymentContext & Pick<CatalogContext, 'catalog'> & TextsContext,
  { account, form }: Submission,
): Promise<Result> {
  const changed = await PlanChange.cancel(shop, account, { subscription: form.get('subscription') ?? '' });
  return changed.kind === 'done'
    ? good(renewalText(shop, changed.subscriptions[0]))
    : bad(shop.texts.text('result.no_subscription'));
}

export async function changeCard(
  shop: CheckoutContext,
  { c, account, form, clientAddressHeader }: Submission,
): Promise<Result> {
  const from = blockOf(address(c, clientAddressHeader));
  const card = await SubscriptionCard.openCardPage(shop, account, form.get('subscription') ?? '', from);
  if (card.kind === 'limited') {
    const when = shop.texts.minute(againMs(shop, card));
    return bad(shop.texts.text('result.card_limited', { when }));
  }
  if (card.kind === 'no_subscription') return bad(shop.texts.text('result.no_subscription'));
  const text = shop.texts.text('result.card_page');
  return {
    text,
    secret: null,
    isBad: false,
    link: { url: card.url, text: shop.texts.text('result.card_page_link') },
  };
}

export async function resume(
  shop: PaymentContext & Pick<CatalogContext, 'catalog'> & TextsContext,
  { account, form }: Submission,
): Promise<Result> {
  const changed = await PlanChange.resume(shop, account, { subscription: form.get('subscription') ?? '' });
  return changed.kind === 'done'
    ? good(renewalText(shop, changed.subscriptions[0]))
    : bad(shop.texts.text('result.not_resumed'));
}

export async function startTopUp(
  shop: TopUps.TopUpTermsContext & Pick<CatalogContext, 'catalog' | 'publicUrl'> & TextsContext,
  { account, form }: Submission,
): Promise<Result> {
  const plan = TopUps.planOf(shop);
  if (plan === null) return bad(shop.texts.text('result.no_credit_plan'));
  const parsed = TopUp.parse(shop.texts, Object.fromEntries(form), plan);
  if (parsed.kind === 'fault') return faulty(shop, parsed.faults);
  const changed = await TopUps.change(shop, account, plan, parsed.kind === 'on' ? parsed.terms : null);
  const amount_usd = parsed.kind === 'on' ? Money.format(parsed.terms.amount) : null;
  if (changed.kind === 'done')
    return { ...good(shop.texts.text('result.top_up_on')), detail: { state: 'on', amount_usd } };
  return {
    detail: { state: 'asked', amount_usd },
    text: shop.texts.text('result.top_up_terms'),
    secret: null,
    isBad: false,
    link: { url: TopUps.pageOf(shop, changed.consent), text: shop.texts.text('result.top_up_terms_link') },
  };
}

export async function endTopUp(
  shop: Pick<TopUps.TopUpTermsContext, 'topUps'> & TextsContext,
  { account }: Submission,
): Promise<Result> {
  await shop.topUps.end(account);
  return { ...good(shop.texts.text('result.top_up_off')), detail: { state: 'off' } };
}

export async function requestRefund(
  shop: Pick<PaymentContext, 'orders'> &
    Pick<SellerContext, 'refundRequests'> &
    Pick<CatalogContext, 'catalog'> &
    TextsContext,
  { account, form }: Submission,
): Promise<Result> {
  const amount_usd = form.get('amount_usd')?.trim();
  const parsed = RefundRequest.parse(shop.texts, {
    reason: form.get('reason'),
    ...(amount_usd && { amount_usd }),
  });
  if (parsed.kind === 'fault') return faulty(shop, parsed.faults);
  const asked = await RefundRequests.ask(shop, account, form.get('purchase') ?? '', parsed);
  switch (asked.kind) {
    case 'asked':
      return asked.isNew
        ? good(
            shop.texts.text('result.refund_asked', {
              amount: shop.texts.usd(Money.format(asked.request.amount)),
              plan: nameOf(shop.catalog, asked.request.plan),
            }),
          )
        : bad(shop.texts.text('result.refund_asked_before'));
    case 'too_much':
      return bad(
        shop.texts.text('result.refund_too_much', { amount: shop.texts.usd(Money.format(asked.left)) }),
      );
    case 'not_paid':
    case 'unknown_purchase':
      return bad(shop.texts.text('result.refund_not_paid'));
  }
}

/** Adds the new balance to the result of a promotion code. */
async function withBalance(
  shop: AccountJourney.AccountContext & TextsContext,
  account: string,
  redeemed: string,
  asset: 'unit' | 'usd',
): Promise<string> {
  const { texts, catalog } = shop;
  const { balance_usd, included_remaining } = await AccountJourney.overview(shop, account);
  if (asset === 'usd')
    return texts.text('result.promotion_balance', { redeemed, balance: texts.usd(String(balance_usd)) });
  const quantity = texts.quantity(Number(included_remaining), sharedUnit(catalog.services));
  return texts.text('result.promotion_units', { redeemed, quantity });
}

/** Redeems a promotion code. */
export async function redeemCode(
  shop: Pick<SellerContext, 'promotions'> & AccountJourney.AccountContext & TextsContext,
  { c, account, form, clientAddressHeader }: Submission,
): Promise<Result> {
  const { texts } = shop;
  const typed = (form.get('code') ?? '').slice(0, PromotionResult.codeCharsMax);
  const redeemed = await redeem(shop, account, typed, address(c, clientAddressHeader));
  const { text } = PromotionResult.inWords(texts, shop.catalog, redeemed);
  return redeemed.kind === 'given'
    ? good(await withBalance(shop, account, text, redeemed.asset))
    : badField(text, 'code');
}

/** Stores or removes the company and address on receipts. */
export async function changeDetails(
  shop: { readonly billingDetails: BillingDetails.BillingRecord } & TextsContext,
  { account, form }: Submission,
): Promise<Result> {
  const parsed = BillingDetails.parse(shop.texts, form);
  if (parsed.kind === 'fault') return faulty(shop, parsed.faults);
  await shop.billingDetails.set(account, parsed.details);
  return good(shop.texts.text(parsed.details === null ? 'result.details_removed' : 'result.details_saved'));
}
