import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import { nameOf } from '../../catalog/plan-name.ts';
import { isTaxAdded } from '../../catalog/tax-note.ts';
import type { RenewalTerms } from '../../journeys/billing-portal.ts';
import { isLive, outlook, type Subscription, willRenew } from '../../payment/subscription.ts';
import { cardName } from '../../text/card-name.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { nextAttemptText, payText } from './pay-text.ts';
import { say } from './say.ts';

type PlanFacts = { key: string; terms: RenewalTerms; catalog: Catalog; mayChangeCard: boolean };

/** The page of a plan for the person who pays for it: its price, its next charge, and the forms that change the card and cancel it. Shows nothing of the account. */
export function plan(
  texts: Texts,
  one: Subscription,
  { key, terms, catalog, mayChangeCard }: PlanFacts,
): Html {
  const shop = html`<p><a href="/">${say(texts, 'leave.to_shop')}</a></p>`;
  const pay =
    one.status === 'past_due' && one.payUrl !== null
      ? html`<a class="button" href="${one.payUrl}">${payText(texts, terms.unpaid)}</a>`
      : '';
  const card = mayChangeCard
    ? html`<form method="post" action="/plans/manage/${key}/card"><button class="plain">${say(texts, 'account.change_card')}</button></form>`
    : '';
  const cancel = willRenew(one)
    ? html`<form method="get" action="/plans/manage/${key}/cancel"><button class="plain danger">${say(texts, 'payer.cancel')}</button></form>`
    : '';
  return html`<div class="narrow"><h1>${titleOf(texts, one, catalog)}</h1>
<section>${statusOf(texts, one, terms)}${willRenew(one) ? facts(texts, one, terms, catalog) : ''}
${pay === '' && cancel === '' ? '' : html`<div class="actions">${pay}${card}${cancel}</div>`}</section>${shop}</div>`;
}

/** The name of the plan; of one that is cancelled or over, also that. */
export function titleOf(texts: Texts, one: Subscription, catalog: Pick<Catalog, 'plans'>): string {
  const plan = nameOf(catalog, one.plan);
  if (willRenew(one)) return texts.text('payer.plan_title', { plan });
  return texts.text(isLive(one) ? 'payer.cancelled_title' : 'payer.ended_title', { plan });
}

function facts(texts: Texts, one: Subscription, { price, card }: RenewalTerms, catalog: Catalog): Html {
  const fact = (term: string, detail: string) => html`<div><dt>${term}</dt><dd>${detail}</dd></div>`;
  const day = texts.day(one.endMs);
  const amount = price === null ? null : priceOf(texts, price, catalog);
  const next = one.nextPlan === null ? null : nameOf(catalog, one.nextPlan);
  return html`<dl class="terms">${next !== null || amount === null ? '' : fact(texts.text('payer.price'), amount)}
${next !== null || outlook(one) === 'past_due' ? '' : fact(texts.text('payer.renews'), day)}
${next === null ? '' : fact(texts.text('payer.next', { day }), amount === null ? next : texts.text('payer.next_price', { plan: next, amount }))}
${card === null ? '' : fact(texts.text('change.card'), cardName(texts, card))}</dl>`;
}

function priceOf(texts: Texts, price: NonNullable<RenewalTerms['price']>, catalog: Catalog): string {
  const usd = texts.usd(Money.format(price.amount));
  const amount = isTaxAdded(catalog) ? texts.text('change.with_tax', { amount: usd }) : usd;
  const period = texts.text(price.every === 'year' ? 'plans.per_year' : 'plans.per_month');
  return texts.text('payer.price_of', { amount, period });
}

function statusOf(texts: Texts, one: Subscription, { unpaid }: RenewalTerms): Html {
  switch (outlook(one)) {
    case 'ended':
      return html`<p>${say(texts, 'payer.ended')}</p>`;
    case 'ends': {
      const link = html`<a href="/shop/account/billing#plans">${say(texts, 'payer.resume_link')}</a>`;
      return html`<p class="ok" role="status">${say(texts, 'payer.ends', { day: texts.day(one.endMs) })}</p><p>${say(texts, 'payer.resume', { link })}</p>`;
    }
    case 'past_due':
      return html`<p class="note" role="alert">${say(texts, 'payer.past_due', { next: nextAttemptText(texts, unpaid) })}</p>`;
    case 'renews':
      return html`<p>${say(texts, 'payer.yours')}</p>`;
  }
}
