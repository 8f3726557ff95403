import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import { Browser, type Shown } from '../support/browser.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

const monthSeconds = 31 * 24 * 60 * 60;
const payer = 'buyer@example.com';
/** Pays once, and is declined when it is charged again. */
const failingCard = '4000 0000 0000 0341';
/** Asks for 3-D Secure at every payment. */
const challengingCard = '4000 0027 6000 3184';
const adminToken = 'adm_of_the_test_and_long_enough';

let upstream: Upstream.ScriptedUpstream;
let mailbox: Mailbox.Mailbox;
let shop: Shop.Shop;
let network: Network.Network;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
});
afterAll(() => upstream?.close());
beforeEach(async () => {
  mailbox = await Mailbox.open();
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'periods.yaml',
    env: { ...Agent.shopEnv, ...mailbox.env, ADMIN_TOKEN: adminToken },
  });
  network = Network.of(shop.sandboxUrl);
});
afterEach(async () => {
  await shop?.stop();
  await mailbox?.stop();
});

type Subscriber = Agent.Agent & { token: string; account: string };

/** Passes 3-D Secure when the bank asks for it. Returns the address that the browser is redirected to. */
async function authenticated(location: string): Promise<string> {
  if (!location.includes('/challenge/')) return location;
  const body = new URLSearchParams({ outcome: 'complete' });
  const passed = await fetch(location, { method: 'POST', body, redirect: 'manual' });
  return passed.headers.get('location') ?? '';
}

async function subscribed(card?: string): Promise<Subscriber> {
  const agent = await Agent.registered(shop.url);
  const { checkoutUrl } = await Agent.offer(agent, {}, 'small');
  const paid = await Person.submit(await Person.open(checkoutUrl), card);
  expect((await fetch(await authenticated(paid.headers.get('location') ?? ''))).status).toBe(200);
  return agent;
}

async function subscription(agent: Subscriber) {
  return (await Customer.call(agent, 'GET', `${shop.url}/account`)).body.subscriptions[0];
}

/** Creates a subscription whose renewal could not be charged after a month. */
async function pastDue(card: string): Promise<Subscriber> {
  const agent = await subscribed(card);
  await network.control('/clock', { advance_seconds: monthSeconds });
  await expect.poll(async () => (await subscription(agent)).status).toBe('past_due');
  return agent;
}

async function renewed(agent: Subscriber): Promise<void> {
  await expect.poll(async () => (await subscription(agent)).status).toBe('active');
  const lots = () =>
    shop.sql`SELECT FROM ledger.posting WHERE account_id = ${agent.account} AND kind = 'purchase'`;
  // The processor's events about the status and about the payment arrive in any order.
  await expect.poll(async () => (await lots()).length).toBe(2);
  await Books.proves(shop.sql);
}

/** Returns the statuses of the invoices at the processor, the latest first. */
async function invoices(): Promise<(string | null)[]> {
  return (await network.stripe.invoices.list({})).data.map(({ status }) => status);
}

/** Checks that the page of an unpaid renewal takes no money, and that its plan is over. */
async function neverCharged(agent: Subscriber, payUrl: string): Promise<void> {
  const paid = await network.stripe.paymentIntents.list({});
  await Person.submit(payUrl).catch(() => {});
  const succeeded = ({ data }: typeof paid) => data.filter(({ status }) => status === 'succeeded').length;
  expect(succeeded(await network.stripe.paymentIntents.list({}))).toBe(succeeded(paid));
  expect((await subscription(agent)).status).toBe('canceled');
  await Books.proves(shop.sql);
}

/** Returns the links to the page of a plan in the mails to the payer. */
async function managePages(): Promise<string[]> {
  const mails = await mailbox.mailsTo(payer);
  return mails.flatMap(({ text }) => text.match(/^http.*\/plans\/manage\/\S+$/gm) ?? []);
}

/** A form of the shop's own pages. */
const ownForm = () => ({ method: 'POST', headers: { origin: shop.url } });

/** Presses the button that leads to a card page, and returns its address; null when the plan's page is shown instead. */
async function cardPage(manage: string): Promise<string | null> {
  const { headers } = await fetch(`${manage}/card`, { ...ownForm(), redirect: 'manual' });
  return /url=(.+)/.exec(headers.get('refresh') ?? '')?.[1] ?? null;
}

