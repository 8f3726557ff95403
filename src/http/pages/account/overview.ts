import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Catalog } from '../../../catalog/catalog.ts';
import { trialOf } from '../../../catalog/plan.ts';
import { sharedUnit } from '../../../catalog/plan-unit.ts';
import type { DailyUsage, RecordedCall } from '../../../ledger/usage.ts';
import type { Texts } from '../../../text/texts.ts';
import { earnedTrial } from '../earned-trial.ts';
import { type FormResult, field } from '../form-result.ts';
import type { Html } from '../frame.ts';
import { lowBalance } from '../mine.ts';
import { say } from '../say.ts';
import { calls } from './calls.ts';
import { chart } from './chart.ts';
import { sections } from './frame.ts';
import { dueNotes, type Holdings, plans } from './plans.ts';
import { figureOf, tickOf } from './usage.ts';

export type Balance = {
  balance: string;
  held: string;
  included: number;
  /** The rest of the dollars that plans include; null when there are none. */
  includedUsd: string | null;
};

export type OverviewFacts = Balance &
  Holdings & {
    claimed: boolean;
    /** True when the shop sends mail, so that the account can be claimed with an email address. */
    canClaim: boolean;
    days: readonly string[];
    daily: readonly DailyUsage[];
    calls: readonly RecordedCall[];
    hasKeys: boolean;
    /** The rights of the person: to pay, to manage plans, to make keys. */
    may: { billing: boolean; manage: boolean; keys: boolean };
    result: FormResult | null;
    /** The address that a code for the claim was sent to; null when none is awaited. */
    codeSentTo: string | null;
  };

/** The front page of an account: its balance and plans, the last days, and what to do next. */
export function overview(texts: Texts, facts: OverviewFacts, catalog: Catalog): Html {
  const { hasKeys, calls: recent, may } = facts;
  const held = facts.plans.length + facts.grants.length;
  return html`${dueNotes(texts, facts, catalog, may.billing)}<div class="columns wide-second"><section aria-labelledby="overview"><h2 id="overview">${say(texts, 'account.balance')}</h2>
${balanceOf(texts, facts, catalog)}
${isLow(facts) ? html`<p class="note">${say(texts, 'account.low')}</p>` : ''}
${may.billing ? html`<p class="actions"><a class="button${facts.canClaim && !facts.claimed && !isLow(facts) ? ' plain' : ''}" href="${sections.billing}">${say(texts, 'account.buy_more')}</a></p>` : ''}</section>
${claimOf(texts, facts, catalog)}
${(hasKeys && recent.length > 0) || !may.keys ? '' : firstSteps(texts, facts)}
${held === 0 ? '' : html`<section aria-labelledby="plans"><div class="head"><h2 id="plans">${say(texts, 'account.plans')}</h2>${may.manage ? html`<a href="${sections.billing}#plans">${say(texts, 'account.manage')}</a>` : ''}</div>${plans(texts, facts, catalog, false)}</section>`}</div>
${recent.length === 0 ? '' : lastDays(texts, facts, catalog)}`;
}

/** Returns true when an account that has had credit can make few more calls. */
function isLow({ balance, included, includedUsd, calls }: OverviewFacts): boolean {
  const credit = Money.parse(balance) ?? Money.zero;
  return included === 0 && includedUsd === null && credit < lowBalance && (credit > 0 || calls.length > 0);
}

/** The credit, and what is left of plans. */
export function balanceOf(texts: Texts, facts: Balance, { services }: Pick<Catalog, 'services'>): Html {
  const unit = sharedUnit(services);
  const hasUnits =
    facts.included > 0 ||
    (facts.includedUsd === null && services.some(({ metering }) => metering === undefined));
  return html`<dl class="facts">
<div><dt>${say(texts, 'account.credit')}</dt><dd id="balance">${texts.usd(facts.balance)}</dd></div>
${facts.held === '0.00' ? '' : html`<div><dt>${say(texts, 'account.held')}</dt><dd>${texts.usd(facts.held)}</dd></div>`}
${hasUnits ? html`<div><dt>${say(texts, 'shop.plan_units', { units: texts.units(unit) })}</dt><dd id="included">${texts.number(facts.included)}</dd></div>` : ''}
${facts.includedUsd === null ? '' : html`<div><dt>${say(texts, 'shop.plan_usage')}</dt><dd id="included_usd">${texts.usd(facts.includedUsd)}</dd></div>`}
</dl>`;
}

