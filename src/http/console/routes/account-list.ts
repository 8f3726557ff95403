import * as Money from '@sluice/kernel/money';
import * as AccountSearch from '../../../identity/account-search.ts';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import { can } from '../../../identity/operators/role.ts';
import { inTime } from '../../../journeys/in-time.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import { dayOf } from '../../../payment/order-search.ts';
import type { Call } from '../../request-context.ts';
import type { Console } from '../console.ts';
import * as Csv from '../csv.ts';
import * as ListPage from '../pages/accounts.ts';
import { redirect } from '../sign-in.ts';

const path = '/admin/console/accounts';
const dayMs = 86_400_000;
const pageSize = 25;

type ListContext = Pick<IdentityContext, 'clock'> & Pick<SellerContext, 'console'>;

/** The list of accounts, with its search. */
export function addList(console: Console, shop: ListContext): void {
  console.addSection('Accounts', path, async (c, { role }) => {
    const typed = c.req.query('q')?.trim() ?? '';
    const query = AccountSearch.read(typed);
    const filter = filterOf(c);
    const { accounts } = shop.console;
    const after = c.req.query('after') ?? null;
    const found =
      query === null
        ? await accounts.newest(filter, after, pageSize + 1)
        : await accounts.find(query, pageSize);
    const shown = found.slice(0, pageSize);
    const next = found.length > pageSize ? (shown.at(-1)?.id ?? null) : null;
    const [only] = found;
    // An id that matches exactly one account opens its page.
    if (only && found.length === 1 && query !== null && query.kind !== 'email')
      return redirect(`${path}/${only.id}`);
    const ids = shown.map(({ id }) => id);
    const [activity, balances] = await Promise.all([
      inTime(accounts.activity(ids, shop.clock() - 30 * dayMs)),
      inTime(accounts.balances(ids)),
    ]);
    const canExport = can(role, 'export') && query === null;
    return {
      title: 'Accounts',
      main: ListPage.accounts({
        typed,
        filter,
        found: shown,
        activity,
        balances,
        next,
        isFirst: after === null,
        canExport,
      }),
    };
  });
}

/** The listed accounts as CSV. */
export function addExport(console: Console, shop: ListContext): void {
  console.addPage(`${path}.csv`, (c) => {
    const sinceMs = shop.clock() - 30 * dayMs;
    type Item = AccountSearch.FoundAccount & {
      activity: AccountSearch.AccountActivity | null;
      balance: Money.Money;
    };
    return Csv.download<Item>(
      'accounts',
      [
        ...['account', 'email', 'balance_usd', 'paid_usd', 'returned_usd', 'used_30_days_usd'],
        ...['last_call', 'created', 'frozen', 'merged_into'],
      ],
      async (after, max) => {
        const found = await shop.console.accounts.newest(filterOf(c), after?.id ?? null, max);
        const ids = found.map(({ id: one }) => one);
        const [activity, balances] = await Promise.all([
          shop.console.accounts.activity(ids, sinceMs),
          shop.console.accounts.balances(ids),
        ]);
        return found.map((one) => ({
          ...one,
          activity: activity.get(one.id) ?? null,
          balance: balances.get(one.id) ?? Money.zero,
        }));
      },
      ({ id: account, email, balance, paid, returned, activity, createdMs, frozenMs, joinedTo }) => [
        ...[account, email, Money.format(balance), Money.format(paid), Money.format(returned)],
        Money.format(activity?.spent ?? Money.zero),
        activity?.lastMs == null ? null : Csv.time(activity.lastMs),
        Csv.time(createdMs),
        frozenMs === null ? null : Csv.time(frozenMs),
        joinedTo,
      ],
    );
  });
}

function filterOf(c: Call): AccountSearch.AccountFilter {
  const kind = AccountSearch.accountKinds.find((one) => one === c.req.query('kind'));
  const [from, to] = [dayOf(c.req.query('from')), dayOf(c.req.query('to'))];
  return { ...(kind && { kind }), ...(from && { from }), ...(to && { to }) };
}
