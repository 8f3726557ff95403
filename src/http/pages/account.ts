import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import { sharedUnit, unitOfPlan } from '../../catalog/plan-unit.ts';
import type { GrantListing } from '../../identity/oauth/grants.ts';
import type { ShownKey as Key } from '../../journeys/account-keys.ts';
import type * as PlanChange from '../../journeys/plan-change.ts';
import type { PurchaseEntry } from '../../journeys/receipts.ts';
import type * as RefundRequests from '../../journeys/refund-requests.ts';
import type { RecordedCall } from '../../ledger/usage.ts';
import { suggestedTerms, type TopUp } from '../../payment/top-up.ts';
import type { Texts } from '../../text/texts.ts';
import { type FormResult, field } from './form-result.ts';
import type { Html } from './frame.ts';
import { purchases } from './purchases.ts';
import * as Quantities from './quantities.ts';
import { say } from './say.ts';
import { type AccountUsage, usage } from './usage.ts';

export type AccountFacts = {
  account: string;
  claimed: boolean;
  balance: string;
  held: string;
  included: number;
  /** The rest of the dollars that plans include; null when there are none. */
  includedUsd: string | null;
  /** The address that the account was claimed with. */
  email: string | null;
  plans: readonly {
    id: string;
    name: string;
    balance_usd?: string;
    included_remaining?: number;
    included_usd?: string;
  }[];
  grants: readonly {
    source: string | null;
    remaining_usd?: string;
    remaining_units?: number;
    expires_at: string | null;
  }[];
  subscriptions: readonly ReturnType<typeof PlanChange.asPlan>[];
  topUp: TopUp | null;
  used: AccountUsage;
  calls: readonly RecordedCall[];
  keys: readonly Key[];
  /** Applications that the owner connected through OAuth. */
  connections: readonly GrantListing[];
  receipts: readonly PurchaseEntry[];
  refundRequests: readonly ReturnType<typeof RefundRequests.asRefundRequest>[];
  /** True when the shop sends mail, so that the account can be claimed with an email address. */
  canClaim: boolean;
  result: FormResult | null;
  /** The address that a code for the claim was sent to; null when none is awaited. */
  codeSentTo: string | null;
};

/** The account page of its owner: balance, usage, and the forms that change the account. */
export function account(texts: Texts, facts: AccountFacts, catalog: Catalog): Html {
  const { result } = facts;
  const unit = sharedUnit(catalog.services);
  const leave = texts.text(facts.claimed ? 'account.leave_claimed' : 'account.leave_unclaimed');
  return html`<h1>${say(texts, 'account.title')}</h1>
${result === null ? '' : html`<p class="${result.isBad ? 'note' : 'ok'}" role="${result.isBad ? 'alert' : 'status'}">${result.text}${result.link === undefined ? '' : html` <a href="${result.link.url}">${result.link.text}</a>`}</p>${result.secret === null ? '' : html`<pre class="secret" tabindex="0" aria-label="${texts.text('result.key_label')}">${result.secret}</pre>`}`}
${facts.codeSentTo === null ? '' : claimOf(texts, facts)}
<section aria-labelledby="overview"><h2 id="overview">${say(texts, 'account.balance')}</h2>
<dl class="facts">
<div><dt>${say(texts, 'account.credit')}</dt><dd id="balance">${texts.usd(facts.balance)}</dd></div>
${facts.held === '0.00' ? '' : html`<div><dt>${say(texts, 'account.held')}</dt><dd>${texts.usd(facts.held)}</dd></div>`}
<div><dt>${say(texts, 'shop.plan_units', { units: texts.units(unit) })}</dt><dd id="included">${texts.digits(facts.included)}</dd></div>
${facts.includedUsd === null ? '' : html`<div><dt>${say(texts, 'shop.plan_usage')}</dt><dd id="included_usd">${texts.usd(facts.includedUsd)}</dd></div>`}
${facts.email === null ? '' : html`<div><dt>${say(texts, 'account.email')}</dt><dd class="id">${facts.email}</dd></div>`}
<div><dt>${say(texts, 'account.account')}</dt><dd class="id">${facts.account}</dd></div>
</dl>
<p><a class="button" href="/#plans">${say(texts, 'account.buy_more')}</a></p></section>
${plans(texts, facts, catalog)}
${usage(texts, facts.used, catalog)}
${calls(texts, facts.calls, unit)}
${keys(texts, facts.keys, result)}
${connections(texts, facts.connections)}
${topUp(texts, facts.topUp, result)}
${purchases(texts, facts.receipts, facts.refundRequests, result)}
${facts.codeSentTo === null ? claimOf(texts, facts) : ''}
<section aria-labelledby="leave"><h2 id="leave">${leave}</h2><p class="soft">${say(texts, facts.claimed ? 'account.leave_claimed_effect' : 'account.leave_unclaimed_effect')}</p>
<form method="post" action="/shop/leave"><button class="${facts.claimed ? 'plain' : 'danger'}">${leave}</button></form></section>`;
}

