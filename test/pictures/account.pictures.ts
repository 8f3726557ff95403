import type { Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import { press, Studio, sections, uncheck, unfold } from './studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(() => studio?.close());

/** Takes a picture of each section, as it is and with all that is folded open. */
async function allSections(page: Page, state: string): Promise<void> {
  for (const [group, path] of Object.entries(sections)) {
    await studio.shot(page, group, state, () => studio.go(page, path));
    if (group === 'Billing' || group === 'Team' || group === 'Usage')
      await studio.shot(page, group, `${state}, all open`, () => unfold(page));
  }
}

const people = (token: string, body: object) =>
  Customer.call({ token }, 'POST', `${studio.shop.url}/v2/search/people`, body);

test('signing in', async () => {
  const email = 'signs-in@example.com';
  const page = await studio.visitor();
  await studio.shot(page, 'Signed out', 'new visitor', () => studio.go(page, '/shop/account'));
  await studio.shot(page, 'Signed out', 'every part open', () => unfold(page));
  await studio.shot(page, 'Signed out', 'wrong token', async () => {
    await uncheck(page);
    await page.locator('form[action="/shop/account/sign-in"] textarea').fill('wrong');
    await press(page, 'Sign in');
  });
  const owner = await studio.visitor('/shop/account');
  await press(owner, 'Start free');
  await studio.shot(owner, 'Overview', 'new, without an email', () => studio.go(owner, '/shop/account'));
  await studio.visits(owner, 'Team', { 'without an email': sections.Team });
  await studio.shot(owner, 'Overview', 'email refused', async () => {
    await studio.go(owner, '/shop/account');
    await uncheck(owner);
    await owner.getByLabel('Your email address').fill('nope');
    await press(owner, 'Send me a code');
  });
  await studio.shot(owner, 'Overview', 'code sent', async () => {
    await studio.go(owner, '/shop/account');
    await owner.getByLabel('Your email address').fill(email);
    await press(owner, 'Send me a code');
    await owner.getByLabel('6-digit code').waitFor();
  });
  await studio.shot(owner, 'Overview', 'wrong code', async () => {
    await owner.getByLabel('6-digit code').fill('000000');
    await press(owner, 'Confirm');
  });
  await studio.shot(owner, 'Overview', 'email saved', async () => {
    await studio.go(owner, '/shop/account');
    await owner.getByLabel('6-digit code').fill(await studio.code(email));
    await press(owner, 'Confirm');
  });
  await studio.shot(owner, 'Signed out', 'after signing out', async () => {
    await studio.go(owner, sections.Settings);
    await press(owner, 'Sign out');
  });
  await studio.shot(page, 'Signed out', 'mail sent', async () => {
    await studio.go(page, '/shop/account');
    await page.getByLabel('Your email address').fill(email);
    await press(page, 'Send me a link');
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  });
  const link = await studio.mailed(email, /^http\S+\/link\S+$/m);
  const elsewhere = await studio.visitor();
  await studio.shot(elsewhere, 'Sign-in link', 'in another browser', () => elsewhere.goto(link));
  await studio.shot(elsewhere, 'Sign-in link', 'in another browser, wrong address', async () => {
    await elsewhere.getByLabel('Email address that received the link').fill('other@example.com');
    await elsewhere.getByRole('main').getByRole('button').first().click();
  });
  await studio.shot(page, 'Sign-in link', 'opened', () => page.goto(link));
  await studio.shot(page, 'Overview', 'signed in by the link', () => press(page, 'Sign in'));
  await studio.shot(elsewhere, 'Sign-in link', 'used already', async () => {
    await elsewhere.goto(link);
    const field = elsewhere.getByLabel('Email address that received the link');
    if ((await field.count()) === 0) return;
    await field.fill(email);
    await elsewhere.getByRole('main').getByRole('button').first().click();
  });
  studio.expectAll();
});

test('an account from empty to full', async () => {
  const email = 'full@example.com';
  const page = await studio.account(email);
  await allSections(page, 'empty');
  await studio.shot(page, 'Keys', 'limit refused', async () => {
    await studio.go(page, sections.Keys);
    await page.getByLabel('Name', { exact: true }).fill('nightly job');
    await page.getByLabel('Spending limit (USD, optional)').fill('a lot');
    await press(page, 'Create API key');
  });
  await studio.paid(page, 'credit', '20.00', email);
  await studio.paid(page, 'start', undefined, email);
  let token = '';
  await studio.shot(page, 'Keys', 'key created', async () => {
    token = await studio.key(page, 'nightly job', '5.00');
  });
  const second = await studio.key(page, 'website');
  for (const one of [token, second]) {
    for (const max_results of [3, 5, 8]) await people(one, { max_results });
    await people(one, { max_results: -1 });
    await Customer.call({ token: one }, 'POST', `${studio.shop.url}/v2/search/companies`, { max_results: 4 });
  }
  const account = await studio.accountOf(page);
  await studio.shot(page, 'Usage', 'a first day', async () => {
    await studio.go(page, sections.Usage);
  });
  await monthOfUsage(account);
  await allSections(page, 'full');
  await studio.visits(page, 'Usage', {
    'last 7 days': await rangeOf(page),
    'by key': `${sections.Usage}?by=key`,
    'filtered by service': `${sections.Usage}?service=people-search`,
    'nothing in these days': `${sections.Usage}?from=2026-01-01&to=2026-01-02`,
    'days refused': `${sections.Usage}?from=2020-01-01&to=2026-11-27`,
    'cost of each day': `${sections.Usage}?show=cost`,
  });
  await studio.shot(page, 'Keys', 'question before a key ends', async () => {
    await studio.go(page, sections.Keys);
    await page.getByRole('button', { name: 'Revoke the key website' }).click();
  });
  await studio.shot(page, 'Keys', 'key ended', () => press(page, 'Revoke the key'));
  await studio.shot(page, 'Billing', 'amount refused', async () => {
    await studio.go(page, sections.Billing);
    await page.getByLabel('Another amount (USD)').fill('0.10');
    await uncheck(page);
    await press(page, 'Add credit');
  });
  await studio.seller('/promotions', { code: 'FULL', usd: '3.00' });
  for (const [state, code] of [
    ['promotion code wrong', 'NOPE'],
    ['promotion code redeemed', 'FULL'],
    ['promotion code used before', 'FULL'],
  ] as const)
    await studio.shot(page, 'Billing', state, async () => {
      await studio.go(page, sections.Billing);
      await page.getByText('Have a promotion code?').click();
      await page.getByLabel('Code', { exact: true }).fill(code);
      await press(page, 'Redeem');
    });
  await studio.shot(page, 'Billing', 'details refused', async () => {
    await studio.go(page, sections.Billing);
    await page.getByText('Add company, address and VAT id').click();
    await page.getByLabel('Company or name').fill('Lovelace GmbH');
    await press(page, 'Save billing details');
  });
  await studio.shot(page, 'Billing', 'refund form', async () => {
    await studio.go(page, sections.Billing);
    await page.getByText('Ask for a refund', { exact: true }).first().click();
  });
  await studio.shot(page, 'Billing', 'refund asked', async () => {
    await page.getByLabel('Reason').filter({ visible: true }).first().fill('I bought more than I need.');
    await page.getByRole('button', { name: 'Send request' }).filter({ visible: true }).first().click();
    await page.getByRole('status').waitFor();
  });
  await studio.visits(page, 'Settings', { 'close the account': '/shop/account/close' });
  await studio.shot(page, 'Settings', 'question before leaving', () => studio.go(page, '/shop/leave'));
  await studio.shot(page, 'Overview', 'frozen account', async () => {
    await studio.seller(`/accounts/${account}/freeze`, { reason: 'pictures' });
    await studio.go(page, '/shop/account');
  });
  await studio.shot(page, 'Keys', 'refused to a frozen account', async () => {
    await studio.go(page, sections.Keys);
    await page.getByLabel('Name', { exact: true }).fill('more');
    await press(page, 'Create API key');
  });
  await studio.seller(`/accounts/${account}/unfreeze`);
  studio.expectAll();
}, 400_000);

/** The link to the last seven days. */
async function rangeOf(page: Page): Promise<string> {
  await studio.go(page, sections.Usage);
  return (await page.getByRole('link', { name: '7 days' }).getAttribute('href')) ?? sections.Usage;
}

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
  const page = await studio.account();
  const account = await studio.accountOf(page);
  await Customer.credit(studio.shop.sql, { account } as Customer.Customer, 20_000);
  await allSections(page, 'low balance without an email');
  await studio.shot(page, 'Settings', 'question before leaving without an email', async () => {
    await studio.go(page, sections.Settings);
    await page.locator('form[action="/shop/leave"] button').click();
  });
  await studio.shot(page, 'Signed out', 'left the account', () => press(page, 'Leave anyway'));
  studio.expectAll();
});
