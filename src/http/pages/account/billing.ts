import { countries } from '@sluice/kernel/countries';
import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Catalog } from '../../../catalog/catalog.ts';
import type { CreditPlan } from '../../../catalog/plan.ts';
import { nameOf } from '../../../catalog/plan-name.ts';
import type { PaymentMethod } from '../../../journeys/billing-portal.ts';
import * as BillingDetails from '../../../payment/billing-details.ts';
import { suggestedTerms, type TopUp } from '../../../payment/top-up.ts';
import { cardName } from '../../../text/card-name.ts';
import type { Texts } from '../../../text/texts.ts';
import { type FormResult, faultOf, field } from '../form-result.ts';
import type { Html } from '../frame.ts';
import { creditAmounts } from '../plan-card.ts';
import { say } from '../say.ts';
import { type Balance, balanceOf } from './overview.ts';
import { dueNotes, type Holdings, plans, subscriptionForm } from './plans.ts';
import { type PurchaseFacts, purchases } from './purchases.ts';
import { table } from './table.ts';

export type BillingFacts = Balance &
  Holdings &
  PurchaseFacts & {
    topUp: TopUp | null;
    methods: readonly PaymentMethod[];
    /** True for an account without an address that can be saved with one. */
    needsEmail: boolean;
    /** False for a person who may see this section and change nothing. */
    mayChange: boolean;
    details: BillingDetails.BillingDetails | null;
    result: FormResult | null;
  };

/** Everything about money: credit, plans, codes, cards, automatic charges, invoice details, receipts. */
export function billing(texts: Texts, facts: BillingFacts, catalog: Catalog): Html {
  const { topUp: now, result, mayChange } = facts;
  const credit = mayChange ? catalog.plans.filter((plan) => plan.kind === 'credit') : [];
  const held = facts.plans.length + facts.grants.length;
  return html`${dueNotes(texts, facts, catalog, mayChange)}<div class="columns money"><div><section aria-labelledby="credit"><h2 id="credit">${say(texts, 'account.balance')}</h2>${balanceOf(texts, facts, catalog)}
${credit.map((plan) => creditForm(texts, plan, result, credit.length > 1))}
${mayChange ? promotion(texts, result) : ''}</section>
${credit.length === 0 ? '' : topUp(texts, now, result)}</div>
<div><section aria-labelledby="plans"><div class="head"><h2 id="plans">${say(texts, 'account.plans')}</h2><a href="/#plans">${say(texts, 'billing.see_plans')}</a></div>
${held === 0 ? html`<p class="soft">${say(texts, 'billing.no_plans')}</p>` : plans(texts, facts, catalog, mayChange)}</section>
${facts.methods.length === 0 ? '' : cards(texts, facts, catalog)}
${mayChange || facts.details !== null ? detailsForm(texts, facts) : ''}</div></div>
${purchases(texts, facts, catalog, { result, mayAsk: mayChange })}`;
}

/** Buttons for usual amounts, and a field for any other. Each button is a form of its own, so that Enter in the field sends the field. */
function creditForm(texts: Texts, plan: CreditPlan, result: FormResult | null, isNamed: boolean): Html {
  const refused = result?.refused?.path === 'credit' && result.refused.input.get('plan') === plan.id;
  const usual = creditAmounts(plan).map(
    (amount) =>
      html`<form method="post" action="/shop/account/credit"><input type="hidden" name="plan" value="${plan.id}"><input type="hidden" name="amount_usd" value="${Money.format(amount)}">${presetButton(texts, amount)}</form>`,
  );
  const [min, max] = [plan.min, plan.max].map((amount) => texts.usd(Money.format(amount)));
  return html`<h3>${isNamed ? plan.name : say(texts, 'billing.add_credit')}</h3><p class="hint">${say(texts, 'billing.add_credit_text')}</p><div class="row presets" role="group" aria-label="${texts.text('billing.usual_amounts')}">${usual}</div>
<form method="post" action="/shop/account/credit"><input type="hidden" name="plan" value="${plan.id}"><div class="row"><div>${field(texts, refused ? result : null, 'credit', { name: 'amount_usd', ...(!refused && isNamed && { id: `amount-${plan.id}` }), label: texts.text('billing.other_amount'), hint: texts.text('billing.amount_range', { min: String(min), max: String(max) }), attributes: html`inputmode="decimal" autocomplete="off"`, isRequired: true })}</div><div class="fit"><button>${say(texts, 'billing.add_credit')}</button></div></div></form>`;
}

