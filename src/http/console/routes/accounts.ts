import { id } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import { nameOf } from '../../../catalog/plan-name.ts';
import * as AccountSearch from '../../../identity/account-search.ts';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import { can } from '../../../identity/operators/role.ts';
import * as AccountKeys from '../../../journeys/account-keys.ts';
import * as Freezing from '../../../journeys/freezing.ts';
import { inTime } from '../../../journeys/in-time.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import * as UnconfirmedRefund from '../../../journeys/unconfirmed-refund.ts';
import type { LedgerContext } from '../../../ledger/ledger-context.ts';
import * as CreditGrant from '../../../payment/credit-grant.ts';
import { dayOf } from '../../../payment/order-search.ts';
import type { PaymentContext } from '../../../payment/payment-context.ts';
import type { FieldFault } from '../../../payment/purchase-input.ts';
import type { RefundRequest } from '../../../payment/refund-request.ts';
import { english } from '../../../text/texts.ts';
import * as FormFaults from '../../pages/form-faults.ts';
import type { Call } from '../../request-context.ts';
import type { Console } from '../console.ts';
import * as Csv from '../csv.ts';
import * as GrantFaults from '../grant-faults.ts';
import * as Page from '../pages/account.ts';
import * as ListPage from '../pages/accounts.ts';
import { amount } from '../pages/figures.ts';
import * as FreezePage from '../pages/freeze.ts';
import * as LoginPage from '../pages/login-page.ts';
import type { ConsoleResponse } from '../response.ts';
import type { Person } from '../sessions.ts';
import { listedOrder } from './listed-order.ts';

const path = '/admin/console/accounts';
const dayMs = 86_400_000;
const pageSize = 25;
const actsShownMax = 10;
const ordersShownMax = 50;
const requestsReadMax = 1_000;

/** The dependencies of the accounts section. */
export type AccountSectionContext = Pick<CatalogContext, 'catalog'> &
  Pick<IdentityContext, 'accounts' | 'clock' | 'keys' | 'revocations'> &
  Pick<LedgerContext, 'statements' | 'usage'> &
  Pick<PaymentContext, 'orders' | 'processor' | 'subscriptions' | 'writer'> &
  Pick<SellerContext, 'audit' | 'console' | 'creditGrants' | 'refundRequests'>;

