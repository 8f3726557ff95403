import { html } from 'hono/html';
import type { AccountActivity, AccountFilter, FoundAccount } from '../../../identity/account-search.ts';
import type { Html } from '../../pages/frame.ts';
import { field, filterForm, pages, queryOf, select } from './fields.ts';
import { moment, sign, table, usd } from './figures.ts';

export type AccountListFacts = {
  /** The search text; empty for the newest accounts. */
  typed: string;
  filter: AccountFilter;
  found: readonly FoundAccount[];
  /** The last call and the spending of 30 days, by account; null when the query took too long. */
  activity: ReadonlyMap<string, AccountActivity> | null;
  /** The last account of this page when there are more. */
  next: string | null;
  /** False for a page after the newest one. */
  isFirst: boolean;
  canExport: boolean;
};

const path = '/admin/console/accounts';
export const kindNames: readonly (readonly [string, string])[] = [
  ['', 'all'],
  ['paying', 'has paid'],
  ['unpaid', 'has not paid'],
  ['claimed', 'with an email address'],
  ['frozen', 'frozen'],
];

/** The search result, or the newest accounts first. */
export function accounts({
  typed,
  filter,
  found,
  activity,
  next,
  isFirst,
  canExport,
}: AccountListFacts): Html {
  const query = queryOf({ ...filter, q: typed });
  const fields = [
    field({
      name: 'q',
      label: 'Email address (or its start), or an id',
      value: typed,
      placeholder: 'ada@example.com, acc_, pur_, pi_, cus_, sub_, key_, call_',
    }),
    select('kind', 'Kind', kindNames, filter.kind ?? ''),
    field({ name: 'from', label: 'Created from', type: 'date', value: filter.from ?? '' }),
    field({ name: 'to', label: 'to', type: 'date', value: filter.to ?? '' }),
  ];
  return html`<h1>Accounts</h1>
<section aria-labelledby="list"><h2 id="list">${typed === '' ? 'Newest accounts' : `Results for “${typed}”`}</h2>
${filterForm(path, fields, query, canExport ? `${path}.csv` : null)}
${
  found.length === 0
    ? html`<p class="soft">${query === '' ? 'No accounts yet.' : 'No account matches. Check the id or the address.'}</p>`
    : table(
        'Accounts',
        [
          'Account',
          { bare: 'Email' },
          { number: 'Paid, USD', onPhone: 'lead' },
          { number: 'Used in 30 days' },
          'Last call',
          { bare: 'Status' },
          'Created',
        ],
        found.map((one) => row(one, activity)),
      )
}
${pages(path, query, isFirst, next === null ? null : `after=${next}`)}</section>`;
}

function row(one: FoundAccount, activity: AccountListFacts['activity']): Html {
  const { id, email, createdMs, frozenMs, joinedTo, paid } = one;
  const recent = activity?.get(id);
  const last = recent?.lastMs == null ? (activity === null ? 'unknown' : '') : moment(recent.lastMs);
  return html`<tr><th scope="row"><a class="id short" href="${path}/${id}">${id}</a></th><td>${email ?? ''}</td><td class="number">${usd(paid)}</td>
<td class="number">${recent === undefined ? (activity === null ? 'unknown' : '') : usd(recent.spent)}</td><td>${last}</td>
<td>${frozenMs !== null ? sign('frozen', true) : joinedTo !== null ? sign('merged') : ''}</td><td>${moment(createdMs)}</td></tr>`;
}