/** A button with an amount alone; its name for screen readers says what it does. */
function presetButton(texts: Texts, money: Money.Money): Html {
  const amount = texts.usd(Money.format(money));
  const cents = Money.toCents(money) ?? 0;
  const short = cents % 100 === 0 ? texts.text('format.usd', { amount: texts.number(cents / 100) }) : amount;
  return html`<button class="plain" aria-label="${texts.text('billing.add_amount', { amount })}">${short}</button>`;
}

/** The form for a promotion code; folded until it is needed. */
function promotion(texts: Texts, result: FormResult | null): Html {
  const isRefused = result?.refused?.path === 'promotion';
  const input = field(texts, result, 'promotion', {
    name: 'code',
    label: texts.text('promotion.code'),
    attributes: html`autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="60"`,
    isRequired: true,
  });
  return html`<details id="promotion" ${isRefused ? 'open' : ''}><summary>${say(texts, 'promotion.title')}</summary>
<form method="post" action="/shop/account/promotion"><div class="row"><div>${input}</div><div class="fit"><button class="plain">${say(texts, 'promotion.redeem')}</button></div></div></form></details>`;
}

/** The cards that pay for plans. A card of another person is not shown. */
function cards(texts: Texts, { methods, mayChange, needsEmail }: BillingFacts, catalog: Catalog): Html {
  const cardOf = ({ card, isOwn }: PaymentMethod) =>
    card === null
      ? texts.text(
          isOwn ? 'billing.card_unknown' : needsEmail ? 'billing.card_hidden' : 'billing.card_of_payer',
        )
      : texts.text('billing.card', {
          card: cardName(texts, card),
          expiry: `${String(card.expMonth).padStart(2, '0')}/${card.expYear}`,
        });
  const own = methods.find(({ isOwn }) => isOwn);
  return html`<section aria-labelledby="cards"><h2 id="cards">${say(texts, 'billing.cards')}</h2>
${table(methods, [
  { head: texts.text('billing.card_pays'), cell: ({ plan }) => nameOf(catalog, plan) },
  { head: texts.text('billing.card_heading'), cell: cardOf, onPhone: 'bare' },
  ...(mayChange
    ? [
        {
          head: '',
          cell: ({ subscription, renews }: PaymentMethod) =>
            renews ? subscriptionForm('card', subscription, texts.text('account.change_card')) : '',
          onPhone: 'lead' as const,
        },
      ]
    : []),
])}
${!mayChange ? '' : own === undefined ? (needsEmail ? html`<p class="soft">${say(texts, 'billing.add_email_text')}</p><p><a class="button plain" href="/shop/account#claim">${say(texts, 'leave.add_email')}</a></p>` : html`<p class="soft">${say(texts, 'billing.no_portal')}</p>`) : html`<p>${say(texts, 'billing.portal', { link: portalLink(own, texts.text('billing.portal_link')) })}</p>`}</section>`;
}

/** The link to the card processor's portal for a plan that the person pays for. */
function portalLink({ subscription }: PaymentMethod, text: string): Html {
  return html`<a href="/shop/account/portal?subscription=${subscription}">${text}</a>`;
}

const topUpSigns = { off: ' off', on: '', stopped: ' bad' } as const;
const topUpStates = { off: 'top_up.is_off', on: 'top_up.is_on', stopped: 'top_up.is_stopped' } as const;

