import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import { launch, look, type Screen, screens } from '../support/browser.ts';
import * as Shop from '../support/shop.ts';

let shop: Shop.Shop;
let browser: Browser;
beforeAll(async () => {
  shop = await Shop.open({ env: Agent.shopEnv });
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await shop?.stop();
});

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
    await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole('button', { name: /^Pay \$/ }).click();
}

describe.each(Object.keys(screens) as Screen[])('on a %s screen', (screen) => {
  test('a visitor tries, buys, sees what it cost, makes a key and leaves; nobody is kept out', async () => {
    // The pages themselves hold no script; ours looks at them.
    const context = await browser.newContext({ ...screens[screen], bypassCSP: true });
    const page = await context.newPage();
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    try {
      await page.goto(shop.url);
      await look(page, 'shop', screen);
      await press('Call');
      await page.getByRole('status').waitFor();
      await look(page, 'shop-tried', screen);

      await page.getByLabel('Amount in USD').fill('2.00');
      await press('Buy by card');
      await payByCard(page);
      await page.waitForURL(`${shop.url}/`);
      expect(await page.locator('#balance').textContent()).toBe('2.00 USD');

      await page.getByRole('link', { name: 'Your account' }).click();
      await page.getByLabel('Name', { exact: true }).fill('nightly job');
      await page.getByLabel('Budget in USD, if any').fill('1.00');
      await press('Make a key');
      expect(await page.getByLabel('Key', { exact: true }).textContent()).toMatch(/^slk_/);
      await press('Agree');
      expect(await page.getByRole('status').textContent()).toBe('Agreed.');
      await look(page, 'account', screen);

      await page.getByRole('link', { name: 'Reference' }).click();
      await look(page, 'reference', screen);
      await page.getByRole('link', { name: 'POST /v2/search/people' }).click();
      await look(page, 'reference-service', screen);
      await page.getByRole('link', { name: 'Your account' }).click();

      await press('Leave');
      await page.getByRole('link', { name: 'Your account' }).click();
      await page.getByRole('heading', { name: 'New here' }).waitFor();
      await look(page, 'account-door', screen);
    } finally {
      await context.close();
    }
  });
});