/** Completes a card page whose card the shop does not use. */
async function unused(cardUrl: string): Promise<void> {
  const back = await fetch(await Person.pay(cardUrl));
  expect([back.status, await back.text()]).toEqual([409, expect.stringContaining('This card is not used')]);
}

/** Presses the button of the question before a plan is cancelled. */
function cancel(manage = '', redirect: 'follow' | 'manual' = 'follow'): Promise<Response> {
  const body = new URLSearchParams({ confirm: 'yes' });
  return fetch(`${manage}/cancel`, { ...ownForm(), body, redirect });
}

describe('a renewal that was not paid', () => {
  test('is paid on the page that the account names, by another card', async () => {
    const agent = await pastDue(failingCard);
    const { pay_url } = await subscription(agent);
    expect((await Person.submit(pay_url)).status).toBe(200);
    await renewed(agent);
    expect((await subscription(agent)).pay_url).toBeNull();
  });

  test('cannot be paid any more once the processor gave the plan up', async () => {
    const agent = await pastDue(failingCard);
    const { pay_url } = await subscription(agent);
    for (const days of [3, 5, 7]) await network.control('/clock', { advance_seconds: days * 86_400 });
    await expect.poll(invoices).toEqual(['void', 'paid']);
    await neverCharged(agent, pay_url);
  });

  test('and the one after it cannot be paid any more once the plan is cancelled', async () => {
    await network.control('/billing', { after_retries: 'past_due' });
    const agent = await pastDue(failingCard);
    const { pay_url, id } = await subscription(agent);
    await network.control('/clock', { advance_seconds: monthSeconds });
    await expect.poll(invoices).toEqual(['open', 'open', 'paid']);
    await Customer.call(agent, 'POST', `${shop.url}/account/subscriptions/${id}/cancel`, {});
    expect(await invoices()).toEqual(['void', 'void', 'paid']);
    await neverCharged(agent, pay_url);
  });

  test('ends at once when it is cancelled, and cannot be paid any more', async () => {
    const agent = await pastDue(failingCard);
    const { pay_url, id } = await subscription(agent);
    const account = await Customer.call(agent, 'POST', `${shop.url}/account/subscriptions/${id}/cancel`, {});
    expect(account.status).toBe(200);
    expect(await invoices()).toEqual(['void', 'paid']);
    await neverCharged(agent, pay_url);
    // The plan can be bought again.
    expect((await Agent.offer(agent, {}, 'small')).checkoutUrl).toMatch(/^http/);
  });

  test('that was paid while the plan ended buys its whole period', async () => {
    const agent = await pastDue(failingCard);
    const { pay_url } = await subscription(agent);
    expect((await Person.submit(pay_url)).status).toBe(200);
    await renewed(agent);
    await network.stripe.subscriptions.cancel((await subscription(agent)).id);
    const lots = () =>
      shop.sql`SELECT s.status, k.expires_at = o.period_end AS whole FROM shop.purchase o JOIN shop.subscription s ON s.id = o.subscription_id
        JOIN ledger.posting p ON p.key = 'purchase:' || o.id JOIN ledger.lot k ON k.account_id = p.account_id AND k.id = p.lot_id
        WHERE o.account_id = ${agent.account} ORDER BY o.period_start`;
    const whole = { status: 'canceled', whole: true };
    await expect.poll(lots).toEqual([whole, whole]);
    await Books.proves(shop.sql);
  });

  test('is confirmed with the bank on that page', async () => {
    const agent = await pastDue(challengingCard);
    const { pay_url } = await subscription(agent);
    const answer = await Person.submit(pay_url, challengingCard);
    await authenticated(answer.headers.get('location') ?? '');
    await renewed(agent);
  });

  test('is paid by a new card, which pays the renewals after it too', async () => {
    const agent = await pastDue(failingCard);
    const { id } = await subscription(agent);
    const page = await Customer.call(agent, 'POST', `${shop.url}/account/subscriptions/${id}/card`, {});
    const text = await (await fetch(page.body.card_url)).text();
    for (const part of ['10.00 USD', 'every month', 'open invoice']) expect(text).toContain(part);
    expect(await (await fetch(await Person.pay(page.body.card_url))).text()).toContain('Your card is saved');
    await renewed(agent);
    await network.control('/clock', { advance_seconds: monthSeconds });
    const lots = () =>
      shop.sql`SELECT FROM ledger.posting WHERE account_id = ${agent.account} AND kind = 'purchase'`;
    await expect.poll(async () => (await lots()).length).toBe(3);
  });

  test('is paid by a new card that the payer enters without the account, but not while it is frozen', async () => {
    const agent = await pastDue(failingCard);
    await expect.poll(async () => (await managePages()).length).toBe(1);
    const [mail] = await mailbox.mailsTo(payer);
    expect(mail?.text).toMatch(/What is left of the plan can be used until \d+ \w+ \d+\./);
    const [manage = ''] = await managePages();
    const shown = async () => (await fetch(manage)).text();
    expect(await shown()).toContain('>Change card</button>');
    await shop.sql`UPDATE shop.account SET frozen_at = now() WHERE id = ${agent.account}`;
    expect(await shown()).not.toContain('>Change card</button>');
    expect(await cardPage(manage)).toBeNull();
    await shop.sql`UPDATE shop.account SET frozen_at = NULL WHERE id = ${agent.account}`;
    // Links are opened by programs that guard mailboxes, and other sites can send forms.
    const attempts = async () => (await shop.sql`SELECT FROM shop.card_attempt`).length;
    const before = await attempts();
    expect((await fetch(`${manage}/card`)).url).toBe(manage);
    const foreign = await fetch(`${manage}/card`, {
      method: 'POST',
      headers: { origin: 'https://evil.test' },
    });
    expect([foreign.status, await attempts()]).toEqual([403, before]);
    expect((await fetch(await Person.pay((await cardPage(manage)) ?? ''))).url).toBe(manage);
    await renewed(agent);
    expect(await shown()).toContain('Visa ending in 4242');
  });

  test('is not paid by a card page that was opened before its account was frozen', async () => {
    const agent = await pastDue(failingCard);
    const { id } = await subscription(agent);
    const page = await Customer.call(agent, 'POST', `${shop.url}/account/subscriptions/${id}/card`, {});
    await shop.sql`UPDATE shop.account SET frozen_at = now() WHERE id = ${agent.account}`;
    await unused(page.body.card_url);
    expect(await invoices()).toEqual(['open', 'paid']);
  });

  test('is mailed to the person whose card it is, once, with the ways to pay it and to cancel', async () => {
    const agent = await pastDue(failingCard);
    await expect.poll(async () => (await mailbox.mailsTo(payer)).length).toBe(1);
    const [mail] = await mailbox.mailsTo(payer);
    expect(mail?.text).toContain((await subscription(agent)).pay_url);
    const [manage] = await managePages();
    const next = /Next attempt +(.+)/.exec(mail?.text ?? '')?.[1];
    const page = await (await fetch(manage ?? '')).text();
    expect(page).toContain(`The card is charged again on ${next}.`);
    expect(await (await fetch(`${manage}/cancel`)).text()).toContain('access ends immediately');
    const cancelled = await (await cancel(manage)).text();
    for (const part of ['Small has ended', 'Your card is not charged for it any more.'])
      expect(cancelled).toContain(part);
    const [lot] =
      await shop.sql`SELECT k.expires_at = s.ended_at AS ends FROM ledger.lot k JOIN shop.subscription s USING (account_id)
      WHERE k.account_id = ${agent.account} AND k.kind = 'allowance'`;
    expect(lot?.ends).toBe(true);
    expect(cancelled).not.toContain(agent.account);
    expect(await mailbox.mailsTo(payer)).toHaveLength(1);
  });
});

