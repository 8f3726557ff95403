import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Plan } from '../../../catalog/plan.ts';
import type { AccountActivity, FoundAccount } from '../../../identity/account-search.ts';
import type { AuditEntry } from '../../../identity/audit.ts';
import type { ShownKey as Key } from '../../../journeys/account-keys.ts';
import * as Statement from '../../../ledger/statement.ts';
import type { RecordedCall } from '../../../ledger/usage.ts';
import type { RefundRequest } from '../../../payment/refund-request.ts';
import { isInquiry } from '../../../payment/reversal.ts';
import { type Subscription, willRenew } from '../../../payment/subscription.ts';
import type { Html } from '../../pages/frame.ts';
import type { FormDraft } from '../grant-faults.ts';
import { calls } from './account-calls.ts';
import { frozenPlans, plans } from './account-plans.ts';
import { log } from './audit.ts';
import { field, select } from './fields.ts';
import {
  amount,
  copied,
  count,
  day,
  exact,
  fact,
  folded,
  moment,
  money,
  pairs,
  sign,
  table,
} from './figures.ts';
import { emailOf, headingOf, type ListedOrder, orders, type PlanName, pageOf } from './orders.ts';

/** The outcome of the form that was just sent. */
export type FormResult = {
  text: string;
  isBad: boolean;
  /** The field or form to correct: its id, and the text of the link to it. */
  fix?: { id: string; name: string };
} | null;

type UnconfirmedLine = { order: string; amount: Money.Money };
export type ConsoleAccountFacts = {
  planName: PlanName;
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
  /** Refunds whose outcome is not known. */
  unconfirmed: readonly UnconfirmedLine[];
  /** True for persons who may grant credit and freeze. */
  canSupport: boolean;
  nowMs: number;
  /** The idempotency key of the next credit grant: a form that is sent twice grants once. */
  formKey: string;
  result: FormResult;
  /** A refused form for a grant. */
  draft: FormDraft | null;
};

/** One account: its balance, purchases, keys and calls, and the forms that grant credit and freeze it. */
export function account(facts: ConsoleAccountFacts, sold: readonly Plan[]): Html {
  const { account: it, result, requests } = facts;
  const none = html`<p class="soft">None yet.</p>`;
  return html`<div class="top"><h1>${it.email === null ? 'Account without confirmed email' : headingOf(it.email)} ${it.frozenMs === null ? '' : sign(`frozen since ${day(it.frozenMs)}`, true)}</h1>${facts.canSupport ? freezeLink(it) : ''}</div>
${resultLine(result)}${frozenLine(facts)}${it.frozenMs === null ? '' : frozenPlans(it.id, facts, facts.canSupport)}${facts.orders.map(disputeLine)}${requests.map(requestLine)}${facts.unconfirmed.map(unconfirmedLine)}
${status(facts)}
${plans(it.id, facts, facts.canSupport)}
<section aria-labelledby="orders"><h2 id="orders">Purchases</h2>${facts.orders.length === 0 ? none : orders('Purchases', facts.orders, facts.planName)}</section>
${lotTable(facts)}
${facts.canSupport ? folded('grant', 'Grant credit', 'a gift to this buyer', grantForm(it.id, sold, facts.draft?.values.key ?? facts.formKey, facts.draft), facts.draft !== null) : ''}
${keys(facts.keys)}
${calls(facts.calls, facts.planName)}
${folded('acts', 'Team activity', some(facts.acts.length, 'recent action'), html`${facts.acts.length === 0 ? '' : log(facts.acts, facts.planName)}<p><a href="/admin/console/audit?account=${it.id}">All actions in the audit log</a></p>`)}`;
}

