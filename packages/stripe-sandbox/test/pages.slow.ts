import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Stripe } from 'stripe';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CardNetwork, fiveDollars, open } from './card-network.ts';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const screenshots = process.env.SCREENSHOTS_DIR;

let browser: Browser;
let network: CardNetwork;
let shop: Server;
let shopUrl: string;
let page: Page;

beforeAll(async () => {
  network = await open();
  shop = createServer((_request, response) => response.end('<title>Shop</title>thank you'));
  shop.listen(0, '127.0.0.1');
  await once(shop, 'listening');
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-quic', '--disable-background-networking'],
  });
});
afterAll(async () => {
  await browser.close();
  await network.close();
  shop.close();
  shop.closeAllConnections();
});

const screens = {
  'phone, light': { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  'desktop, dark': { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
} as const;

function session(): Promise<Stripe.Checkout.Session> {
  return network.stripe.checkout.sessions.create(
    fiveDollars({
      success_url: `${shopUrl}/done?session={CHECKOUT_SESSION_ID}`,
      cancel_url: `${shopUrl}/plans`,
    }),
  );
}

async function fill(number: string, over: Record<string, string> = {}): Promise<void> {
  const fields = {
    Email: 'buyer@example.com',
    'Card number': number,
    Expiry: '12 / 40',
    'Security code': '123',
    'Name on card': 'Ada Lovelace',
    ...over,
  };
  for (const [label, value] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(value);
}

async function pay(): Promise<void> {
  await page.getByRole('button', { name: 'Pay 5.00 USD' }).click();
}

async function look(name: string): Promise<void> {
  const width = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(width, `${name} does not scroll sideways`).toBe(0);
  if (screenshots) await page.screenshot({ path: `${screenshots}/${name}.png`, fullPage: true });
}

describe.each(Object.entries(screens))(
  'the hosted page on a %s screen, without scripts',
  (screen, options) => {
    const on = screen.replace(', ', '-');
    const complaints: string[] = [];
    beforeEach(async () => {
      const context = await browser.newContext({ ...options, javaScriptEnabled: false });
      page = await context.newPage();
      complaints.length = 0;
      page.on('console', (message) => {
        if (message.type() === 'error' && !/status of 4\d\d/.test(message.text()))
          complaints.push(message.text());
      });
    });
    afterEach(async () => {
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    it('takes 4242, leads back to the shop, and then says that it is paid', async () => {
      const { id, url } = await session();
      await page.goto(url ?? '');
      expect(await page.getByText('Test mode').isVisible()).toBe(true);
      expect(await page.getByText('4242 4242 4242 4242').isVisible()).toBe(true);
      await look(`checkout-${on}`);
      await fill('4242 4242 4242 4242');
      await pay();
      expect(page.url()).toBe(`${shopUrl}/done?session=${id}`);
      expect((await network.stripe.checkout.sessions.retrieve(id)).payment_status).toBe('paid');
      await page.goto(url ?? '');
      expect(await page.getByRole('heading').textContent()).toBe('Already paid');
      await look(`paid-${on}`);
    });

    it('declines 0002, and takes another card', async () => {
      const { id, url } = await session();
      await page.goto(url ?? '');
      await fill('4000 0000 0000 0002');
      await pay();
      expect(await page.getByRole('alert').textContent()).toContain('Your card was declined.');
      expect(await page.getByLabel('Email').inputValue()).toBe('buyer@example.com');
      expect(await page.getByLabel('Card number').inputValue()).toBe('');
      await look(`declined-${on}`);
      await fill('4242424242424242');
      await pay();
      expect(page.url()).toContain(id);
    });

    it('asks 3155 for 3-D Secure: failed, it can be tried again; passed, it is paid', async () => {
      const { id, url } = await session();
      await page.goto(url ?? '');
      await fill('4000 0025 0000 3155');
      await pay();
      await look(`challenge-${on}`);
      await page.getByRole('button', { name: 'Fail authentication' }).click();
      expect(page.url()).toBe(url);
      expect(await page.getByRole('alert').textContent()).toContain('could not be authenticated');
      expect((await network.stripe.checkout.sessions.retrieve(id)).payment_status).toBe('unpaid');
      await fill('4000 0025 0000 3155');
      await pay();
      await page.getByRole('button', { name: 'Complete authentication' }).click();
      expect(page.url()).toBe(`${shopUrl}/done?session=${id}`);
      expect((await network.stripe.checkout.sessions.retrieve(id)).payment_status).toBe('paid');
    });

    it('says what is wrong beside the field, in words that a screen reader finds', async () => {
      const { url } = await session();
      await page.goto(url ?? '');
      await fill('4242 4242 4242 4241', { Expiry: '12 / 20' });
      await pay();
      const number = page.getByRole('textbox', { name: 'Card number' });
      expect(await number.getAttribute('aria-invalid')).toBe('true');
      const described = await number.getAttribute('aria-describedby');
      expect(await page.locator(`#${described}`).textContent()).toContain('not valid');
      await page.getByRole('alert').getByRole('link', { name: 'Expiry' }).click();
      expect(await page.locator('#expiry:focus').count()).toBe(1);
      await look(`faults-${on}`);
    });
  },
);