test('a card page that was opened before its plan was cancelled changes no card', async () => {
  const agent = await subscribed();
  const { id } = await subscription(agent);
  const card = async () => (await network.stripe.subscriptions.retrieve(id)).default_payment_method;
  const before = await card();
  const page = await Customer.call(agent, 'POST', `${shop.url}/account/subscriptions/${id}/card`, {});
  await Customer.call(agent, 'POST', `${shop.url}/account/subscriptions/${id}/cancel`, {});
  await unused(page.body.card_url);
  expect(await card()).toBe(before);
  const closed = await Customer.call(agent, 'POST', `${shop.url}/account/subscriptions/${id}/card`, {});
  expect(closed.status).toBe(404);
});

test.each(['', 'cs_test_nobody', '../customers'])(
  'there is nothing at the return of page %o',
  async (session) => {
    const answer = await fetch(`${shop.url}/cards/return?session=${encodeURIComponent(session)}`);
    expect(answer.status).toBe(404);
  },
);

test('a card page of a stranger’s subscription is not given out', async () => {
  const { id } = await subscription(await subscribed());
  const stranger = await Agent.registered(shop.url);
  const page = await Customer.call(stranger, 'POST', `${shop.url}/account/subscriptions/${id}/card`, {});
  expect(page.status).toBe(404);
});

