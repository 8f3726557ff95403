import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import { launch, look, type Screen, screens, screenshots } from '../support/chromium.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';

let shop: Shop.Shop;
let mailbox: Mailbox.Mailbox;
let browser: Browser;
beforeAll(async () => {
  mailbox = await Mailbox.open();
  shop = await Shop.open({ env: { ...Agent.shopEnv, ...mailbox.env } });
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await shop?.stop();
  await mailbox?.stop();
});

/** Fills in a field, unless the page has its value and it cannot be changed. */
async function fillIn(field: Locator, value: string): Promise<void> {
  if (await field.isEditable()) await field.fill(value);
}

async function payByCard(page: Page): Promise<void> {
  const fields = {
    Email: 'ada@example.com',
    'Card number': '4242 4242 4242 4242',
    Expiry: '12 / 40',
    'Security code': '123',
    'Name on card': 'Ada Lovelace',
  };
  await page.getByLabel('Card number').waitFor();
  for (const [label, value] of Object.entries(fields))
    await fillIn(page.getByLabel(label, { exact: true }), value);
  await page.getByRole('button', { name: /^Pay / }).click();
}

describe.each(Object.keys(screens) as Screen[])('on a %s screen', (screen) => {
  test('a visitor tries, buys, sees what it cost and leaves; nobody is kept out', async () => {
    // The pages themselves hold no script; ours looks at them.
    const context = await browser.newContext({ ...screens[screen], bypassCSP: true });
    const page = await context.newPage();
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    try {
      await page.goto(shop.url);
      await look(page, 'shop', screen);
      await press('Send request');
      await page.getByRole('status').waitFor();
      await look(page, 'shop-tried', screen);

      await page.getByLabel('Amount in USD').fill('2.00');
      await press('Buy by card');
      await payByCard(page);
      await page.waitForURL(/\/shop\/account\?paid=/);
      expect(await page.getByRole('status').textContent()).toBe('2.00 USD is paid. View receipt');
      expect(await page.locator('#balance').textContent()).toBe('2.00 USD');
      await look(page, 'account-paid', screen);

      await page.goto(`${shop.url}/shop/account/billing`);
      await page.getByText('Set up auto top-up').click();
      await press('Turn on auto top-up');
      await page.waitForURL(/\/auto-top-up\//);
      await look(page, 'account-top-up', screen);

      await page.getByRole('link', { name: 'Reference' }).click();
      await look(page, 'reference', screen);
      if (screen === 'phone') await page.getByText('5 operations').click();
      await page.getByRole('main').getByRole('link', { name: 'People search', exact: true }).click();
      await look(page, 'reference-service', screen);
      await page.getByRole('link', { name: 'Your account' }).click();

      await page.getByRole('link', { name: 'Settings' }).click();
      await press('Leave');
      await page.getByRole('heading', { name: 'Leave this account?' }).waitFor();
      await look(page, 'leave', screen);
      await press('Leave anyway');
      await page.getByRole('link', { name: 'Your account' }).click();
      await page.getByRole('heading', { name: 'New here' }).waitFor();
      await look(page, 'account-signed-out', screen);
    } finally {
      await context.close();
    }
  });

  test('a buyer takes the account over, signs in again by mail, prints a receipt and asks for a refund', async () => {
    const context = await browser.newContext({ ...screens[screen], bypassCSP: true });
    const page = await context.newPage();
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const email = `buyer-${screen}@example.com`;
    /** Returns the last match in the mails. Mails about payments come in between. */
    const mailed = async (wanted: RegExp) =>
      (await mailbox.mailsTo(email)).map(({ text }) => wanted.exec(text)).findLast((match) => match !== null);
    try {
      await page.goto(`${shop.url}/shop/account`);
      await press('Start free');
      await page.goto(shop.url);
      for (let call = 0; call < 2; call++) {
        await page.getByText(call === 0 ? 'Try it' : 'Send another request').click();
        await press('Send request');
        await page.getByRole('status').waitFor();
      }
      await page.getByLabel('Amount in USD').fill('5.00');
      await press('Buy by card');
      await payByCard(page);
      await page.waitForURL(/\/shop\/account\?paid=/);
      await page.goto(`${shop.url}/shop/account`);
      await page.getByLabel('Your email address').fill(email);
      await press('Send me a code');
      await page.getByLabel('6-digit code').fill('000000');
      await press('Confirm');
      // The fault is said once, beside the field.
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(await page.locator('#claim-complete-otp-fault').textContent()).toContain('That code is wrong.');
      await look(page, 'account-wrong-code', screen);
      await page.goto(`${shop.url}/shop/account`);
      await page.getByLabel('6-digit code').fill((await mailed(/^ {4}(\d{3} \d{3})$/m))?.[1] ?? '');
      await press('Confirm');
      await page.getByRole('link', { name: 'Settings' }).click();
      const account = await page.locator('dd.id').textContent();

      await press('Sign out');
      await page.getByRole('link', { name: 'Your account' }).click();
      await page.getByLabel('Your email address').fill(email);
      await press('Send me a link');
      await page.getByRole('heading', { name: 'Check your email' }).waitFor();
      await look(page, 'sign-in-sent', screen);
      const link = (await mailed(/^http\S+\/link\S+$/m))?.[0] ?? '';
      const elsewhere = await (await browser.newContext({ ...screens[screen], bypassCSP: true })).newPage();
      await elsewhere.goto(link);
      await elsewhere.getByLabel('Email address that received the link').waitFor();
      await look(elsewhere, 'sign-in-elsewhere', screen);
      await elsewhere.context().close();
      await page.goto(link);
      await look(page, 'sign-in', screen);
      await press('Sign in');
      await page.waitForURL(`${shop.url}/shop/account`);
      await page.getByRole('link', { name: 'Settings' }).click();
      expect(await page.locator('dd.plain').first().textContent()).toBe(email);
      expect(await page.locator('dd.id').textContent()).toBe(account);
      await page.getByRole('link', { name: 'Billing' }).click();

      await page.getByText('Ask for a refund', { exact: true }).first().click();
      await page.getByLabel('Amount (USD, optional)').fill('1.00');
      await page.getByLabel('Reason').fill('I bought more than I need.');
      await look(page, 'account-refund', screen);
      await press('Send request');
      expect(await page.getByRole('status').textContent()).toContain('The seller has been notified.');
      expect(
        await page.getByRole('cell', { name: "Sent to the seller. You'll see the answer here." }).count(),
      ).toBe(1);

      await page.getByRole('link', { name: /^Receipt of/ }).click();
      await page.getByRole('heading', { name: 'Receipt' }).waitFor();
      await look(page, 'receipt', screen);
      await page.emulateMedia({ media: 'print', colorScheme: screens[screen].colorScheme });
      expect(await page.getByText('Total').isVisible()).toBe(true);
      expect(await page.getByText(email).isVisible()).toBe(true);
      expect(await page.getByRole('textbox').isVisible()).toBe(false);
      await page.setViewportSize({ width: 794, height: 1123 });
      await page.screenshot({ path: `${screenshots}receipt-printed-${screen}.png` });
      const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g);
      expect(pages).toHaveLength(1);
    } finally {
      await context.close();
    }
  });
});
