import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import { cards, fillCard, follow, pay, press, Studio, uncheck, unfold } from './studio.ts';

const monthSeconds = 31 * 24 * 60 * 60;

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(() => studio?.close());

/** The link of a purchase that a program offers. */
const offered = async (plan = 'credit') =>
  (
    await Agent.offer(
      await Agent.registered(studio.shop.url),
      { ...(plan === 'credit' && { amount_usd: '5.00' }) },
      plan,
    )
  ).checkoutUrl;
const unclaimed = async () =>
  (await Agent.offer(Agent.at(studio.shop.url), { amount_usd: '5.00' })).checkoutUrl;

test('the card page and its refusals', async () => {
  const page = await studio.visitor();
  const group = 'Card page (sandbox)';
  await studio.shot(page, group, 'credit', async () => page.goto(await offered()));
  const refusals = {
    declined: { number: cards.declined },
    'not enough money': { number: '4000 0000 0000 9995' },
    'expired card': { number: '4000 0000 0000 0069' },
    'wrong security code': { number: '4000 0000 0000 0127' },
    'processing error': { number: '4000 0000 0000 0119' },
    'number and expiry invalid': { number: '4242 4242 4242 4241', expiry: '12 / 20' },
  };
  for (const [state, card] of Object.entries(refusals))
    await studio.shot(page, group, state, async () => {
      await page.goto(await offered());
      await fillCard(page, card);
      await pay(page);
      await page.getByRole('alert').first().waitFor();
    });
  await studio.shot(page, group, '3-D Secure', async () => {
    await page.goto(await offered());
    await fillCard(page, { number: '4000 0027 6000 3184' });
    await pay(page);
    await page.getByRole('button', { name: 'Complete authentication' }).waitFor();
  });
  await studio.shot(page, group, '3-D Secure failed', () => press(page, 'Fail authentication'));
  await studio.shot(page, group, 'subscription', async () => page.goto(await offered('start')));
  studio.expectAll();
});

test('payment links', async () => {
  const page = await studio.visitor();
  const group = 'Payment pages';
  const link = await offered();
  await studio.shot(page, group, 'cancelled', async () => {
    await page.goto(link);
    await page.getByRole('link', { name: /^Cancel and go back/ }).click();
  });
  await studio.shot(page, group, 'paid for a program', async () => {
    await page.goto(link);
    await fillCard(page);
    await pay(page);
    await page.waitForURL(/return/);
  });
  await studio.shot(page, group, 'already paid', async () => page.goto(link));
  const other = await studio.visitor();
  await studio.shot(other, group, 'already paid by another', async () => other.goto(link));
  await studio.shot(page, group, 'paid by link without an account', async () => {
    await page.goto(await unclaimed());
    await fillCard(page);
    await pay(page);
    await page.locator('#token').waitFor();
  });
  await studio.shot(page, group, 'paid by link, loaded again', () => page.reload());
  await studio.shot(page, group, 'subscribed by link', async () => {
    await page.goto(await offered('start'));
    await fillCard(page);
    await pay(page);
    await page.waitForURL(/return/);
  });
  await studio.shot(other, group, 'opened in another browser', async () => {
    const shared = await unclaimed();
    await page.goto(shared);
    await other.goto(shared);
  });
  await studio.shot(page, group, 'link expired', async () => {
    const expired = await offered();
    const id = expired.split('/').at(-1) ?? '';
    await studio.shop.sql`UPDATE shop.purchase SET expires_at = now() - interval '1 second' WHERE id = ${id}`;
    await page.goto(expired);
  });
  await studio.visits(page, group, { 'purchase unknown': '/checkout/pur_nobody' });
  await studio.shot(page, group, 'card payments away', async () => {
    await studio.network.fault('POST /v1/checkout/sessions', '500_before', 10);
    await page.goto(await offered());
  });
  await studio.network.clearFaults();
  await studio.shot(page, group, 'pending', async () => {
    const agent = Agent.at(studio.shop.url);
    const offer = await Agent.offer(agent);
    await studio.network.fault('POST /v1/payment_intents', 'delay_before', 1, 25_000);
    void Agent.pay(agent, offer, await studio.network.mint()).catch(() => {});
    const heading = async () => {
      await page.goto(offer.checkoutUrl);
      return page.locator('h1').textContent();
    };
    await expect.poll(heading, { timeout: 20_000 }).toContain('being processed');
    // The page loads itself again; this response keeps the one that is shown.
    await page.route('**/checkout/**', (route) => route.fulfill({ status: 204 }));
  });
  await page.unrouteAll();
  await studio.network.clearFaults();
  studio.expectAll();
});

