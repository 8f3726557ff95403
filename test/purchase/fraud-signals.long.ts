import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Network from './network.ts';

const token = 'adm_of_the_test_and_long_enough';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let network: Network.Network;
let cookie: string;
let addresses = 0;

/** An address of its own for each request: the shop limits the requests of one address. */
function from(): Record<string, string> {
  addresses += 1;
  return { 'x-forwarded-for': `198.51.100.${addresses % 250}` };
}

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  const env = { ...Agent.shopEnv, ADMIN_TOKEN: token };
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'periods.yaml', env });
  network = Network.of(shop.sandboxUrl);
  const signedIn = await fetch(`${shop.url}/admin/console/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', ...from() },
    body: new URLSearchParams({ token, to: '/admin' }),
  });
  cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

/** Buys credit with a test card. Returns the purchase and its payment. */
async function bought(card?: string): Promise<{ order: string; payment: string }> {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, { amount_usd: '4.00' });
  const paid = await Agent.pay(agent, offer, await network.mint(card));
  expect(paid.status, paid.text).toBe(200);
  const [payment] = await network.paymentsOf(offer.order);
  return { order: offer.order, payment: payment?.id ?? '' };
}

/** The text of a console page, without its markup. */
async function page(path: string): Promise<string> {
  const response = await fetch(`${shop.url}/admin${path}`, {
    headers: { accept: 'text/html', cookie, ...from() },
  });
  return (await response.text())
    .replace(/<style.*?<\/style>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
}

const purchasePage = (order: string) => page(`/console/payments/${order}`);

/** Number of fraud signals that the shop has reported, as its alerts count them. */
async function reported(): Promise<number> {
  const metrics = await (
    await fetch(`${shop.url}/metrics`, { headers: { authorization: `Bearer ${token}`, ...from() } })
  ).text();
  return Number(/^sluice_events_total\{[^}]*event="fraud_signal"[^}]*\} (\d+)$/m.exec(metrics)?.[1] ?? 'NaN');
}

test('an early fraud warning is shown with its purchase until the payment is refunded, and alerts once', async () => {
  expect(await reported()).toBe(0);
  const { order, payment } = await bought('pm_card_createIssuerFraudRecord');
  await expect
    .poll(() => purchasePage(order))
    .toMatch(/Early fraud warning issfr_\w+ card reported stolen needs attention/);
  expect(await page('')).toMatch(/\b1 Payments with a fraud warning or an open review/);
  expect(await page('/console/payments')).toContain('Fraud warnings and reviews');
  expect(await reported()).toBe(1);
  await network.stripe.refunds.create({ payment_intent: payment });
  await expect.poll(() => purchasePage(order)).toMatch(/card reported stolen closed/);
  expect(await page('')).not.toContain('fraud warning');
  expect(await reported()).toBe(1);
});

test('a review is shown until it is closed, whatever the order of its events', async () => {
  await network.control('/webhooks/pause');
  const { order, payment } = await bought('pm_card_riskLevelElevated');
  const [review] = (await network.stripe.reviews.list()).data;
  expect(review?.payment_intent).toBe(payment);
  await network.stripe.reviews.approve(review?.id ?? '');
  await network.control('/webhooks/deliver-in-reverse');
  await network.control('/webhooks/resume');
  expect(await purchasePage(order)).toMatch(/Review prv_\w+ approved closed/);
  expect(await page('')).not.toContain('open review');
});

test('an inquiry of a bank is listed apart from disputes, and found by each of its ids', async () => {
  const { order, payment } = await bought('pm_card_createDisputeInquiry');
  await expect.poll(() => purchasePage(order)).toContain('Inquiry about 4.00 USD');
  expect(await page('')).toMatch(/\b1 Open inquiries of banks: respond or refund 4\.00 USD/);
  expect(await page('')).not.toMatch(/Open disputes|In open disputes/);
  expect(await page('/console/payments')).toContain('Refunds and disputes 1 ');
  const listed = async (query: string) => (await page(`/console/payments.csv?${query}`)).includes(order);
  expect(await Promise.all(['state=inquiry', 'state=disputed'].map(listed))).toEqual([true, false]);
  const [dispute] = (await network.stripe.disputes.list({ payment_intent: payment })).data;
  const [{ account_id: account = '', charge = '' } = {}] = await shop.sql<
    { account_id: string; charge: string }[]
  >`SELECT p.account_id, c.id AS charge FROM shop.purchase p JOIN shop.charge c ON c.payment = p.payment WHERE p.id = ${order}`;
  const ids = [dispute?.id ?? '', charge, payment, order, account];
  const starts = [order.slice(0, 12), `${account.slice(0, 12)}…`, account.slice(4, 12)];
  for (const q of [...ids, ...starts])
    expect([q, await listed(`q=${encodeURIComponent(q)}`)]).toEqual([q, true]);
  expect(await listed('q=acc_ffffff')).toBe(false);
  // A full refund ends the inquiry.
  const question = await page(`/console/payments/${order}/refund?amount_usd=4.00`);
  expect(question).toContain('The inquiry is closed');
  expect(question).not.toContain('Auto top-up');
  await network.stripe.refunds.create({ payment_intent: payment });
  await expect.poll(() => purchasePage(order)).toContain('inquiry closed');
  expect(await page('')).not.toContain('inquiries');
});

test('a signal of a payment that bought nothing here is neither shown nor reported', async () => {
  const before = await reported();
  await network.stripe.paymentIntents.create({
    ...{ amount: 900, currency: 'usd', confirm: true, payment_method: 'pm_card_createIssuerFraudRecord' },
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
  });
  await expect.poll(() => network.waiting()).toEqual([]);
  expect(await page('')).not.toContain('fraud warning');
  expect(await reported()).toBe(before);
});

test('the risk of a charge is shown with its order, for paid and declined ones', async () => {
  const paid = await bought('pm_card_riskLevelElevated');
  await expect.poll(() => purchasePage(paid.order)).toMatch(/elevated 70 approved by network/);
  const agent = await Agent.registered(shop.url);
  const declined = await Agent.offer(agent, { amount_usd: '4.00' });
  await Agent.pay(agent, declined, await network.mint('pm_card_chargeDeclinedLostCard'));
  await expect.poll(() => purchasePage(declined.order)).toMatch(/normal 20 declined by network lost card/);
  const listed = await fetch(`${shop.url}/admin/purchases?account=${agent.account}`, {
    headers: { authorization: `Bearer ${token}`, ...from() },
  });
  expect(await listed.json()).toMatchObject({
    purchases: [{ charges: [{ succeeded: false, risk_score: 20, reason: 'lost_card' }] }],
  });
});

test('cards that are tried on the hosted page count, and close it; the seller sees that', async () => {
  const agent = await Agent.registered(shop.url);
  const { order, checkoutUrl } = await Agent.offer(agent, { amount_usd: '0.50' });
  const headers = { 'x-forwarded-for': '2001:db8:7:7::1' };
  const opened = await fetch(checkoutUrl, { redirect: 'manual', headers });
  const session = /cs_\w+/.exec(opened.headers.get('location') ?? '')?.[0] ?? '';
  const browser = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  const tried = [
    '4000000000000002',
    '4000000000009995',
    '4000000000009979',
    '4000000000000069',
    '4000000000000127',
  ];
  for (const number of tried) {
    const body = new URLSearchParams({
      ...{
        email: 'ada@example.com',
        number,
        expiry: '12 / 34',
        cvc: '123',
        name: 'Ada',
        country: 'US',
        postal_code: '94107',
      },
    });
    await fetch(opened.headers.get('location') ?? '', { method: 'POST', body, redirect: 'manual' });
  }
  await expect
    .poll(async () => (await network.stripe.checkout.sessions.retrieve(session)).status)
    .toBe('expired');
  const again = await fetch(checkoutUrl, { redirect: 'manual', headers: { ...headers, cookie: browser } });
  expect(again.status).toBe(429);
  expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(20);
  const token = await network.mint();
  const other = await Agent.offer(agent, { amount_usd: '0.50' });
  expect((await Agent.pay(agent, other, token)).status).toBe(429);
  expect(await page('')).toMatch(/\b1 Cards, accounts or addresses with too many declined payments/);
  expect(order).not.toBe('');
});
