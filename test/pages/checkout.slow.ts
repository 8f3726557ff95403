import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const screenshots = fileURLToPath(new URL('../screenshots/', import.meta.url));

const screens = {
  phone: { viewport: { width: 390, height: 844 } },
  desktop: { viewport: { width: 1280, height: 800 } },
};
type Screen = keyof typeof screens;

let mailbox: Mailbox.Mailbox;
let shop: Shop.Shop;
let network: Network.Network;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  await mkdir(screenshots, { recursive: true });
  mailbox = await Mailbox.open();
  shop = await Shop.open({ env: { ...Agent.shopEnv, ...mailbox.env } });
  network = Network.of(shop.sandboxUrl);
  browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-quic', '--disable-background-networking'],
  });
});
afterEach(() => page.context().close());
afterAll(async () => {
  await browser?.close();
  await shop?.stop();
  await mailbox?.stop();
});

/** A browser of its own; no page of the purchase needs a script. */
async function open(screen: Screen): Promise<void> {
  const context = await browser.newContext({ ...screens[screen], javaScriptEnabled: false });
  page = await context.newPage();
}

/** Takes pictures in light and dark, and sees that nothing is wider than the screen. */
async function look(name: string, screen: Screen): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${screenshots}${name}-${screen}-${colorScheme}.png`, fullPage: true });
  }
  const beyond = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(beyond).toBe(0);
}

async function fill(number: string): Promise<void> {
  const fields = {
    Email: 'ada@example.com',
    'Card number': number,
    Expiry: '12 / 40',
    'Security code': '123',
    'Name on card': 'Ada Lovelace',
  };
  for (const [label, value] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(value);
}

const pay = () => page.getByRole('button', { name: /^Pay / }).click();
const title = async () =>
  (await page.getByRole('heading', { level: 1 }).textContent())?.replaceAll('\u00a0', ' ');

async function offered(agent = Agent.at(shop.url)): Promise<string> {
  return (await Agent.offer(agent, { amount_usd: '5.00' })).checkoutUrl;
}

describe.each(Object.keys(screens) as Screen[])('on a %s screen', (screen) => {
  test('the link of the 402 leads to the card page, a card to the credit and to the token that spends it', async () => {
    await open(screen);
    await page.goto(await offered());
    await fill('4242 4242 4242 4242');
    await look('checkout', screen);
    await pay();
    expect(await title()).toBe('Thank you. 5.00 USD is paid.');
    expect(await page.locator('#balance').textContent()).toBe('5.00 USD');
    await page.getByText('Copy both now: they are shown only once.').waitFor();
    await look('paid', screen);
    expect((await page.locator('#token').boundingBox())?.height).toBeLessThan(60);
    const token = (await page.locator('#token').textContent()) ?? '';
    const account = await Customer.call({ token }, 'GET', `${shop.url}/account`);
    expect(account.body.balance_usd).toBe('5.00');
    await page.reload();
    expect(await page.locator('#balance').textContent()).toBe('5.00 USD');
    await page.getByRole('link', { name: 'Create an API key' }).click();
    await page.getByRole('button', { name: 'Create API key' }).waitFor();
  });

  test('a declined card is told so, and another one pays', async () => {
    await open(screen);
    await page.goto(await offered());
    await fill('4000 0000 0000 0002');
    await pay();
    expect(await page.getByRole('alert').textContent()).toContain('Your card was declined.');
    await look('declined', screen);
    await fill('4242 4242 4242 4242');
    await pay();
    expect(await page.locator('#balance').textContent()).toBe('5.00 USD');
  });

  test('a card that asks for 3-D Secure pays once its holder has taken that step', async () => {
    await open(screen);
    await page.goto(await offered());
    await fill('4000 0027 6000 3184');
    await pay();
    await look('challenge', screen);
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    expect(await page.locator('#balance').textContent()).toBe('5.00 USD');
  });

  test('who pays for a program’s account sees that it is paid, and no key to it', async () => {
    await open(screen);
    await page.goto(await offered(await Agent.registered(shop.url)));
    await fill('4242 4242 4242 4242');
    await pay();
    expect(await title()).toBe('Thank you. 5.00 USD is paid.');
    expect(await page.getByRole('textbox').count()).toBe(0);
    await look('paid-for-another', screen);
  });

  test('who turns back is charged nothing, and finds the way to the payment again', async () => {
    await open(screen);
    const link = await offered();
    await page.goto(link);
    await page.getByRole('link', { name: /^Cancel and go back/ }).click();
    expect(await title()).toBe('Nothing was charged.');
    expect(await page.locator('dl').textContent()).toContain('5.00 USD');
    const cancelled = page.url();
    await look('cancelled', screen);
    await page.getByRole('link', { name: 'Back to the payment' }).click();
    await fill('4242 4242 4242 4242');
    await pay();
    await page.goto(link);
    expect(await title()).toBe('This purchase is paid.');
    await page.getByRole('link', { name: 'View receipt' }).waitFor();
    await look('already-paid', screen);
    // The address of the cancelled page no longer claims that nothing was charged.
    await page.goto(cancelled);
    expect(await title()).toBe('This purchase is paid.');
  });

  test('a link that has expired, that is unknown, or that cannot be opened now says so', async () => {
    await open(screen);
    const expired = await offered();
    await shop.sql`UPDATE shop.purchase SET expires_at = now() - interval '1 second' WHERE id = ${expired.split('/').at(-1) ?? ''}`;
    await page.goto(expired);
    expect(await title()).toBe('This payment link has expired.');
    await look('expired', screen);
    await page.goto(`${shop.url}/checkout/pur_nobody`);
    expect(await title()).toBe('Purchase not found');
    await network.fault('POST /v1/checkout/sessions', '500_before', 10);
    const link = await offered();
    await page.goto(link);
    expect(await title()).toBe('Card payments are temporarily unavailable.');
    await look('away', screen);
    await network.clearFaults();
    await page.reload();
    await page.getByLabel('Card number').waitFor();
  });
});

test('a payment that is under way is looked at again by the page itself, until it is there', async () => {
  await open('phone');
  const agent = Agent.at(shop.url);
  const offer = await Agent.offer(agent);
  await network.fault('POST /v1/payment_intents', 'delay_before', 1, 8_000);
  const paying = Agent.pay(agent, offer, await network.mint());
  await expect
    .poll(async () => {
      await page.goto(offer.checkoutUrl);
      return title();
    })
    .toBe('Your payment is being processed.');
  await look('pending', 'phone');
  await page.getByText('This purchase is paid.').waitFor({ timeout: 30_000 });
  expect((await paying).status).toBe(200);
});
