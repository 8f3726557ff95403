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
  const rate = texts.text('plans.rate', { count: plan.requestsPerSecond });
  const unit = unitOfPlan(plan, services);
  const title = html`<h3 style="margin:0">${plan.name}</h3>`;
  switch (plan.kind) {
    case 'trial':
      return html`<div class="card">${title}<p class="price">${texts.usd('0')}</p>
<p class="soft">${say(texts, 'plans.trial', { quantity: includedText(texts, plan.included, unit), scope, rate })}</p>
${visitor.isSignedIn ? '' : html`<form method="post" action="/shop/start"><button>${say(texts, 'plans.start')}</button></form>`}</div>`;
    case 'credit':
      return html`<div class="card">${title}<p class="price">${say(texts, 'plans.from', { amount: texts.usd(Money.format(plan.min)) })}</p>
<p class="soft">${isByUsage(covered) ? say(texts, 'plans.credit_usage', { scope, rate }) : say(texts, 'plans.credit', { unit: texts.unit(unit), scope, rate })}${worth(texts, covered, unit)}</p>
${creditForm(texts, plan, visitor.refused)}</div>`;
    case 'subscription': {
      const period = texts.text(`plans.per_${plan.every}`);
      return html`<div class="card">${title}<p class="price">${texts.usd(Money.format(plan.price))} <small>${period}</small></p>
<p class="soft">${say(texts, 'plans.subscription', { quantity: includedText(texts, plan.included, unit), period, scope, rate })}${eachCosts(texts, plan, unit)}</p>
${planAction(texts, plan, visitor.offer, TaxNote.isTaxAdded(catalog))}</div>`;
    }
  }
}

function creditForm(texts: Texts, plan: CreditPlan, refused: RefusedBuy | null): Html {
  const fault =
    refused === null ? '' : html` aria-invalid="true" aria-describedby="amount-fault" autofocus=""`;
  return html`<form method="post" action="/shop/buy#plans"><input type="hidden" name="plan" value="${plan.id}">
<label for="amount">${say(texts, 'plans.amount')}</label><input id="amount" name="amount_usd" inputmode="decimal" list="amounts" value="${refused?.amount ?? Money.format(plan.min)}" autocomplete="off" required${fault}>
<datalist id="amounts">${creditAmounts(plan).map((amount) => html`<option value="${Money.format(amount)}"></option>`)}</datalist>
${refused === null ? '' : html`<p class="fault" id="amount-fault" role="alert">${refused.fault}</p>`}
<button>${say(texts, 'plans.buy')}</button></form>`;
}

/** Says how many units a dollar of credit buys. Returns '' where prices differ. */
function worth(texts: Texts, covered: readonly Service[], unit: string): Html | '' {
  const prices = new Set(covered.map(({ price }) => price).filter((price) => price > 0));
  const [price] = prices;
  if (isByUsage(covered) || price === undefined || prices.size > 1) return '';
  const quantity = texts.quantity(Math.floor(1_000_000 / price), unit);
  return html` ${say(texts, 'plans.dollar_buys', { amount: texts.usd('1.00'), quantity })}`;
}

/** Says what one included unit costs. */
function eachCosts(texts: Texts, { price, included }: SubscriptionPlan, unit: string): Html | '' {
  if (included.asset !== 'unit' || included.amount === 0) return '';
  const each = Money.format(Money.ofMicro(Math.round(price / included.amount)));
  return html` ${say(texts, 'plans.each', { amount: texts.usd(each), unit: texts.unit(unit) })}`;
}