function firstSteps(texts: Texts, { hasKeys, calls: recent }: OverviewFacts): Html {
  const key = html`<a href="${sections.keys}">${say(texts, 'steps.key_link')}</a>`;
  const call = html`<a href="/docs">${say(texts, 'steps.call_link')}</a>`;
  const tried = html`<a href="/#try">${say(texts, 'steps.try_link')}</a>`;
  return html`<section aria-labelledby="steps"><h2 id="steps">${say(texts, 'steps.title')}</h2><ol class="steps">
${recent.length > 0 ? '' : html`<li>${say(texts, 'steps.try', { link: tried })}</li>`}
${hasKeys ? '' : html`<li>${say(texts, 'steps.key', { link: key })}</li>`}
<li>${say(texts, 'steps.call', { link: call })}</li></ol></section>`;
}

function lastDays(texts: Texts, { days, daily, calls: recent }: OverviewFacts, catalog: Catalog): Html {
  const { services } = catalog;
  const unit = sharedUnit(services);
  const measure = daily.some(({ units }) => units > 0) ? 'units' : 'cost';
  const named = (slug: string) => services.find((service) => service.slug === slug)?.name ?? slug;
  const total = daily.reduce((sum, one) => sum + Number(one[measure]), 0);
  const heading = measure === 'units' ? texts.unitHeading(unit) : texts.text('usage.cost');
  return html`<section aria-labelledby="used"><div class="head"><h2 id="used">${say(texts, 'usage.last_days_total', { count: days.length, total: figureOf(texts, measure, total, unit) })}</h2><a href="${sections.usage}">${say(texts, 'usage.details')}</a></div>
${chart(texts, { days, daily, named, isSmall: true, value: (one) => Number(one[measure]), shown: (value) => figureOf(texts, measure, value, unit), tick: (value) => tickOf(texts, measure, value), label: texts.text('usage.chart_small', { figure: heading, group: texts.text('usage.service') }) })}
<h3>${say(texts, 'calls.recent')}</h3>${calls(texts, recent, catalog, { today: days.at(-1) ?? '' })}</section>`;
}

/** The form that saves the account with an email address, or takes the code sent to it. */
function claimOf(
  texts: Texts,
  { canClaim, claimed, codeSentTo, result, plans: held }: OverviewFacts,
  catalog: Catalog,
): Html | string {
  if (!canClaim || claimed) return '';
  const trial = trialOf(catalog.plans);
  const hasTrial = held.some(({ id }) => id === trial?.id);
  const earned = hasTrial ? null : earnedTrial(texts, catalog, null);
  return claim(texts, { codeSentTo, result, earned });
}

function claim(
  texts: Texts,
  { codeSentTo, result, earned }: Pick<OverviewFacts, 'codeSentTo' | 'result'> & { earned: string | null },
): Html {
  if (codeSentTo !== null)
    return html`<section id="claim"><h2>${say(texts, 'claim.title')}</h2><p class="soft">${say(texts, 'claim.sent', { email: codeSentTo })}</p>
<form method="post" action="/shop/account/claim/complete">${field(texts, result, 'claim/complete', { name: 'otp', label: texts.text('claim.code'), attributes: html`class="otp" inputmode="numeric" autocomplete="one-time-code" autofocus=""`, isRequired: true })}<button>${say(texts, 'claim.confirm')}</button></form>
<div class="again"><form method="post" action="/shop/account/claim"><input type="hidden" name="email" value="${codeSentTo}"><button class="quiet">${say(texts, 'claim.again')}</button></form><a href="/shop/account?claim=new#claim">${say(texts, 'claim.other')}</a></div></section>`;
  return html`<section id="claim"><h2>${say(texts, 'claim.title')}</h2>${earned === null ? '' : html`<p><strong>${say(texts, 'claim.trial', { quantity: earned })}</strong></p>`}<p class="soft">${say(texts, 'claim.intro')} ${say(texts, 'claim.why')}</p>
<form method="post" action="/shop/account/claim"><div class="row"><div>${field(texts, result, 'claim', { name: 'email', label: texts.text('claim.email'), attributes: html`type="email" autocomplete="email"`, isRequired: true })}</div><div class="fit"><button>${say(texts, 'claim.send')}</button></div></div></form></section>`;
}
