import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Shown as Key } from '../../journeys/account-keys.ts';
import type * as PlanChange from '../../journeys/plan-change.ts';
import type { PurchaseEntry } from '../../journeys/receipts.ts';
import type * as RefundRequests from '../../journeys/refund-requests.ts';
import * as Money from '../../kernel/money.ts';
import type { Call } from '../../ledger/usage.ts';
import type { TopUp } from '../../payment/top-up.ts';
import type { Html } from './frame.ts';
import { purchases } from './purchases.ts';
import { type Used, usage } from './usage.ts';

export type Facts = {
  account: string;
  claimed: boolean;
  balance: string;
  held: string;
  included: number;
  /** Where its person reads his mail. */
  email: string | null;
  plans: readonly { id: string; name: string; balance_usd?: string; included_remaining?: number }[];
  grants: readonly {
    source: string | null;
    remaining_usd?: string;
    remaining_units?: number;
    expires_at: string | null;
  }[];
  subscriptions: readonly ReturnType<typeof PlanChange.shown>[];
  topUp: TopUp | null;
  used: Used;
  calls: readonly Call[];
  keys: readonly Key[];
  receipts: readonly PurchaseEntry[];
  refundRequests: readonly ReturnType<typeof RefundRequests.shown>[];
  /** Whether a person can take the account over by email here. */
  canClaim: boolean;
  /** What has just happened. */
  notice: { text: string; secret: string | null; isBad: boolean } | null;
  /** Whether a code for the claim is on its way. */
  awaitsCode: boolean;
};

/** An account as its owner sees it: what it has, what it used, and what can be decided. */
export function account(facts: Facts, catalog: Catalog): Html {
  const { notice } = facts;
  const leave = facts.claimed ? 'Sign out' : 'Leave';
  return html`<h1>Your account</h1>
${notice === null ? '' : html`<p class="${notice.isBad ? 'note' : 'ok'}" role="${notice.isBad ? 'alert' : 'status'}">${notice.text}</p>${notice.secret === null ? '' : html`<pre class="secret" tabindex="0" aria-label="Key">${notice.secret}</pre>`}`}
<section aria-labelledby="standing"><h2 id="standing">What it has</h2>
<dl class="facts">
<div><dt>Balance</dt><dd id="balance">${facts.balance} USD</dd></div>
${facts.held === '0.00' ? '' : html`<div><dt>Held by calls under way</dt><dd>${facts.held} USD</dd></div>`}
<div><dt>Included units left</dt><dd id="included">${facts.included}</dd></div>
${facts.email === null ? '' : html`<div><dt>Person</dt><dd class="id">${facts.email}</dd></div>`}
<div><dt>Account</dt><dd class="id">${facts.account}</dd></div>
</dl>
<p><a class="button" href="/#plans">Buy more</a></p></section>
${plans(facts)}
${usage(facts.used, catalog)}
${calls(facts.calls)}
${keys(facts.keys)}
${topUp(facts.topUp)}
${purchases(facts.receipts, facts.refundRequests)}
${facts.canClaim && !facts.claimed ? claim(facts.awaitsCode) : ''}
<section aria-labelledby="leave"><h2 id="leave">${leave}</h2><p class="soft">${facts.claimed ? 'Your browser forgets this account; keys of yours go on. A link by mail lets you in again.' : 'Your browser forgets this account, and nobody can bring it back: take it over by email first, or make a key.'}</p>
<form method="post" action="/shop/leave"><button>${leave}</button></form></section>`;
}

/** What it may call on, what is left of it, and when that begins anew or ends. */
function plans({ plans, grants, subscriptions }: Facts): Html {
  if (plans.length + grants.length === 0) return html``;
  const row = (name: string, left: string, standing: string, until: string, act: Html | string = '') =>
    html`<tr><th scope="row">${name}</th><td class="number">${left}</td><td>${standing}</td><td>${until}</td><td class="number">${act}</td></tr>`;
  const periods = (id: string) => subscriptions.filter((one) => one.plan === id);
  const ofPlan = ({ id, name, balance_usd, included_remaining }: Facts['plans'][number]) => {
    const left = balance_usd === undefined ? `${included_remaining} units` : `${balance_usd} USD`;
    const [first, ...later] = periods(id);
    if (first === undefined) return [row(name, left, '', 'no end')];
    return [
      row(name, left, first.status, until(first), decision(first)),
      ...later.map((one) => row(name, '', one.status, until(one), decision(one))),
    ];
  };
  const ofGrant = ({ source, remaining_usd, remaining_units, expires_at }: Facts['grants'][number]) =>
    row(
      `Given (${source ?? 'seller'})`,
      remaining_usd === undefined ? `${remaining_units} units` : `${remaining_usd} USD`,
      '',
      expires_at === null ? '' : `ends ${day(expires_at)}`,
    );
  return html`<section aria-labelledby="plans"><h2 id="plans">Plans</h2><table class="stack">
<thead><tr><th scope="col">Plan</th><th scope="col" class="number">Left</th><th scope="col">Standing</th><th scope="col">Begins anew, or ends</th><td></td></tr></thead>
<tbody>${plans.flatMap(ofPlan)}${grants.map(ofGrant)}</tbody></table></section>`;
}

type Period = Facts['subscriptions'][number];

