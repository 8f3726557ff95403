import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Plan } from '../../../catalog/plan.ts';
import type { AccountActivity, FoundAccount } from '../../../identity/account-search.ts';
import type { AuditEntry } from '../../../identity/audit.ts';
import type { ShownKey as Key } from '../../../journeys/account-keys.ts';
import * as Statement from '../../../ledger/statement.ts';
import type { RecordedCall } from '../../../ledger/usage.ts';
import type { RefundRequest } from '../../../payment/refund-request.ts';
import { type Subscription, willRenew } from '../../../payment/subscription.ts';
import type { Html } from '../../pages/frame.ts';
import { log } from './audit.ts';
import { amount, count, day, fact, measured, moment, sign, table, usd } from './figures.ts';
import { type ListedOrder, orders, pageOf } from './orders.ts';

/** The outcome of the form that was just sent. */
export type FormResult = { text: string; isBad: boolean } | null;
export type ConsoleAccountFacts = {
  account: FoundAccount;
  lots: readonly Statement.StatementLot[];
  subscriptions: readonly Subscription[];
  orders: readonly ListedOrder[];
  keys: readonly Key[];
  calls: readonly RecordedCall[];
  acts: readonly AuditEntry[];
  /** The last call and the spending of 30 days; null when the query took too long. */
  activity: AccountActivity | null;
  /** Refund requests without an answer. */
  requests: readonly RefundRequest[];
  /** True for persons who may grant credit and freeze. */
  canSupport: boolean;
  nowMs: number;
  /** The idempotency key of the next credit grant: a form that is sent twice grants once. */
  formKey: string;
  result: FormResult;
};

/** One account: its balance, purchases, keys and calls, and the forms that grant credit and freeze it. */
export function account(facts: ConsoleAccountFacts, plans: readonly Plan[]): Html {
  const { account: it, lots, nowMs, result } = facts;
  const left = (asset: 'usd' | 'unit') => Statement.remaining(lots, asset, nowMs);
  const dollars = Statement.includedUsd(lots, nowMs);
  return html`<h1>${it.email ?? 'An account'}</h1>
${resultLine(result)}${facts.requests.map(requestLine)}
<section aria-labelledby="status"><h2 id="status">Status ${it.frozenMs === null ? '' : sign(`frozen since ${day(it.frozenMs)}`, true)}</h2>
<dl class="facts">${[
    fact('Balance, USD', html`<span id="balance">${usd(Money.ofMicro(left('usd')))}</span>`),
    fact('Included units', count(left('unit'))),
    ...(dollars === null ? [] : [fact('Included, USD', usd(Money.ofMicro(dollars)))]),
    fact('Paid, USD', usd(it.paid)),
    fact('Used in 30 days, USD', facts.activity === null ? 'unknown' : usd(facts.activity.spent)),
    fact('Last call', facts.activity?.lastMs == null ? 'none in 30 days' : moment(facts.activity.lastMs)),
    fact('Created', day(it.createdMs)),
    html`<div><dt>Account</dt><dd class="id">${it.id}</dd></div>`,
  ]}</dl></section>
${lotTable(lots, nowMs)}
${subscriptions(facts.subscriptions)}
<section aria-labelledby="orders"><h2 id="orders">Purchases</h2>${facts.orders.length === 0 ? html`<p class="soft">None.</p>` : html`${orders('Purchases', facts.orders, ({ failure }) => failure ?? '')}<p class="soft">To refund a purchase, open its page.</p>`}</section>
${facts.canSupport ? html`<div class="columns">${grantForm(it.id, plans, facts.formKey)}${freezeLink(it)}</div>` : ''}
${keys(facts.keys)}
${calls(facts.calls)}
<section aria-labelledby="acts"><h2 id="acts">Recent actions</h2>${facts.acts.length === 0 ? html`<p class="soft">None.</p>` : log(facts.acts)}
<p><a href="/admin/console/audit?account=${it.id}">All actions in the audit log</a></p></section>`;
}

/** The message about the form that was just sent. */
export function resultLine(result: FormResult): Html {
  if (result === null) return html``;
  return html`<p class="${result.isBad ? 'note' : 'ok'}" role="${result.isBad ? 'alert' : 'status'}">${result.text}</p>`;
}

function lotTable(lots: ConsoleAccountFacts['lots'], nowMs: number): Html {
  const end = (ms: number | null) => (ms === null ? 'never' : `${ms <= nowMs ? 'expired' : 'on'} ${day(ms)}`);
  const row = (lot: Statement.StatementLot) =>
    html`<tr><th scope="row">${lot.kind}</th><td>${(lot.source ?? lot.plan) === lot.kind ? '' : (lot.source ?? lot.plan)}</td><td class="number">${amount(lot.asset, lot.given)}</td><td class="number">${amount(lot.asset, lot.remaining)}</td><td>${day(lot.createdMs)}</td><td>${end(lot.expiresMs)}</td></tr>`;
  return html`<section aria-labelledby="lots"><h2 id="lots">Balance by lot</h2>${lots.length === 0 ? html`<p class="soft">None.</p>` : table('Lots in the order in which they are used', ['Lot', { bare: 'Source' }, { number: 'Granted' }, { number: 'Remaining', onPhone: 'lead' }, 'Since', 'Expires'], lots.map(row))}</section>`;
}

