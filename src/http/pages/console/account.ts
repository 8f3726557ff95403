import { html } from 'hono/html';
import type { Plan } from '../../../catalog/plan.ts';
import type { Found } from '../../../identity/account-search.ts';
import type { AuditEntry } from '../../../identity/audit.ts';
import type { Shown as Key } from '../../../journeys/account-keys.ts';
import * as Money from '../../../kernel/money.ts';
import * as Statement from '../../../ledger/statement.ts';
import type { Call } from '../../../ledger/usage.ts';
import type { Subscription } from '../../../payment/subscription.ts';
import type { Html } from '../frame.ts';
import { log } from './audit.ts';
import { amount, count, day, fact, moment, sign, table, usd } from './figures.ts';
import { orders, type Shown } from './orders.ts';

export type Notice = { text: string; isBad: boolean } | null;
export type Facts = {
  account: Found;
  lots: readonly Statement.StatementLot[];
  subscriptions: readonly Subscription[];
  orders: readonly Shown[];
  keys: readonly Key[];
  calls: readonly Call[];
  acts: readonly AuditEntry[];
  nowMs: number;
  /** Names the next gift: a form that is sent twice gives once. */
  formKey: string;
  notice: Notice;
};

/** One account: what it has and did, and what can be done for it. */
export function account(facts: Facts, plans: readonly Plan[]): Html {
  const { account: it, lots, nowMs, notice } = facts;
  const left = (asset: 'usd' | 'unit') => Statement.remaining(lots, asset, nowMs);
  return html`<h1>${it.email ?? 'An account'}</h1>
${told(notice)}
<section aria-labelledby="standing"><h2 id="standing">Standing ${it.frozenMs === null ? '' : sign(`frozen since ${day(it.frozenMs)}`, true)}</h2>
<dl class="facts">${[
    fact('Balance, USD', html`<span id="balance">${usd(Money.ofMicro(left('usd')))}</span>`),
    fact('Included units', count(left('unit'))),
    fact('Paid, USD', usd(it.paid)),
    fact('Made', day(it.createdMs)),
    html`<div><dt>Account</dt><dd class="id">${it.id}</dd></div>`,
  ]}</dl></section>
${buckets(lots, nowMs)}
${subscriptions(facts.subscriptions)}
<section aria-labelledby="orders"><h2 id="orders">Purchases</h2>${facts.orders.length === 0 ? html`<p class="soft">None.</p>` : html`${orders('Purchases', facts.orders, ({ failure }) => failure ?? '')}<p class="soft">A refund is made on the page of its purchase.</p>`}</section>
<div class="columns">${give(it.id, plans, facts.formKey)}${freeze(it)}</div>
${keys(facts.keys)}
${calls(facts.calls)}
<section aria-labelledby="acts"><h2 id="acts">What you did here</h2>${facts.acts.length === 0 ? html`<p class="soft">Nothing.</p>` : log(facts.acts)}
<p><a href="/admin/console/audit?account=${it.id}">All of it in the audit log</a></p></section>`;
}

/** What has just come of a form. */
export function told(notice: Notice): Html {
  if (notice === null) return html``;
  return html`<p class="${notice.isBad ? 'note' : 'ok'}" role="${notice.isBad ? 'alert' : 'status'}">${notice.text}</p>`;
}

function buckets(lots: Facts['lots'], nowMs: number): Html {
  const end = (ms: number | null) =>
    ms === null ? 'no end' : `${ms <= nowMs ? 'ended' : 'until'} ${day(ms)}`;
  const row = (lot: Statement.StatementLot) =>
    html`<tr><th scope="row">${lot.kind}</th><td>${lot.source ?? lot.plan}</td><td class="number">${amount(lot.asset, lot.given)}</td><td class="number">${amount(lot.asset, lot.remaining)}</td><td>${day(lot.createdMs)}</td><td>${end(lot.expiresMs)}</td></tr>`;
  return html`<section aria-labelledby="lots"><h2 id="lots">Balance by lot</h2>${lots.length === 0 ? html`<p class="soft">None.</p>` : table('Lots in the order in which they are used', ['Lot', 'From', { number: 'Given' }, { number: 'Left' }, 'Since', 'End'], lots.map(row))}</section>`;
}

