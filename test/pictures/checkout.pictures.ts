import { beforeAll, expect, test } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import { accountOf, Studio, sections } from './studio.ts';
import type { Visitor } from './visitor.ts';

const monthSeconds = 31 * 24 * 60 * 60;

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
  return () => studio.close();
});

/** The link of a purchase that a program offers. */
async function offered(plan = 'credit'): Promise<string> {
  const input = plan === 'credit' ? { amount_usd: '5.00' } : {};
  return (await Agent.offer(await Agent.registered(studio.shop.url), input, plan)).checkoutUrl;
}

const unclaimed = async () =>
  (await Agent.offer(Agent.at(studio.shop.url), { amount_usd: '5.00' })).checkoutUrl;

/** Opens the newest receipt of an account. */
async function openReceipt(owner: Visitor): Promise<void> {
  await owner.open(sections.Billing);
  await owner.follow(/^Receipt of/);
  await owner.page.getByRole('heading', { name: 'Receipt' }).waitFor();
}

test('the card page and its refusals', async () => {
  const payer = await studio.visitor('Card page (sandbox)');
  await payer.see(await offered(), 'credit');
  const refusals = {
    declined: { number: '4000 0000 0000 0002' },
    'not enough money': { number: '4000 0000 0000 9995' },
    'expired card': { number: '4000 0000 0000 0069' },
    'wrong security code': { number: '4000 0000 0000 0127' },
    'processing error': { number: '4000 0000 0000 0119' },
    'number and expiry invalid': { number: '4242 4242 4242 4241', expiry: '12 / 20' },
    '3-D Secure': { number: '4000 0027 6000 3184' },
  };
  for (const [state, card] of Object.entries(refusals))
    await payer.shot(state, async () => {
      await payer.open(await offered());
      await payer.pay(card);
      const authentication = payer.page.getByRole('button', { name: 'Complete authentication' });
      await payer.page.getByRole('alert').or(authentication).first().waitFor();
    });
  await payer.shot('3-D Secure failed', () => payer.press('Fail authentication'));
  await payer.see(await offered('start'), 'subscription');
});

test('payment links', async () => {
  const payer = await studio.visitor('Payment pages');
  const link = await offered();
  const pays = async (url: string) => {
    await payer.open(url);
    await payer.pay();
    await payer.page.waitForURL(/return/);
  };
  await payer.open(link);
  await payer.shot('cancelled', () => payer.follow(/^Cancel and go back/));
  await payer.shot('paid for a program', () => pays(link));
  await payer.see(link, 'already paid');
  const other = await studio.visitor('Payment pages');
  await other.see(link, 'already paid by another');
  await payer.shot('paid by link without an account', async () => pays(await unclaimed()));
  await payer.shot('paid by link, loaded again', () => payer.page.reload());
  await payer.shot('subscribed by link', async () => pays(await offered('start')));
  const shared = await unclaimed();
  await payer.open(shared);
  await other.see(shared, 'opened in another browser');
  const expired = await offered();
  const id = expired.split('/').at(-1) ?? '';
  await studio.shop.sql`UPDATE shop.purchase SET expires_at = now() - interval '1 second' WHERE id = ${id}`;
  await payer.visits({ 'link expired': expired, 'purchase unknown': '/checkout/pur_nobody' });
  await studio.network.fault('POST /v1/checkout/sessions', '500_before', 10);
  await payer.see(await offered(), 'card payments away');
  await studio.network.clearFaults();
  await payer.shot('pending', async () => {
    const agent = Agent.at(studio.shop.url);
    const offer = await Agent.offer(agent);
    await studio.network.fault('POST /v1/payment_intents', 'delay_before', 1, 25_000);
    void Agent.pay(agent, offer, await studio.network.mint()).catch(() => {});
    const heading = async () => {
      await payer.open(offer.checkoutUrl);
      return payer.page.locator('h1').textContent();
    };
    await expect.poll(heading, { timeout: 20_000 }).toContain('being processed');
    // The page loads itself again; this response keeps the one that is shown.
    await payer.page.route('**/checkout/**', (route) => route.fulfill({ status: 204 }));
  });
  await studio.network.clearFaults();
});

test('an account buys and gets a refund', async () => {
  const email = 'receipts@example.com';
  const owner = await studio.account('Receipt', email);
  const pages = owner.in('Payment pages');
  const receipt = () => openReceipt(owner);
  await pages.shot('paid, signed in', () => owner.paid('credit', '5.00', email));
  await owner.shot('credit', receipt);
  const address = owner.page.url();
  await owner.page.emulateMedia({ media: 'print' });
  await owner.shot('credit, printed');
  await owner.page.emulateMedia({ media: 'screen' });
  const stranger = await studio.visitor('Receipt');
  await stranger.see(address, 'seen by a stranger');
  await pages.shot('subscribed, signed in', () => owner.paid('start', undefined, email));
  await owner.shot('subscription', receipt);
  await owner.open(sections.Billing);
  await owner.unfoldAll();
  const company = { 'Company or name': 'Lovelace GmbH', Address: 'Engine Street 1\n10115 Berlin' };
  await owner.fill({ ...company, Country: 'DE', 'VAT id (optional)': 'DE 123 456 789' });
  await owner.press('Save billing details');
  await owner.shot('company with VAT id', receipt);
  const account = await accountOf(owner);
  const [row] = await studio.shop
    .sql`SELECT id FROM shop.purchase WHERE account_id = ${account} AND plan_id = 'credit' AND granted_at IS NOT NULL`;
  await studio.admin('/refunds', { purchase: row?.id, amount_usd: '1.00' });
  await owner.see(address, 'with a refund');
});

