import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Shown as Key } from '../../journeys/account-keys.ts';
import type * as PlanChange from '../../journeys/plan-change.ts';
import type { PurchaseEntry } from '../../journeys/receipts.ts';
import * as Money from '../../kernel/money.ts';
import type { Call, Sum } from '../../ledger/usage.ts';
import type { TopUp } from '../../payment/top-up.ts';
import type { Html } from './frame.ts';

export type Facts = {
  account: string;
  claimed: boolean;
  balance: string;
  held: string;
  included: number;
  subscriptions: readonly ReturnType<typeof PlanChange.shown>[];
  topUp: TopUp | null;
  byDay: readonly { day: string; units: number }[];
  byService: readonly Sum[];
  calls: readonly Call[];
  keys: readonly Key[];
  receipts: readonly PurchaseEntry[];
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
  return html`<h1>Your account</h1>
${notice === null ? '' : html`<p class="${notice.isBad ? 'note' : 'ok'}" role="${notice.isBad ? 'alert' : 'status'}">${notice.text}</p>${notice.secret === null ? '' : html`<pre class="secret" tabindex="0" aria-label="Key">${notice.secret}</pre>`}`}
<section aria-labelledby="standing"><h2 id="standing">What it has</h2>
<dl class="facts">
<div><dt>Balance</dt><dd id="balance">${facts.balance} USD</dd></div>
${facts.held === '0.00' ? '' : html`<div><dt>Held by calls under way</dt><dd>${facts.held} USD</dd></div>`}
<div><dt>Included units left</dt><dd id="included">${facts.included}</dd></div>
<div><dt>Account</dt><dd class="id">${facts.account}</dd></div>
</dl>
<p><a class="button" href="/#plans">Buy more</a></p></section>
${facts.subscriptions.length === 0 ? '' : subscriptions(facts.subscriptions)}
${usage(facts, catalog)}
${calls(facts.calls)}
${keys(facts.keys)}
${topUp(facts.topUp)}
${receipts(facts.receipts)}
${facts.canClaim && !facts.claimed ? claim(facts.awaitsCode) : ''}
<section aria-labelledby="leave"><h2 id="leave">Leave</h2><p class="soft">${facts.claimed ? 'Your browser forgets this account; keys of yours go on.' : 'Your browser forgets this account, and nobody can bring it back: take it over by email first, or make a key.'}</p>
<form method="post" action="/shop/leave"><button>Leave</button></form></section>`;
}

function subscriptions(all: Facts['subscriptions']): Html {
  const row = (
    one: Facts['subscriptions'][number],
  ) => html`<tr><th scope="row">${one.plan}</th><td>${one.status}</td>
<td>${one.renews ? 'renews' : 'ends'} ${day(one.period_end)}${one.next_plan === null ? '' : `, then ${one.next_plan}`}</td>
<td class="number">${one.renews ? decide('cancel', one.plan, 'Cancel') : one.cancel_at_period_end ? decide('resume', one.plan, 'Go on after all') : ''}</td></tr>`;
  return html`<section aria-labelledby="plans"><h2 id="plans">Plans</h2><div class="wide" tabindex="0"><table>
<thead><tr><th scope="col">Plan</th><th scope="col">Standing</th><th scope="col">Period</th><td></td></tr></thead>
<tbody>${all.map(row)}</tbody></table></div></section>`;
}

function decide(deed: string, plan: string, name: string): Html {
  return html`<form method="post" action="/shop/account/${deed}"><input type="hidden" name="plan" value="${plan}"><button class="quiet">${name}</button></form>`;
}