/** The rest of a plan: its credit, its units, its dollars, or both of an account that bought it under different terms. */
export function leftOfPlan(
  texts: Texts,
  { id, balance_usd, included_remaining = 0, included_usd }: AccountFacts['plans'][number],
  { plans, services }: Pick<Catalog, 'plans' | 'services'>,
): string {
  const plan = plans.find((one) => one.id === id);
  const unit = plan === undefined ? 'unit' : unitOfPlan(plan, services);
  if (balance_usd !== undefined) return texts.usd(balance_usd);
  const units = texts.quantity(included_remaining, unit);
  if (included_usd === undefined) return units;
  const dollars = texts.usd(included_usd);
  return included_remaining === 0 ? dollars : `${units} · ${dollars}`;
}

/** Plans and grants: the remaining credit of each, its status, and when it renews or ends. */
function plans(texts: Texts, { plans, grants, subscriptions }: AccountFacts, catalog: Catalog): Html {
  if (plans.length + grants.length === 0) return html``;
  const row = (name: string, left: string, status: string, until: string, action: Html | string = '') =>
    html`<tr><th scope="row">${name}</th><td class="number">${left}</td><td>${status}</td><td>${until}</td><td class="number">${action}</td></tr>`;
  const periods = (id: string) => subscriptions.filter((one) => one.plan === id);
  const ofPlan = (plan: AccountFacts['plans'][number]) => {
    const { id, name } = plan;
    const left = leftOfPlan(texts, plan, catalog);
    const neverExpires = texts.text('account.never_expires');
    const [first, ...later] = periods(id);
    if (first === undefined) return [row(name, left, '', neverExpires)];
    return [
      row(name, left, statusOf(texts, first), until(texts, first), decision(texts, first)),
      ...later.map((one) => row(name, '', statusOf(texts, one), until(texts, one), decision(texts, one))),
    ];
  };
  const ofGrant = ({ source, remaining_usd, remaining_units, expires_at }: AccountFacts['grants'][number]) =>
    row(
      texts.text('account.grant', { source: source ?? texts.text('account.grant_seller') }),
      remaining_usd === undefined
        ? texts.quantity(remaining_units ?? 0, sharedUnit(catalog.services))
        : texts.usd(remaining_usd),
      '',
      expires_at === null
        ? texts.text('account.never_expires')
        : texts.text('account.expires', { day: texts.dayOf(expires_at) }),
    );
  return html`<section aria-labelledby="plans"><h2 id="plans">${say(texts, 'account.plans')}</h2><table class="stack">
<thead><tr><th scope="col">${say(texts, 'account.plan')}</th><th scope="col" class="number">${say(texts, 'account.remaining')}</th><th scope="col">${say(texts, 'account.status')}</th><th scope="col">${say(texts, 'account.renews_or_ends')}</th><td></td></tr></thead>
<tbody>${plans.flatMap(ofPlan)}${grants.map(ofGrant)}</tbody></table></section>`;
}

type Period = AccountFacts['subscriptions'][number];

function statusOf(texts: Texts, { status }: Period): string {
  return texts.text(`account.status_${status}`);
}

function until(texts: Texts, { renews, status, period_end, next_plan }: Period): string {
  const key = renews ? 'plan_renews' : status === 'expired' ? 'plan_ended' : 'plan_ends';
  const text = texts.text(`account.${key}`, { day: texts.dayOf(period_end) });
  return next_plan === null ? text : texts.text('account.plan_then', { until: text, plan: next_plan });
}

