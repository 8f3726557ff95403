import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { SubscriptionPlan } from '../../catalog/plan.ts';
import type { PlanOffer } from '../../journeys/plan-offers.ts';
import type { Texts } from '../../text/texts.ts';
import { keep } from './change.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';

/** The button of a plan that renews: to subscribe, or what a visitor with a plan can do with it. `code`: the field for a promotion code. */
export function planAction(
  texts: Texts,
  plan: Pick<SubscriptionPlan, 'id' | 'name' | 'price'>,
  offer: PlanOffer | undefined,
  { isTaxAdded, code }: { isTaxAdded: boolean; code: Html },
): Html {
  const { id, name } = plan;
  switch (offer?.kind) {
    case undefined:
      return html`<form method="post" action="/shop/buy#plans"><input type="hidden" name="plan" value="${id}"><button>${say(texts, 'plans.subscribe')}</button>${code}</form>`;
    case 'current':
      return html`<p class="ok state"><strong>${say(texts, 'plans.current')}</strong> <a href="/shop/account/billing#plans">${say(texts, 'plans.manage')}</a></p>`;
    case 'unpaid':
      return html`<p class="note state"><strong>${say(texts, 'plans.unpaid')}</strong> ${payLink(texts)}</p>`;
    case 'pay_first':
      return html`<p class="soft">${say(texts, 'plans.pay_first', { plan: name })}</p>`;
    case 'next':
      return html`<p class="ok state">${say(texts, 'plans.next', { day: texts.day(offer.fromMs) })}</p>`;
    case 'resume':
      return html`<p class="soft">${say(texts, 'plans.ends', { day: texts.day(offer.endMs) })}</p><form method="post" action="/shop/account/resume"><input type="hidden" name="subscription" value="${offer.subscription}"><button>${say(texts, 'account.resume')}</button></form>`;
    case 'keep':
      return keep(texts, plan, isTaxAdded);
    case 'dearer': {
      const today = Money.format(offer.today);
      const key = isTaxAdded ? 'plans.change_today_taxed' : 'plans.change_today';
      return html`<form method="get" action="/shop/account/change"><input type="hidden" name="plan" value="${id}"><button>${say(texts, key, { plan: name, amount: texts.usd(today) })}</button></form>`;
    }
    case 'cheaper':
      return html`<form method="get" action="/shop/account/change"><input type="hidden" name="plan" value="${id}"><button>${say(texts, 'plans.change_later', { plan: name })}</button><p class="soft">${say(texts, 'plans.change_later_day', { day: texts.day(offer.fromMs) })}</p></form>`;
  }
}

/** Leads to the plans of the account, where the open invoice is paid. */
export function payLink(texts: Texts): Html {
  return html`<a href="/shop/account/billing#plans">${say(texts, 'account.pay_invoice')}</a>`;
}