/** The days as bars, and the services as sums. */
function usage({ byDay, byService }: Facts, { services }: Catalog): Html {
  if (byService.length === 0)
    return html`<section><h2>Used in 30 days</h2><p class="soft">Nothing yet. <a href="/#try">Try an operation</a>.</p></section>`;
  const most = Math.max(...byDay.map(({ units }) => units), 1);
  const width = 100 / byDay.length;
  const bars = byDay.map(
    ({ day, units }, at) =>
      html`<rect x="${at * width + width * 0.1}" y="${40 - (units / most) * 38}" width="${width * 0.8}" height="${(units / most) * 38}" rx=".6"><title>${day}: ${units} units</title></rect>`,
  );
  const named = (slug: string | null) =>
    services.find((service) => service.slug === slug)?.name ?? slug ?? '';
  return html`<section aria-labelledby="used"><h2 id="used">Used in 30 days</h2>
<svg viewBox="0 0 100 40" preserveAspectRatio="none" style="width:100%;height:8rem;fill:var(--accent)" role="img" aria-label="Units of each day, at most ${most}">${bars}</svg>
<div class="wide" tabindex="0"><table><thead><tr><th scope="col">Service</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Units</th><th scope="col" class="number">Cost</th></tr></thead>
<tbody>${byService.map(({ name, calls, units, cost }) => html`<tr><th scope="row">${named(name)}</th><td class="number">${calls}</td><td class="number">${units}</td><td class="number">${Money.formatExact(cost)} USD</td></tr>`)}</tbody></table></div></section>`;
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
        : 'On.';
  return html`<section aria-labelledby="top-up"><h2 id="top-up">Automatic top-up</h2>
<p class="soft">${state} Charges the card of your last payment here when the balance falls below what you name, in a month never more than you agree to.</p>
<form method="post" action="/shop/account/top-up" class="cards">
${field('below_usd', 'When less than (USD)', now?.below ?? Money.ofCents(100))}${field('amount_usd', 'Charge (USD)', now?.amount ?? Money.ofCents(500))}${field('monthly_max_usd', 'In a month at most (USD)', now?.monthlyMax ?? Money.ofCents(2_000))}
<div style="align-self:end"><button>Agree</button></div></form>
${now?.state === 'on' ? html`<form method="post" action="/shop/account/top-up/end"><button class="quiet" style="margin-top:.75rem">Switch it off</button></form>` : ''}</section>`;
}

function receipts(all: readonly PurchaseEntry[]): Html {
  if (all.length === 0) return html``;
  const row = (one: PurchaseEntry) =>
    html`<tr><td>${day(one.paid_at)}</td><td>${one.plan}</td><td class="number">${one.amount_usd} USD${one.reversed_usd === '0.00' ? '' : ` (${one.reversed_usd} paid back)`}</td><td class="number"><a href="${one.url}" aria-label="Receipt of ${day(one.paid_at)}, ${one.amount_usd} USD">Receipt</a></td></tr>`;
  return html`<section aria-labelledby="receipts"><h2 id="receipts">Paid</h2><div class="wide" tabindex="0"><table><thead><tr><th scope="col">When</th><th scope="col">Plan</th><th scope="col" class="number">Amount</th><td></td></tr></thead><tbody>${all.map(row)}</tbody></table></div>
<p class="soft">Something is wrong with a payment? Write to the contact below, with the number on its receipt.</p></section>`;
}

function claim(awaitsCode: boolean): Html {
  if (awaitsCode)
    return html`<section id="claim"><h2>Take it over by email</h2><p class="soft">A code is on its way; it is good for ten minutes.</p>
<form method="post" action="/shop/account/claim/complete"><label for="otp">The code of the mail</label><input id="otp" name="otp" inputmode="numeric" autocomplete="one-time-code" required><button>Take over</button></form></section>`;
  return html`<section id="claim"><h2>Take it over by email</h2><p class="soft">Then it is yours wherever you read that mail: to come back, start anew anywhere and take that over by the same address. An account that you have already takes this one in.</p>
<form method="post" action="/shop/account/claim"><label for="email">Your email address</label><input id="email" name="email" type="email" autocomplete="email" required><button>Send me a code</button></form></section>`;
}

/** For whoever has no account in this browser. */
export function door(notice: string | null): Html {
  return html`<h1>Your account</h1>
${notice === null ? '' : html`<p class="note" role="alert">${notice}</p>`}
<section><h2>New here</h2><p class="soft">No card and no email: an account is one click, and its first units are free.</p><form method="post" action="/shop/start"><button>Start free</button></form></section>
<section><h2>You have an identity assertion</h2><p class="soft">The page after a payment shows it, and <code>POST /agent/auth</code> gives it to programs.</p>
<form method="post" action="/shop/account/sign-in"><label for="assertion">Identity assertion</label><textarea id="assertion" name="assertion" rows="4" spellcheck="false" required></textarea><button>Sign in</button></form></section>`;
}

function day(time: string): string {
  return time.slice(0, 10);
}

function moment(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}