function status({ account: it, lots, nowMs, activity }: ConsoleAccountFacts): Html {
  const left = (asset: 'usd' | 'unit') => Statement.remaining(lots, asset, nowMs);
  const dollars = Statement.includedUsd(lots, nowMs);
  return html`<section aria-labelledby="status"><h2 id="status" class="hidden">Status</h2>
<dl class="facts">${[
    fact('Balance', html`<span id="balance">${exact(left('usd'))}</span>`, html`paid and granted credit`),
    fact('Results left', count(left('unit')), html`from plans and the trial`),
    ...(dollars === null ? [] : [fact('Included usage', exact(dollars), html`from plans and the trial`)]),
    fact(
      'Paid',
      exact(it.paid - it.returned),
      it.returned === 0 ? html`in all purchases` : html`after ${money(it.returned)} of refunds and disputes`,
    ),
    fact('Used', activity === null ? 'unknown' : exact(activity.spent), html`in the last 30 days`),
  ]}</dl>
${pairs([
  ...(it.email === null ? [['Email', emailOf(it)] as const] : []),
  ['Created', day(it.createdMs)],
  ['Last call', activity?.lastMs == null ? 'none in the last 30 days' : moment(activity.lastMs)],
  ['Id', copied(it.id)],
])}</section>`;
}

/** The spending of a key: `0.05 USD of 2.00 USD`. */
function spentOf({ spent_usd, budget_usd }: Key): string {
  const spent = exact(Money.parse(spent_usd ?? '0') ?? 0);
  const limit = budget_usd === null ? null : Money.parse(budget_usd);
  return limit === null ? spent : `${spent} of ${money(limit)}`;
}

/** A number of things: `2 purchases`. */
function some(number: number, of: string): string {
  return number === 0 ? 'none' : `${count(number)} ${of}${number === 1 ? '' : 's'}`;
}

/** The link to the page that freezes. */
function freezeLink({ id, frozenMs }: FoundAccount): Html {
  const [name, kind] = frozenMs === null ? ['Freeze account', ' danger'] : ['Unfreeze account', ''];
  return html`<a class="button plain small${kind}" href="/admin/console/accounts/${id}/freeze">${name}</a>`;
}

/** The reason of a frozen account, as the team wrote it. */
function frozenLine({ account: { frozenMs }, acts }: ConsoleAccountFacts): Html {
  const latest = frozenMs === null ? undefined : acts.find(({ act }) => act === 'frozen');
  const reason = (latest?.after as { reason?: unknown } | null | undefined)?.reason;
  return typeof reason === 'string' && reason !== ''
    ? html`<p class="note">Frozen because: “${reason}”. Its calls and purchases are refused.</p>`
    : html``;
}

/** The message about the form that was just sent. */
export function resultLine(result: FormResult): Html {
  if (result === null) return html``;
  return html`<p class="${result.isBad ? 'note' : 'ok'}" role="${result.isBad ? 'alert' : 'status'}">${result.text}${result.fix === undefined ? '' : html` <a href="#${result.fix.id}">${result.fix.name}</a>`}</p>`;
}

const lotNames: Readonly<Record<Statement.StatementLot['kind'], string>> = {
  trial: 'Free trial',
  allowance: 'Included in a plan',
  credit: 'Purchase',
  grant: 'Grant',
  budget: 'Limit of a key',
};

function lotTable(facts: ConsoleAccountFacts): Html {
  const {
    lots,
    account: { returned },
    planName,
  } = facts;
  const row = (lot: Statement.StatementLot) =>
    html`<tr><th scope="row">${lotNames[lot.kind]}${lot.source === null ? '' : ` (${lot.source})`}</th><td class="number">${amount(lot.asset, lot.remaining)}</td><td class="number">${amount(lot.asset, lot.given)}</td><td>${planName(lot.plan)}</td><td>${day(lot.createdMs)}</td><td>${expiryOf(lot, facts)}</td></tr>`;
  const columns = [
    'Source',
    { number: 'Left', onPhone: 'lead' as const },
    { number: 'Of' },
    { wide: 'Plan' },
    { bare: 'Since' },
    'Expires',
  ];
  const listed = html`<p class="soft">Calls use these from the first to the last.${returned > 0 ? ` Refunds and disputes returned ${money(returned)}, and the credit was removed.` : ''}</p>${table('Balance by source, in the order of use', columns, lots.map(row))}`;
  return html`<section aria-labelledby="lots"><h2 id="lots">Balance by source</h2>${lots.length === 0 ? html`<p class="soft">No balance.</p>` : listed}</section>`;
}