function addList(console: Console, shop: AccountSectionContext): void {
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
    if (only && found.length === 1 && query !== null && query.kind !== 'email') return redirect(only.id);
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

/** Accounts: search, account pages, credit grants and freezing. */
export function addAccountSection(console: Console, shop: AccountSectionContext): void {
  addList(console, shop);
  addExport(console, shop);

  console.addPage(`${path}/:id`, (c, person) => page(c.req.param('id') ?? '', null, person));
  console.addPage(`${path}/:id/freeze`, async (c, person) => {
    const account = await found(c.req.param('id') ?? '');
    if (account === null || account.joinedTo !== null) return page(c.req.param('id') ?? '', null, person);
    const open = account.frozenMs === null ? 'Freeze' : 'Unfreeze';
    return { title: `${open} ${account.email ?? account.id}`, main: FreezePage.confirm(account) };
  });

  console.addAction(`${path}/:id`, async (c, form, person) => {
    const { who } = person;
    const account = c.req.param('id') ?? '';
    const act = form.get('act') ?? '';
    if (act === 'grant') {
      const { draft, ...result } = await grant(shop, account, form, who);
      return page(account, result, person, draft);
    }
    if (act === 'freeze' || act === 'unfreeze') {
      const reason = form.get('reason')?.trim() ?? '';
      const read = Freezing.parse({ reason: reason || null });
      const it = read.kind === 'fault' ? await found(account) : null;
      if (it !== null) {
        const main = FreezePage.confirm(it, { reason, fault: 'Enter at most 500 characters.' });
        return { title: 'Nothing was changed', status: 422, main };
      }
      return page(account, await freeze(shop, account, act === 'freeze', form, who), person);
    }
    return page(account, { text: 'Unknown action. Reload the page and try again.', isBad: true }, person);
  });

  async function found(account: string): Promise<AccountSearch.FoundAccount | null> {
    const all = await shop.console.accounts.find({ kind: 'id', id: account }, pageSize);
    return all.find((one) => one.id === account) ?? null;
  }

  async function page(
    account: string,
    result: Page.FormResult,
    { role }: Person,
    draft: GrantFaults.FormDraft | null = null,
  ): Promise<ConsoleResponse> {
    const it = await found(account);
    if (it === null) {
      const text = 'There is no account with this id. Search for its email address or for one of its ids.';
      const to = { path, name: 'Search the accounts' };
      return {
        title: 'Account not found',
        status: 404,
        main: LoginPage.problem('Account not found', text, to),
      };
    }
    if (it.joinedTo !== null) return redirect(it.joinedTo);
    const nowMs = shop.clock();
    const [lots, subscriptions, orders, keys, calls, acts, activity] = await Promise.all([
      shop.statements.of(account),
      shop.subscriptions.of(account),
      shop.orders.begun(account, null, ordersShownMax),
      AccountKeys.list(shop, account, null),
      shop.usage.calls(account, nowMs - 30 * dayMs, nowMs + 1, null, pageSize),
      shop.audit.list({ account }, null, actsShownMax),
      inTime(shop.console.accounts.activity([account], nowMs - 30 * dayMs)),
    ]);
    const listed = await Promise.all(orders.map((order) => listedOrder(shop, order)));
    const facts = {
      ...{ account: it, lots, subscriptions, orders: listed, keys, calls, acts, nowMs, result, draft },
      activity: activity === null ? null : (activity.get(account) ?? { lastMs: null, spent: Money.zero }),
      requests: await openRequests(shop, orders),
      unconfirmed: await UnconfirmedRefund.among(shop, acts, nowMs),
      canSupport: can(role, 'support'),
      planName: (plan: string) => nameOf(shop.catalog, plan),
    };
    const main = Page.account({ ...facts, formKey: id('console') }, shop.catalog.plans);
    return { title: it.email ?? it.id, status: result?.isBad ? 422 : 200, main, canCopy: true };
  }
}

/** The listed accounts as CSV. */
function addExport(console: Console, shop: AccountSectionContext): void {
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

/** Returns the open refund requests among the orders of an account. */
async function openRequests(
  shop: Pick<SellerContext, 'refundRequests'>,
  orders: readonly { id: string }[],
): Promise<RefundRequest[]> {
  const open = await shop.refundRequests.list('open', null, requestsReadMax);
  return open.filter(({ purchase }) => orders.some((order) => order.id === purchase));
}

function filterOf(c: Call): AccountSearch.AccountFilter {
  const kind = AccountSearch.accountKinds.find((one) => one === c.req.query('kind'));
  const [from, to] = [dayOf(c.req.query('from')), dayOf(c.req.query('to'))];
  return { ...(kind && { kind }), ...(from && { from }), ...(to && { to }) };
}

async function grant(
  shop: Pick<CatalogContext, 'catalog'> &
    Pick<IdentityContext, 'clock'> &
    Pick<SellerContext, 'creditGrants'>,
  account: string,
  form: URLSearchParams,
  who: string,
): Promise<NonNullable<Page.FormResult> & { draft: GrantFaults.FormDraft | null }> {
  const values = GrantFaults.filledIn(form, ['usd', 'units', 'plan', 'expires', 'reason', 'key']);
  const refused = (text: string, faults: GrantFaults.FormDraft['faults'] = {}) => ({
    ...{ text, isBad: true, fix: { id: 'grant', name: 'Go to the form' } },
    draft: { values, faults },
  });
  const read = CreditGrant.parse({ account, ...values }, shop.catalog.plans, shop.clock());
  if (read.kind === 'fault')
    return refused(
      'Nothing was granted. Correct the marked fields.',
      GrantFaults.faultsOf(values, read.faults),
    );
  const given = await shop.creditGrants.give(read.creditGrant, who);
  switch (given.kind) {
    case 'given':
      return {
        text: `Granted ${amount(read.creditGrant.asset, read.creditGrant.amount)}.`,
        ...{ isBad: false, draft: null },
      };
    case 'mismatch':
      return {
        text: 'This form was already used for another grant. Check the grants of the account, then fill in the form again.',
        ...{ isBad: true, draft: null },
      };
    case 'unknown_account':
      return refused('This account does not exist.');
    case 'too_much':
      return refused(
        'Nothing was granted: the account would have more than a billion dollars or a quadrillion results.',
      );
  }
}

async function freeze(
  shop: Pick<IdentityContext, 'accounts' | 'revocations'>,
  account: string,
  isFrozen: boolean,
  form: URLSearchParams,
  who: string,
): Promise<NonNullable<Page.FormResult>> {
  const read = Freezing.parse({ reason: form.get('reason')?.trim() || null });
  if (read.kind === 'fault') return faulty(read.faults);
  const frozen = await Freezing.set(shop, account, isFrozen, read.reason, who);
  if (frozen.kind === 'unknown_account') return { text: 'This account does not exist.', isBad: true };
  if (frozen.kind === 'same')
    return {
      text: `The account was already ${isFrozen ? 'frozen' : 'active'}. Nothing has changed.`,
      isBad: false,
    };
  return {
    text: isFrozen ? 'The account is frozen.' : 'The account can call and buy again.',
    isBad: false,
  };
}

function faulty(faults: readonly FieldFault[]): NonNullable<Page.FormResult> {
  return { text: FormFaults.sentence(english, faults), isBad: true };
}

function redirect(account: string): Response {
  const headers = { location: `${path}/${account}`, 'cache-control': 'no-store' };
  return new Response(null, { status: 303, headers });
}
