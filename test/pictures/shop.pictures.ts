import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { beforeAll, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import { accountOf, Studio } from './studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
  return () => studio.close();
});

test('front page and plans', async () => {
  const stranger = await studio.visitor('Front page');
  const plans = stranger.in('Plans');
  await stranger.visits({ 'signed out': '/', 'unknown operation': '/?operation=nope' });
  await stranger.open('/');
  await stranger.shot('all services and every part open', () => stranger.unfoldAll());
  await studio.admin('/promotions', { code: 'WELCOME', usd: '3.00' });
  const [buy, code] = ['Buy by card', '[name=code]'];
  await plans.submit('/', { 'Amount in USD': '0.10' }, buy, 'amount refused');
  await plans.submit('/', { [code]: 'NOPE' }, buy, 'promotion code refused');
  await plans.submit('/', { [code]: 'WELCOME' }, buy, 'promotion code accepted');
  const owner = await studio.account('Front page', 'front@example.com');
  await owner.see('/', 'signed in with the trial');
  const account = await accountOf(owner);
  await Customer.credit(studio.shop.sql, { account } as Customer.Customer, 30_000);
  await owner.see('/', 'low credit');
  await owner.paid('start');
  await owner.in('Plans').see('/#plans', 'own plan');
});

test('try it', async () => {
  const visitor = await studio.visitor('Try it');
  const sent = visitor.page.locator('#try');
  const people = `/?operation=${encodeURIComponent('POST /v2/search/people')}#try`;
  const email = `/?operation=${encodeURIComponent('POST /v2/enrichment/email')}#try`;
  const results = sent.getByLabel('max_results', { exact: false }).first();
  const asks = (count: string, state: string, path?: string) =>
    visitor.shot(state, async () => {
      if (path !== undefined) await visitor.open(path);
      await visitor.unchecked();
      await results.fill(count);
      await results.press('Enter');
      await sent.locator('[role=status],[role=alert]').first().waitFor();
    });
  await visitor.see(people, 'form');
  await visitor.shot('form with every field open', () => visitor.unfoldAll());
  await visitor.open(people);
  await visitor.shot('price', async () => {
    await sent.getByRole('button', { name: 'Check the price' }).first().click();
    await sent.getByText('This request uses at most').first().waitFor();
  });
  await asks('3', 'result', people);
  await visitor.shot('result open', () => visitor.unfoldAll());
  await asks('-1', 'nothing sent, field refused');
  const sendsJson = async (path: string, Body: string, state: string) => {
    await visitor.open(path);
    await visitor.press('Write the request as JSON');
    await visitor.submit(null, { Body }, 'Send as JSON', state);
  };
  await sendsJson(people, '{"max_results":', 'JSON refused');
  await visitor.open(people);
  await visitor.press('Write the request as JSON');
  await visitor.submit(null, { Body: '{"other":1}' }, 'Use the fields instead', 'JSON without a field');
  await sendsJson(people, '{"max_results":20}', 'long result');
  await asks('50', 'credit does not suffice', people);
  await sendsJson(email, '{}', 'error of the API');
});

test('error pages', async () => {
  const visitor = await studio.visitor('Error pages');
  const { url, sandboxUrl } = studio.shop;
  await visitor.visits({
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
    'method not allowed': '/shop/account/keys/end',
    'card consent unknown': '/auto-top-up/nope',
  });
  await visitor.open('/');
  await visitor.shot('form too large', () => visitor.post('/shop/try', { body: 'x'.repeat(3_000_000) }));
  await visitor.open(sandboxUrl);
  const foreign = `${url.replace('localhost', '127.0.0.1')}/shop/buy`;
  await visitor.shot('form of another site', () => visitor.post(foreign, { plan: 'credit' }));
  await visitor.shot('too many accounts', async () => {
    for (let at = 0; at < 30; at += 1) {
      await visitor.page.context().clearCookies();
      await visitor.open('/');
      await visitor.post('/shop/start', {});
      if (/429|later|many/i.test((await visitor.page.textContent('h1')) ?? '')) break;
    }
  });
  await visitor.page.context().clearCookies();
  await visitor.open('/');
  await visitor.shot('form of a session that ended', () => visitor.post('/shop/account/keys', { name: 'x' }));
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
      const visitor = await other.visitor(group);
      await visitor.visits({ 'front page': '/', reference: '/docs', account: '/shop/account' });
      await visitor.open('/');
      await visitor.follow('Change the request');
      await visitor.shot('request refused', () => visitor.press('Send request'));
      await visitor.see('/shop/account', 'account after a try');
    } finally {
      await other.close();
    }
  }
}, 600_000);

test('the database is away', async () => {
  const other = await Studio.open({ upstream, catalog: 'trial-once.yaml' });
  const address = new URL(other.shop.databaseUrl);
  const name = address.pathname.slice(1);
  const admin = postgres(Object.assign(address, { pathname: '/postgres' }).href, { max: 1 });
  try {
    const owner = await other.account('Outage');
    await admin.unsafe(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
    await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`;
    await owner.visits({ 'front page': '/', account: '/shop/account', reference: '/docs' });
    const purchase = { plan: 'credit', amount_usd: '5.00' };
    await owner.shot('purchase', () => owner.post('/shop/buy', purchase));
  } finally {
    await admin.unsafe(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
    await admin.end();
    await other.close();
  }
});
