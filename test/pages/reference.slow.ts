import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch, look, type Screen, screens } from '../support/chromium.ts';
import * as Shop from '../support/shop.ts';

/** axe takes seconds for the longest pages, and more on a busy machine. */
const patienceMs = 240_000;
let shop: Shop.Shop;
let browser: Browser;
beforeAll(async () => {
  shop = await Shop.open();
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await shop?.stop();
});

/** Runs `visit` in a new browser. axe is evaluated in the page, which its policy forbids to others. */
async function visiting(
  options: Parameters<Browser['newContext']>[0],
  visit: (page: Page, context: BrowserContext) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ bypassCSP: true, ...options });
  try {
    await visit(await context.newPage(), context);
  } finally {
    await context.close();
  }
}

/** Opens the navigation where it is a panel. */
async function openMenu(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) await menu.click();
}

describe.each(Object.keys(screens) as Screen[])('on a %s screen', (screen) => {
  test(
    'a visitor reads the reference, searches it and sends a request',
    async () => {
      await visiting(screens[screen], async (page) => {
        await page.goto(shop.url);
        const height = await page.evaluate('document.documentElement.scrollHeight');
        expect(Number(height)).toBeLessThan(2_500);
        await look(page, 'start', screen);

        await page.getByRole('link', { name: 'Reference', exact: true }).click();
        await page.getByRole('heading', { name: 'Quick start' }).waitFor();
        if (screen === 'phone')
          expect(Number(await page.evaluate('document.documentElement.scrollHeight'))).toBeLessThan(2_500);
        await look(page, 'docs', screen);
        const groups = page.locator('details.fold');
        expect(await groups.first().evaluate((group) => group.hasAttribute('open'))).toBe(screen !== 'phone');
        if (screen === 'phone') await page.getByText('5 operations').click();
        await page.getByRole('main').getByRole('link', { name: 'People search', exact: true }).waitFor();
        await openMenu(page);
        await look(page, 'docs-navigation', screen);
        await page.getByLabel('Search the reference').fill('work email');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Results for “work email”' }).waitFor();
        await page.getByRole('main').getByRole('link', { name: 'Work email', exact: true }).click();
        await page.getByText('1.00 USD per 1,000 results').waitFor();

        await openMenu(page);
        await page
          .getByRole('navigation', { name: 'Reference' })
          .getByRole('link', { name: 'People search' })
          .click();
        // The longest page: axe takes its time.
        for (const summary of await page.locator('main details > summary').all())
          if (await summary.isVisible()) await summary.click();
        await look(page, 'docs-operation-open', screen);
        await page.getByText('Python', { exact: true }).click();
        expect(await page.getByLabel('Python', { exact: true }).last().textContent()).toContain(
          'httpx.request(',
        );
        await page.getByRole('link', { name: 'Try it' }).click();
        await page.getByRole('button', { name: 'Send request' }).click();
        await page.getByRole('status').waitFor();
        expect(await page.getByRole('status').textContent()).toMatch(
          /^Status200 OKTime[\d,]+ msSize[\d,]+ bytesCost.*\d+ results?/,
        );
        await look(page, 'request-sent', screen);
        await page.getByLabel('API key (optional)').fill('slk_wrong');
        await page.getByRole('button', { name: 'Send request' }).click();
        await page.getByText('This key is invalid').waitFor();
        expect(page.url()).not.toContain('slk_');
        expect(await page.getByLabel('API key (optional)').inputValue()).toBe('slk_wrong');
        await look(page, 'request-wrong-key', screen);
      });
    },
    patienceMs,
  );

  test('a person who meets an error sees what happened and the next step', async () => {
    await visiting(screens[screen], async (page) => {
      for (const [path, heading, link] of [
        ['/nope', 'Page not found', 'Go to the shop'],
        ['/v2/search/people', 'This address has no page', 'Read the reference'],
        ['/account/usage', 'An API key is needed', 'How to authenticate'],
        ['/receipts/abc', 'Page not found', 'Go to the shop'],
        ['/checkout/none', 'Purchase not found', 'See plans'],
      ] as const) {
        await page.goto(shop.url + path);
        expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(heading);
        expect(await page.getByRole('main').getByRole('link', { name: link }).count()).toBe(1);
        if (path === '/account/usage' || path === '/checkout/none')
          await look(page, `error${path.replaceAll('/', '-')}`, screen);
      }
    });
  });
});

