import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser } from '../support/browser.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Person from './person.ts';

let mailbox: Mailbox.Mailbox;
let shop: Shop.Shop;
beforeAll(async () => {
  mailbox = await Mailbox.open();
  shop = await Shop.open({ env: { ...Agent.shopEnv, ...mailbox.env } });
});
afterAll(async () => {
  await shop?.stop();
  await mailbox?.stop();
});

const email = () => `leo-${crypto.randomUUID()}@b.example`;
const session = 'sluice_visitor';

/** Buys with the link of an anonymous order. Returns the path to which the card page redirects. */
async function paid(browser: Browser, typed: string, agent = Agent.at(shop.url)): Promise<string> {
  const offer = await Agent.offer(agent, { amount_usd: '5.00' });
  const page = (await browser.open(`/checkout/${offer.order}`)).headers.get('location') ?? '';
  const back = await Person.pay(page, undefined, { email: typed });
  return back.slice(new URL(back).origin.length);
}

describe('the confirmation of a payment', () => {
  test('signs the payer’s browser in, and shows plan, amount, receipt and next steps', async () => {
    const browser = new Browser(shop.url);
    const typed = email();
    const { html } = await browser.open(await paid(browser, typed));
    for (const part of [
      '5.00 USD',
      '/receipts/',
      'Create an API key',
      'Go to your account',
      'Send me a code',
    ])
      expect(html).toContain(part);
    // The card page may have been filled in by another person than the owner of this browser.
    expect(html).not.toContain(typed);
    expect(html).toContain('aria-labelledby="tokens"');
    expect((await browser.open('/shop/account')).html).toContain('id="balance">5.00 USD');
    const receipt = /href="[^"]*(\/receipts\/[\w-]{44})"/.exec(html)?.[1] ?? '';
    expect((await browser.open(receipt)).html).toContain('Visa ending in 4242');
    const stranger = (await new Browser(shop.url).open(receipt)).html;
    expect(stranger).toContain('5.00 USD');
    expect(stranger).not.toContain('4242');
  });

  test('allows exactly the script of the copy buttons while it shows tokens, and none afterwards', async () => {
    const browser = new Browser(shop.url);
    const back = await paid(browser, email());
    const shown = await browser.open(back);
    const script = /<script>(.*?)<\/script>/s.exec(shown.html)?.[1] ?? '';
    const digest = createHash('sha256').update(script).digest('base64');
    expect(shown.headers.get('content-security-policy')).toContain(`script-src 'sha256-${digest}';`);
    expect(shown.html).toContain('<pre class="secret one-line" id="token"');
    const again = await browser.open(back);
    expect(again.html).not.toContain('<script');
    expect(again.headers.get('content-security-policy')).not.toContain('script-src');
  });

  test('gives the session neither to a scanner nor to a second browser', async () => {
    const browser = new Browser(shop.url);
    const typed = email();
    const back = await paid(browser, typed);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const scanned = await fetch(shop.url + back, { method: 'HEAD', headers: { cookie } });
    expect(scanned.headers.getSetCookie()).toEqual([]);
    const other = new Browser(shop.url);
    const seen = await other.open(back);
    expect(other.cookies.has(session)).toBe(false);
    expect(seen.html).not.toContain(typed);
    expect(seen.html).not.toMatch(/acc_|receipts/);
    await browser.open(back);
    expect(browser.cookies.has(session)).toBe(true);
  });

  test('opens no second session by a reload, also after the first was left', async () => {
    const browser = new Browser(shop.url);
    const typed = email();
    const back = await paid(browser, typed);
    await browser.open(back);
    const first = browser.cookies.get(session);
    expect((await browser.open(back)).html).toContain('Create an API key');
    expect(browser.cookies.get(session)).toBe(first);
    browser.cookies.delete(session);
    const again = await browser.open(back);
    expect(browser.cookies.has(session)).toBe(false);
    expect(again.html).not.toContain(typed);
  });

  test('shows nothing of the account to who pays for the account of a program', async () => {
    const browser = new Browser(shop.url);
    const agent = await Agent.registered(shop.url);
    const typed = email();
    const { html } = await browser.open(await paid(browser, typed, agent));
    expect(html).toContain('5.00\u00a0USD is');
    expect(browser.cookies.has(session)).toBe(false);
    for (const part of [typed, agent.account, 'id="balance"']) expect(html).not.toContain(part);
  });

  test('claims nothing by the typed address: only the mailed code does, also after a wrong one and a reload', async () => {
    const browser = new Browser(shop.url);
    const typed = email();
    await browser.open(await paid(browser, typed));
    const owner = () => shop.sql`SELECT 1 FROM shop.account WHERE email = ${typed}`;
    expect(await owner()).toEqual([]);
    const asked = await browser.send('/shop/account/claim', { email: typed });
    expect(asked.html).toContain(`We sent a code to ${typed}`);
    expect(await owner()).toEqual([]);
    const code = /^ {4}(\d{3}) (\d{3})$/m.exec((await mailbox.mailsTo(typed)).at(-1)?.text ?? '');
    const otp = `${code?.[1]}${code?.[2]}`;
    const wrong = otp === '000000' ? '000001' : '000000';
    const refused = await browser.open('/shop/account/claim/complete', { otp: wrong });
    expect(refused.status).toBe(422);
    expect(refused.html).toContain(`value="${wrong}" aria-invalid="true"`);
    expect((await browser.open('/shop/account')).html).toContain('name="otp"');
    const done = await browser.send('/shop/account/claim/complete', { otp });
    expect(done.html).toContain('Your account is saved.');
    expect(await owner()).toHaveLength(1);
    expect((await browser.open('/shop/account')).html).not.toContain('name="otp"');
  });
});
