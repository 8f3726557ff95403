import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import { type CreditPlan, covers, type Plan, type SubscriptionPlan } from '../../catalog/plan.ts';
import { isByUsage, unitOfPlan } from '../../catalog/plan-unit.ts';
import type { Service } from '../../catalog/service.ts';
import * as TaxNote from '../../catalog/tax-note.ts';
import type { PlanOffer } from '../../journeys/plan-offers.ts';
import { includedText } from '../../text/included-text.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { planAction } from './plan-action.ts';
import { say } from './say.ts';

/** A purchase form that was refused: the plan, the amount as it was typed, and the fault of it. */
export type RefusedBuy = { plan: string; amount: string; fault: string };

type Visitor = {
  isSignedIn: boolean;
  /** The next step with a plan that renews. */
  offer: PlanOffer | undefined;
  refused: RefusedBuy | null;
};

const centMicroUsd = 10_000;

/** Returns usual amounts of credit, as far as the plan allows them. */
export function creditAmounts({ min, max }: CreditPlan): Money.Money[] {
  return [500, 2_000, 10_000].map(Money.ofCents).filter((amount) => amount >= min && amount <= max);
}

/** A plan for sale: its price, what it buys, and its form; or the state of the visitor's own plan. */
export function card(texts: Texts, plan: Plan, catalog: Catalog, visitor: Visitor): Html {
  const { services } = catalog;
  const covered = services.filter((service) => covers(plan, service));
  const scope =
    covered.length === services.length
      ? texts.text('plans.all_services')
      : covered.map(({ name }) => name).join(', ');
  const terms = [scope, texts.text('plans.rate', { count: plan.requestsPerSecond })];
  const unit = unitOfPlan(plan, services);
  const title = html`<h3 style="margin:0">${plan.name}</h3>`;
  switch (plan.kind) {
    case 'trial':
      return html`<div class="card">${title}<p class="price">${texts.usd('0')}</p>
${facts([texts.text('plans.once', { quantity: includedText(texts, plan.included, unit) }), ...terms])}
${visitor.isSignedIn ? '' : html`<form method="post" action="/shop/start"><button>${say(texts, 'plans.start')}</button></form>`}</div>`;
    case 'credit':
      return html`<div class="card">${title}<p class="price">${say(texts, 'plans.from', { amount: texts.usd(Money.format(plan.min)) })}</p>
${facts([...worth(texts, covered, unit), isByUsage(covered) ? texts.text('plans.credit_usage') : texts.text('plans.credit', { unit: texts.unit(unit) }), ...terms])}
${creditForm(texts, plan, visitor.refused)}</div>`;
    case 'subscription': {
      const period = texts.text(`plans.per_${plan.every}`);
      return html`<div class="card">${title}<p class="price">${texts.usd(Money.format(plan.price))} <small>${period}</small></p>
${facts([texts.text('plans.included', { quantity: includedText(texts, plan.included, unit), period }), ...eachCosts(texts, plan, unit), ...terms, texts.text('plans.renews')])}
${planAction(texts, plan, visitor.offer, TaxNote.isTaxAdded(catalog))}</div>`;
    }
  }
}

function creditForm(texts: Texts, plan: CreditPlan, refused: RefusedBuy | null): Html {
  const fault =
    refused === null ? '' : html` aria-invalid="true" aria-describedby="amount-fault" autofocus=""`;
  return html`<form class="credit" method="post" action="/shop/buy#plans"><input type="hidden" name="plan" value="${plan.id}">
<label for="amount">${say(texts, 'plans.amount')}</label><input id="amount" name="amount_usd" inputmode="decimal" list="amounts" value="${refused?.amount ?? Money.format(plan.min)}" autocomplete="off" required${fault}>
<datalist id="amounts">${creditAmounts(plan).map((amount) => html`<option value="${Money.format(amount)}"></option>`)}</datalist>
${refused === null ? '' : html`<p class="fault" id="amount-fault" role="alert">${refused.fault}</p>`}
<button>${say(texts, 'plans.buy')}</button></form>`;
}

/** The terms of a plan, in short. */
function facts(lines: readonly string[]): Html {
  return html`<ul class="facts-list">${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}

/** Says how many units a dollar of credit buys. Returns nothing where prices differ. */
function worth(texts: Texts, covered: readonly Service[], unit: string): string[] {
  const prices = new Set(covered.map(({ price }) => price).filter((price) => price > 0));
  const [price] = prices;
  if (isByUsage(covered) || price === undefined || prices.size > 1) return [];
  const quantity = texts.quantity(Math.floor(1_000_000 / price), unit);
  return [texts.text('plans.dollar_buys', { amount: texts.usd('1.00'), quantity })];
}

/** Says what included units cost, by the thousand where one costs less than a cent. */
function eachCosts(texts: Texts, { price, included }: SubscriptionPlan, unit: string): string[] {
  if (included.asset !== 'unit' || included.amount === 0) return [];
  const isSmall = price / included.amount < centMicroUsd;
  const each = Math.round((price * (isSmall ? 1_000 : 1)) / included.amount);
  const amount = texts.usd(Money.format(Money.ofMicro(each)));
  return isSmall
    ? [texts.text('shop.thousand', { amount, units: texts.units(unit) })]
    : [texts.text('plans.each', { amount, unit: texts.unit(unit) })];
}