test('the script of the pages runs under their policy: it copies code, filters, and puts a key into the samples alone', async () => {
  await visiting({ bypassCSP: false, permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    const problems: string[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${shop.url}/docs/people-search`);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl -X POST 'http/);
    await page.keyboard.press('/');
    await page.keyboard.type('phone');
    const shown = page.getByRole('navigation', { name: 'Reference' }).getByRole('listitem');
    expect(await shown.filter({ visible: true }).allTextContents()).toEqual([
      'Phone numberPOST',
      'Reverse phone lookupPOST',
    ]);
    await page.goto(`${shop.url}/shop/request/people-search`);
    await page.getByLabel('API key (optional)').fill('slk_mine<b>');
    expect(await page.getByLabel('curl', { exact: true }).last().textContent()).toContain('Bearer slk_mineb');
    expect(page.url()).not.toContain('slk_');

    // The form is always that of the operation that is chosen, also on the way back.
    const operation = () => page.getByLabel('Operation').inputValue();
    const formOf = () => page.locator('#try [name=shown]').inputValue();
    await page.goto(`${shop.url}/?operation=${encodeURIComponent('POST /v2/search/people')}#try`);
    await page.getByLabel('Operation').selectOption('Company search (POST /v2/search/companies)');
    await page.waitForURL((url) => url.searchParams.get('operation') === 'POST /v2/search/companies');
    await page.locator('#operation:focus').waitFor();
    expect([await operation(), await formOf()]).toEqual(Array(2).fill('POST /v2/search/companies'));
    await page.goBack();
    await expect.poll(formOf).toBe('POST /v2/search/people');
    await expect.poll(operation).toBe('POST /v2/search/people');
    expect(problems).toEqual([]);
  });
});

test('Back shows the response to a form again, without sending it, and finds none after signing out', async () => {
  await visiting({ bypassCSP: false }, async (page) => {
    const fields = `${shop.url}/?operation=${encodeURIComponent('POST /v2/search/people')}#try`;
    for (const form of [fields, `${shop.url}/shop/request/people-search`]) {
      await page.goto(form);
      await page.getByRole('button', { name: 'Send request', exact: true }).click();
      await page.getByText('200 OK').waitFor();
      await page.goto(`${shop.url}/shop/account/keys`);
      await page.goBack();
      // A repetition would say that it was not charged again.
      await page.getByText('included in Trial').waitFor();
    }
    await page.goto(shop.url);
    await page.locator('[name=amount_usd]').fill('0.10');
    await page.evaluate('for (const form of document.forms) form.noValidate = true');
    await page.getByRole('button', { name: 'Buy by card' }).click();
    await page.locator('#amount-fault').waitFor();
    await page.goto(`${shop.url}/shop/account`);
    await page.goBack();
    await page.locator('#amount-fault').waitFor();

    await page.goto(`${shop.url}/shop/leave`);
    await page.getByRole('main').getByRole('button').first().click();
    await page.waitForURL('**/shop/left');
    await page.goBack().catch(() => null);
    await page.goBack().catch(() => null);
    expect(await page.locator('#amount-fault').count()).toBe(0);
  });
});

test('every page works without scripts', async () => {
  await visiting({ javaScriptEnabled: false }, async (page) => {
    await page.goto(`${shop.url}/docs/people-search`);
    await page.getByText('TypeScript', { exact: true }).click();
    expect(await page.getByLabel('TypeScript', { exact: true }).last().isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
    await page.getByLabel('Search the reference').fill('phone');
    await page.keyboard.press('Enter');
    await page.getByRole('main').getByRole('link', { name: 'Phone number', exact: true }).waitFor();
    await page.goto(`${shop.url}/shop/request/work-email`);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByRole('status').waitFor();
  });
});
