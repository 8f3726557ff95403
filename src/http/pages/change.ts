import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { SubscriptionPlan } from '../../catalog/plan.ts';
import { cardName } from '../../text/card-name.ts';
import { includedText } from '../../text/included-text.ts';
import type { Texts } from '../../text/texts.ts';
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
  /** The name of the plan that ends now, and what is left of it; null when nothing is. */
  present: string;
  left: string | null;
  /** The end of the period that begins now. */
  renewsMs: number;
};

/** The facts that a person needs before a plan is replaced by one that costs no more. */
export type CheaperPlan = Pick<DearerPlan, 'plan' | 'unit' | 'isTaxAdded' | 'card'> & {
  /** The name of the plan that the account keeps until then. */
  present: string;
  /** The end of the present period, and what happens then to the rest of its plan. */
  fromMs: number;
  rollsOver: boolean;
};

/** Asks before a change that begins with the next period, and charges nothing before. Only the form of this page carries it out. */
export function later(texts: Texts, asked: CheaperPlan): Html {
  const { plan, present } = asked;
  const day = texts.day(asked.fromMs);
  const due = { amount: priceOf(texts, asked), period: texts.text(`plans.per_${plan.every}`) };
  return html`<h1>${say(texts, 'change.later_title', { plan: plan.name, day })}</h1>
<section><p>${say(texts, 'change.later_text', { plan: present })} ${say(texts, asked.rollsOver ? 'cancel.rolls_over' : 'cancel.lost')}</p><dl class="terms">
${fact(say(texts, 'change.plan'), contentOf(texts, asked))}
${fact(say(texts, 'change.begins'), day)}
${fact(say(texts, 'change.then'), say(texts, 'change.then_each', due))}
${fact(say(texts, 'change.card'), payingCard(texts, asked))}</dl>
<div class="actions">${changeForm(plan, '', html`<button>${say(texts, 'change.later_confirm', { day })}</button>`)}
<a class="button plain" href="/#plans">${say(texts, 'plans.keep', { plan: present })}</a></div></section>`;
}

/** The form that changes to a plan. It carries what the page said: the charge of today, empty for none, and the price of a period. */
function changeForm(
  { id, price }: Pick<SubscriptionPlan, 'id' | 'price'>,
  today: string,
  button: Html,
): Html {
  return html`<form method="post" action="/shop/account/change"><input type="hidden" name="plan" value="${id}"><input type="hidden" name="today_usd" value="${today}"><input type="hidden" name="price_usd" value="${Money.format(price)}"><input type="hidden" name="confirm" value="yes">${button}</form>`;
}

/** The button that takes back a change for the next period. It asks nothing, but says the price: the account keeps what it has. */
export function keep(
  texts: Texts,
  plan: Pick<SubscriptionPlan, 'id' | 'name' | 'price'>,
  isTaxAdded: boolean,
  kind = '',
): Html {
  const facts = { plan: plan.name, amount: priceOf(texts, { plan, isTaxAdded }) };
  return changeForm(plan, '', html`<button class="${kind}">${say(texts, 'plans.keep_for', facts)}</button>`);
}

/** The price of a period, with a note where tax is added. */
export function priceOf(
  texts: Texts,
  { plan, isTaxAdded }: { plan: Pick<SubscriptionPlan, 'price'>; isTaxAdded: boolean },
): string {
  const amount = texts.usd(Money.format(plan.price));
  return isTaxAdded ? texts.text('change.with_tax', { amount }) : amount;
}

function fact(term: Html | string, detail: Html | string): Html {
  return html`<div><dt>${term}</dt><dd>${detail}</dd></div>`;
}

function contentOf(texts: Texts, { plan, unit }: Pick<DearerPlan, 'plan' | 'unit'>): string {
  const period = texts.text(`plans.per_${plan.every}`);
  return `${plan.name}: ${texts.text('plans.included', { quantity: includedText(texts, plan.included, unit), period })}`;
}

function payingCard(texts: Texts, { card }: Pick<DearerPlan, 'card'>): Html | string {
  return card === null ? say(texts, 'change.card_unknown') : cardName(texts, card);
}

/** Says what ends with the change, and how the deduction is measured. */
function endingText(texts: Texts, { plan, present, left }: DearerPlan, credit: number): Html {
  const ends = left === null ? '' : html` ${say(texts, 'change.ends', { present, left })}`;
  const credited = credit <= 0 ? '' : html` ${say(texts, 'change.credited')}`;
  return html`<p>${say(texts, 'change.text', { plan: plan.name, present })}${ends}${credited}</p>`;
}

/** Asks before a change to a dearer plan, which is charged at once. Only the form of this page carries it out. */
export function change(texts: Texts, asked: DearerPlan): Html {
  const { plan, isTaxAdded, present } = asked;
  const today = Money.format(asked.today);
  const credit = plan.price - asked.today;
  const withTax = (amount: string) => (isTaxAdded ? texts.text('change.with_tax', { amount }) : amount);
  const renewal = { amount: priceOf(texts, asked), day: texts.day(asked.renewsMs) };
  return html`<h1>${say(texts, 'change.title', { plan: plan.name })}</h1>
<section>${endingText(texts, asked, credit)}<dl class="terms">
${fact(say(texts, 'change.plan'), contentOf(texts, asked))}
${credit <= 0 ? '' : html`${fact(say(texts, 'change.price'), texts.usd(Money.format(plan.price)))}${fact(say(texts, 'change.deducted', { plan: present }), texts.usd(`-${Money.format(Money.ofMicro(credit))}`))}`}
${fact(say(texts, 'change.today'), html`<strong>${withTax(texts.usd(today))}</strong>`)}
${fact(say(texts, 'change.card'), payingCard(texts, asked))}
${fact(say(texts, 'change.renews'), say(texts, 'change.renews_on', renewal))}</dl>
<div class="actions">${changeForm(plan, today, html`<button>${say(texts, isTaxAdded ? 'change.pay_taxed' : 'change.pay', { amount: texts.usd(today) })}</button>`)}
<a class="button plain" href="/#plans">${say(texts, 'change.cancel')}</a></div></section>`;
}
