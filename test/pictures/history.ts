import { id } from '@sluice/kernel/id';
import type { Browser, BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import { launch } from '../support/chromium.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import { take } from './album.ts';

export const token = 'adm_of_the_console_and_long_enough';
export const front = '/admin';
export const at = (path: string) => `/admin/console/${path}`;

export type Site = { shop: Shop.Shop; browser: Browser; network: Network.Network; close(): Promise<void> };

/** Opens a shop with a scripted API behind it, and a browser. A body with `gone` is answered by a closed connection. */
export async function openSite(options: Shop.Options = {}): Promise<Site> {
  const upstream = await Upstream.scripted(({ socket, body }) => {
    const { max_results, gone } = JSON.parse(body || '{}');
    if (gone) return socket.destroy();
    socket.write(Upstream.http(200, JSON.stringify({ results: [], results_length: max_results ?? 0 })));
  });
  const env = { ...Agent.shopEnv, ADMIN_TOKEN: token, ...options.env };
  const [shop, browser] = await Promise.all([
    Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, ...options, env }),
    launch(),
  ]);
  const close = async () => {
    await browser.close();
    await shop.stop();
    await upstream.close();
  };
  return { shop, browser, network: Network.of(shop.sandboxUrl), close };
}

let visitors = 0;

/** A browser at the console, with an address of its own, which takes pictures of one group of pages at a time. */
export class Visitor {
  readonly page: Page;
  group = 'console';
  private readonly url: string;
  private constructor(page: Page, url: string) {
    this.page = page;
    this.url = url;
  }
  static async at({ browser, shop }: Pick<Site, 'browser' | 'shop'>, more: BrowserContextOptions = {}) {
    visitors += 1;
    const extraHTTPHeaders = { 'x-forwarded-for': `192.0.2.${visitors}` };
    const viewport = { width: 1440, height: 900 };
    const context = await browser.newContext({ bypassCSP: true, viewport, extraHTTPHeaders, ...more });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    return new Visitor(page, shop.url);
  }
  /** Opens a page of the shop. */
  async open(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.url).href);
  }
  /** Takes the pictures of the page as it is. */
  async shot(state: string): Promise<void> {
    await take(this.page, this.group, state);
  }
  /** Opens a page and takes its pictures. */
  async see(path: string, state: string): Promise<void> {
    await this.open(path);
    await this.shot(state);
  }
  async press(name: string | RegExp): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).first().click();
    await this.page.waitForLoadState();
  }
  async follow(name: string | RegExp): Promise<void> {
    await this.page.getByRole('link', { name }).first().click();
    await this.page.waitForLoadState();
  }
  async fill(fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, value] of Object.entries(fields))
      await this.page.getByLabel(label, { exact: true }).first().fill(value);
  }
  async choose(label: string, value: string): Promise<void> {
    await this.page.getByLabel(label, { exact: true }).first().selectOption(value);
  }
  /** Opens folded parts of the page by their summaries. */
  async unfold(...summaries: (string | RegExp)[]): Promise<void> {
    for (const hasText of summaries) await this.page.locator('summary', { hasText }).first().click();
  }
  /** Lets the browser send forms as they are, so that the server's refusal is seen. */
  async unchecked(): Promise<void> {
    await this.page.evaluate('for (const form of document.forms) form.noValidate = true');
  }
  async signIn(): Promise<void> {
    await this.open(front);
    await this.page.locator('#token').fill(token);
    await this.press('Sign in');
    await this.page.getByRole('button', { name: 'Sign out' }).waitFor();
  }
  /** Gives the page a device that confirms every passkey. */
  async device(): Promise<{ cdp: CDPSession; authenticatorId: string }> {
    const cdp = await this.page.context().newCDPSession(this.page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    return { cdp, authenticatorId };
  }
  async leave(): Promise<void> {
    await this.page.context().close();
  }
}

const calls: [string, object][] = [
  ['/v2/search/people', { max_results: 25 }],
  ['/v2/search/companies', { max_results: 40 }],
  ['/v2/jobs/search', { max_results: 12 }],
];

export type Buyer = Agent.Agent & { token: string; account: string; order: string; email: string };
export const names = ['ada@lovelace.example', 'grace@hopper.example', 'mary@somerville.example'] as const;
const others = [
  'emmy@noether.example',
  'sofia@kovalevskaya.example',
  'a.rather.long.name.of.a.buyer@subdomain.example',
];

/** A buyer with credit, calls and a key with a limit. */
export async function bought({ shop, network }: Site, email: string, amount_usd = '5.00'): Promise<Buyer> {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, { amount_usd });
  expect((await Agent.pay(agent, offer, await network.mint())).status).toBe(200);
  await shop.sql`UPDATE shop.account SET email = ${email}, claimed_at = now() WHERE id = ${agent.account}`;
  for (const [path, body] of calls) await Customer.call(agent, 'POST', shop.url + path, body);
  const key = { name: 'nightly job', budget_usd: '2.00' };
  await Customer.call(agent, 'POST', `${shop.url}/account/keys`, key);
  return { ...agent, order: offer.order, email };
}

/** A shop that has been open for a month: buyers with calls and keys, a declined card, a refund request and a dispute. */
export async function history(site: Site): Promise<Map<string, Buyer>> {
  const { shop, network } = site;
  const buyers = new Map<string, Buyer>();
  for (const email of [...names, ...others]) buyers.set(email, await bought(site, email));
  const poor = await Agent.registered(shop.url);
  await Agent.pay(poor, await Agent.offer(poor), await network.mint('pm_card_chargeDeclined'));
  const asking = buyers.get(names[2]) as Buyer;
  const request = { amount_usd: '4.00', reason: 'I bought by mistake, and have hardly used it.' };
  await Customer.call(asking, 'POST', `${shop.url}/purchases/${asking.order}/refund-request`, request);
  // Earlier days, by what the books say of them.
  for (let day = 1; day < 30; day += 1)
    for (let nth = 0; nth < 1 + ((day * 7) % 4); nth += 1) {
      const account = id('acc');
      const made = new Date(Date.now() - day * 86_400_000);
      await shop.sql`INSERT INTO shop.account (id, origin, created_at) VALUES (${account}, 'purchase', ${made})`;
      const paid = (5 + ((day * nth * 13) % 60)) * 1_000_000;
      await Customer.credit(shop.sql, { account, token: '', assertion: '' }, paid);
      const rail = ['card', 'top_up', 'card', 'x402'][(day + nth) % 4] ?? 'card';
      const challenge = (day + nth) % 8 === 0 ? account : null;
      await shop.sql`UPDATE shop.purchase SET granted_at = ${made}, created_at = ${made}, rail = ${rail}, challenge_id = ${challenge} WHERE account_id = ${account}`;
    }
  await disputed(site, buyers.get('emmy@noether.example') as Buyer);
  return buyers;
}

/** Has the bank of a buyer dispute the payment. */
export async function disputed({ shop, network }: Site, { order }: Buyer): Promise<void> {
  const [payment] = await network.paymentsOf(order);
  await network.control('/disputes', { payment_intent: payment?.id, reason: 'product_not_received' });
  const reversals = () =>
    shop.sql`SELECT 1 FROM shop.reversal WHERE purchase_id = ${order} AND kind = 'dispute'`;
  await vi.waitFor(async () => expect((await reversals()).length).toBe(1), 20_000);
}
