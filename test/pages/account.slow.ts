import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import { launch, look, type Screen, screens } from '../support/chromium.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';

const adminToken = 'admin_0123456789abcdef0123';
const company = { name: 'Lovelace GmbH', address: 'Engine Street 1\n10115 Berlin', taxId: 'DE 123 456 789' };

let shop: Shop.Shop;
let mailbox: Mailbox.Mailbox;
let browser: Browser;
beforeAll(async () => {
  mailbox = await Mailbox.open();
  shop = await Shop.open({ env: { ...Agent.shopEnv, ...mailbox.env, ADMIN_TOKEN: adminToken } });
  browser = await launch();
  const { status } = await Customer.send({
    ...{ method: 'POST', url: `${shop.url}/admin/promotions` },
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ code: 'WELCOME', usd: '3.00' }),
  });
  expect(status).toBeLessThan(300);
});
afterAll(async () => {
  await browser?.close();
  await shop?.stop();
  await mailbox?.stop();
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();

/** Opens a section by its link in the navigation. */
async function open(page: Page, section: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: section, exact: true }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** Fills in a field, unless the page has its value and it cannot be changed. */
async function fillIn(field: Locator, value: string): Promise<void> {
  if (await field.isEditable()) await field.fill(value);
}

async function payByCard(page: Page, email: string): Promise<void> {
  const fields = {
    Email: email,
    'Card number': '4242 4242 4242 4242',
    Expiry: '12 / 40',
    'Security code': '123',
    'Name on card': 'Ada Lovelace',
  };
  await page.getByLabel('Card number').waitFor();
  for (const [label, value] of Object.entries(fields))
    await fillIn(page.getByLabel(label, { exact: true }), value);
  await page.getByRole('button', { name: /^(Pay|Subscribe)/ }).click();
  await page.waitForURL(/\/shop\/account/);
}

/** Signs a new browser in to an account with a proved address. */
async function signedUp(screen: Screen, email: string): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ ...screens[screen], bypassCSP: true });
  const page = await context.newPage();
  await page.goto(`${shop.url}/shop/account`);
  await button(page, 'Start free');
  await page.goto(`${shop.url}/shop/account`);
  await look(page, 'account-new', screen);
  await page.getByLabel('Your email address').fill(email);
  await button(page, 'Send me a code');
  await page.getByLabel('6-digit code').waitFor();
  const [mail] = await mailbox.mailsTo(email);
  await page.getByLabel('6-digit code').fill(/^ {4}(\d{3} \d{3})$/m.exec(mail?.text ?? '')?.[1] ?? '');
  await button(page, 'Confirm');
  return { context, page };
}

