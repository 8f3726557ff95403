import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import { launch, look, type Screen, screens } from '../support/chromium.ts';
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

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).first().click();
const lastMail = async (email: string) => (await mailbox.mailsTo(email)).at(-1)?.text ?? '';
const open = (page: Page, section: string) =>
  page.getByRole('navigation').getByRole('link', { name: section, exact: true }).click();

async function newPage(screen: Screen): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ ...screens[screen], bypassCSP: true });
  return { context, page: await context.newPage() };
}

/** Starts an account, and saves it with an address. */
async function signUp(page: Page, email: string): Promise<void> {
  await page.goto(`${shop.url}/shop/account`);
  await button(page, 'Start free');
  await page.goto(`${shop.url}/shop/account`);
  await page.getByLabel('Your email address').fill(email);
  await button(page, 'Send me a code');
  await page.getByLabel('6-digit code').fill(/^ {4}(\d{3} \d{3})$/m.exec(await lastMail(email))?.[1] ?? '');
  await button(page, 'Confirm');
  await page.getByText('saved').or(page.getByRole('status')).first().waitFor();
}

describe.each(['phone', 'desktop'] as const)('on a %s screen', (screen) => {
  test('an owner invites a person, who joins, changes accounts and is removed', async () => {
    const owner = await newPage(screen);
    const guest = await newPage(screen);
    const [ada, bob, cid] = ['ada', 'bob', 'cid'].map((name) => `${name}-${screen}@team.example`) as [
      string,
      string,
      string,
    ];
    try {
      const page = owner.page;
      await page.goto(`${shop.url}/shop/account`);
      await button(page, 'Start free');
      await page.goto(`${shop.url}/shop/account/team`);
      await page.getByText('A team needs an owner').waitFor();
      await look(page, 'team-without-email', screen);
      await owner.context.clearCookies();
      await signUp(page, ada);
      await open(page, 'Team');
      await look(page, 'team-alone', screen);
      for (const [email, role] of [
        [bob, 'Developer'],
        [cid, 'Viewer'],
      ] as const) {
        await page.getByLabel('Email address').fill(email);
        await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption(role);
        await button(page, 'Send invitation');
        await page.getByText(`on its way to ${email}`).waitFor();
      }
      await page.getByLabel('Email address').fill(bob);
      await look(page, 'team-invited', screen);

      const link = /^(http\S+\/shop\/invitation\?token=\S+)$/m.exec(await lastMail(bob))?.[1] ?? '';
      await guest.page.goto(link);
      await look(guest.page, 'invitation', screen);
      await guest.page.getByLabel('Email address').or(guest.page.getByRole('textbox')).first().fill(cid);
      await button(guest.page, 'Send me the link');
      await guest.page.getByText('sent to another address').waitFor();
      await look(guest.page, 'invitation-refused', screen);
      await guest.context.clearCookies();
      // The guest has an account of their own, which stays.
      await signUp(guest.page, bob);
      await guest.page.goto(link);
      await look(guest.page, 'invitation-signed-in', screen);
      await button(guest.page, 'Join the account');
      await guest.page.getByText('You have joined the account.').waitFor();
      await look(guest.page, 'team-member-overview', screen);
      await open(guest.page, 'Team');
      await look(guest.page, 'team-member', screen);
      expect(await guest.page.getByRole('link', { name: 'Billing', exact: true }).count()).toBe(0);
      await guest.page.goto(`${shop.url}/shop/account/billing`);
      await guest.page.getByText('Your role in this account (Developer)').waitFor();
      await look(guest.page, 'team-denied', screen);
      await guest.page.goto(`${shop.url}/shop/account`);
      await guest.page.getByLabel('Account', { exact: true }).selectOption('Your own account');
      await button(guest.page, 'Switch');
      await guest.page.getByText('You are now using this account.').waitFor();

      await page.reload();
      await page.getByLabel(`Role of ${bob}`, { exact: true }).selectOption('Billing');
      await button(page, `Change the role of ${bob}`);
      await page.getByText('Keys that this person created are paused').waitFor();
      await look(page, 'team', screen);
      await button(page, `Remove ${bob}`);
      await page.getByRole('heading', { name: `Remove ${bob}?` }).waitFor();
      expect(await page.getByLabel('Revoke the keys that they created').isChecked()).toBe(true);
      await look(page, 'team-remove', screen);
      await button(page, `Remove ${bob}`);
      await page.getByText('The person is removed.').waitFor();
      await page.getByRole('heading', { name: 'Activity' }).scrollIntoViewIfNeeded();
      expect(await page.getByRole('rowheader', { name: `Removed ${bob}` }).count()).toBe(1);
    } finally {
      await owner.context.close();
      await guest.context.close();
    }
  });
});