function until({ renews, status, period_end, next_plan }: Period): string {
  const next = next_plan === null ? '' : `, then ${next_plan}`;
  return `${renews ? 'begins anew' : status === 'expired' ? 'ended' : 'ends'} ${day(period_end)}${next}`;
}

function decision({ renews, cancel_at_period_end, plan }: Period): Html | string {
  if (renews) return decide('cancel', plan, 'Cancel');
  return cancel_at_period_end ? decide('resume', plan, 'Go on after all') : '';
}

function decide(deed: string, plan: string, name: string): Html {
  return html`<form method="post" action="/shop/account/${deed}"><input type="hidden" name="plan" value="${plan}"><button class="quiet">${name}</button></form>`;
}

function calls(all: readonly Call[]): Html {
  if (all.length === 0) return html``;
  const row = (
    call: Call,
  ) => html`<tr><td>${moment(call.atMs)}</td><td><code>${call.operation}</code></td><td class="number">${call.status}</td>
<td class="number">${call.units}</td><td class="number">${call.isReturned ? 'given back' : `${Money.formatExact(call.cost)} USD`}</td></tr>`;
  return html`<section aria-labelledby="calls"><h2 id="calls">Calls</h2><div class="wide" tabindex="0"><table>
<thead><tr><th scope="col">When (UTC)</th><th scope="col">Operation</th><th scope="col" class="number">Status</th><th scope="col" class="number">Units</th><th scope="col" class="number">Cost</th></tr></thead>
<tbody>${all.map(row)}</tbody></table></div><p><a href="/shop/account/calls.csv">All of 30 days as CSV</a></p></section>`;
}

function keys(all: readonly Key[]): Html {
  const row = (key: Key) => html`<tr><th scope="row">${key.name}</th><td><code>${key.hint}</code></td>
<td>${key.budget_usd === null ? 'no budget' : `${key.spent_usd} of ${key.budget_usd} USD`}</td><td>${key.expires_at === null ? 'no end' : `until ${day(key.expires_at)}`}</td>
<td class="number"><form method="post" action="/shop/account/keys/end"><input type="hidden" name="key" value="${key.id}"><button class="quiet" aria-label="End the key ${key.name}">End</button></form></td></tr>`;
  return html`<section aria-labelledby="keys"><h2 id="keys">Keys for your programs</h2>
<p class="soft">A key lives until you end it. It holds no money; a budget limits what is drawn through it.</p>
${all.length === 0 ? '' : html`<div class="wide" tabindex="0"><table><thead><tr><th scope="col">Name</th><th scope="col">Key</th><th scope="col">Budget</th><th scope="col">End</th><td></td></tr></thead><tbody>${all.map(row)}</tbody></table></div>`}
<form method="post" action="/shop/account/keys" class="cards">
<div><label for="key-name">Name</label><input id="key-name" name="name" maxlength="100" required></div>
<div><label for="key-budget">Budget in USD, if any</label><input id="key-budget" name="budget_usd" inputmode="decimal" autocomplete="off"></div>
<div><label for="key-days">Days until it ends, if it does</label><input id="key-days" name="days" inputmode="numeric" autocomplete="off"></div>
<div style="align-self:end"><button>Make a key</button></div></form></section>`;
}

function topUp(now: TopUp | null): Html {
  const field = (name: string, label: string, value: Money.Money) =>
    html`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" inputmode="decimal" autocomplete="off" value="${Money.format(value)}"></div>`;
  const state =
    now === null || now.state === 'off'
      ? 'Off.'
      : now.state === 'stopped'
        ? `Stopped: ${now.reason}.`
        : `On, by ${now.card.brand} ${now.card.last4}: ${Money.format(now.chargedThisMonth)} USD this month.`;
  return html`<section aria-labelledby="top-up"><h2 id="top-up">Automatic top-up</h2>
<p class="soft">${state} Charges the card of your last payment here when the balance falls below what you name, in a month never more than you agree to.</p>
<form method="post" action="/shop/account/top-up" class="cards">
${field('below_usd', 'When less than (USD)', now?.below ?? Money.ofCents(100))}${field('amount_usd', 'Charge (USD)', now?.amount ?? Money.ofCents(500))}${field('monthly_max_usd', 'In a month at most (USD)', now?.monthlyMax ?? Money.ofCents(2_000))}
<div style="align-self:end"><button>Agree</button></div></form>
${now?.state === 'on' ? html`<form method="post" action="/shop/account/top-up/end"><button class="quiet" style="margin-top:.75rem">Switch it off</button></form>` : ''}</section>`;
}

function claim(awaitsCode: boolean): Html {
  if (awaitsCode)
    return html`<section id="claim"><h2>Take it over by email</h2><p class="soft">A code is on its way; it is good for ten minutes.</p>
<form method="post" action="/shop/account/claim/complete"><label for="otp">The code of the mail</label><input id="otp" name="otp" inputmode="numeric" autocomplete="one-time-code" required><button>Take over</button></form></section>`;
  return html`<section id="claim"><h2>Take it over by email</h2><p class="soft">Then it is yours wherever you read that mail: to come back, ask for a link by mail. An account that you have already takes this one in.</p>
<form method="post" action="/shop/account/claim"><label for="email">Your email address</label><input id="email" name="email" type="email" autocomplete="email" required><button>Send me a code</button></form></section>`;
}

function day(time: string): string {
  return time.slice(0, 10);
}

function moment(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}
