import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import { post, press, Studio, uncheck, unfold } from './studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(() => studio?.close());

test('front page and plans', async () => {
  const { shop } = studio;
  const stranger = await studio.visitor();
  await studio.visits(stranger, 'Front page', { 'signed out': '/', 'unknown operation': '/?operation=nope' });
  await studio.shot(stranger, 'Front page', 'all services and every part open', async () => {
    await studio.go(stranger, '/');
    await unfold(stranger);
  });
  await studio.shot(stranger, 'Plans', 'amount refused', async () => {
    await studio.go(stranger, '/');
    await uncheck(stranger);
    await stranger.getByLabel('Amount in USD').fill('0.10');
    await press(stranger, 'Buy by card');
  });
  await studio.seller('/promotions', { code: 'WELCOME', usd: '3.00' });
  await studio.shot(stranger, 'Plans', 'promotion code refused', async () => {
    await studio.go(stranger, '/');
    await unfold(stranger);
    await stranger.locator('.code-field input').first().fill('NOPE');
    await press(stranger, 'Buy by card');
  });
  await studio.shot(stranger, 'Plans', 'promotion code accepted', async () => {
    await studio.go(stranger, '/');
    await unfold(stranger);
    await stranger.locator('.code-field input').first().fill('WELCOME');
    await press(stranger, 'Buy by card');
  });
  const page = await studio.account('front@example.com');
  await studio.visits(page, 'Front page', { 'signed in with the trial': '/' });
  const account = await studio.accountOf(page);
  await Customer.credit(shop.sql, { account } as Customer.Customer, 30_000);
  await studio.visits(page, 'Front page', { 'low credit': '/' });
  await studio.paid(page, 'start');
  await studio.visits(page, 'Plans', { 'own plan': '/#plans' });
  studio.expectAll();
});

test('try it', async () => {
  const page = await studio.visitor();
  const sent = page.locator('#try');
  const open = (operation: string) => studio.go(page, `/?operation=${encodeURIComponent(operation)}#try`);
  const unfoldFields = async () => {
    await unfold(page);
    await sent.locator('details.raw').evaluate((one) => one.removeAttribute('open'));
  };
  await studio.shot(page, 'Try it', 'form', () => open('POST /v2/search/people'));
  await studio.shot(page, 'Try it', 'form with every field open', () => unfoldFields());
  await studio.shot(page, 'Try it', 'price', async () => {
    await open('POST /v2/search/people');
    await sent.getByRole('button', { name: 'Check the price' }).first().click();
    await sent.getByText('This request uses at most').first().waitFor();
  });
  const results = sent.getByLabel('max_results', { exact: false }).first();
  await studio.shot(page, 'Try it', 'result', async () => {
    await results.fill('3');
    await results.press('Enter');
    await sent.getByRole('status').waitFor();
  });
  await studio.shot(page, 'Try it', 'result open', () => unfoldFields());
  await studio.shot(page, 'Try it', 'nothing sent, field refused', async () => {
    await uncheck(page);
    await results.fill('-1');
    await results.press('Enter');
    await sent.getByText('Nothing was sent.').waitFor();
  });
  await studio.shot(page, 'Try it', 'JSON refused', async () => {
    await open('POST /v2/search/people');
    await unfold(page);
    await sent.getByLabel('Body', { exact: true }).fill('{"max_results":');
    await sent.getByRole('button', { name: 'Send as JSON' }).click();
  });
  await studio.shot(page, 'Try it', 'credit does not suffice', async () => {
    await open('POST /v2/search/people');
    await uncheck(page);
    await results.fill('50');
    await results.press('Enter');
  });
  await studio.shot(page, 'Try it', 'error of the API', async () => {
    await open('POST /v2/enrichment/email');
    await unfold(page);
    await sent.getByLabel('Body', { exact: true }).fill('{}');
    await sent.getByRole('button', { name: 'Send as JSON' }).click();
  });
  studio.expectAll();
});

