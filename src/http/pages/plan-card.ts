import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import {
  type CreditPlan,
  covers,
  isTrialImmediate,
  type Plan,
  proofsOf,
  type TrialPlan,
} from '../../catalog/plan.ts';
import { isByUsage, unitOfPlan } from '../../catalog/plan-unit.ts';
import * as TaxNote from '../../catalog/tax-note.ts';
import type { Unpaid } from '../../journeys/billing-portal.ts';
import type { PlanOffer } from '../../journeys/plan-offers.ts';
import { includedText } from '../../text/included-text.ts';
import type { Texts } from '../../text/texts.ts';
import { trialButton } from './earned-trial.ts';
import type { Html } from './frame.ts';
import { planAction } from './plan-action.ts';
import { lowestPriced, worthOf } from './plan-worth.ts';
import { say } from './say.ts';
import type { AccountSummary, RefusedBuy } from './shop-facts.ts';
import { startForm } from './start-form.ts';

type Visitor = {
  isSignedIn: boolean;
  /** Its trial (AccountSummary). */
  trial: AccountSummary['trial'];
  /** The trial that it can have for an email address. */
  earned: string | null;
  /** The next step with a plan that renews. */
  offer: PlanOffer | undefined;
  unpaid: Unpaid | null;
  refused: RefusedBuy | null;
  /** The words on a highlighted plan; null for any other. */
  badge: string | null;
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
  const terms = [scope, texts.text('plans.rate', { count: plan.requestsPerSecond })];
  const unit = unitOfPlan(plan, services);
  const { badge } = visitor;
  const best = badge === null ? '' : ' best';
  const title = html`<h3>${plan.name}${badge === null ? '' : html` <span class="sign">${badge}</span>`}</h3>`;
  switch (plan.kind) {
    case 'trial':
      return html`<div class="card${best}">${title}${price(texts.text('plans.free'), texts.text('plans.once', { quantity: includedText(texts, plan.included, unit) }), '')}
${facts([...(isTrialImmediate(catalog.plans) ? [texts.text('plans.no_card')] : []), ...claimed(texts, plan, unit), ...oncePer(texts, plan), ...terms])}
<div class="action begin">${trialAction(texts, catalog, visitor)}</div></div>`;
    case 'credit':
      return html`<div class="card${best}">${title}${price(texts.text('plans.from', { amount: texts.usd(Money.format(plan.min)) }), texts.text('plans.prepaid'), worthOf(texts, plan, catalog))}
${facts([isByUsage(covered) || unit === 'unit' ? texts.text('plans.credit_usage') : texts.text('plans.credit', { unit: texts.unit(unit) }), ...terms])}
<div class="action">${creditForm(texts, plan, visitor.refused)}</div></div>`;
    case 'subscription': {
      const period = texts.text(`plans.per_${plan.every}`);
      return html`<div class="card${best}">${title}${price(texts.usd(Money.format(plan.price)), period, worthOf(texts, plan, catalog))}
${facts([texts.text('plans.included', { quantity: includedText(texts, plan.included, unit), period }), ...terms, texts.text('plans.renews')])}
<div class="action">${planAction(texts, plan, visitor.offer, { isTaxAdded: TaxNote.isTaxAdded(catalog), code: codeField(texts, plan.id, visitor.refused), unpaid: visitor.unpaid })}</div></div>`;
    }
  }
}

/** The button that begins the trial, or its state. */
function trialAction(
  texts: Texts,
  { plans }: Pick<Catalog, 'plans'>,
  { isSignedIn, trial, earned }: Visitor,
): Html | string {
  if (earned !== null) return trialButton(texts, earned, isSignedIn);
  if (!isSignedIn) return startForm(texts, plans);
  const state = (text: Html) => html`<p class="ok state"><strong>${text}</strong></p>`;
  if (trial === null) return isTrialImmediate(plans) ? state(say(texts, 'plans.trial_new')) : '';
  return state(
    trial.left === null
      ? say(texts, 'plans.trial_used')
      : say(texts, 'plans.trial_left', { quantity: trial.left }),
  );
}

