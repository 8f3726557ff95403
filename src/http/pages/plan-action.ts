import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { SubscriptionPlan } from '../../catalog/plan.ts';
import type { Unpaid } from '../../journeys/billing-portal.ts';
import type { PlanOffer } from '../../journeys/plan-offers.ts';
import type { Texts } from '../../text/texts.ts';
import { keep } from './change.ts';
import type { Html } from './frame.ts';
import { payText } from './pay-text.ts';
import { say } from './say.ts';

/** The button of a plan that renews: to subscribe, or what a visitor with a plan can do with it. `code`: the field for a promotion code. `unpaid`: the open invoice of the visitor's plan. */
export function planAction(
  texts: Texts,
  plan: Pick<SubscriptionPlan, 'id' | 'name' | 'price'>,
  offer: PlanOffer | undefined,
  { isTaxAdded, code, unpaid }: { isTaxAdded: boolean; code: Html; unpaid: Unpaid | null },
): Html {
  const { id, name } = plan;
  switch (offer?.kind) {
    case undefined:
      return html`<form method="post" action="/shop/buy#plans"><input type="hidden" name="plan" value="${id}"><button>${say(texts, 'plans.subscribe')}</button>${code}</form>`;
    case 'current':
      return html`<p class="ok state"><strong>${say(texts, 'plans.current')}</strong> <a href="/shop/account/billing#plans">${say(texts, 'plans.manage')}</a></p>`;
    case 'unpaid':
      return html`<p class="note state"><strong>${say(texts, 'plans.unpaid')}</strong></p><a class="button" href="/shop/account/billing#plans">${payText(texts, unpaid)}</a>`;
    case 'pay_first':
      return html`<p class="soft">${say(texts, 'plans.pay_first', { plan: name })}</p>`;
    case 'renewing':
      return html`<p class="soft">${say(texts, 'plans.renewing', { plan: name })}</p>`;
    case 'next':
      return html`<p class="ok state">${say(texts, 'plans.next', { day: texts.day(offer.fromMs) })}</p>`;
    case 'resume':
      return html`<p class="soft">${say(texts, 'plans.ends', { day: texts.day(offer.endMs) })}</p><form method="post" action="/shop/account/resume"><input type="hidden" name="subscription" value="${offer.subscription}"><button>${say(texts, 'account.resume')}</button></form>`;
    case 'keep':
      return keep(texts, plan, isTaxAdded);
    case 'dearer':
      return html`<form method="get" action="/shop/account/change"><input type="hidden" name="plan" value="${id}"><button>${say(texts, 'plans.change_today', { plan: name })}</button><p class="soft">${costOf(texts, plan, offer, isTaxAdded)}</p></form>`;
    case 'cheaper':
      return html`<form method="get" action="/shop/account/change"><input type="hidden" name="plan" value="${id}"><button>${say(texts, 'plans.change_later', { plan: name })}</button><p class="soft">${say(texts, 'plans.change_later_day', { day: texts.day(offer.fromMs) })}</p></form>`;
  }
}

/** The charge of today, and how it comes about. */
function costOf(
  texts: Texts,
  { price }: Pick<SubscriptionPlan, 'price'>,
  { today, credit }: Extract<PlanOffer, { kind: 'dearer' }>,
  isTaxAdded: boolean,
): string {
  const [amount, whole, less] = [today, price, credit].map((money) => texts.usd(Money.format(money)));
  const due = isTaxAdded ? texts.text('change.with_tax', { amount: String(amount) }) : String(amount);
  if (credit === Money.zero) return texts.text('plans.change_costs', { amount: due });
  return texts.text('plans.change_costs_less', {
    ...{ amount: due, price: String(whole), credit: String(less) },
  });
}