/** Returns when a part of the balance expires: what a plan includes stays for the grace period only while the renewal is unpaid. */
function expiryOf(lot: Statement.StatementLot, facts: ConsoleAccountFacts): string {
  const { subscriptions: plans, orders: bought, nowMs } = facts;
  const { kind, plan, expiresMs } = lot;
  if (expiresMs === null) return 'never';
  const renewing = plans.find(
    (one) =>
      kind === 'allowance' &&
      one.plan === plan &&
      one.status === 'active' &&
      willRenew(one) &&
      one.endMs < expiresMs,
  );
  const period = bought.find(({ order }) => order.plan === plan && order.periodEndMs === renewing?.endMs);
  const hasGrace =
    renewing !== undefined && period?.order.period?.terms.rollover === false && expiresMs > nowMs;
  if (hasGrace) return `on ${day(renewing.endMs)} (${day(expiresMs)} if the renewal is unpaid)`;
  return `${expiresMs <= nowMs ? 'expired' : 'on'} ${day(expiresMs)}`;
}

/** Explains the choice of a plan for granted credit. */
export const planHint = 'The buyer may call what this plan allows, at its prices';

function grantForm(id: string, sold: readonly Plan[], formKey: string, draft: FormDraft | null): Html {
  const of = (name: string) => ({ name, value: draft?.values[name] ?? '', fault: draft?.faults[name] });
  const usual = sold.find(({ kind }) => kind === 'credit')?.id ?? sold[0]?.id ?? '';
  const planNames = sold.map((plan) => [plan.id, plan.name] as const);
  return html`<p class="soft">Enter either dollars or results. The next page shows the effects. Nothing is granted before you confirm there.</p>
<form method="get" action="/admin/console/accounts/${id}/grant"><input type="hidden" name="key" value="${formKey}">
<div class="grid-fields"><div>${field({ ...of('usd'), label: 'Credit (USD)', inputMode: 'decimal', placeholder: '5.00' })}</div>
<div>${field({ ...of('units'), label: 'Or results', inputMode: 'numeric' })}</div>
${sold.length < 2 ? html`<input type="hidden" name="plan" value="${usual}">` : html`<div>${select('plan', 'Plan', planNames, draft?.values.plan ?? usual, planHint)}</div>`}
<div>${field({ ...of('expires'), label: 'Last day (empty: no expiry)', type: 'date' })}</div>
<div>${field({ ...of('reason'), id: 'grant-reason', label: 'Reason, for the audit log', isRequired: true, charsMax: 500 })}</div></div>
<button>Review grant</button></form>`;
}

function requestLine({ purchase, amount: asked, reason }: RefundRequest): Html {
  return html`<p class="note">This buyer asked for a refund of ${money(asked)}: “${reason}” <a href="${pageOf(purchase)}">Review the request</a></p>`;
}

/** A refund that the processor has not confirmed. */
function unconfirmedLine({ order, amount: asked }: UnconfirmedLine): Html {
  return html`<p class="note bad">A refund of ${money(asked)} is not confirmed: it may have been made. <a href="${pageOf(order)}">Check it with the processor</a></p>`;
}

/** A dispute of one of the purchases that waits for a response. */
function disputeLine({ order, dispute = null }: ListedOrder): Html {
  if (dispute === null) return html``;
  const due = dispute.dueMs == null ? '' : ` by ${day(dispute.dueMs)}`;
  const review = (what: string) => html`<a href="${pageOf(order.id)}">Review the ${what}</a>`;
  return isInquiry(dispute)
    ? html`<p class="note bad">The buyer’s bank asks about ${money(dispute.amount)}, and has taken no money. Respond${due}, or refund it in full. ${review('inquiry')}</p>`
    : html`<p class="note bad">The buyer’s bank disputes ${money(dispute.amount)}. Respond${due}. ${review('dispute')}</p>`;
}

function keys(all: readonly Key[]): Html {
  if (all.length === 0) return html``;
  const row = (key: Key) =>
    html`<tr><th scope="row">${key.name}</th><td>${spentOf(key)}</td><td><code>${key.hint}</code></td><td>${key.services?.join(', ') ?? 'all services'}</td><td>${key.expires_at === null ? 'never' : day(Date.parse(key.expires_at))}</td></tr>`;
  const columns = ['Name', { lead: 'Spent' }, { bare: 'Key' }, { bare: 'Services' }, 'Expires'];
  return html`<section aria-labelledby="keys"><h2 id="keys">Keys</h2>${table('Keys', columns, all.map(row), 'stack')}</section>`;
}
