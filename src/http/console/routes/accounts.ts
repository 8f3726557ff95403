import { id } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import { nameOf } from '../../../catalog/plan-name.ts';
import type * as AccountSearch from '../../../identity/account-search.ts';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import { can } from '../../../identity/operators/role.ts';
import * as AccountKeys from '../../../journeys/account-keys.ts';
import * as Freezing from '../../../journeys/freezing.ts';
import { inTime } from '../../../journeys/in-time.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import * as UnconfirmedRefund from '../../../journeys/unconfirmed-refund.ts';
import type { LedgerContext } from '../../../ledger/ledger-context.ts';
import type { PaymentContext } from '../../../payment/payment-context.ts';
import type { RefundRequest } from '../../../payment/refund-request.ts';
import { isOwed, willRenew } from '../../../payment/subscription.ts';
import type { Console } from '../console.ts';
import type * as GrantFaults from '../grant-faults.ts';
import * as Page from '../pages/account.ts';
import * as PlansPage from '../pages/account-plans.ts';
import * as FreezePage from '../pages/freeze.ts';
import * as GrantPage from '../pages/grant.ts';
import * as LoginPage from '../pages/login-page.ts';
import { buyerLink } from '../pages/orders.ts';
import { type ConsoleResponse, done } from '../response.ts';
import type { Person } from '../sessions.ts';
import { redirect } from '../sign-in.ts';
import * as Form from './account-forms.ts';
import { addExport, addList } from './account-list.ts';
import { listedOrder } from './listed-order.ts';

const path = '/admin/console/accounts';
const dayMs = 86_400_000;
const pageSize = 25;
const actsShownMax = 10;
const ordersShownMax = 50;
const requestsReadMax = 1_000;
const notRenewing: Page.FormResult = { text: 'This plan does not renew. Nothing has changed.', isBad: false };

/** The dependencies of the accounts section. */
export type AccountSectionContext = PaymentContext &
  Pick<CatalogContext, 'catalog'> &
  Pick<IdentityContext, 'accounts' | 'clock' | 'keys' | 'revocations'> &
  Pick<LedgerContext, 'statements' | 'usage'> &
  Pick<SellerContext, 'audit' | 'console' | 'creditGrants' | 'refundRequests'>;

/** Accounts: search, account pages, credit grants and freezing. */
export function addAccountSection(console: Console, shop: AccountSectionContext): void {
  const planName = (plan: string) => nameOf(shop.catalog, plan);
  addList(console, shop);
  addExport(console, shop);

  console.addPage(`${path}/:id`, (c, person, flash) => page(c.req.param('id') ?? '', flash, person));
  console.addPage(`${path}/:id/freeze`, (c, person) => freezePage(c.req.param('id') ?? '', person));
  console.addPage(`${path}/:id/grant`, async (c, person) => {
    const account = await found(c.req.param('id') ?? '');
    if (account === null || account.joinedTo !== null) return page(c.req.param('id') ?? '', null, person);
    const typed = new URLSearchParams(c.req.query());
    // The key comes from the page before this one, so that going back and confirming again grants nothing more.
    if (!typed.get('key')) typed.set('key', id('console'));
    const read = Form.readGrant(shop, account.id, typed);
    if (read.kind === 'refused') return page(account.id, read.refused, person, read.refused.draft);
    const lots = await shop.statements.of(account.id);
    const main = GrantPage.confirm({ ...read, account, lots, planName, nowMs: shop.clock() });
    return { title: 'Grant credit', main };
  });
  console.addPage(`${path}/:id/cancel`, async (c, person) => {
    const account = await found(c.req.param('id') ?? '');
    const one = await shop.subscriptions.find(c.req.query('subscription') ?? '');
    if (account === null || one?.account !== account.id || !willRenew(one))
      return page(c.req.param('id') ?? '', account === null ? null : notRenewing, person);
    const { email, payerEmail } = account;
    const more = { buyer: buyerLink(account.id, email ?? payerEmail), isOwed: isOwed(one, shop.clock()) };
    const main = PlansPage.confirmCancel(one, { ...(await planFacts(account.id)), ...more });
    return { title: `Cancel ${planName(one.plan)}`, main };
  });

  console.addAction(`${path}/:id`, async (c, form, person) => {
    const { who } = person;
    const account = c.req.param('id') ?? '';
    const act = form.get('act') ?? '';
    if (act === 'grant') {
      const { draft, ...result } = await Form.grant(shop, account, form, who);
      return result.isBad ? page(account, result, person, draft) : done(`${path}/${account}`, result.text);
    }
    if (act === 'freeze' || act === 'unfreeze') {
      const reason = form.get('reason')?.trim() ?? '';
      const read = Freezing.parse({ reason: reason || null });
      if (read.kind === 'fault') return freezePage(account, person, reason);
      const result = await Form.freeze(shop, account, act === 'freeze', form, who);
      return (await found(account)) === null
        ? page(account, result, person)
        : { to: `${path}/${account}`, flash: result };
    }
    if (act === 'cancel') {
      const result = await Form.cancel(shop, account, form.get('subscription') ?? '', who);
      return result.isBad ? page(account, result, person) : done(`${path}/${account}`, result.text);
    }
    return page(account, { text: 'Unknown action. Reload the page and try again.', isBad: true }, person);
  });

  async function planFacts(account: string) {
    const [subscriptions, orders] = await Promise.all([
      shop.subscriptions.of(account),
      shop.orders.begun(account, null, ordersShownMax),
    ]);
    return {
      subscriptions,
      orders: await Promise.all(orders.map((order) => listedOrder(shop, order))),
      planName,
    };
  }

  /** The question before an account is frozen or unfrozen. `refused`: a reason that was refused. */
  async function freezePage(id: string, person: Person, refused?: string): Promise<ConsoleResponse> {
    const account = await found(id);
    if (account === null || account.joinedTo !== null) return page(id, null, person);
    const draft = refused === undefined ? null : { reason: refused, fault: 'Enter at most 500 characters.' };
    const open = account.frozenMs === null ? 'Freeze' : 'Unfreeze';
    return {
      title: draft === null ? `${open} ${account.email ?? account.id}` : 'Nothing was changed',
      status: draft === null ? 200 : 422,
      main: FreezePage.confirm(account, await planFacts(account.id), draft),
    };
  }

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
    if (it.joinedTo !== null) return redirect(`${path}/${it.joinedTo}`);
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
      planName,
    };
    const main = Page.account({ ...facts, formKey: id('console') }, shop.catalog.plans);
    return { title: it.email ?? it.id, status: result?.isBad ? 422 : 200, main, canCopy: true };
  }
}

/** Returns the open refund requests among the orders of an account. */
async function openRequests(
  shop: Pick<SellerContext, 'refundRequests'>,
  orders: readonly { id: string }[],
): Promise<RefundRequest[]> {
  const open = await shop.refundRequests.list('open', null, requestsReadMax);
  return open.filter(({ purchase }) => orders.some((order) => order.id === purchase));
}
