import { id as newId } from '@sluice/kernel/id';
import * as Freezing from '../../../journeys/freezing.ts';
import { isOwed, willRenew } from '../../../payment/subscription.ts';
import type { Call } from '../../request-context.ts';
import type { Console } from '../console.ts';
import type { FormResult } from '../pages/account.ts';
import * as PlansPage from '../pages/account-plans.ts';
import * as GrantPage from '../pages/grant.ts';
import { planNames } from '../plan-names.ts';
import type { ConsoleResponse } from '../response.ts';
import type { Person } from '../sessions.ts';
import * as Form from './account-forms.ts';
import { addExport, addList } from './account-list.ts';
import { type AccountSectionContext, find, freezePage, page, planFacts } from './account-page.ts';

const path = '/admin/console/accounts';
const notRenewing: FormResult = { text: 'This plan does not renew. Nothing has changed.', isBad: false };

/** Accounts: search, account pages, credit grants, freezing, and the end of plans. */
export function addAccountSection(console: Console, shop: AccountSectionContext): void {
  const idOf = (c: Call) => c.req.param('id') ?? '';
  addList(console, shop);
  addExport(console, shop);
  console.addPage(`${path}/:id`, (c, person, flash) => page(shop, idOf(c), flash, person));
  console.addPage(`${path}/:id/freeze`, (c, person) => freezePage(shop, idOf(c), person));
  console.addPage(`${path}/:id/grant`, (c, person) =>
    grantPage(shop, idOf(c), new URLSearchParams(c.req.query()), person),
  );
  console.addPage(`${path}/:id/cancel`, (c, person) =>
    cancelPage(shop, idOf(c), c.req.query('subscription') ?? '', person),
  );
  console.addAction(`${path}/:id`, (c, form, person) => act(shop, idOf(c), form, person));
}

/** The question before credit is granted. */
async function grantPage(
  shop: AccountSectionContext,
  id: string,
  typed: URLSearchParams,
  person: Person,
): Promise<ConsoleResponse> {
  const account = await find(shop, id);
  if (account === null || account.joinedTo !== null) return page(shop, id, null, person);
  // The key comes from the page before this one, so that going back and confirming again grants nothing more.
  if (!typed.get('key')) typed.set('key', newId('console'));
  const read = Form.readGrant(shop, account.id, typed);
  // Back from the review, to the form as it was filled in.
  if (typed.get('change') === 'yes')
    return page(shop, account.id, null, person, { values: read.values, faults: {} });
  if (read.kind === 'refused') return page(shop, account.id, read.refused, person, read.refused.draft);
  const lots = await shop.statements.of(account.id);
  const facts = { ...read, account, lots, planName: planNames(shop), nowMs: shop.clock() };
  return { title: 'Grant credit', main: GrantPage.confirm(facts) };
}

/** The question before a plan is cancelled. */
async function cancelPage(
  shop: AccountSectionContext,
  id: string,
  subscription: string,
  person: Person,
): Promise<ConsoleResponse> {
  const account = await find(shop, id);
  if (account === null) return page(shop, id, null, person);
  const one = await shop.subscriptions.find(subscription);
  if (one?.account !== account.id || !willRenew(one)) return page(shop, id, notRenewing, person);
  const more = { account, isOwed: isOwed(one, shop.clock()) };
  const main = PlansPage.confirmCancel(one, { ...(await planFacts(shop, account.id)), ...more });
  return { title: `Cancel ${planNames(shop)(one.plan)}`, main };
}

/** Performs the action of a form. A reload of the page after it repeats nothing. */
async function act(
  shop: AccountSectionContext,
  account: string,
  form: URLSearchParams,
  person: Person,
): Promise<ConsoleResponse> {
  const { who } = person;
  const to = `${path}/${account}`;
  switch (form.get('act')) {
    case 'grant': {
      const { draft, ...result } = await Form.grant(shop, account, form, who);
      return result.isBad ? page(shop, account, result, person, draft) : { to, flash: result };
    }
    case 'freeze':
    case 'unfreeze': {
      const reason = form.get('reason')?.trim() ?? '';
      if (Freezing.parse({ reason }).kind === 'fault') return freezePage(shop, account, person, reason);
      const result = await Form.freeze(shop, account, form.get('act') === 'freeze', form, who);
      return result === null ? page(shop, account, null, person) : { to, flash: result };
    }
    case 'cancel': {
      const result = await Form.cancel(shop, account, form.get('subscription') ?? '', who);
      return result.isBad ? page(shop, account, result, person) : { to, flash: result };
    }
    default: {
      const text = 'Unknown action. Reload the page and try again.';
      return page(shop, account, { text, isBad: true }, person);
    }
  }
}