test.each(['phone', 'desktop'] as const)(
  'a visitor fills in the fields of an operation, is told the price, and sends it on a %s screen',
  async (screen) => {
    const context = await browser.newContext({ ...screens[screen], bypassCSP: true });
    const page = await context.newPage();
    const sent = page.locator('#try');
    try {
      await page.goto(`${shop.url}/?operation=${encodeURIComponent('POST /v2/search/people')}#try`);
      const results = sent.getByLabel('max_results', { exact: false }).first();
      await results.fill('4');
      // A price that is not that of the form is not shown.
      await sent.getByText('You changed the request.').first().waitFor();
      await sent.getByRole('button', { name: 'Check the price' }).first().click();
      const price = sent.getByRole('status');
      expect(await price.textContent()).toMatch(
        /This request uses at most 4 of your 25 free results\. Nothing was sent or charged\.$/,
      );
      // The price is in sight, although the form is taller than the screen.
      const box = await price.boundingBox();
      expect(box?.y).toBeGreaterThan(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(screens[screen].viewport.height);
      expect(await results.inputValue()).toBe('4');
      await look(page, 'try-fields', screen);
      await results.press('Enter');
      const line = (await sent.getByRole('status').textContent()) ?? '';
      expect(line).toMatch(/^Status200 OKTime\d+ msSize[\d,]+ bytesCost[1-4] results?, included in Trial/);
      await look(page, 'try-sent', screen);
      await sent.getByText('Send another request').click();
      await sent.getByRole('button', { name: 'Write the request as JSON' }).click();
      await sent.getByLabel('Body', { exact: true }).fill('{"max_results":2}');
      await sent.getByRole('button', { name: 'Send as JSON' }).click();
      await sent.getByText(/^200 OK/).waitFor();
      await sent.getByText('Send another request').click();
      await sent.getByRole('button', { name: 'Use the fields instead' }).click();
      expect(await results.inputValue()).toBe('2');
      await results.fill('-1');
      await results.evaluate((input) => input.closest('form')?.setAttribute('novalidate', ''));
      await results.press('Enter');
      await sent.getByText('Nothing was sent.').waitFor();
      await look(page, 'try-refused', screen);
    } finally {
      await context.close();
    }
  },
);

describe.each(Object.keys(screens) as Screen[])('on a %s screen', (screen) => {
  test('an owner looks after keys, usage, money and settings', async () => {
    const email = `owner-${screen}@example.com`;
    const { context, page } = await signedUp(screen, email);
    try {
      await open(page, 'Keys');
      await page.getByLabel('Name', { exact: true }).fill('nightly job');
      await page.getByLabel('Spending limit (USD, optional)').fill('a lot');
      await button(page, 'Create API key');
      await page.getByText('Enter an amount such as 5.00', { exact: true }).waitFor();
      await page.getByLabel('Spending limit (USD, optional)').fill('1.00');
      await button(page, 'Create API key');
      const token = (await page.getByLabel('Key', { exact: true }).textContent()) ?? '';
      expect(token).toMatch(/^slk_/);
      await look(page, 'account-keys', screen);
      for (const limit of [3, 2, 4])
        await Customer.call({ token }, 'POST', `${shop.url}/v2/search/people`, { max_results: limit });
      await page.goto(`${shop.url}/#try`);
      await button(page, 'Send request');
      await page.getByRole('status').waitFor();

      await page.goto(`${shop.url}/shop/account/usage`);
      await page.getByRole('link', { name: '7 days' }).click();
      await page.getByText('Filters', { exact: true }).click();
      await page.getByLabel('Key', { exact: true }).selectOption({ label: 'nightly job' });
      await button(page, 'Apply');
      expect(await page.getByRole('heading', { name: /^Total/ }).textContent()).toMatch(/^Total: \d+ /);
      const file = await page.getByRole('link', { name: 'Download as CSV' }).getAttribute('href');
      const csv = await page.request.get(shop.url + file);
      expect((await csv.text()).trim().split('\r\n')).toHaveLength(4);
      await page.getByText('By day', { exact: true }).click();
      await look(page, 'account-usage', screen);
      await page.getByLabel('From').fill('2020-01-01');
      await button(page, 'Apply');
      await page.getByText('at most 92 days').first().waitFor();
      await look(page, 'account-usage-refused', screen);

      await open(page, 'Billing');
      await page.getByLabel('Another amount (USD)').fill('0.10');
      await button(page, 'Add credit');
      await page
        .getByText(/Must be at least 0\.50/)
        .first()
        .waitFor();
      await look(page, 'account-billing-refused', screen);
      await button(page, 'Add 20.00 USD');
      await payByCard(page, email);
      await page.goto(`${shop.url}/#plans`);
      await page
        .getByRole('button', { name: /^Subscribe/ })
        .first()
        .click();
      await payByCard(page, email);

      await open(page, 'Billing');
      await page.getByText('Have a promotion code?').click();
      await page.getByLabel('Code', { exact: true }).fill('NOPE-NOPE');
      await button(page, 'Redeem');
      await page.getByText('This code does not exist').first().waitFor();
      await page.getByLabel('Code', { exact: true }).fill('welcome');
      await button(page, 'Redeem');
      expect(await page.getByRole('status').textContent()).toContain('3.00 USD');
      await page.getByText('Add company, address and VAT id').click();
      await page.getByLabel('Company or name').fill(company.name);
      await button(page, 'Save billing details');
      await page.getByText('Choose a country.', { exact: true }).waitFor();
      await look(page, 'account-details-refused', screen);
      await page.getByLabel('Address', { exact: true }).fill(company.address);
      await page.getByLabel('Country').selectOption('DE');
      await page.getByLabel('VAT id (optional)').fill(company.taxId);
      await button(page, 'Save billing details');
      await page.getByText('DE123456789').waitFor();
      await page.getByRole('row', { name: /Visa ending in 4242/ }).waitFor();
      await look(page, 'account-billing', screen);
      await page
        .getByRole('link', { name: /^Receipt of/ })
        .first()
        .click();
      await page.getByText('Lovelace GmbH').waitFor();
      await look(page, 'receipt-company', screen);
      await page.goBack();
      await page.getByRole('link', { name: 'Open the billing portal' }).click();
      await page.getByText('Details on invoices').waitFor();
      await look(page, 'portal', screen);
      await page.getByRole('link', { name: 'Back to the shop' }).click();

      await open(page, 'Overview');
      await look(page, 'account-overview', screen);
      await open(page, 'Keys');
      await page.getByRole('button', { name: 'Revoke the key nightly job' }).click();
      await page.getByRole('heading', { name: 'Revoke the key nightly job?' }).waitFor();
      await look(page, 'account-key-question', screen);
      await button(page, 'Revoke the key');
      await page.getByText('The key is revoked').waitFor();
      await open(page, 'Settings');
      await look(page, 'account-settings', screen);
    } finally {
      await context.close();
    }
  });
});