function subscriptions(all: readonly Subscription[]): Html {
  if (all.length === 0) return html``;
  const row = (one: Subscription) =>
    html`<tr><th scope="row">${one.plan}</th><td>${sign(one.status.replace('_', ' '), one.status === 'past_due')}</td><td>${day(one.startMs)} to ${day(one.endMs)}</td><td>${willRenew(one) ? 'renews' : 'ends'}</td><td><span class="id">${one.id}</span></td></tr>`;
  return html`<section aria-labelledby="plans"><h2 id="plans">Plans</h2>${table('Plans', ['Plan', 'Status', 'Period', 'Then', 'Subscription'], all.map(row))}</section>`;
}

function grantForm(id: string, plans: readonly Plan[], formKey: string): Html {
  return html`<section aria-labelledby="grant"><details><summary><h2 id="grant">Grant credit</h2></summary>
<p class="soft">Dollars or units, not both. The credit is available immediately, and its owner sees it as a grant from the seller.</p>
<form method="post" action="/admin/console/accounts/${id}"><input type="hidden" name="act" value="grant"><input type="hidden" name="key" value="${formKey}">
<label for="usd">US dollars, such as 5.00</label><input id="usd" name="usd" inputmode="decimal" autocomplete="off">
<label for="units">Units</label><input id="units" name="units" inputmode="numeric" autocomplete="off">
<label for="plan">Plan that the credit is used under</label><select id="plan" name="plan">${plans.map(
    (plan) =>
      html`<option value="${plan.id}" ${plan.kind === 'credit' ? 'selected' : ''}>${plan.name}</option>`,
  )}</select>
<label for="expires">Last day (leave empty for no expiry)</label><input id="expires" name="expires" type="date">
<label for="grant-reason">Reason, for the audit log</label><input id="grant-reason" name="reason" maxlength="500" autocomplete="off">
<button>Grant</button></form></details></section>`;
}

function requestLine({ purchase, amount: asked, reason }: RefundRequest): Html {
  return html`<p class="note">This buyer asks for a refund of ${usd(asked)} USD: “${reason}” <a href="${pageOf(purchase)}">Review the request</a></p>`;
}

function freezeLink({ id, frozenMs }: FoundAccount): Html {
  const [name, what] =
    frozenMs === null
      ? ['Freeze', 'Blocks calls and purchases immediately. The balance is kept.']
      : ['Unfreeze', 'Allows calls and purchases again, with the balance that was kept.'];
  return html`<section aria-labelledby="freeze"><h2 id="freeze">${name}</h2><p class="soft">${what} The next page shows the effects.</p>
<a class="button plain${frozenMs === null ? ' danger' : ''}" href="/admin/console/accounts/${id}/freeze">${name} …</a></section>`;
}

function keys(all: readonly Key[]): Html {
  if (all.length === 0) return html``;
  const row = (key: Key) =>
    html`<tr><th scope="row">${key.name}</th><td><code>${key.hint}</code></td><td>${key.budget_usd === null ? 'no limit' : `${key.spent_usd} of ${key.budget_usd} USD`}</td><td>${key.services?.join(', ') ?? 'all services'}</td><td>${key.expires_at === null ? 'never' : key.expires_at.slice(0, 10)}</td></tr>`;
  return html`<section aria-labelledby="keys"><h2 id="keys">Keys</h2>${table('Keys', ['Name', 'Key', 'Spent', 'Services', 'Expires'], all.map(row))}</section>`;
}

function calls(all: readonly RecordedCall[]): Html {
  const row = (call: RecordedCall) =>
    html`<tr><th scope="row">${moment(call.atMs)}</th><td><code>${call.operation}</code>${call.model ? ` ${call.model}` : ''}</td><td class="number">${call.status}</td><td class="number">${measured(call)}</td><td class="number">${call.isReturned ? 'refunded' : usd(call.cost)}</td><td>${call.plans.filter((plan) => plan !== '#budget').join(', ')}</td></tr>`;
  return html`<section aria-labelledby="calls"><h2 id="calls">Recent calls</h2>${all.length === 0 ? html`<p class="soft">None in the last 30 days.</p>` : table('Calls', ['When', { bare: 'Operation' }, { number: 'Status', onPhone: 'bare' }, { number: 'Quantity' }, { number: 'USD', onPhone: 'lead' }, { bare: 'Plan' }], all.map(row))}</section>`;
}