test('error pages', async () => {
  const page = await studio.visitor();
  await studio.visits(page, 'Error pages', {
    'page not found': '/nope',
    'address without a page': '/v2/search/people',
    'key needed': '/account/usage',
    'receipt unknown': '/receipts/abc',
    'purchase unknown': '/checkout/pur_none',
    'invitation unknown': '/shop/invitation?token=nope',
    'sign-in link unknown': '/shop/account/link?token=nope',
    'plan link unknown': '/plans/manage/nope',
    'document not found': '/docs/nope',
    'authorization without an application': '/oauth2/authorize?client_id=nope',
    'method not allowed': '/shop/buy',
    'card consent unknown': '/auto-top-up/nope',
  });
  await studio.shot(page, 'Error pages', 'form too large', async () => {
    await studio.go(page, '/');
    await post(page, `${studio.shop.url}/shop/try`, { body: 'x'.repeat(3_000_000) });
  });
  await studio.shot(page, 'Error pages', 'form of another site', async () => {
    await page.goto(studio.shop.sandboxUrl);
    await post(page, `${studio.shop.url.replace('localhost', '127.0.0.1')}/shop/buy`, { plan: 'credit' });
  });
  await studio.shot(page, 'Error pages', 'too many accounts', async () => {
    for (let at = 0; at < 30; at += 1) {
      await page.context().clearCookies();
      await studio.go(page, '/');
      await post(page, `${studio.shop.url}/shop/start`, {});
      if (/429|later|many/i.test((await page.textContent('h1')) ?? '')) break;
    }
  });
  await studio.shot(page, 'Error pages', 'form of a session that ended', async () => {
    await page.context().clearCookies();
    await studio.go(page, '/');
    await post(page, `${studio.shop.url}/shop/account/keys`, { name: 'x' });
  });
  studio.expectAll();
});

/** Writes a copy of a catalogue with a change. Returns the settings that use it. */
function changed(source: string, name: string, change: (text: string) => string): Record<string, string> {
  const path = join(tmpdir(), `pictures-${process.pid}-${name}.yaml`);
  writeFileSync(path, change(readFileSync(new URL(source, import.meta.url), 'utf8')));
  return { CATALOG: path };
}

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="14" fill="#8a1c4a"/></svg>';
const upstream = { url: 'http://127.0.0.1:9', key: 'upk_1' };

test('shops with another catalogue', async () => {
  writeFileSync(join(tmpdir(), 'pictures-logo.svg'), logo);
  const branded = changed('../fixtures/notes.yaml', 'branded', (text) =>
    text.replace(
      '  contact:',
      '  brand: { colour: "#8a1c4a", font: serif, logo: pictures-logo.svg }\n  contact:',
    ),
  );
  const shops = {
    'Shop with a brand': { upstream, env: branded },
    'Shop with one trial': { upstream, catalog: 'trial-once.yaml' },
    'Shop with meters': { upstream, catalog: 'metered.yaml' },
    'Shop with tax': { upstream, catalog: 'taxed.yaml' },
    'Shop with included dollars': { upstream, catalog: 'dollars.yaml' },
  };
  for (const [group, options] of Object.entries(shops)) {
    const other = await Studio.open(options);
    try {
      const page = await other.visitor();
      await other.visits(page, group, { 'front page': '/', reference: '/docs', account: '/shop/account' });
      await other.shot(page, group, 'request refused', async () => {
        await other.go(page, '/');
        await page.getByRole('link', { name: 'Change the request' }).click();
        await page.getByRole('button', { name: 'Send request' }).first().click();
        await page.waitForLoadState();
      });
      await other.visits(page, group, { 'account after a try': '/shop/account' });
      other.expectAll();
    } finally {
      await other.close();
    }
  }
}, 600_000);

test('the database is away', async () => {
  const other = await Studio.open({ upstream, catalog: 'trial-once.yaml' });
  const name = new URL(other.shop.databaseUrl).pathname.slice(1);
  const admin = postgres(Object.assign(new URL(other.shop.databaseUrl), { pathname: '/postgres' }).href, {
    max: 1,
  });
  try {
    const page = await other.account();
    await admin.unsafe(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
    await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`;
    await other.visits(page, 'Outage', { 'front page': '/', account: '/shop/account', reference: '/docs' });
    await other.shot(page, 'Outage', 'purchase', async () => {
      await other.go(page, '/docs');
      await post(page, `${other.shop.url}/shop/buy`, { plan: 'credit', amount_usd: '5.00' });
    });
  } finally {
    await admin.unsafe(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
    await admin.end();
    await other.close();
  }
  other.expectAll();
});
