import { type Money, zero } from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { AccountActivity, AccountFilter, FoundAccount } from '../../../identity/account-search.ts';
import type { Html } from '../../pages/frame.ts';
import { field, filterForm, listTop, pages, queryOf, select } from './fields.ts';
import { day, exact, moment, sign, table } from './figures.ts';
import { buyerLink, emailText } from './orders.ts';

export type AccountListFacts = {
  /** The search text; empty for the newest accounts. */
  typed: string;
  filter: AccountFilter;
  found: readonly FoundAccount[];
  /** The last call and the spending of 30 days, by account; null when the query took too long. */
  activity: ReadonlyMap<string, AccountActivity> | null;
  /** The unspent credit by account; null when the query took too long. */
  balances: ReadonlyMap<string, Money> | null;
  /** The last account of this page when there are more. */
  next: string | null;
  /** False for a page after the newest one. */
  isFirst: boolean;
  canExport: boolean;
};

const path = '/admin/console/accounts';
const kindNames: readonly (readonly [string, string])[] = [
  ['', 'All'],
  ['paying', 'Has paid'],
  ['unpaid', 'Has not paid'],
  ['claimed', 'With an email address'],
  ['frozen', 'Frozen'],
];

/** The search result, or the newest accounts first. */
export function accounts(facts: AccountListFacts): Html {
  const { typed, filter, found, next, isFirst, canExport } = facts;
  const query = queryOf({ ...filter, q: typed });
  const fields = [
    field({
      name: 'q',
      label: 'Search',
      value: typed,
      placeholder: 'Start of email, or id',
    }),
    select('kind', 'Show', kindNames, filter.kind ?? ''),
    field({ name: 'from', label: 'Created from', type: 'date', value: filter.from ?? '' }),
    field({ name: 'to', label: 'Created to', type: 'date', value: filter.to ?? '' }),
  ];
  return html`${listTop('Accounts', canExport && found.length > 0 ? `${path}.csv` : null, query)}
<section aria-labelledby="list"><h2 id="list" class="${typed === '' ? 'hidden' : ''}">${typed === '' ? 'Newest accounts' : `Results for “${typed}”`}</h2>
${filterForm(path, fields, query, !!(filter.from || filter.to))}
${
  found.length === 0
    ? html`<p>${query === '' ? html`No accounts yet. Each person or program that registers or buys appears here. <a href="/">Try your shop as a buyer</a> to open the first one.` : nothingFound(facts)}</p>`
    : table(
        'Accounts',
        [
          'Account',
          { number: 'Balance' },
          { number: 'Paid' },
          { number: 'Used in 30 days' },
          { wide: 'Last call' },
          'Created',
        ],
        found.map((one) => row(one, facts)),
      )
}
${pages(path, query, isFirst, next === null ? null : `after=${next}`)}</section>`;
}

const noneOf: Readonly<Record<NonNullable<AccountFilter['kind']>, string>> = {
  frozen: 'No account is frozen.',
  claimed: 'No account has a confirmed email address.',
  paying: 'No account has paid.',
  unpaid: 'Each account has paid.',
};

/** Why a search or a filter has no result. */
function nothingFound({ typed, filter: { kind, from, to }, isFirst }: AccountListFacts): string {
  if (typed !== '')
    return 'No account matches. The search finds the start of an email address, the whole address of the payer of a plan, the start of an account id, and the whole id of a purchase, payment, customer, subscription, refund, key or call.';
  return kind !== undefined && !from && !to && isFirst ? noneOf[kind] : 'No account matches these filters.';
}

function row(one: FoundAccount, { activity, balances }: AccountListFacts): Html {
  const { id, email, payerEmail, createdMs, frozenMs, joinedTo, paid, returned } = one;
  const recent = activity?.get(id);
  const last = recent?.lastMs == null ? (activity === null ? 'unknown' : 'none') : moment(recent.lastMs);
  const spent = activity === null ? 'unknown' : exact(recent?.spent ?? 0);
  const balance = balances === null ? 'unknown' : exact(balances.get(id) ?? zero);
  const status = frozenMs !== null ? sign('frozen', true) : joinedTo !== null ? sign('merged', 'past') : '';
  return html`<tr><th scope="row">${buyerLink(id, email)} ${status}${email === null && payerEmail !== null ? html` <small>plan paid by ${emailText(payerEmail)}</small>` : ''}</th><td class="number">${balance}</td><td class="number">${exact(paid - returned)}</td><td class="number">${spent}</td>
<td class="soft">${last}</td><td class="nowrap">${day(createdMs)}</td></tr>`;
}
