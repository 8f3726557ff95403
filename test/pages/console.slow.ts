import { id } from '@sluice/kernel/id';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import * as Books from '../purchase/books.ts';
import * as Network from '../purchase/network.ts';
import { launch, look, type Screen, screens } from '../support/chromium.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

const token = 'adm_of_the_console_and_long_enough';
const names = Object.keys(screens) as Screen[];

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let browser: Browser;
/** The buyer whose account is looked at on each screen. */
let buyers: Map<Screen, string>;
beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket, body }) => {
    const { max_results } = JSON.parse(body || '{}');
    socket.write(Upstream.http(200, JSON.stringify({ results: [], results_length: max_results ?? 0 })));
  });
  const env = { ...Agent.shopEnv, ADMIN_TOKEN: token };
  [shop, browser] = await Promise.all([
    Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, env }),
    launch(),
  ]);
  buyers = await history();
});
afterAll(async () => {
  await browser?.close();
  await shop?.stop();
  await upstream?.close();
});

const calls: [string, object][] = [
  ['/v2/search/people', { max_results: 25 }],
  ['/v2/search/companies', { max_results: 40 }],
  ['/v2/jobs/search', { max_results: 12 }],
];

/** A shop that has been open for a month: buyers, calls, a refund and a dispute. */
async function history(): Promise<Map<Screen, string>> {
  const network = Network.of(shop.sandboxUrl);
  const named = new Map<Screen, string>();
  const addresses = [
    'ada@lovelace.example',
    'grace@hopper.example',
    'mary@somerville.example',
    'emmy@noether.example',
  ];
  for (const [at, email] of addresses.entries()) {
    const agent = await Agent.registered(shop.url);
    const offer = await Agent.offer(agent, { amount_usd: '5.00' });
    expect((await Agent.pay(agent, offer, await network.mint())).status).toBe(200);
    await shop.sql`UPDATE shop.account SET email = ${email}, claimed_at = now() WHERE id = ${agent.account}`;
    for (const [path, body] of calls) {
      const { status } = await Customer.call(agent, 'POST', shop.url + path, body);
      expect([path, status]).toEqual([path, 200]);
    }
    await Customer.call(agent, 'POST', `${shop.url}/account/keys`, {
      name: 'nightly job',
      budget_usd: '2.00',
    });
    const screen = names[at];
    if (screen !== undefined) named.set(screen, email);
  }
  const poor = await Agent.registered(shop.url);
  await Agent.pay(poor, await Agent.offer(poor), await network.mint('pm_card_chargeDeclined'));
  const [asked] = await shop.sql<
    { id: string }[]
  >`SELECT o.id FROM shop.purchase o JOIN shop.account a ON a.id = o.account_id WHERE a.email = ${addresses[2] ?? ''}`;
  await shop.sql`INSERT INTO shop.refund_request (purchase_id, amount, reason) VALUES (${asked?.id ?? ''}, 4000000, 'I bought by mistake, and have hardly used it.')`;
  // Earlier days, by what the books say of them.
  for (let day = 1; day < 30; day += 1) {
    for (let nth = 0; nth < 1 + ((day * 7) % 4); nth += 1) {
      const account = id('acc');
      const made = new Date(Date.now() - day * 86_400_000);
      await shop.sql`INSERT INTO shop.account (id, origin, created_at) VALUES (${account}, 'purchase', ${made})`;
      await Customer.credit(
        shop.sql,
        { account, token: '', assertion: '' },
        (5 + ((day * nth * 13) % 60)) * 1_000_000,
      );
      const rail = ['card', 'top_up', 'card', 'x402'][(day + nth) % 4] ?? 'card';
      const challenge = (day + nth) % 8 === 0 ? account : null;
      await shop.sql`UPDATE shop.purchase SET granted_at = ${made}, created_at = ${made}, rail = ${rail}, challenge_id = ${challenge} WHERE account_id = ${account}`;
    }
  }
  const [first] = await shop.sql<
    { id: string }[]
  >`SELECT o.id FROM shop.purchase o JOIN shop.account a ON a.id = o.account_id WHERE a.email = ${addresses[3] ?? ''}`;
  const [payment] = await network.paymentsOf(first?.id ?? '');
  await network.control('/disputes', { payment_intent: payment?.id, reason: 'product_not_received' });
  await vi.waitFor(async () => expect((await shop.sql`SELECT 1 FROM shop.reversal`).length).toBe(1), 20_000);
  return named;
}

