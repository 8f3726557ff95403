import { beforeAll, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import { accountOf, keyOf, Studio, sections } from './studio.ts';
import type { Visitor } from './visitor.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
  return () => studio.close();
});

/** Takes a picture of each section, as it is and with all that is folded open. */
async function allSections(owner: Visitor, state: string): Promise<void> {
  for (const [group, path] of Object.entries(sections)) {
    const section = owner.in(group);
    await section.see(path, state);
    if (group === 'Billing' || group === 'Team' || group === 'Usage')
      await section.shot(`${state}, all open`, () => section.unfoldAll());
  }
}

const people = (token: string, body: object) =>
  Customer.call({ token }, 'POST', `${studio.shop.url}/v2/search/people`, body);

test('signing in', async () => {
  const email = 'signs-in@example.com';
  const signedOut = await studio.visitor('Signed out');
  await signedOut.see('/shop/account', 'new visitor');
  await signedOut.shot('every part open', () => signedOut.unfoldAll());
  await signedOut.submit(null, { 'Recovery token': 'wrong' }, 'Sign in', 'wrong token');
  const owner = await studio.account('Overview');
  await owner.see(sections.Overview, 'new, without an email');
  await owner.in('Team').see(sections.Team, 'without an email');
  const [address, send] = ['Your email address', 'Send me a code'];
  await owner.submit(sections.Overview, { [address]: 'nope' }, send, 'email refused');
  await owner.submit(sections.Overview, { [address]: email }, send, 'code sent');
  await owner.submit(null, { '6-digit code': '000000' }, 'Confirm', 'wrong code');
  await owner.submit(
    sections.Overview,
    { '6-digit code': await studio.code(email) },
    'Confirm',
    'email saved',
  );
  await owner.in('Signed out').submit(sections.Settings, {}, 'Sign out', 'after signing out');
  await signedOut.submit(sections.Overview, { [address]: email }, 'Send me a link', 'mail sent');
  const link = await studio.mailed(email, /^http\S+\/link\S+$/m);
  const elsewhere = await studio.visitor('Sign-in link');
  const typed = (value: string, state: string) =>
    elsewhere.submit(link, { 'Email address that received the link': value }, 'Sign in', state);
  await elsewhere.see(link, 'in another browser');
  await typed('other@example.com', 'in another browser, wrong address');
  await signedOut.in('Sign-in link').see(link, 'opened');
  await signedOut.in('Overview').shot('signed in by the link', () => signedOut.press('Sign in'));
  await elsewhere.see(link, 'used already');
});

test('an account from empty to full', async () => {
  const email = 'full@example.com';
  const owner = await studio.account('Overview', email);
  const [usage, keys, billing, settings] = (['Usage', 'Keys', 'Billing', 'Settings'] as const).map((group) =>
    owner.in(group),
  ) as [Visitor, Visitor, Visitor, Visitor];
  await allSections(owner, 'empty');
  const limit = { Name: 'nightly job', 'Spending limit (USD, optional)': 'a lot' };
  await keys.submit(sections.Keys, limit, 'Create API key', 'limit refused');
  await owner.paid('credit', '20.00', email);
  await owner.paid('start', undefined, email);
  const tokens = [await keyOf(owner, 'website')];
  await keys.shot('key created', async () => tokens.push(await keyOf(owner, 'nightly job', '5.00')));
  for (const one of tokens) {
    for (const max_results of [3, 5, 8]) await people(one, { max_results });
    await people(one, { max_results: -1 });
    await Customer.call({ token: one }, 'POST', `${studio.shop.url}/v2/search/companies`, { max_results: 4 });
  }
  const account = await accountOf(owner);
  await usage.see(sections.Usage, 'a first day');
  await monthOfUsage(account);
  await allSections(owner, 'full');
  await usage.open(sections.Usage);
  await usage.shot('last 7 days', () => usage.follow('7 days'));
  await usage.visits({
    'by key': `${sections.Usage}?by=key`,
    'filtered by service': `${sections.Usage}?service=people-search`,
    'nothing in these days': `${sections.Usage}?from=2026-01-01&to=2026-01-02`,
    'days refused': `${sections.Usage}?from=2020-01-01&to=2026-11-27`,
    'cost of each day': `${sections.Usage}?show=cost`,
  });
  await keys.submit(sections.Keys, {}, 'Revoke the key website', 'question before a key ends');
  await keys.shot('key ended', () => keys.press('Revoke the key'));
  const amount = { 'Another amount (USD)': '0.10' };
  await billing.submit(sections.Billing, amount, 'Add credit', 'amount refused');
  await studio.admin('/promotions', { code: 'FULL', usd: '3.00' });
  const redeem = (code: string, state: string) =>
    billing.submit(sections.Billing, { Code: code }, 'Redeem', state);
  await redeem('NOPE', 'promotion code wrong');
  await redeem('FULL', 'promotion code redeemed');
  await redeem('FULL', 'promotion code used before');
  const company = { 'Company or name': 'Lovelace GmbH' };
  await billing.submit(sections.Billing, company, 'Save billing details', 'details refused');
  await billing.open(sections.Billing);
  await billing.shot('refund form', () => billing.follow(/^Ask for a refund of/));
  await billing.submit(null, { Reason: 'I bought more than I need.' }, 'Send request', 'refund asked');
  await settings.see('/shop/account/close', 'close the account');
  await settings.see('/shop/leave', 'question before leaving');
  await studio.admin(`/accounts/${account}/freeze`, { reason: 'pictures' });
  await owner.see(sections.Overview, 'frozen account');
  await keys.submit(sections.Keys, { Name: 'more' }, 'Create API key', 'refused to a frozen account');
}, 400_000);

/** Copies the calls of an account into the days before, as a month would have made them. The ids keep their slot. */
async function monthOfUsage(account: string): Promise<void> {
  await studio.shop
    .sql`INSERT INTO ledger.usage (call_id, draw, status, account_id, lot_id, units, price, amount, plan_id, service, operation, key_id, writer_id, epoch, seq)
    SELECT (lpad(to_hex(('x' || left(hex, 12))::bit(48)::bigint - n * 86400000::bigint - m * 60000), 12, '0') || substr(hex, 13))::uuid,
      draw, status, account_id, lot_id, units * 40, price, amount, plan_id, service, operation, key_id, writer_id, epoch, seq
    FROM (SELECT *, replace(call_id::text, '-', '') AS hex FROM ledger.usage WHERE account_id = ${account}) calls,
      generate_series(1, 28) n, generate_series(1, 6) m WHERE n % 7 <> 0 AND m <= 1 + (n * 5) % 6`;
}

test('a low balance, and leaving', async () => {
  const owner = await studio.account('Settings');
  const account = await accountOf(owner);
  await Customer.credit(studio.shop.sql, { account } as Customer.Customer, 20_000);
  await allSections(owner, 'low balance without an email');
  await owner.open(sections.Settings);
  await owner.shot('question before leaving without an email', () =>
    owner.page.locator('form[action="/shop/leave"] button').click(),
  );
  await owner.in('Signed out').shot('left the account', () => owner.press('Leave anyway'));
});
