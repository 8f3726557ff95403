import * as AccountSearch from '../../../identity/account-search.ts';
import * as AccountKeys from '../../../journeys/account-keys.ts';
import * as Freezing from '../../../journeys/freezing.ts';
import * as Reversal from '../../../journeys/reversal.ts';
import type { Shop } from '../../../journeys/shop.ts';
import { id } from '../../../kernel/id.ts';
import * as Gift from '../../../payment/gift.ts';
import type { Fault } from '../../../payment/wish.ts';
import type { Console, Shown } from '../../console.ts';
import * as Page from '../../pages/console/account.ts';
import * as ListPage from '../../pages/console/accounts.ts';
import { amount } from '../../pages/console/figures.ts';

const path = '/admin/console/accounts';
const dayMs = 86_400_000;
const pageSize = 25;
const actsShownMax = 10;
const ordersShownMax = 50;

/** Accounts: found, looked at, given to, frozen. */
export function add(console: Console): void {
  const { shop } = console;

  console.room('Accounts', path, async (c) => {
    const typed = c.req.query('q')?.trim() ?? '';
    const query = AccountSearch.read(typed);
    const after = c.req.query('after') ?? null;
    const { accounts } = shop.console;
    const found =
      query === null ? await accounts.newest(after, pageSize + 1) : await accounts.find(query, pageSize);
    const shown = found.slice(0, pageSize);
    const next = found.length > pageSize ? (shown.at(-1)?.id ?? null) : null;
    const [only] = found;
    // What names one thing leads straight to it.
    if (only && found.length === 1 && query !== null && query.kind !== 'email') return onward(only.id);
    return { title: 'Accounts', main: ListPage.accounts({ typed, found: shown, next }) };
  });

  console.page(`${path}/:id`, (c) => page(c.req.param('id') ?? '', null));

  console.form(`${path}/:id`, async (c, form, who) => {
    const account = c.req.param('id') ?? '';
    const act = form.get('act') ?? '';
    if (act === 'grant') return page(account, await give(shop, account, form, who));
    if (act === 'freeze' || act === 'thaw')
      return page(account, await freeze(shop, account, act === 'freeze', form, who));
    return page(account, { text: 'There is no such act.', isBad: true });
  });

  async function page(account: string, notice: Page.Notice): Promise<Shown> {
    const found = (await shop.console.accounts.find({ kind: 'id', id: account }, pageSize)).find(
      (one) => one.id === account,
    );
    if (found === undefined) {
      const main = ListPage.accounts({ typed: account, found: [], next: null });
      return { title: 'No such account', status: 404, main };
    }
    if (found.joinedTo !== null) return onward(found.joinedTo);
    const nowMs = shop.clock();
    const [lots, subscriptions, orders, keys, calls, acts] = await Promise.all([
      shop.statements.of(account),
      shop.subscriptions.of(account),
      shop.orders.begun(account, null, ordersShownMax),
      AccountKeys.list(shop, account),
      shop.usage.calls(account, nowMs - 30 * dayMs, nowMs + 1, null, pageSize),
      shop.audit.list(account, null, actsShownMax),
    ]);
    const withGone = await Promise.all(
      orders.map(async (order) => ({ order, gone: await Reversal.goneOf(shop, order) })),
    );
    const facts = { account: found, lots, subscriptions, orders: withGone, keys, calls, acts, nowMs, notice };
    const main = Page.account({ ...facts, formKey: id('console') }, shop.catalog.plans);
    return { title: found.email ?? found.id, status: notice?.isBad ? 422 : 200, main };
  }
}

async function give(
  shop: Shop,
  account: string,
  form: URLSearchParams,
  who: string,
): Promise<NonNullable<Page.Notice>> {
  const filled = ['usd', 'units', 'plan', 'expires', 'reason', 'key'].flatMap((name) => {
    const value = form.get(name)?.trim() ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  const read = Gift.parse({ account, ...Object.fromEntries(filled) }, shop.catalog.plans, shop.clock());
  if (read.kind === 'fault') return faulty(read.faults);
  const given = await shop.gifts.give(read.gift, who);
  switch (given.kind) {
    case 'given':
      return { text: `${amount(read.gift.asset, read.gift.amount)} were given.`, isBad: false };
    case 'mismatch':
      return {
        text: 'This form has given something else before: look at what it gave, and begin anew.',
        isBad: true,
      };
    case 'unknown_account':
      return { text: 'There is no such account.', isBad: true };
  }
}

async function freeze(
  shop: Shop,
  account: string,
  isFrozen: boolean,
  form: URLSearchParams,
  who: string,
): Promise<NonNullable<Page.Notice>> {
  const read = Freezing.parse({ reason: form.get('reason')?.trim() || null });
  if (read.kind === 'fault') return faulty(read.faults);
  const frozen = await Freezing.set(shop, account, isFrozen, read.reason, who);
  if (frozen.kind === 'unknown_account') return { text: 'There is no such account.', isBad: true };
  if (frozen.kind === 'same') return { text: 'It was so before.', isBad: false };
  return { text: isFrozen ? 'Frozen, in every process.' : 'It may go on.', isBad: false };
}

function faulty(faults: readonly Fault[]): NonNullable<Page.Notice> {
  return { text: `${faults.map(({ field, message }) => `${field}: ${message}`).join('. ')}.`, isBad: true };
}

function onward(account: string): Response {
  const headers = { location: `${path}/${account}`, 'cache-control': 'no-store' };
  return new Response(null, { status: 303, headers });
}