function subscriptions(all: readonly Subscription[]): Html {
  if (all.length === 0) return html``;
  const row = (one: Subscription) =>
    html`<tr><th scope="row">${one.plan}</th><td>${sign(one.status.replace('_', ' '), one.status === 'past_due')}</td><td>${day(one.startMs)} to ${day(one.endMs)}</td><td>${one.renews && !one.cancelAtPeriodEnd ? 'renews' : 'ends'}</td><td class="id">${one.id}</td></tr>`;
  return html`<section aria-labelledby="plans"><h2 id="plans">Plans</h2>${table('Plans', ['Plan', 'Standing', 'Period', 'Then', 'Subscription'], all.map(row))}</section>`;
}

function give(id: string, plans: readonly Plan[], formKey: string): Html {
  return html`<section aria-labelledby="give"><h2 id="give">Give credit</h2>
<p class="soft">Dollars or units, not both. It is there at once, and seen by its owner as a gift of yours.</p>
<form method="post" action="/admin/console/accounts/${id}"><input type="hidden" name="act" value="grant"><input type="hidden" name="key" value="${formKey}">
<label for="usd">US dollars, such as 5.00</label><input id="usd" name="usd" inputmode="decimal" autocomplete="off">
<label for="units">Units</label><input id="units" name="units" inputmode="numeric" autocomplete="off">
<label for="plan">To be used under</label><select id="plan" name="plan">${plans.map(
    (plan) =>
      html`<option value="${plan.id}" ${plan.kind === 'credit' ? 'selected' : ''}>${plan.name}</option>`,
  )}</select>
<label for="expires">Until and with this day, if it ends</label><input id="expires" name="expires" type="date">
<label for="grant-reason">Why, for the audit log</label><input id="grant-reason" name="reason" maxlength="500" autocomplete="off">
<button>Give</button></form></section>`;
}

function freeze({ id, frozenMs }: Found): Html {
  const [act, name, what] =
    frozenMs === null
      ? [
          'freeze',
          'Freeze',
          'It may then look and do nothing else, in every process at once. Its money stays.',
        ]
      : ['thaw', 'Let it go on', 'It may call and buy again, with the money that it had.'];
  return html`<section aria-labelledby="freeze"><h2 id="freeze">${name}</h2><p class="soft">${what}</p>
<form method="post" action="/admin/console/accounts/${id}"><input type="hidden" name="act" value="${act}">
<label for="reason">Why, for the audit log</label><input id="reason" name="reason" maxlength="500" autocomplete="off" required>
<button>${name}</button></form></section>`;
}

function keys(all: readonly Key[]): Html {
  if (all.length === 0) return html``;
  const row = (key: Key) =>
    html`<tr><th scope="row">${key.name}</th><td><code>${key.hint}</code></td><td>${key.budget_usd === null ? 'no budget' : `${key.spent_usd} of ${key.budget_usd} USD`}</td><td>${key.services?.join(', ') ?? 'all services'}</td><td>${key.expires_at === null ? 'no end' : `until ${key.expires_at.slice(0, 10)}`}</td></tr>`;
  return html`<section aria-labelledby="keys"><h2 id="keys">Keys</h2>${table('Keys', ['Name', 'Key', 'Budget', 'Services', 'End'], all.map(row))}</section>`;
}

function calls(all: readonly Call[]): Html {
  const row = (call: Call) =>
    html`<tr><td>${moment(call.atMs)}</td><td><code>${call.operation}</code></td><td class="number">${call.status}</td><td class="number">${count(call.units)}</td><td class="number">${call.isReturned ? 'given back' : usd(call.cost)}</td><td>${call.plans.filter((plan) => plan !== '#budget').join(', ')}</td></tr>`;
  return html`<section aria-labelledby="calls"><h2 id="calls">Calls of late</h2>${all.length === 0 ? html`<p class="soft">None in 30 days.</p>` : table('Calls', ['When', 'Operation', { number: 'Status' }, { number: 'Units' }, { number: 'USD' }, 'Plan'], all.map(row))}</section>`;
}
