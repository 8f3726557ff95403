import { afterAll, beforeAll, test } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import * as Customer from '../support/customer.ts';
import { at, type Buyer, front, history, names, openSite, type Site, Visitor } from './history.ts';

let site: Site;
let buyers: Map<string, Buyer>;
let seller: Visitor;
beforeAll(async () => {
  site = await openSite();
  buyers = await history(site);
  seller = await Visitor.at(site);
  await seller.signIn();
});
afterAll(() => site?.close());

const account = (email: string) => at(`accounts/${buyers.get(email)?.account}`);
const reason = 'Reason, for the audit log';

test('accounts are found, and one is granted credit and frozen', async () => {
  seller.group = 'console-accounts';
  await seller.see(at('accounts'), 'newest first, full');
  await seller.unfold('More filters');
  await seller.shot('all filters open');
  await seller.follow('Older');
  await seller.shot('older ones');
  await seller.see(at('accounts?kind=paying'), 'filtered by those that paid');
  await seller.see(at('accounts?kind=frozen'), 'filtered by frozen, no match');
  await seller.see(at('accounts?q=example'), 'search by a part of an address');
  seller.group = 'console-account';
  await seller.open(at('accounts'));
  await seller.fill({ Search: buyers.get(names[0])?.order ?? '' });
  await seller.press('Filter');
  await seller.shot('paid, with keys and calls');
  const trial = await Agent.registered(site.shop.url);
  await Customer.call(trial, 'POST', `${site.shop.url}/v2/search/people`, { max_results: 3 });
  await seller.see(at(`accounts/${trial.account}`), 'trial without an email');
  await seller.see(account(names[2]), 'with a refund request');
  await seller.see(account('emmy@noether.example'), 'with a dispute');
  await seller.see(account('a.rather.long.name.of.a.buyer@subdomain.example'), 'long address');
  seller.group = 'console-grant';
  await seller.open(account(names[1]));
  await seller.unfold('Grant credit');
  await seller.shot('form');
  await seller.fill({
    'Credit (USD)': 'five',
    'Results, in place of credit': '100',
    [reason]: 'a late answer',
  });
  await seller.press('Grant');
  await seller.shot('refused');
  await seller.fill({ 'Credit (USD)': '2.00', 'Results, in place of credit': '' });
  await seller.press('Grant');
  await seller.shot('granted');
  await seller.unfold('What the team did');
  await seller.shot('listed in what the team did');
  seller.group = 'console-freeze';
  await seller.follow('Freeze account');
  await seller.shot('question');
  await seller.page.locator('#reason').evaluate((input) => input.removeAttribute('maxlength'));
  await seller.fill({ [reason]: 'x'.repeat(501) });
  await seller.press('Freeze account');
  await seller.shot('refused, reason too long');
  await seller.fill({ [reason]: 'A stolen card, reported by the bank on Monday' });
  await seller.press('Freeze account');
  await seller.shot('frozen account');
  await seller.follow('Unfreeze account');
  await seller.shot('question before unfreezing');
  await seller.see(at('accounts?kind=frozen'), 'list of frozen accounts');
  await seller.open(account(names[1]));
  await seller.follow('Unfreeze account');
  await seller.fill({ [reason]: 'The buyer proved the payment' });
  await seller.press('Unfreeze account');
  await seller.shot('unfrozen');
});

test('promotion codes are created, used and ended', async () => {
  seller.group = 'console-codes';
  await seller.open(at('codes'));
  await seller.fill({ Code: 'a', 'Credit (USD)': 'x' });
  await seller.press('Create code');
  await seller.shot('refused');
  await seller.fill({ Code: 'SPRING-26', 'Credit (USD)': '5.00', 'Accounts that can use it': '2' });
  await seller.press('Create code');
  await seller.shot('created');
  await seller.fill({ Code: 'SPRING-26', 'Credit (USD)': '5.00' });
  await seller.press('Create code');
  await seller.shot('same code again');
  await seller.fill({ Code: 'RESULTS-1000', 'Credit (USD)': '', 'Results, in place of credit': '1000' });
  await seller.page.getByText('Only accounts with a confirmed email address').click();
  await seller.press('Create code');
  for (const name of [names[0], names[1]])
    await Customer.call(buyers.get(name) as Buyer, 'POST', `${site.shop.url}/account/promotions`, {
      code: 'SPRING-26',
    });
  await seller.see(at('codes'), 'active and used up');
  await seller.see(at('codes/RESULTS-1000/end'), 'question before ending');
  await seller.press('End code');
  await seller.shot('ended');
});

test('the audit log and the health of the shop', async () => {
  seller.group = 'console-audit';
  await seller.see(at('audit'), 'actions');
  await seller.page.locator('tbody summary').first().click();
  await seller.shot('one entry open');
  await seller.see(at('audit?show=sign-ins'), 'sign-ins');
  await seller.see(at('audit?show=all'), 'all');
  await seller.open(at('audit'));
  await seller.unfold('More filters');
  await seller.shot('all filters open');
  await seller.see(at(`audit?account=${buyers.get(names[1])?.account}`), 'of one account');
  await seller.see(at('audit?text=none@example.com'), 'filter without a match');
  seller.group = 'console-health';
  await seller.see(at('health'), 'after a month of sales');
  await seller.unfold('Technical details', 'Commands');
  await seller.shot('technical details open');
  await seller.press('Check now');
  await seller.page.getByText('The books agree').waitFor();
  await seller.shot('books are consistent');
  await site.shop
    .sql`INSERT INTO shop.payment_record (order_id, payment, amount, rail) VALUES ('pur_forged', 'pi_forged', 5000000, 'card')`;
  await seller.press('Check now');
  await seller.page.getByText('The ledger is not consistent').waitFor();
  await seller.shot('books are not consistent');
  await seller.see(front, 'overview with a violation in the books');
  const caller = buyers.get(names[0]) as Buyer;
  await Customer.call(caller, 'POST', `${site.shop.url}/v2/search/people`, { max_results: 1, gone: true });
  await seller.see(at('health'), 'the API fails');
  const flood = () =>
    Customer.send({
      method: 'GET',
      url: `${site.shop.url}${at('payments')}`,
      headers: { 'x-forwarded-for': '192.0.2.1' },
    });
  await Promise.all(Array.from({ length: 60 }, flood));
  seller.group = 'console-refusals';
  await seller.see(at('payments?state=refunded'), 'too many requests');
});
