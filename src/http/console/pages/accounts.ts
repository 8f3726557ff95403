import { html } from 'hono/html';
import type { FoundAccount } from '../../../identity/account-search.ts';
import type { Html } from '../../pages/frame.ts';
import { moment, sign, table, usd } from './figures.ts';

export type AccountListFacts = {
  /** The search text; empty for the newest accounts. */
  typed: string;
  found: readonly FoundAccount[];
  /** The last account of this page when there are more. */
  next: string | null;
};

/** The search result, or the newest accounts first. */
export function accounts({ typed, found, next }: AccountListFacts): Html {
  return html`<h1>Accounts</h1>
<section aria-labelledby="find"><h2 id="find">Find</h2>
<form class="row" method="get" action="/admin/console/accounts" role="search">
<div><label for="q">Email address (or its start), or the id of an account, purchase, payment, customer, key or call</label>
<input id="q" name="q" value="${typed}" autocomplete="off" autocapitalize="off" spellcheck="false"></div><button>Find</button></form></section>
<section aria-labelledby="list"><h2 id="list">${typed === '' ? 'Newest accounts' : `Results for “${typed}”`}</h2>
${found.length === 0 ? html`<p class="soft">${typed === '' ? 'No accounts yet.' : 'No account matches. Check the id or the address.'}</p>` : table('Accounts', ['Account', 'Email', { number: 'Paid, USD' }, 'Status', 'Created'], found.map(row))}
${next === null ? '' : html`<nav class="pages" aria-label="Pages"><a href="/admin/console/accounts?after=${next}">Older</a></nav>`}</section>`;
}

function row({ id, email, createdMs, frozenMs, joinedTo, paid }: FoundAccount): Html {
  return html`<tr><th scope="row"><a class="id" href="/admin/console/accounts/${id}">${id}</a></th><td>${email ?? ''}</td><td class="number">${usd(paid)}</td>
<td>${frozenMs !== null ? sign('frozen', true) : joinedTo !== null ? sign('merged') : ''}</td><td>${moment(createdMs)}</td></tr>`;
}
