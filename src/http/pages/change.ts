import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { SubscriptionPlan } from '../../catalog/plan.ts';
import { includedText } from '../../text/included-text.ts';
import type { Texts } from '../../text/texts.ts';
import { cardName } from './card-brand.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';

/** The facts that a person needs before a dearer plan is charged. */
export type DearerPlan = {
  plan: SubscriptionPlan;
  /** The unit of the plan, such as `result`. */
  unit: string;
  /** The amount of the charge, without tax. */
  today: Money.Money;
  isTaxAdded: boolean;
  /** The card that is charged; null when another person pays, or when it is not known. */
  card: { brand: string; last4: string } | null;
  /** The end of the period that begins now. */
  renewsMs: number;
};

/** Asks before a change to a dearer plan, which is charged at once. Only the form of this page carries it out. */
export function change(texts: Texts, asked: DearerPlan): Html {
  const { plan, unit, card, isTaxAdded } = asked;
  const today = Money.format(asked.today);
  const withTax = (amount: string) => (isTaxAdded ? texts.text('change.with_tax', { amount }) : amount);
  const renewal = { amount: withTax(texts.usd(Money.format(plan.price))), day: texts.day(asked.renewsMs) };
  const fact = (term: Html | string, detail: Html | string) =>
    html`<div><dt>${term}</dt><dd>${detail}</dd></div>`;
  return html`<h1>${say(texts, 'change.title', { plan: plan.name })}</h1>
<section><p>${say(texts, 'change.text')}</p><dl class="terms">
${fact(say(texts, 'change.plan'), `${plan.name}: ${texts.text('plans.included', { quantity: includedText(texts, plan.included, unit), period: texts.text(`plans.per_${plan.every}`) })}`)}
${fact(say(texts, 'change.today'), html`<strong>${withTax(texts.usd(today))}</strong>`)}
${fact(say(texts, 'change.card'), card === null ? say(texts, 'change.card_unknown') : cardName(texts, card))}
${fact(say(texts, 'change.renews'), say(texts, 'change.renews_on', renewal))}</dl>
<div class="actions"><form method="post" action="/shop/account/change"><input type="hidden" name="plan" value="${plan.id}"><input type="hidden" name="today_usd" value="${today}"><input type="hidden" name="confirm" value="yes"><button>${say(texts, isTaxAdded ? 'change.pay_taxed' : 'change.pay', { amount: texts.usd(today) })}</button></form>
<a class="button plain" href="/#plans">${say(texts, 'change.cancel')}</a></div></section>`;
}
