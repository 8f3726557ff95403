import { beforeAll, test } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import * as Customer from '../support/customer.ts';
import { at, type Buyer, front, history, names, openSite } from './history.ts';
import type { Studio } from './studio.ts';
import type { Visitor } from './visitor.ts';

let site: Studio;
let buyers: Map<string, Buyer>;
let seller: Visitor;
beforeAll(async () => {
  site = await openSite();
  buyers = await history(site);
  seller = await site.seller('console-accounts');
  return () => site.close();
});

const account = (email: string) => at(`accounts/${buyers.get(email)?.account}`);
const reason = 'Reason, for the audit log';

test('accounts are found, and one is granted credit and frozen', async () => {
  const [list, one] = [seller.in('console-accounts'), seller.in('console-account')];
  const [grants, freezing] = [seller.in('console-grant'), seller.in('console-freeze')];
  await list.see(at('accounts'), 'newest first, full');
  await list.shot('all filters open', () => list.unfold('More filters'));
  await list.shot('older ones', () => list.follow('Older'));
  await list.visits({
    'filtered by those that paid': at('accounts?kind=paying'),
    'filtered by frozen, no match': at('accounts?kind=frozen'),
    'search by a part of an address': at('accounts?q=example'),
    'search by the start of an id': at('accounts?q=acc_a'),
  });
  const order = buyers.get(names[0])?.order ?? '';
  await one.submit(at('accounts'), { Search: order }, 'Filter', 'paid, with keys and calls');
  const trial = await Agent.registered(site.shop.url);
  await Customer.call(trial, 'POST', `${site.shop.url}/v2/search/people`, { max_results: 3 });
  await one.visits({
    'trial without an email': at(`accounts/${trial.account}`),
    'with a refund request': account(names[2]),
    'with a dispute': account('emmy@noether.example'),
    'long address': account('a.rather.long.name.of.a.buyer@subdomain.example'),
  });
  await one.open(account(names[1]));
  await grants.shot('form', () => grants.unfold('Grant credit'));
  const refused = { 'Credit (USD)': 'five', 'Or results': '100', '#grant-reason': 'a late answer' };
  await grants.submit(null, refused, 'Review grant', 'refused');
  await grants.submit(null, { 'Credit (USD)': '2.00', 'Or results': '' }, 'Review grant', 'review');
  await grants.shot('back from the review', () => grants.follow('Change'));
  await grants.press('Review grant');
  await grants.shot('granted', () => grants.press('Grant 2.00 USD'));
  await grants.shot('listed in what the team did', () => grants.unfold('Team activity'));
  await freezing.shot('question', () => freezing.follow('Freeze account'));
  await freezing.page.locator('#reason').evaluate((input) => input.removeAttribute('maxlength'));
  await freezing.submit(null, { [reason]: 'x'.repeat(501) }, 'Freeze account', 'refused, reason too long');
  const stolen = { [reason]: 'A stolen card, reported by the bank on Monday' };
  await freezing.submit(null, stolen, 'Freeze account', 'frozen account');
  await freezing.shot('question before unfreezing', () => freezing.follow('Unfreeze account'));
  await freezing.see(at('accounts?kind=frozen'), 'list of frozen accounts');
  await freezing.open(account(names[1]));
  await freezing.follow('Unfreeze account');
  await freezing.submit(null, { [reason]: 'The buyer proved the payment' }, 'Unfreeze account', 'unfrozen');
});

test('promotion codes are created, used and ended', async () => {
  const codes = seller.in('console-codes');
  const create = (state: string, fields: Readonly<Record<string, string>>) =>
    codes.submit(at('codes'), fields, 'Create code', state);
  await create('refused', { Code: 'a', 'Credit (USD)': 'x' });
  const spring = { Code: 'SPRING-26', 'Credit (USD)': '5.00' };
  await create('created', { ...spring, 'Accounts that can use it': '2' });
  await create('same code again', spring);
  await codes.open(at('codes'));
  await codes.fill({ Code: 'RESULTS-1000', 'Credit (USD)': '', 'Or results': '1000' });
  await codes.page.getByText('Only accounts with a confirmed email address').click();
  await codes.press('Create code');
  for (const name of [names[0], names[1]])
    await Customer.call(buyers.get(name) as Buyer, 'POST', `${site.shop.url}/account/promotions`, {
      code: 'SPRING-26',
    });
  await codes.see(at('codes'), 'active and used up');
  await codes.see(at('codes/RESULTS-1000/end'), 'question before ending');
  await codes.shot('ended', () => codes.press('End code'));
});

test('the audit log and the health of the shop', async () => {
  const [audit, health] = [seller.in('console-audit'), seller.in('console-health')];
  await audit.see(at('audit'), 'actions');
  await audit.shot('one entry open', () => audit.page.locator('tbody summary').first().click());
  await audit.visits({ 'sign-ins': at('audit?show=sign-ins'), all: at('audit?show=all') });
  await audit.open(at('audit'));
  await audit.shot('all filters open', () => audit.unfold('More filters'));
  await audit.see(at(`audit?account=${buyers.get(names[1])?.account}`), 'of one account');
  await audit.see(at('audit?text=none@example.com'), 'filter without a match');
  await audit.see(at('audit?account=none@example.com'), 'filter for an account that does not exist');
  await health.see(at('health'), 'after a month of sales');
  await health.shot('technical details open', () => health.unfold('Technical details', 'Commands'));
  const check = (state: string, outcome: string) =>
    health.shot(state, async () => {
      await health.press('Check now');
      await health.text(outcome);
    });
  await check('books are consistent', 'The books agree');
  await site.shop
    .sql`INSERT INTO shop.payment_record (order_id, payment, amount, rail) VALUES ('pur_forged', 'pi_forged', 5000000, 'card')`;
  await check('books are not consistent', 'The books do not agree');
  await health.see(front, 'overview with a violation in the books');
  const caller = buyers.get(names[0]) as Buyer;
  await Customer.call(caller, 'POST', `${site.shop.url}/v2/search/people`, { max_results: 1, gone: true });
  await health.see(at('health'), 'the API fails');
  const hasty = { extraHTTPHeaders: { 'x-forwarded-for': '192.0.2.1' } };
  const busy = await site.seller('console-refusals', hasty);
  const flood = () =>
    Customer.send({
      ...{ method: 'GET', url: `${site.shop.url}${at('payments')}` },
      headers: hasty.extraHTTPHeaders,
    });
  await Promise.all(Array.from({ length: 60 }, flood));
  await busy.see(at('payments?state=refunded'), 'too many requests');
});
