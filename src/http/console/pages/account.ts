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
import { amount, count, day, fact, folded, measured, moment, money, sign, table, words } from './figures.ts';
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
  const { account: it, lots, nowMs, result, requests } = facts;
  const listed = html`${orders('Purchases', facts.orders)}<p class="soft">To refund a purchase, open its page.</p>`;
  return html`<h1>${it.email ?? 'Account without email'} ${it.frozenMs === null ? '' : sign(`frozen since ${day(it.frozenMs)}`, true)}</h1>
${resultLine(result)}${requests.map(requestLine)}
${status(facts)}
${facts.canSupport ? actions(it, plans, facts.formKey) : ''}
${subscriptions(facts.subscriptions)}
${facts.orders.length === 0 ? folded('orders', 'Purchases', 'none', html`<p>None.</p>`) : folded('orders', 'Purchases', some(facts.orders.length, 'purchase'), listed, true)}
${lotTable(lots, nowMs)}
${keys(facts.keys)}
${calls(facts.calls)}
${folded('acts', 'What the team did', some(facts.acts.length, 'recent action'), html`${facts.acts.length === 0 ? '' : log(facts.acts)}<p><a href="/admin/console/audit?account=${it.id}">All actions in the audit log</a></p>`)}`;
}

function status({ account: it, lots, nowMs, activity }: ConsoleAccountFacts): Html {
  const left = (asset: 'usd' | 'unit') => Statement.remaining(lots, asset, nowMs);
  const dollars = Statement.includedUsd(lots, nowMs);
  return html`<section aria-labelledby="status"><h2 id="status" class="hidden">Status</h2>
<dl class="facts">${[
    fact('Balance', html`<span id="balance">${money(Money.ofMicro(left('usd')))}</span>`),
    fact('Included units', count(left('unit'))),
    ...(dollars === null ? [] : [fact('Included usage', money(Money.ofMicro(dollars)))]),
    fact('Paid', money(it.paid)),
    fact('Used in 30 days', activity === null ? 'unknown' : money(activity.spent)),
  ]}</dl>
<p class="soft">Created ${day(it.createdMs)} · last call ${activity?.lastMs == null ? 'not in the last 30 days' : moment(activity.lastMs)} · <span class="id">${it.id}</span></p></section>`;
}

/** A number of things: `2 purchases`. */
function some(number: number, of: string): string {
  return number === 0 ? 'none' : `${count(number)} ${of}${number === 1 ? '' : 's'}`;
}

/** The forms of the seller: a credit grant, folded, and the page that freezes. */
function actions(it: FoundAccount, plans: readonly Plan[], formKey: string): Html {
  const name = it.frozenMs === null ? 'Freeze' : 'Unfreeze';
  return html`<div class="actions act"><details><summary class="button plain">Grant credit</summary>${grantForm(it.id, plans, formKey)}</details><a class="button plain${it.frozenMs === null ? ' danger' : ''}" href="/admin/console/accounts/${it.id}/freeze">${name} …</a></div>`;
}

/** The message about the form that was just sent. */
export function resultLine(result: FormResult): Html {
  if (result === null) return html``;
  return html`<p class="${result.isBad ? 'note' : 'ok'}" role="${result.isBad ? 'alert' : 'status'}">${result.text}</p>`;
}

const lotNames: Readonly<Record<Statement.StatementLot['kind'], string>> = {
  trial: 'Free trial',
  allowance: 'Included in a plan',
  credit: 'Purchase',
  grant: 'Grant',
  budget: 'Limit of a key',
};

function lotTable(lots: ConsoleAccountFacts['lots'], nowMs: number): Html {
  const end = (ms: number | null) => (ms === null ? 'never' : `${ms <= nowMs ? 'expired' : 'on'} ${day(ms)}`);
  const row = (lot: Statement.StatementLot) =>
    html`<tr><th scope="row">${lotNames[lot.kind]}${lot.source === null ? '' : ` (${lot.source})`}</th><td class="number">${amount(lot.asset, lot.remaining)}</td><td class="number">${amount(lot.asset, lot.given)}</td><td>${lot.plan}</td><td>${day(lot.createdMs)}</td><td>${end(lot.expiresMs)}</td></tr>`;
  const columns = [
    'Source',
    { number: 'Left', onPhone: 'lead' as const },
    { number: 'Of' },
    { wide: 'Plan' },
    { bare: 'Since' },
    'Expires',
  ];
  const listed = html`<p class="soft">Calls use these from the first to the last.</p>${table('Balance by source, in the order of use', columns, lots.map(row))}`;
  return folded(
    'lots',
    'Balance by source',
    some(lots.length, 'source'),
    lots.length === 0 ? html`<p>None.</p>` : listed,
  );
}