test('a plan is changed, cancelled and resumed', async () => {
  const email = 'changes@example.com';
  const owner = await studio.account('Change of plan', email);
  await owner.paid('start', undefined, email);
  await owner.submit('/#plans', {}, /^Change to Scale/, 'to a dearer plan');
  await owner.shot('to a dearer plan, done', () => owner.press(/^Change and pay/));
  const billing = owner.in('Billing');
  await billing.open(sections.Billing);
  await billing.shot('refund form of a replaced plan', () =>
    billing.follow(/^Ask for a refund of .* 99\.00/),
  );
  await owner.in('Receipt').shot('of a change', () => openReceipt(owner));
  await owner.submit('/#plans', {}, /^Change to Start/, 'to a cheaper plan');
  await owner.shot('to a cheaper plan, done', () => owner.press(/^Change on/));
  await owner.see('/#plans', 'plans while a change waits');
  await owner.shot('kept', () => owner.press(/^Keep/));
  await owner.submit(sections.Billing, {}, /^Cancel/, 'question before cancelling');
  await owner.shot('cancelled', () => owner.press(/^Cancel the plan/));
  await owner.shot('resumed', () => owner.press(/^Resume/));
  await owner.in('Billing portal (sandbox)').shot('home', async () => {
    await owner.open(sections.Billing);
    await owner.follow('Open the billing portal');
    await owner.text('Details on invoices');
  });
  const card = owner.in('Card page (sandbox)');
  await card.shot('new card for a plan', async () => {
    await card.open(sections.Billing);
    await card.press(/^Change card/);
    await card.page.getByLabel('Card number').waitFor();
  });
  await owner.in('Payment pages').shot('new card saved', async () => {
    await owner.pay();
    await owner.text('Your card is saved');
  });
});

test('automatic top-up', async () => {
  const email = 'topup@example.com';
  const owner = await studio.account('Auto top-up', email);
  const turnOn = 'Turn on auto top-up';
  await owner.paid('credit', '5.00', email);
  const amount = { '[name=below_usd]': 'abc' };
  await owner.submit(sections.Billing, amount, turnOn, 'amounts refused');
  const unequal = { 'When credit falls below (USD)': '30', 'At most in a month (USD)': '1' };
  await owner.submit(sections.Billing, unequal, turnOn, 'amounts that do not fit together');
  await owner.submit(sections.Billing, {}, turnOn, 'consent');
  const consent = owner.page.url();
  await owner.shot('card page', async () => {
    await owner.page.getByRole('main').locator('a.button, button').first().click();
    await owner.page.getByLabel('Card number').waitFor();
  });
  await owner.shot('card saved', async () => {
    await owner.pay({ email });
    await owner.page.waitForURL(/auto-top-up|cards|account/);
  });
  await owner.visits({
    agreed: consent,
    'billing with top-up on': sections.Billing,
    'question before it stops': `${consent}/stop`,
  });
  await owner.shot('stopped', () => owner.confirm());
  await owner.see('/cards/cancelled', 'card page cancelled');
});

test('renewals and the page of a plan for its payer', async () => {
  const email = 'payer@example.com';
  const owner = await studio.account('Billing', email);
  await owner.buy('start');
  await owner.pay({ email, number: '4000 0000 0000 0341' });
  await owner.page.waitForURL(/\/shop\/account/);
  const link = () => studio.mailed(email, /^http\S+\/plans\/manage\/\S+$/m);
  const payer = await studio.visitor('Plan of a payer');
  const address = { '[name=email] >> nth=-1': email };
  await payer.submit(sections.Overview, address, 'Send me the link', 'link asked');
  await expect.poll(link, { timeout: 20_000 }).not.toBe('');
  await payer.see(await link(), 'plan renews');
  await studio.network.control('/clock', { advance_seconds: monthSeconds });
  const unpaid = () => studio.shop.sql`SELECT id FROM shop.subscription WHERE status = 'past_due'`;
  await expect.poll(async () => (await unpaid()).length, { timeout: 60_000 }).toBe(1);
  const failed = 'renewal failed';
  await owner.see(sections.Billing, failed);
  await owner.in('Overview').see(sections.Overview, failed);
  await owner.in('Plans').see('/#plans', failed);
  await payer.shot(failed, () => payer.page.reload());
  await payer.in('Card page (sandbox)').shot('open invoice', async () => {
    await payer.follow(/^pay/i);
    await payer.page.getByLabel('Card number').waitFor();
  });
  await payer.open(await link());
  await payer.shot('question before cancelling', () => payer.press(/^Cancel/));
  await payer.shot('plan ended', () => payer.press('Cancel the plan'));
});

test('a shop that adds tax', async () => {
  const taxed = await Studio.open({
    ...{ upstream: { url: 'http://127.0.0.1:9', key: 'upk_1' }, catalog: 'taxed.yaml' },
  });
  try {
    const owner = await taxed.account('Card page (sandbox)', 'tax@example.com');
    await owner.shot('with tax', () => owner.buy('credit', '5.00'));
    await owner.in('Payment pages').shot('paid with tax', async () => {
      await owner.fill({ Country: 'DE' });
      await owner.pay();
      await owner.page.waitForURL(/\/shop\/account/);
    });
    await owner.in('Receipt').shot('with tax', () => openReceipt(owner));
  } finally {
    await taxed.close();
  }
});
