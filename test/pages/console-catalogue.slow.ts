import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import { listsService } from '../support/catalog-services.ts';
import { base, token } from '../support/catalogue-console.ts';
import { launch } from '../support/chromium.ts';
import * as Shop from '../support/shop.ts';

const catalogue = `storefront: { name: Edited, contact: sales@example.com }
upstream: { key: { header: x-api-key } }
services:
${listsService}plans:
  - { id: credit, kind: credit, covers: "*" }
  - { id: small, kind: subscription, covers: "*", price_usd: "10.00", every: month, included: 100 }
`;

let folder: string;
let shop: Shop.Shop;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-console-'));
  const file = join(folder, 'catalog.yaml');
  await writeFile(file, catalogue);
  const env = { ...Agent.shopEnv, ADMIN_TOKEN: token, CATALOG: file };
  [shop, browser] = await Promise.all([Shop.open({ env }), launch()]);
});
beforeEach(async () => {
  page = await browser.newPage({ baseURL: shop.url });
  await page.goto('/admin');
  await page.getByLabel('Admin token').fill(token);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('link', { name: 'Catalogue' }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await shop?.stop();
  await rm(folder, { recursive: true, force: true });
});

const review = () => page.getByRole('button', { name: 'Review changes' }).click();

test.each([
  ['plans', '[id="plans[1].price_usd"]', '', '12.00'],
  ['prices', '[id="services[0].price_usd"]', 'cheap', '0.002'],
  ['brand', '[id="storefront.name"]', '', 'Another name'],
  ['file', '#text', 'plans: [', catalogue.replace('10.00', '12.00')],
])(
  'Back returns to the form for %s as it was filled in, also after a refusal',
  async (form, field, bad, good) => {
    await page.goto(`${base}/${form}`);
    const open = () =>
      page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    const value = async () => {
      await page.waitForLoadState();
      return page.locator(field).inputValue();
    };
    await open();
    await page.locator(field).fill(bad);
    await review();
    await page.locator('[role=alert]').first().waitFor();
    await open();
    await page.locator(field).fill(good);
    await review();
    await page.getByRole('heading', { name: 'Review changes' }).waitFor();
    await page.goBack();
    expect(await value()).toBe(good);
    await page.goBack();
    expect(await value()).toBe(bad);
    await page.goForward();
    await page.goForward();
    await page.getByRole('button', { name: 'Publish changes' }).waitFor();
    expect(await readFile(join(folder, 'catalog.yaml'), 'utf8')).toBe(catalogue);
  },
);

test('the preview of the branding follows the form, and keeps what is filled in', async () => {
  await page.goto(`${base}/brand`);
  await page.locator('[id="storefront.name"]').fill('Previewed shop');
  await page.locator('[id="storefront.brand.font"]').selectOption('serif');
  await page.locator('.shop-preview b', { hasText: 'Previewed shop' }).waitFor();
  await expect
    .poll(() => page.evaluate<string>("getComputedStyle(document.querySelector('.shop-preview')).fontFamily"))
    .toContain('serif');
  expect(await page.locator('[id="storefront.name"]').inputValue()).toBe('Previewed shop');
  expect(await readFile(join(folder, 'catalog.yaml'), 'utf8')).toBe(catalogue);
  await review();
  await page.getByRole('heading', { name: 'Review changes' }).waitFor();
});

test('a form with edits is left by the menu only after a question', async () => {
  const asked: string[] = [];
  page.on('dialog', async (dialog) => {
    asked.push(dialog.type());
    await dialog.dismiss();
  });
  await page.goto(`${base}/file`);
  await page.locator('#text').fill('plans: [');
  await page.getByRole('link', { name: 'Health' }).click();
  expect(asked).toEqual(['beforeunload']);
  expect(await page.locator('#text').inputValue()).toBe('plans: [');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByRole('heading', { name: 'Catalogue', exact: true }).waitFor();
  expect(asked).toEqual(['beforeunload']);
});