function decision(texts: Texts, { renews, cancel_at_period_end, id, pay_url }: Period): Html | string {
  if (renews)
    return html`${pay_url === null ? '' : html`<a class="button" href="${pay_url}">${say(texts, 'account.pay_invoice')}</a> `}${subscriptionForm('card', id, texts.text('account.change_card'))}${subscriptionForm('cancel', id, texts.text('account.cancel'), true)}`;
  return cancel_at_period_end ? subscriptionForm('resume', id, texts.text('account.resume')) : '';
}

function subscriptionForm(action: string, subscription: string, name: string, ends = false): Html {
  return html`<form method="post" action="/shop/account/${action}"><input type="hidden" name="subscription" value="${subscription}"><button class="quiet${ends ? ' danger' : ''}">${name}</button></form>`;
}

function calls(texts: Texts, all: readonly RecordedCall[], unit: string): Html {
  if (all.length === 0) return html``;
  const row = (
    call: RecordedCall,
  ) => html`<tr><td>${texts.minute(call.atMs)}</td><td><code>${call.operation}</code>${call.model ? ` ${call.model}` : ''}</td><td class="number">${call.status}</td>
<td class="number">${call.quantities ? Quantities.quantities(texts, call.quantities) : texts.digits(call.units)}</td><td class="number">${call.isReturned ? say(texts, 'calls.refunded') : texts.usd(Money.formatExact(call.cost))}</td></tr>`;
  return html`<section aria-labelledby="calls"><h2 id="calls">${say(texts, 'calls.title')}</h2><div class="wide" tabindex="0"><table>
<thead><tr><th scope="col">${say(texts, 'calls.when')}</th><th scope="col">${say(texts, 'calls.operation')}</th><th scope="col" class="number">${say(texts, 'calls.status')}</th><th scope="col" class="number">${all.some(({ quantities }) => quantities) ? say(texts, 'usage.quantity') : texts.unitHeading(unit)}</th><th scope="col" class="number">${say(texts, 'calls.cost')}</th></tr></thead>
<tbody>${all.map(row)}</tbody></table></div><p><a href="/shop/account/calls.csv">${say(texts, 'calls.csv')}</a></p></section>`;
}

/** Applications that may use the account, each with a button that disconnects it. */
function connections(texts: Texts, all: readonly GrantListing[]): Html {
  if (all.length === 0) return html``;
  const row = ({ sid, clientName, createdMs, usedMs }: GrantListing) =>
    html`<tr><th scope="row">${clientName}</th><td>${texts.day(createdMs)}</td><td>${texts.day(usedMs)}</td>
<td class="number"><form method="post" action="/shop/account/connections/end"><input type="hidden" name="connection" value="${sid}"><button class="quiet danger" aria-label="${texts.text('connections.disconnect_label', { application: clientName })}">${say(texts, 'connections.disconnect')}</button></form></td></tr>`;
  return html`<section aria-labelledby="connections"><h2 id="connections">${say(texts, 'connections.title')}</h2>
<div class="wide"><table class="stack"><thead><tr><th>${say(texts, 'connections.application')}</th><th>${say(texts, 'connections.connected')}</th><th>${say(texts, 'connections.last_used')}</th><th></th></tr></thead><tbody>${all.map(row)}</tbody></table></div></section>`;
}

function keys(texts: Texts, all: readonly Key[], result: FormResult | null): Html {
  const input = (name: string, label: string, attributes: Html, isRequired = false) =>
    field(texts, result, 'keys', {
      name,
      label,
      id: `key-${name.replace('_usd', '')}`,
      attributes,
      isRequired,
    });
  const row = (key: Key) => html`<tr><th scope="row">${key.name}</th><td><code>${key.hint}</code></td>
<td>${spentOf(texts, key)}</td><td>${key.expires_at === null ? say(texts, 'keys.never') : texts.dayOf(key.expires_at)}</td>
<td class="number"><form method="post" action="/shop/account/keys/end"><input type="hidden" name="key" value="${key.id}"><button class="quiet danger" aria-label="${texts.text('keys.revoke_label', { name: key.name })}">${say(texts, 'keys.revoke')}</button></form></td></tr>`;
  return html`<section aria-labelledby="keys"><h2 id="keys">${say(texts, 'keys.title')}</h2>
<p class="soft">${say(texts, 'keys.intro')}</p>
${all.length === 0 ? '' : html`<div class="wide" tabindex="0"><table><thead><tr><th scope="col">${say(texts, 'keys.name')}</th><th scope="col">${say(texts, 'keys.key')}</th><th scope="col">${say(texts, 'keys.spent')}</th><th scope="col">${say(texts, 'keys.expires')}</th><td></td></tr></thead><tbody>${all.map(row)}</tbody></table></div>`}
<form method="post" action="/shop/account/keys" class="cards">
<div>${input('name', texts.text('keys.name'), html`maxlength="100"`, true)}</div>
<div>${input('budget_usd', texts.text('keys.budget'), html`inputmode="decimal" autocomplete="off"`)}</div>
<div>${input('days', texts.text('keys.days'), html`inputmode="numeric" autocomplete="off"`)}</div>
<div style="align-self:end"><button>${say(texts, 'keys.create')}</button></div></form></section>`;
}

