import { randomInt } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import { launch } from '../support/chromium.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';
import { take } from './album.ts';

export const adminToken = 'adm_of_the_pictures_and_long_enough';
export const cards = { good: '4242 4242 4242 4242', declined: '4000 0000 0000 0002' };
/** A step that waits for longer than this has failed. */
const patienceMs = 12_000;

/** The sections of an account. */
export const sections = {
  Overview: '/shop/account',
  Usage: '/shop/account/usage',
  Keys: '/shop/account/keys',
  Billing: '/shop/account/billing',
  Team: '/shop/account/team',
  Settings: '/shop/account/settings',
} as const;

/** A shop with a mailbox and a browser, and the pictures that could not be taken. */
export class Studio {
  readonly shop: Shop.Shop;
  readonly mailbox: Mailbox.Mailbox;
  readonly browser: Browser;
  readonly network: Network.Network;
  #missed: string[] = [];

  private constructor(shop: Shop.Shop, mailbox: Mailbox.Mailbox, browser: Browser) {
    this.shop = shop;
    this.mailbox = mailbox;
    this.browser = browser;
    this.network = Network.of(shop.sandboxUrl);
  }

  static async open(options: Shop.Options = {}): Promise<Studio> {
    const mailbox = await Mailbox.open();
    const env = { ...Agent.shopEnv, ...mailbox.env, ADMIN_TOKEN: adminToken, ...options.env };
    const shop = await Shop.open({ ...options, env });
    return new Studio(shop, mailbox, await launch());
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.shop.stop();
    await this.mailbox.stop();
  }

  /** A page of a new browser, which has a network address of its own. */
  async visitor(path?: string): Promise<Page> {
    const address = `100.${randomInt(64, 127)}.${randomInt(256)}.${randomInt(256)}`;
    const context = await this.browser.newContext({
      ...{ bypassCSP: true, viewport: { width: 1440, height: 900 } },
      extraHTTPHeaders: { 'x-forwarded-for': address },
    });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    if (path !== undefined) await page.goto(this.shop.url + path);
    return page;
  }

  /** Does the steps to a state, and takes its pictures. A failure is kept for `expectAll`, so that the states after it are seen all the same. */
  async shot(page: Page, group: string, state: string, steps?: () => Promise<unknown>): Promise<void> {
    try {
      await steps?.();
      await page.waitForLoadState();
      await take(page, group, state);
    } catch (error) {
      this.#missed.push(`${group}: ${state}: ${String(error).slice(0, 300)}`);
    }
  }

  /** Takes the pictures of addresses, each under its state. */
  async visits(page: Page, group: string, states: Readonly<Record<string, string>>): Promise<void> {
    for (const [state, path] of Object.entries(states))
      await this.shot(page, group, state, () => this.go(page, path));
  }

  /** Expects that every picture since the last call was taken. */
  expectAll(): void {
    const missed = this.#missed;
    this.#missed = [];
    expect(missed).toEqual([]);
  }

  async go(page: Page, path: string): Promise<void> {
    await page.goto(this.shop.url + path);
  }

  /** Returns the last match in the mail to an address. */
  async mailed(email: string, wanted: RegExp): Promise<string> {
    const mails = await this.mailbox.mailsTo(email);
    const found = mails.map(({ text }) => wanted.exec(text)).findLast((match) => match !== null);
    return found?.[1] ?? found?.[0] ?? '';
  }

  code(email: string): Promise<string> {
    return this.mailed(email, /^ {4}(\d{3} \d{3})$/m);
  }

  /** Opens an account; with an address, it is saved with it. */
  async account(email?: string): Promise<Page> {
    const page = await this.visitor('/shop/account');
    await page.locator('form[action="/shop/start"] button').first().click();
    await this.go(page, '/shop/account');
    if (email === undefined) return page;
    await page.getByLabel('Your email address').fill(email);
    await press(page, 'Send me a code');
    await page.getByLabel('6-digit code').fill(await this.code(email));
    await press(page, 'Confirm');
    await page.getByText('saved').or(page.getByRole('status')).first().waitFor();
    return page;
  }

  /** Creates a key by its form. Returns the key. */
  async key(page: Page, name: string, limit = ''): Promise<string> {
    await this.go(page, sections.Keys);
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Spending limit (USD, optional)').fill(limit);
    await press(page, 'Create API key');
    return (await page.getByLabel('Key', { exact: true }).textContent()) ?? '';
  }

  /** Sends a request of the seller. */
  async seller(path: string, body: object = {}): Promise<Customer.Answer> {
    const answer = await Customer.call({ token: adminToken }, 'POST', `${this.shop.url}/admin${path}`, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer;
  }

  /** The id of the account that a page is signed in to. */
  async accountOf(page: Page): Promise<string> {
    const other = await page.context().newPage();
    await this.go(other, '/shop/account/settings');
    const account = (await other.locator('dd.id').first().textContent()) ?? '';
    await other.close();
    return account.trim();
  }

  /** Starts the purchase of a plan, and leads to the card page. */
  async buy(page: Page, plan: string, amount?: string): Promise<void> {
    await post(page, `${this.shop.url}/shop/buy`, { plan, ...(amount && { amount_usd: amount }) });
    await page.getByLabel('Card number').waitFor();
  }

  /** Buys a plan by card. */
  async paid(page: Page, plan: string, amount?: string, email = 'ada@example.com'): Promise<void> {
    await this.go(page, '/');
    await this.buy(page, plan, amount);
    await fillCard(page, { email });
    await pay(page);
    await page.waitForURL(/\/shop\/account|\/purchases\//);
  }
}

export const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).first().click();

/** Opens a link in the content of a page. */
export const follow = (page: Page, name: string | RegExp) =>
  page.getByRole('main').getByRole('link', { name, exact: true }).first().click();

/** Opens what is folded. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate(`document.querySelectorAll('main details').forEach((one) => { one.open = true })`);
}

/** Sends a form from the page that is open. */
export async function post(page: Page, url: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const navigated = page.waitForNavigation();
  await page.evaluate(`(() => {
    const form = Object.assign(document.createElement('form'), { method: 'post', action: ${JSON.stringify(url)} });
    for (const [name, value] of Object.entries(${JSON.stringify(fields)}))
      form.append(Object.assign(document.createElement('textarea'), { name, value }));
    document.body.append(form);
    form.submit();
  })()`);
  await navigated;
}

/** Submits a form without the checks of the browser. */
export async function uncheck(page: Page): Promise<void> {
  await page.evaluate(`document.querySelectorAll('form').forEach((one) => { one.noValidate = true })`);
}

/** Fills in the card page. */
export async function fillCard(
  page: Page,
  { email = 'ada@example.com', number = cards.good, expiry = '12 / 40' } = {},
): Promise<void> {
  await page.getByLabel('Card number').waitFor();
  const fields = {
    ...{ Email: email, 'Card number': number, Expiry: expiry },
    ...{ 'Security code': '123', 'Name on card': 'Ada Lovelace' },
  };
  for (const [label, value] of Object.entries(fields)) {
    const field = page.getByLabel(label, { exact: true });
    if ((await field.count()) > 0 && (await field.isEditable())) await field.fill(value);
  }
}

export const pay = (page: Page) =>
  page
    .getByRole('button', { name: /^(Pay|Subscribe|Save)/ })
    .first()
    .click();
