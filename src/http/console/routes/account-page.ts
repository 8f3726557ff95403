import { id } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import type * as AccountSearch from '../../../identity/account-search.ts';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import { can } from '../../../identity/operators/role.ts';
import * as AccountKeys from '../../../journeys/account-keys.ts';
import { inTime } from '../../../journeys/in-time.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import * as UnconfirmedRefund from '../../../journeys/unconfirmed-refund.ts';
import type { LedgerContext } from '../../../ledger/ledger-context.ts';
import type { PaymentContext } from '../../../payment/payment-context.ts';
import type { RefundRequest } from '../../../payment/refund-request.ts';
import type * as GrantFaults from '../grant-faults.ts';
import * as Page from '../pages/account.ts';
import * as FreezePage from '../pages/freeze.ts';
import * as LoginPage from '../pages/login-page.ts';
import { planNames } from '../plan-names.ts';
import type { ConsoleResponse } from '../response.ts';
import type { Person } from '../sessions.ts';
import { redirect } from '../sign-in.ts';
import { listedOrder } from './listed-order.ts';

const path = '/admin/console/accounts';
const dayMs = 86_400_000;
const pageSize = 25;
const actsShownMax = 10;
const ordersShownMax = 50;
const requestsReadMax = 1_000;

/** The dependencies of the accounts section. */
export type AccountSectionContext = PaymentContext &
  Pick<CatalogContext, 'catalog'> &
  Pick<IdentityContext, 'accounts' | 'clock' | 'keys' | 'revocations'> &
  Pick<LedgerContext, 'statements' | 'usage'> &
  Pick<SellerContext, 'audit' | 'console' | 'creditGrants' | 'refundRequests'>;

/** Returns the account with an id, which may be joined to another one; null when there is none. */
export async function find(
  shop: Pick<SellerContext, 'console'>,
  account: string,
): Promise<AccountSearch.FoundAccount | null> {
  const all = await shop.console.accounts.find({ kind: 'id', id: account }, pageSize);
  return all.find((one) => one.id === account) ?? null;
}

/** The page of an account. `result`: the outcome of a form; `draft`: a refused grant. */
export async function page(
  shop: AccountSectionContext,
  account: string,
  result: Page.FormResult,
  { role }: Person,
  draft: GrantFaults.FormDraft | null = null,
): Promise<ConsoleResponse> {
  const it = await find(shop, account);
  if (it === null) {
    const text = 'There is no account with this id. Search for its email address or for one of its ids.';
    const to = { path, name: 'Search the accounts' };
    return {
      title: 'Account not found',
      status: 404,
      main: LoginPage.problem('Account not found', text, to),
    };
  }
  if (it.joinedTo !== null) return redirect(`${path}/${it.joinedTo}`);
  const nowMs = shop.clock();
  const [lots, subscriptions, orders, keys, calls, acts, activity] = await Promise.all([
    shop.statements.of(account),
    shop.subscriptions.of(account),
    shop.orders.begun(account, null, ordersShownMax),
    AccountKeys.list(shop, account, null),
    shop.usage.calls(account, nowMs - 30 * dayMs, nowMs + 1, null, pageSize),
    shop.audit.list({ accounts: [account] }, null, actsShownMax),
    inTime(shop.console.accounts.activity([account], nowMs - 30 * dayMs)),
  ]);
  const listed = await Promise.all(orders.map((order) => listedOrder(shop, order)));
  const facts = {
    ...{ account: it, lots, subscriptions, orders: listed, keys, calls, acts, nowMs, result, draft },
    activity: activity === null ? null : (activity.get(account) ?? { lastMs: null, spent: Money.zero }),
    requests: await openRequests(shop, orders),
    unconfirmed: await UnconfirmedRefund.among(shop, acts, nowMs),
    canSupport: can(role, 'support'),
    planName: planNames(shop),
  };
  const main = Page.account({ ...facts, formKey: id('console') }, shop.catalog.plans);
  return { title: it.email ?? it.id, status: result?.isBad ? 422 : 200, main, canCopy: true };
}

/** The plans of an account and what was paid for them. */
export async function planFacts(shop: AccountSectionContext, account: string) {
  const [subscriptions, orders] = await Promise.all([
    shop.subscriptions.of(account),
    shop.orders.begun(account, null, ordersShownMax),
  ]);
  return {
    subscriptions,
    orders: await Promise.all(orders.map((order) => listedOrder(shop, order))),
    planName: planNames(shop),
  };
}

/** The question before an account is frozen or unfrozen. `refused`: a reason that was refused. */
export async function freezePage(
  shop: AccountSectionContext,
  id: string,
  person: Person,
  refused?: string,
): Promise<ConsoleResponse> {
  const account = await find(shop, id);
  if (account === null || account.joinedTo !== null) return page(shop, id, null, person);
  const draft = refused === undefined ? null : { reason: refused, fault: 'Enter at most 500 characters.' };
  const open = account.frozenMs === null ? 'Freeze' : 'Unfreeze';
  return {
    title: draft === null ? `${open} ${account.email ?? account.id}` : 'Nothing was changed',
    status: draft === null ? 200 : 422,
    main: FreezePage.confirm(account, await planFacts(shop, account.id), draft),
  };
}

/** Returns the open refund requests among the orders of an account. */
async function openRequests(
  shop: Pick<SellerContext, 'refundRequests'>,
  orders: readonly { id: string }[],
): Promise<RefundRequest[]> {
  const open = await shop.refundRequests.list('open', null, requestsReadMax);
  return open.filter(({ purchase }) => orders.some((order) => order.id === purchase));
}
