import { randomInt } from 'node:crypto';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { expect } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import { launch } from '../support/chromium.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';
import { Visitor } from './visitor.ts';

export const adminToken = 'adm_of_the_pictures_and_long_enough';
/** A step that waits for longer than this has failed. */
const patienceMs = 12_000;

type Options = Shop.Options & {
  /** False for a shop without a mail server: it shows its links instead. */
  hasMail?: boolean;
  /** Ends what was started for the shop. */
  closing?: () => Promise<void>;
};

/** A shop with a mailbox and a browser. */
export class Studio {
  readonly shop: Shop.Shop;
  readonly browser: Browser;
  readonly network: Network.Network;
  readonly #mailbox: Mailbox.Mailbox | null;
  readonly #closing: Options['closing'];

  private constructor(
    shop: Shop.Shop,
    browser: Browser,
    mailbox: Mailbox.Mailbox | null,
    closing: Options['closing'],
  ) {
    this.shop = shop;
    this.browser = browser;
    this.#mailbox = mailbox;
    this.#closing = closing;
    this.network = Network.of(shop.sandboxUrl);
  }

  static async open({ hasMail = true, closing, ...options }: Options = {}): Promise<Studio> {
    const mailbox = hasMail ? await Mailbox.open() : null;
    const env = { ...Agent.shopEnv, ...mailbox?.env, ADMIN_TOKEN: adminToken, ...options.env };
    const [shop, browser] = await Promise.all([Shop.open({ ...options, env }), launch()]);
    return new Studio(shop, browser, mailbox, closing);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.shop.stop();
    await this.#mailbox?.stop();
    await this.#closing?.();
  }

  /** A new browser, which has a network address of its own. */
  async visitor(group: string, path?: string, options: BrowserContextOptions = {}): Promise<Visitor> {
    const address = `100.${randomInt(64, 127)}.${randomInt(256)}.${randomInt(256)}`;
    const context = await this.browser.newContext({
      ...{ bypassCSP: true, viewport: { width: 1440, height: 900 }, baseURL: this.shop.url },
      extraHTTPHeaders: { 'x-forwarded-for': address },
      ...options,
    });
    context.setDefaultTimeout(patienceMs);
    const visitor = new Visitor(await context.newPage(), group);
    if (path !== undefined) await visitor.open(path);
    return visitor;
  }

  /** A browser that is signed in to the console with the admin token. */
  async seller(group: string, options: BrowserContextOptions = {}): Promise<Visitor> {
    const seller = await this.visitor(group, '/admin', options);
    await seller.fill({ '#token': adminToken });
    await seller.press('Sign in');
    await seller.page.getByRole('button', { name: 'Sign out' }).waitFor();
    return seller;
  }

  /** A browser with an account; with an address, it is saved with it. */
  async account(group: string, email?: string): Promise<Visitor> {
    const owner = await this.visitor(group, '/shop/account');
    await owner.page.locator('form[action="/shop/start"] button').first().click();
    await owner.open('/shop/account');
    if (email === undefined) return owner;
    await owner.fill({ 'Your email address': email });
    await owner.press('Send me a code');
    await owner.fill({ '6-digit code': await this.code(email) });
    await owner.press('Confirm');
    await owner.page.getByText('saved').or(owner.page.getByRole('status')).first().waitFor();
    return owner;
  }

  /** Returns the last match in the mail to an address. */
  async mailed(email: string, wanted: RegExp): Promise<string> {
    const mails = (await this.#mailbox?.mailsTo(email)) ?? [];
    const found = mails.map(({ text }) => wanted.exec(text)).findLast((match) => match !== null);
    return found?.[1] ?? found?.[0] ?? '';
  }

  code(email: string): Promise<string> {
    return this.mailed(email, /^ {4}(\d{3} \d{3})$/m);
  }

  /** Sends a request of the seller's program. */
  async admin(path: string, body: object = {}): Promise<void> {
    const answer = await Customer.call({ token: adminToken }, 'POST', `${this.shop.url}/admin${path}`, body);
    expect(answer.status, answer.text).toBeLessThan(300);
  }
}

/** The sections of an account. */
export const sections = {
  Overview: '/shop/account',
  Usage: '/shop/account/usage',
  Keys: '/shop/account/keys',
  Billing: '/shop/account/billing',
  Team: '/shop/account/team',
  Settings: '/shop/account/settings',
} as const;

/** Creates a key by its form. Returns the key. */
export async function keyOf(owner: Visitor, name: string, limit = ''): Promise<string> {
  await owner.open(sections.Keys);
  await owner.fill({ Name: name, 'Spending limit (USD, optional)': limit });
  await owner.press('Create API key');
  return (await owner.page.getByLabel('Key', { exact: true }).textContent()) ?? '';
}

/** Returns the id of the account that a browser is signed in to. */
export async function accountOf({ page }: Visitor): Promise<string> {
  const other = await page.context().newPage();
  await other.goto(sections.Settings);
  const account = (await other.locator('dd.id').first().textContent()) ?? '';
  await other.close();
  return account.trim();
}
