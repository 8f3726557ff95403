import { id } from '@sluice/kernel/id';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import * as AccountSearch from '../../../identity/account-search.ts';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import * as AccountKeys from '../../../journeys/account-keys.ts';
import * as Freezing from '../../../journeys/freezing.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import * as Reversal from '../../../journeys/sync-reversals.ts';
import type { LedgerContext } from '../../../ledger/ledger-context.ts';
import * as CreditGrant from '../../../payment/credit-grant.ts';
import type { PaymentContext } from '../../../payment/payment-context.ts';
import type { FieldFault } from '../../../payment/purchase-input.ts';
import { english } from '../../../text/texts.ts';
import * as FormFaults from '../../pages/form-faults.ts';
import type { Console } from '../console.ts';
import * as Page from '../pages/account.ts';
import * as ListPage from '../pages/accounts.ts';
import { amount } from '../pages/figures.ts';
import type { ConsoleResponse } from '../response.ts';

const path = '/admin/console/accounts';
const dayMs = 86_400_000;
const pageSize = 25;
const actsShownMax = 10;
const ordersShownMax = 50;

/** The dependencies of the accounts section. */
export type AccountSectionContext = Pick<CatalogContext, 'catalog'> &
  Pick<IdentityContext, 'accounts' | 'clock' | 'keys' | 'revocations'> &
  Pick<LedgerContext, 'statements' | 'usage'> &
  Pick<PaymentContext, 'orders' | 'subscriptions'> &
  Pick<SellerContext, 'audit' | 'console' | 'creditGrants'>;

/** Accounts: search, account pages, credit grants and freezing. */
export function addAccountSection(console: Console, shop: AccountSectionContext): void {
  console.addSection('Accounts', path, async (c) => {
    const typed = c.req.query('q')?.trim() ?? '';
    const query = AccountSearch.read(typed);
    const after = c.req.query('after') ?? null;
    const { accounts } = shop.console;
    const found =
      query === null ? await accounts.newest(after, pageSize + 1) : await accounts.find(query, pageSize);
    const shown = found.slice(0, pageSize);
    const next = found.length > pageSize ? (shown.at(-1)?.id ?? null) : null;
    const [only] = found;
    // An id that matches exactly one account opens its page.
    if (only && found.length === 1 && query !== null && query.kind !== 'email') return redirect(only.id);
    return { title: 'Accounts', main: ListPage.accounts({ typed, found: shown, next }) };
  });

  console.addPage(`${path}/:id`, (c) => page(c.req.param('id') ?? '', null));

  console.addAction(`${path}/:id`, async (c, form, { who }) => {
    const account = c.req.param('id') ?? '';
    const act = form.get('act') ?? '';
    if (act === 'grant') return page(account, await grant(shop, account, form, who));
    if (act === 'freeze' || act === 'unfreeze')
      return page(account, await freeze(shop, account, act === 'freeze', form, who));
    return page(account, { text: 'Unknown action. Reload the page and try again.', isBad: true });
  });

  async function page(account: string, result: Page.FormResult): Promise<ConsoleResponse> {
    const found = (await shop.console.accounts.find({ kind: 'id', id: account }, pageSize)).find(
      (one) => one.id === account,
    );
    if (found === undefined) {
      const main = ListPage.accounts({ typed: account, found: [], next: null });
      return { title: 'Account not found', status: 404, main };
    }
    if (found.joinedTo !== null) return redirect(found.joinedTo);
    const nowMs = shop.clock();
    const [lots, subscriptions, orders, keys, calls, acts] = await Promise.all([
      shop.statements.of(account),
      shop.subscriptions.of(account),
      shop.orders.begun(account, null, ordersShownMax),
      AccountKeys.list(shop, account),
      shop.usage.calls(account, nowMs - 30 * dayMs, nowMs + 1, null, pageSize),
      shop.audit.list(account, null, actsShownMax),
    ]);
    const listed = await Promise.all(
      orders.map(async (order) => ({ order, reversed: await Reversal.reversedAmount(shop, order) })),
    );
    const facts = { account: found, lots, subscriptions, orders: listed, keys, calls, acts, nowMs, result };
    const main = Page.account({ ...facts, formKey: id('console') }, shop.catalog.plans);
    return { title: found.email ?? found.id, status: result?.isBad ? 422 : 200, main };
  }
}

async function grant(
  shop: Pick<CatalogContext, 'catalog'> &
    Pick<IdentityContext, 'clock'> &
    Pick<SellerContext, 'creditGrants'>,
  account: string,
  form: URLSearchParams,
  who: string,
): Promise<NonNullable<Page.FormResult>> {
  const filled = ['usd', 'units', 'plan', 'expires', 'reason', 'key'].flatMap((name) => {
    const value = form.get(name)?.trim() ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  const read = CreditGrant.parse(
    { account, ...Object.fromEntries(filled) },
    shop.catalog.plans,
    shop.clock(),
  );
  if (read.kind === 'fault') return faulty(read.faults);
  const given = await shop.creditGrants.give(read.creditGrant, who);
  switch (given.kind) {
    case 'given':
      return { text: `Granted ${amount(read.creditGrant.asset, read.creditGrant.amount)}.`, isBad: false };
    case 'mismatch':
      return {
        text: 'This form was already used for another grant. Check the grants of the account, then fill in the form again.',
        isBad: true,
      };
    case 'unknown_account':
      return { text: 'This account does not exist.', isBad: true };
    case 'too_much':
      return { text: CreditGrant.tooMuch, isBad: true };
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
    text: isFrozen ? 'The account is frozen in every process.' : 'The account can call and buy again.',
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