/** A price, the time that it is for, and what a unit costs: two paragraphs, so that those of all plans have equal rows. */
function price(amount: string, period: string, each: string): Html {
  return html`<p class="price">${amount} <small>${period}</small></p><p class="each">${each}</p>`;
}

/** The units that an email address adds to a trial. */
function claimed(texts: Texts, { includedWhenClaimed }: TrialPlan, unit: string): string[] {
  if (includedWhenClaimed.amount === 0) return [];
  return [texts.text('plans.claimed', { quantity: includedText(texts, includedWhenClaimed, unit) })];
}

/** Says for which facts a trial is given once, and which of them earn it. */
function oncePer(texts: Texts, plan: TrialPlan): string[] {
  if (plan.oncePer.length === 0) return [];
  const facts = plan.oncePer.map((fact) => texts.text(`plans.once.${fact}`)).join(', ');
  if (plan.oncePer.length === 1) return [texts.text('plans.one_per', { fact: facts })];
  const proofs = proofsOf(plan).map((fact) => texts.text(`plans.proof.${fact}`));
  return [
    texts.text('plans.once_per', { facts }),
    ...(proofs.length === 0 ? [] : [texts.text('plans.once_proof', { proofs: proofs.join(', ') })]),
  ];
}

function creditForm(texts: Texts, plan: CreditPlan, refused: RefusedBuy | null): Html {
  const fault =
    (refused?.fault ?? null) === null
      ? ''
      : html` aria-invalid="true" aria-describedby="amount-fault" autofocus=""`;
  return html`<form class="credit" method="post" action="/shop/buy#plans"><input type="hidden" name="plan" value="${plan.id}">
<label for="amount">${say(texts, 'plans.amount')}</label><input id="amount" name="amount_usd" inputmode="decimal" list="amounts" value="${refused?.amount ?? Money.format(usualAmount(plan))}" autocomplete="off" required${fault}>
<datalist id="amounts">${creditAmounts(plan).map((amount) => html`<option value="${Money.format(amount)}"></option>`)}</datalist>
<button>${say(texts, 'plans.buy')}</button>${(refused?.fault ?? null) === null ? '' : html`<p class="fault" id="amount-fault" role="alert">${refused?.fault}</p>`}
${codeField(texts, plan.id, refused)}</form>`;
}

/** The field for a promotion code in the form of a plan; folded until it is needed. */
export function codeField(texts: Texts, plan: string, refused: RefusedBuy | null): Html {
  const { code = '', codeFault = null } = refused ?? {};
  const id = `code-${plan}`;
  const fault =
    codeFault === null ? '' : html` aria-invalid="true" aria-describedby="${id}-fault" autofocus=""`;
  return html`<details class="code-field" ${code === '' ? '' : 'open'}><summary>${say(texts, 'promotion.beside_plan')}</summary><label for="${id}">${say(texts, 'promotion.code')}</label><input id="${id}" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="60" value="${code}"${fault}>
${codeFault === null ? html`<p class="soft">${say(texts, 'promotion.before_paying')}</p>` : html`<p class="fault" id="${id}-fault" role="alert">${codeFault}</p>`}</details>`;
}

/** The suggested amount: enough for more than a few calls, where the plan allows it. */
function usualAmount(plan: CreditPlan): Money.Money {
  return creditAmounts(plan)[0] ?? plan.min;
}

/** The terms of a plan, in short. */
function facts(lines: readonly string[]): Html {
  return html`<ul class="facts-list">${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}

/** The plan that is highlighted, with its badge: the one that the catalogue recommends, or else the one whose units cost least. */
export function highlighted(
  texts: Texts,
  { plans, services }: Pick<Catalog, 'plans' | 'services'>,
): { id: string; badge: string } | null {
  const recommended = plans.find(({ isRecommended = false }) => isRecommended);
  if (recommended !== undefined) return { id: recommended.id, badge: texts.text('plans.recommended') };
  const lowest = lowestPriced({ plans, services });
  if (lowest === null) return null;
  const unit = texts.unit(unitOfPlan(lowest, services));
  return { id: lowest.id, badge: texts.text('plans.lowest', { unit }) };
}