function subscriptions(all: readonly Subscription[]): Html {
  if (all.length === 0) return html``;
  const row = (one: Subscription) =>
    html`<tr><th scope="row">${one.plan}</th><td>${sign(words(one.status), one.status === 'past_due')}</td><td>${day(one.startMs)} to ${day(one.endMs)}</td><td>${willRenew(one) ? 'then renews' : 'then ends'}</td><td><span class="id">${one.id}</span></td></tr>`;
  return html`<section aria-labelledby="plans"><h2 id="plans">Plans</h2>${table('Plans', ['Plan', { lead: 'Status' }, { bare: 'Period' }, { bare: 'Then' }, { wide: 'Subscription' }], all.map(row), 'stack')}</section>`;
}

function grantForm(id: string, plans: readonly Plan[], formKey: string): Html {
  return html`<section><p class="soft">Dollars or units, not both. The credit is available immediately, and its owner sees it as a grant from the seller.</p>
<form method="post" action="/admin/console/accounts/${id}"><input type="hidden" name="act" value="grant"><input type="hidden" name="key" value="${formKey}">
<div class="grid-fields"><div><label for="usd">Credit (USD)</label><input id="usd" name="usd" inputmode="decimal" autocomplete="off" placeholder="5.00"></div>
<div><label for="units">or units</label><input id="units" name="units" inputmode="numeric" autocomplete="off"></div>
<div><label for="plan">Used under the plan</label><select id="plan" name="plan">${plans.map(
    (plan) =>
      html`<option value="${plan.id}" ${plan.kind === 'credit' ? 'selected' : ''}>${plan.name}</option>`,
  )}</select></div>
<div><label for="expires">Last day (empty: no expiry)</label><input id="expires" name="expires" type="date"></div>
<div><label for="grant-reason">Reason, for the audit log</label><input id="grant-reason" name="reason" maxlength="500" autocomplete="off"></div></div>
<button>Grant</button></form></section>`;
}

function requestLine({ purchase, amount: asked, reason }: RefundRequest): Html {
  return html`<p class="note">This buyer asks for a refund of ${money(asked)}: “${reason}” <a href="${pageOf(purchase)}">Review the request</a></p>`;
}

function keys(all: readonly Key[]): Html {
  if (all.length === 0) return html``;
  const row = (key: Key) =>
    html`<tr><th scope="row">${key.name}</th><td>${key.budget_usd === null ? `${key.spent_usd} USD spent` : `${key.spent_usd} of ${key.budget_usd} USD spent`}</td><td><code>${key.hint}</code></td><td>${key.services?.join(', ') ?? 'all services'}</td><td>${key.expires_at === null ? 'never' : day(Date.parse(key.expires_at))}</td></tr>`;
  return folded(
    'keys',
    'Keys',
    some(all.length, 'key'),
    table(
      'Keys',
      ['Name', { bare: 'Spent' }, { bare: 'Key' }, { bare: 'Services' }, 'Expires'],
      all.map(row),
      'stack',
    ),
  );
}

function calls(all: readonly RecordedCall[]): Html {
  const row = (call: RecordedCall) =>
    html`<tr><th scope="row"><code>${call.operation}</code>${call.model ? ` ${call.model}` : ''}</th><td>${moment(call.atMs)}</td><td class="number">${call.status}</td><td class="number">${measured(call)}</td><td class="number">${call.isReturned ? 'refunded' : money(call.cost)}</td><td>${call.plans.filter((plan) => plan !== '#budget').join(', ')}</td></tr>`;
  const listed = table(
    'Calls',
    [
      'Operation',
      { bare: 'When' },
      { number: 'Status', onPhone: 'bare' },
      { number: 'Results', onPhone: 'bare' },
      { number: 'Cost', onPhone: 'lead' },
      { bare: 'Plan' },
    ],
    all.map(row),
    'stack',
  );
  return folded(
    'calls',
    'Recent calls',
    some(all.length, 'call'),
    all.length === 0 ? html`<p>None in the last 30 days.</p>` : listed,
  );
}