describe('a person who has lost the account', () => {
  function ask(email: string, browser = new Browser(shop.url)): Promise<Shown> {
    return browser.send('/shop/plans/links', { email });
  }

  test('cancels the plan by a link that comes to the address of the payment', async () => {
    const agent = await subscribed();
    expect(await (await fetch(`${shop.url}/shop/account`)).text()).toContain('/shop/plans/links');
    const browser = new Browser(shop.url);
    const sent = await browser.open('/shop/plans/links', { email: payer });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/shop/plans/links/sent']);
    expect((await browser.open('/shop/plans/links/sent')).html).toContain(payer);
    // The result is shown once.
    expect((await browser.open('/shop/plans/links/sent')).status).toBe(303);
    await expect.poll(async () => (await managePages()).length).toBe(1);
    const [manage = ''] = await managePages();
    const page = await (await fetch(manage)).text();
    for (const part of [
      '<h1>Your plan Small</h1>',
      ' USD per month</dd>',
      '<dt>Renews</dt>',
      'Visa ending in 4242',
    ])
      expect(page).toContain(part);
    // Programs that guard mailboxes open links too: only the button cancels.
    expect((await subscription(agent)).renews).toBe(true);
    const question = await (await fetch(`${manage}/cancel`)).text();
    expect(question).toMatch(/You can use the plan until \d\d? \w+ \d{4}/);
    expect(question).not.toContain(agent.account);
    const unconfirmed = await fetch(`${manage}/cancel`, { ...ownForm(), redirect: 'manual' });
    expect(unconfirmed.headers.get('location')).toBe(`${new URL(manage).pathname}/cancel`);
    expect((await subscription(agent)).renews).toBe(true);
    const done = await cancel(manage, 'manual');
    expect([done.status, done.headers.get('location')]).toEqual([303, new URL(manage).pathname]);
    expect((await subscription(agent)).renews).toBe(false);
  });

  test('gets a new link where an old one is not valid', async () => {
    const unknown = await fetch(`${shop.url}/plans/manage/nope`);
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain('<a class="button" href="/shop/plans/links">Get a new link</a>');
    const browser = new Browser(shop.url);
    const form = await browser.open('/shop/plans/links');
    expect(form.html).toMatch(/<form method="post" action="\/shop\/plans\/links">.*name="email"/s);
    const refused = await browser.open('/shop/plans/links', { email: 'nope' });
    expect(refused.status).toBe(422);
    expect(refused.html).toMatch(/role="alert".*action="\/shop\/plans\/links"/s);
  });

  test('gets one mail, however often it is asked for, and another address gets none', async () => {
    await subscribed();
    const texts = await Promise.all([payer, 'nobody@example.com'].map(async (to) => (await ask(to)).html));
    expect(texts[0]?.replace(payer, '')).toBe(texts[1]?.replace('nobody@example.com', ''));
    await expect.poll(async () => (await managePages()).length).toBe(1);
    await Promise.all([ask(payer), ask(payer)]);
    await ask('someone@example.com');
    expect(await managePages()).toHaveLength(1);
    expect(await mailbox.mailsTo('nobody@example.com')).toEqual([]);
  });
});

test('an account that is frozen may still cancel what charges it', async () => {
  const agent = await subscribed();
  const frozen = await Customer.call(
    { token: adminToken },
    'POST',
    `${shop.url}/admin/accounts/${agent.account}/freeze`,
    { reason: 'a test' },
  );
  expect(frozen.status, frozen.text).toBe(200);
  const call = (deed: string) =>
    Customer.call(agent, 'POST', `${shop.url}/account/plans/small/${deed}`, { plan: 'large' });
  await expect.poll(async () => (await call('change')).status).toBe(403);
  expect((await call('cancel')).status).toBe(200);
  expect((await subscription(agent)).renews).toBe(false);
});