test('an account buys, changes its plan and gets a refund', async () => {
  const payer = 'buyer@example.com';
  const page = await studio.account(payer);
  await studio.shot(page, 'Payment pages', 'paid, signed in', () =>
    studio.paid(page, 'credit', '5.00', payer),
  );
  const receipt = async () => {
    await studio.go(page, '/shop/account/billing');
    await page
      .getByRole('link', { name: /^Receipt of/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Receipt' }).waitFor();
  };
  await studio.shot(page, 'Receipt', 'credit', receipt);
  const address = page.url();
  await page.emulateMedia({ media: 'print' });
  await studio.shot(page, 'Receipt', 'credit, printed');
  await page.emulateMedia({ media: 'screen' });
  const stranger = await studio.visitor();
  await studio.shot(stranger, 'Receipt', 'seen by a stranger', () => stranger.goto(address));
  await studio.shot(page, 'Payment pages', 'subscribed, signed in', () =>
    studio.paid(page, 'start', undefined, payer),
  );
  await studio.shot(page, 'Receipt', 'subscription', receipt);
  await studio.shot(page, 'Receipt', 'company with VAT id', async () => {
    await studio.go(page, '/shop/account/billing');
    await page.getByText('Add company, address and VAT id').click();
    await page.getByLabel('Company or name').fill('Lovelace GmbH');
    await page.getByLabel('Address', { exact: true }).fill('Engine Street 1\n10115 Berlin');
    await page.getByLabel('Country').selectOption('DE');
    await page.getByLabel('VAT id (optional)').fill('DE 123 456 789');
    await press(page, 'Save billing details');
    await receipt();
    await page.getByText('Lovelace GmbH').first().waitFor();
  });
  await studio.shot(page, 'Receipt', 'with a refund', async () => {
    const account = await studio.accountOf(page);
    const [row] = await studio.shop
      .sql`SELECT id FROM shop.purchase WHERE account_id = ${account} AND plan_id = 'credit' AND granted_at IS NOT NULL`;
    await studio.seller('/refunds', { purchase: row?.id, amount_usd: '1.00' });
    await page.goto(address);
  });
  const change = 'Change of plan';
  await studio.shot(page, change, 'to a dearer plan', async () => {
    await studio.go(page, '/#plans');
    await press(page, /^Change to Scale/);
    await page.getByRole('heading', { name: /^Change to/ }).waitFor();
  });
  await studio.shot(page, change, 'to a dearer plan, done', () => press(page, /^Change and pay/));
  await studio.shot(page, 'Receipt', 'of a change', receipt);
  await studio.shot(page, change, 'to a cheaper plan', async () => {
    await studio.go(page, '/#plans');
    await press(page, /^Change to Start/);
    await page.getByRole('heading', { name: /^Change to/ }).waitFor();
  });
  await studio.shot(page, change, 'to a cheaper plan, done', () => press(page, /^Change on/));
  await studio.shot(page, change, 'plans while a change waits', () => studio.go(page, '/#plans'));
  await studio.shot(page, change, 'kept', () => press(page, /^Keep/));
  await studio.shot(page, change, 'question before cancelling', async () => {
    await studio.go(page, '/shop/account/billing');
    await press(page, /^Cancel/);
    await page.getByRole('heading', { name: /^Cancel the plan/ }).waitFor();
  });
  await studio.shot(page, change, 'cancelled', () => press(page, /^Cancel the plan/));
  await studio.shot(page, change, 'resumed', () => press(page, /^Resume/));
  const portal = 'Billing portal (sandbox)';
  await studio.shot(page, portal, 'home', async () => {
    await studio.go(page, '/shop/account/billing');
    await page.getByRole('link', { name: 'Open the billing portal' }).first().click();
    await page.getByText('Details on invoices').waitFor();
  });
  await studio.shot(page, 'Card page (sandbox)', 'new card for a plan', async () => {
    await studio.go(page, '/shop/account/billing');
    await press(page, /^Change card/);
    await page.getByLabel('Card number').waitFor();
  });
  await studio.shot(page, 'Payment pages', 'new card saved', async () => {
    await fillCard(page);
    await page.getByRole('main').getByRole('button').first().click();
    await page.getByText('Your card is saved').waitFor();
  });
  studio.expectAll();
});

test('automatic top-up', async () => {
  const page = await studio.account('topup@example.com');
  const group = 'Auto top-up';
  await studio.paid(page, 'credit', '5.00', 'topup@example.com');
  await studio.shot(page, group, 'amounts refused', async () => {
    await studio.go(page, '/shop/account/billing');
    await unfold(page);
    await uncheck(page);
    await page.locator('form[action$="/top-up"] input:visible').first().fill('abc');
    await press(page, 'Turn on auto top-up');
  });
  await studio.shot(page, group, 'consent', async () => {
    await studio.go(page, '/shop/account/billing');
    await page.getByText('Set up auto top-up').click();
    await press(page, 'Turn on auto top-up');
    await page.waitForURL(/\/auto-top-up\//);
  });
  const consent = page.url();
  await studio.shot(page, group, 'card page', async () => {
    await page.getByRole('main').locator('a.button, button').first().click();
    await page.getByLabel('Card number').waitFor();
  });
  await studio.shot(page, group, 'card saved', async () => {
    await fillCard(page, { email: 'topup@example.com' });
    await pay(page);
    await page.waitForURL(/auto-top-up|cards|account/);
  });
  await studio.shot(page, group, 'agreed', () => page.goto(consent));
  await studio.visits(page, group, { 'billing with top-up on': '/shop/account/billing' });
  await studio.shot(page, group, 'question before it stops', () => page.goto(`${consent}/stop`));
  await studio.shot(page, group, 'stopped', () => page.getByRole('main').getByRole('button').first().click());
  await studio.visits(page, group, { 'card page cancelled': '/cards/cancelled' });
  studio.expectAll();
});

test('renewals and the page of a plan for its payer', async () => {
  const page = await studio.account('payer@example.com');
  const group = 'Plan of a payer';
  await studio.go(page, '/');
  await studio.buy(page, 'start');
  await fillCard(page, { email: 'payer@example.com', number: '4000 0000 0000 0341' });
  await pay(page);
  await page.waitForURL(/\/shop\/account/);
  const links = /^http\S+\/plans\/manage\/\S+$/m;
  const stranger = await studio.visitor('/shop/account');
  await studio.shot(stranger, group, 'link asked', async () => {
    await unfold(stranger);
    await uncheck(stranger);
    await stranger.locator('form[action="/shop/plans/links"] input[name=email]').fill('payer@example.com');
    await press(stranger, 'Send me the link');
  });
  await studio.shot(stranger, group, 'plan renews', async () => {
    await expect.poll(() => studio.mailed('payer@example.com', links), { timeout: 20_000 }).not.toBe('');
    await stranger.goto(await studio.mailed('payer@example.com', links));
  });
  await studio.network.control('/clock', { advance_seconds: monthSeconds });
  const unpaid = () => studio.shop.sql`SELECT id FROM shop.subscription WHERE status = 'past_due'`;
  await expect.poll(async () => (await unpaid()).length, { timeout: 60_000 }).toBe(1);
  await studio.visits(page, 'Billing', { 'renewal failed': '/shop/account/billing' });
  await studio.visits(page, 'Overview', { 'renewal failed': '/shop/account' });
  await studio.visits(page, 'Plans', { 'renewal failed': '/#plans' });
  await studio.shot(stranger, group, 'renewal failed', () => stranger.reload());
  await studio.shot(stranger, 'Card page (sandbox)', 'open invoice', async () => {
    await follow(stranger, /pay/i);
    await stranger.getByLabel('Card number').waitFor();
  });
  await studio.shot(stranger, group, 'question before cancelling', async () => {
    await stranger.goto(await studio.mailed('payer@example.com', links));
    await stranger.getByRole('main').getByRole('button').first().click();
  });
  await studio.shot(stranger, group, 'plan ended', () => press(stranger, 'Cancel the plan'));
  studio.expectAll();
});

test('a shop that adds tax', async () => {
  const upstream = { url: 'http://127.0.0.1:9', key: 'upk_1' };
  const taxed = await Studio.open({ upstream, catalog: 'taxed.yaml' });
  try {
    const page = await taxed.account('tax@example.com');
    await taxed.shot(page, 'Card page (sandbox)', 'with tax', async () => {
      await taxed.go(page, '/');
      await taxed.buy(page, 'credit', '5.00');
    });
    await taxed.shot(page, 'Payment pages', 'paid with tax', async () => {
      await fillCard(page);
      await page.getByLabel('Country', { exact: true }).selectOption('DE');
      await pay(page);
      await page.waitForURL(/\/shop\/account/);
    });
    await taxed.shot(page, 'Receipt', 'with tax', async () => {
      await taxed.go(page, '/shop/account/billing');
      await page
        .getByRole('link', { name: /^Receipt of/ })
        .first()
        .click();
    });
    taxed.expectAll();
  } finally {
    await taxed.close();
  }
});