/** Its state first; the form for its terms is folded until it is needed. */
function topUp(texts: Texts, now: TopUp | null, result: FormResult | null): Html {
  const terms = now ?? suggestedTerms;
  const isOn = now?.state === 'on';
  const isRefused = result?.refused?.path === 'top-up';
  const input = (name: string, label: string, value: Money.Money, hint?: string) =>
    html`<div>${field(texts, result, 'top-up', { name, label, value: Money.format(value), ...(hint !== undefined && { hint }), attributes: html`inputmode="decimal" autocomplete="off"` })}</div>`;
  return html`<section aria-labelledby="top-up"><h2 id="top-up">${say(texts, 'top_up.title')} <span class="sign${topUpSigns[now?.state ?? 'off']}">${say(texts, topUpStates[now?.state ?? 'off'])}</span></h2>
${topUpState(texts, now)}
<details ${isRefused || now?.state === 'stopped' ? 'open' : ''}><summary>${say(texts, isOn ? 'top_up.change_terms' : 'top_up.set_up')}</summary><p class="soft">${say(texts, 'top_up.intro')}</p>
<form method="post" action="/shop/account/top-up"><div class="row">
${input('below_usd', texts.text('top_up.below'), terms.below, texts.text('top_up.below_hint'))}${input('amount_usd', texts.text('top_up.amount'), terms.amount)}${input('monthly_max_usd', texts.text('top_up.monthly_max'), terms.monthlyMax)}</div>
<button class="plain">${say(texts, isOn ? 'top_up.change' : 'top_up.turn_on')}</button></form></details>
${isOn ? html`<form method="post" action="/shop/account/top-up/end" class="after"><button class="quiet danger">${say(texts, 'top_up.turn_off')}</button></form>` : ''}</section>`;
}

function topUpState(texts: Texts, now: TopUp | null): Html {
  if (now === null || now.state === 'off') return html`<p class="soft">${say(texts, 'top_up.off')}</p>`;
  if (now.state === 'stopped')
    return html`<p>${say(texts, 'top_up.stopped', { day: texts.day(now.changedMs), reason: String(now.reason) })}</p><p class="soft">${say(texts, 'top_up.resume')}</p>`;
  const usd = (amount: Money.Money) => texts.usd(Money.format(amount));
  return html`<p>${say(texts, 'top_up.on', { card: cardName(texts, now.card), amount: usd(now.amount), below: usd(now.below) })}</p>
<p class="soft">${say(texts, 'top_up.charged', { charged: usd(now.chargedThisMonth), monthly_max: usd(now.monthlyMax) })}</p>`;
}

/** The company and address on receipts; folded once they are known. */
function detailsForm(texts: Texts, { details, result, mayChange, methods }: BillingFacts): Html {
  const own = mayChange ? methods.find(({ isOwn }) => isOwn) : undefined;
  const refused = result?.refused?.path === 'details' ? result.refused : null;
  const typed = (name: string, value: string) => refused?.input.get(name) ?? value;
  const chosen = typed('country', details?.country ?? '');
  const [address, country] = ['address', 'country'].map((name) => faultOf(texts, result, 'details', name));
  const input = (name: string, label: string, value: string, attributes: Html) =>
    html`<div>${field(texts, result, 'details', { name, label, value, attributes })}</div>`;
  const options = countries
    .map((code) => ({ code, name: BillingDetails.countryName(code, texts.language) }))
    .toSorted((a, b) => a.name.localeCompare(b.name, texts.language))
    .map(
      ({ code, name }) => html`<option value="${code}" ${code === chosen ? 'selected' : ''}>${name}</option>`,
    );
  return html`<section aria-labelledby="details"><h2 id="details">${say(texts, 'details.title')}</h2>
<p class="soft">${say(texts, 'details.intro')}${own === undefined ? '' : html` ${say(texts, 'details.portal', { link: portalLink(own, texts.text('details.portal_link')) })}`}</p>
${details === null ? '' : html`<p class="lines">${BillingDetails.lines(texts, details).join('\n')}</p>`}
${
  !mayChange
    ? ''
    : html`<details ${refused === null ? '' : 'open'}><summary>${say(texts, details === null ? 'details.add' : 'details.change')}</summary>
<form method="post" action="/shop/account/details">
<div class="row">${input('name', texts.text('details.name'), details?.name ?? '', html`autocomplete="organization" maxlength="200"`)}${input('tax_id', texts.text('details.tax_id'), details?.taxId ?? '', html`autocomplete="off" maxlength="40"`)}</div>
<label for="details-address">${say(texts, 'details.address')}</label><textarea id="details-address" name="address" rows="3" maxlength="500" autocomplete="street-address" ${address?.marks}>${typed('address', details?.address ?? '')}</textarea>${address?.text}
<label for="details-country">${say(texts, 'details.country')}</label><select id="details-country" name="country" autocomplete="country" ${country?.marks}><option value="">${say(texts, 'details.choose')}</option>${options}</select>${country?.text}
<button class="plain">${say(texts, 'details.save')}</button></form></details>`
}</section>`;
}