describe.each(names)('on a %s screen', (screen) => {
  test('the seller signs in, sees what came in, refunds, gives, freezes and reads what was done; nobody is kept out', async () => {
    const context = await browser.newContext({ ...screens[screen], bypassCSP: true });
    const page = await context.newPage();
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const go = (name: string) =>
      page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click();
    const said = () => page.getByRole('status').textContent();
    try {
      await page.goto(`${shop.url}/admin`);
      await look(page, 'console-login', screen);
      await page.getByLabel('Admin token').fill('wrong');
      await press('Sign in');
      expect(await page.getByRole('alert').textContent()).toBe(
        'That admin token is wrong. See “Where is the token?” below.',
      );
      await page.getByLabel('Admin token').fill(token);
      await press('Sign in');
      await page.getByRole('heading', { name: 'Revenue' }).waitFor();
      await page.getByText('Open disputes: respond to them').waitFor();
      await look(page, 'console', screen);

      await go('Accounts');
      await look(page, 'console-accounts', screen);
      await page.getByLabel('Search').fill(buyers.get(screen) ?? '');
      await press('Filter');
      await page.getByRole('table').getByRole('link').first().click();
      await look(page, 'console-account', screen);

      await page.getByRole('group', { name: 'Purchases' }).getByRole('link').first().click();
      await page.getByLabel('Amount (USD), up to').fill('1.50');
      await press('Review refund');
      await look(page, 'console-refund', screen);
      await press('Refund 1.50 USD');
      expect(await said()).toMatch(/^1\.50 USD was refunded\./);
      await look(page, 'console-payment', screen);
      await page.locator('.pairs').getByRole('link').first().click();
      await page.getByRole('heading', { name: 'Grant credit' }).click();
      await page.getByLabel('Credit (USD)').fill('2.00');
      await page.getByLabel('Reason, for the audit log').fill('a late answer');
      await press('Review grant');
      await look(page, 'console-grant', screen);
      await press('Grant 2.00 USD');
      expect(await said()).toBe('Granted 2.00 USD.');
      await page.getByRole('link', { name: 'Freeze account' }).click();
      await look(page, 'console-freeze', screen);
      await page.getByLabel('Reason, for the audit log').fill('a stolen card');
      await press('Freeze account');
      expect(await said()).toBe('The account is frozen.');
      await look(page, 'console-account-after', screen);

      await page.getByText('Team activity').click();
      await page.getByRole('link', { name: 'All actions in the audit log' }).click();
      await page.getByText('a stolen card').waitFor();
      await look(page, 'console-audit', screen);
      await go('Payments');
      await look(page, 'console-payments', screen);
      await page.getByLabel('Status').selectOption('refunded');
      await press('Filter');
      await look(page, 'console-payments-filtered', screen);
      await go('Codes');
      await page.getByLabel('Code', { exact: true }).fill(`spring-${screen}`);
      await page.getByLabel('Credit (USD)').fill('5.00');
      await press('Create code');
      await look(page, 'console-codes', screen);
      await go('Catalogue');
      await look(page, 'console-catalogue', screen);
      await page.getByRole('link', { name: 'Edit plans' }).click();
      await look(page, 'console-plans', screen);
      await page.getByText('Start', { exact: true }).click();
      await page.getByLabel('Price (USD)').first().fill('0.10');
      await press('Review changes');
      expect(await page.locator('.fault').first().textContent()).toContain('0.10');
      await page.getByLabel('Price (USD)').first().fill('123.00');
      await press('Review changes');
      await page.getByText('raises a price').waitFor();
      await look(page, 'console-review', screen);
      await go('Catalogue');
      await page.getByRole('link', { name: 'Edit services and prices' }).click();
      await look(page, 'console-prices', screen);
      await go('Catalogue');
      await page.getByRole('link', { name: 'Branding' }).click();
      await look(page, 'console-brand', screen);
      await go('Catalogue');
      await page.getByRole('link', { name: 'The whole file' }).click();
      await page.getByLabel('Find in the file').fill('price_usd');
      await press('Find');
      await page
        .getByRole('link', { name: /^Line \d+$/ })
        .last()
        .click();
      expect(await page.locator('.editor span:target').isVisible()).toBe(true);
      await look(page, 'console-file', screen);
      await go('Health');
      await press('Check now');
      await page.getByText('The books agree').waitFor();
      await look(page, 'console-health', screen);
      await go('Team');
      await look(page, 'console-team', screen);
      await press('Sign out');
      await page.getByLabel('Admin token').waitFor();
      await Books.proves(shop.sql);
    } finally {
      await context.close();
    }
  });
});
