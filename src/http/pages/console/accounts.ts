import { html } from 'hono/html';
import type { Found } from '../../../identity/account-search.ts';
import type { Html } from '../frame.ts';
import { moment, sign, table, usd } from './figures.ts';

export type Facts = {
  /** What was looked for; empty: the newest accounts. */
  typed: string;
  found: readonly Found[];
  /** The last account of this page, where there are more. */
  next: string | null;
};

/** Accounts, the newest first, or those that were looked for. */
export function accounts({ typed, found, next }: Facts): Html {
  return html`<h1>Accounts</h1>
<section aria-labelledby="find"><h2 id="find">Find</h2>
<form class="row" method="get" action="/admin/console/accounts" role="search">
<div><label for="q">An email address or its beginning, or the id of an account, purchase, payment, customer, key or call</label>
<input id="q" name="q" value="${typed}" autocomplete="off" autocapitalize="off" spellcheck="false"></div><button>Find</button></form></section>
<section aria-labelledby="list"><h2 id="list">${typed === '' ? 'The newest' : `Found for “${typed}”`}</h2>
${found.length === 0 ? html`<p class="soft">No account${typed === '' ? ' yet' : ' by that'}.</p>` : table('Accounts', ['Account', 'Email', { number: 'Paid, USD' }, 'Standing', 'Made'], found.map(row))}
${next === null ? '' : html`<nav class="pages" aria-label="Pages"><a href="/admin/console/accounts?after=${next}">Older</a></nav>`}</section>`;
}

function row({ id, email, createdMs, frozenMs, joinedTo, paid }: Found): Html {
  return html`<tr><th scope="row"><a class="id" href="/admin/console/accounts/${id}">${id}</a></th><td>${email ?? ''}</td><td class="number">${usd(paid)}</td>
<td>${frozenMs !== null ? sign('frozen', true) : joinedTo !== null ? sign('joined another') : ''}</td><td>${moment(createdMs)}</td></tr>`;
}