function spentOf(texts: Texts, { budget_usd, spent_usd }: Key): string {
  if (budget_usd === null) return texts.text('keys.no_limit');
  return texts.text('keys.spent_of', {
    spent: texts.decimal(spent_usd ?? '0.00'),
    budget: texts.usd(budget_usd),
  });
}

function topUp(texts: Texts, now: TopUp | null, result: FormResult | null): Html {
  const terms = now ?? suggestedTerms;
  const input = (name: string, label: string, value: Money.Money) =>
    html`<div>${field(texts, result, 'top-up', { name, label, value: Money.format(value), attributes: html`inputmode="decimal" autocomplete="off"` })}</div>`;
  return html`<section aria-labelledby="top-up"><h2 id="top-up">${say(texts, 'top_up.title')}</h2>
<p class="soft">${say(texts, 'top_up.intro', { state: topUpState(texts, now) })}</p>
<form method="post" action="/shop/account/top-up" class="cards">
${input('below_usd', texts.text('top_up.below'), terms.below)}${input('amount_usd', texts.text('top_up.amount'), terms.amount)}${input('monthly_max_usd', texts.text('top_up.monthly_max'), terms.monthlyMax)}
<div style="align-self:end"><button>${say(texts, 'top_up.turn_on')}</button></div></form>
${now?.state === 'on' ? html`<form method="post" action="/shop/account/top-up/end"><button class="quiet danger" style="margin-top:.75rem">${say(texts, 'top_up.turn_off')}</button></form>` : ''}</section>`;
}

function topUpState(texts: Texts, now: TopUp | null): string {
  if (now === null || now.state === 'off') return texts.text('top_up.off');
  if (now.state === 'stopped') return texts.text('top_up.stopped', { reason: String(now.reason) });
  const { brand, last4 } = now.card;
  const charged = texts.usd(Money.format(now.chargedThisMonth));
  return texts.text('top_up.on', { card: `${brand} ${last4}`, charged });
}

/** The form that saves the account with an email address, or takes the code sent to it. */
function claimOf(texts: Texts, { canClaim, claimed, codeSentTo, result }: AccountFacts): Html | string {
  return canClaim && !claimed ? claim(texts, codeSentTo, result) : '';
}

function claim(texts: Texts, codeSentTo: string | null, result: FormResult | null): Html {
  if (codeSentTo !== null)
    return html`<section id="claim"><h2>${say(texts, 'claim.title')}</h2><p class="soft">${say(texts, 'claim.sent', { email: codeSentTo })}</p>
<form method="post" action="/shop/account/claim/complete">${field(texts, result, 'claim/complete', { name: 'otp', label: texts.text('claim.code'), attributes: html`inputmode="numeric" autocomplete="one-time-code"`, isRequired: true })}<button>${say(texts, 'claim.confirm')}</button></form>
<form method="post" action="/shop/account/claim" style="margin-top:1rem"><input type="hidden" name="email" value="${codeSentTo}"><button class="quiet">${say(texts, 'claim.again')}</button></form>
<p><a href="/shop/account?claim=new#claim">${say(texts, 'claim.other')}</a></p></section>`;
  return html`<section id="claim"><h2>${say(texts, 'claim.title')}</h2><p class="soft">${say(texts, 'claim.intro')}</p>
<form method="post" action="/shop/account/claim">${field(texts, result, 'claim', { name: 'email', label: texts.text('claim.email'), attributes: html`type="email" autocomplete="email"`, isRequired: true })}<button>${say(texts, 'claim.send')}</button></form></section>`;
}
