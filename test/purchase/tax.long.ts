import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

/** The card sandbox taxes Germany at 19 percent and France at 20, and locates 203.0.113.0/24 in Germany. */
const germany = { country: 'DE' };
const company = { country: 'FR', business: 'Dupont SARL', tax_id: 'FR12345678901' };
const adminToken = 'sat_of_the_seller_in_the_tests_of_tax';
const monthSeconds = 31 * 24 * 3_600;

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let network: Network.Network;
beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket, head }) => {
    const max = Number(/max=(\d+)/.exec(head)?.[1] ?? 1);
    socket.write(Upstream.http(200, JSON.stringify({ count: max })));
  });
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'taxed.yaml',
    env: { ...Agent.shopEnv, ADMIN_TOKEN: adminToken },
  });
  network = Network.of(shop.sandboxUrl);
});
afterAll(async () => {
  await Books.proves(shop.sql);
  await shop?.stop();
  await upstream?.close();
});

type Buyer = Agent.Agent & { token: string; account: string };

async function boughtOnPage(more: Record<string, string>, amount_usd = '10.00', plan = 'credit') {
  const agent = await Agent.registered(shop.url);
  const body = plan === 'credit' ? { amount_usd } : {};
  const offer = await Agent.offer(agent, body, plan);
  const back = await Person.pay(await Person.open(offer.checkoutUrl), undefined, more);
  expect((await fetch(back)).status).toBe(200);
  return { agent, order: offer.order };
}

async function boughtByToken(body: object = { amount_usd: '10.00' }) {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, body);
  const paid = await Agent.pay(agent, offer, await network.mint());
  expect(paid.status, paid.text).toBe(200);
  return { agent, offer, paid, order: offer.order };
}

async function receiptOf(agent: Buyer) {
  const { body } = await Customer.call(agent, 'GET', `${shop.url}/account/receipts`);
  return body.receipts[0];
}

async function paymentOf(order: string) {
  const [payment] = await network.paymentsOf(order);
  if (!payment) throw new Error(`no payment of ${order}`);
  return payment;
}

const refund = (purchase: string, fields: object = {}) =>
  Customer.call({ token: adminToken }, 'POST', `${shop.url}/admin/refunds`, { purchase, ...fields });

const balance = async (agent: Buyer) =>
  (await Customer.call(agent, 'GET', `${shop.url}/account`)).body.balance_usd;

describe('on the hosted page', () => {
  test('tax of the billing address is added, and credit depends on the net amount alone', async () => {
    const { agent, order } = await boughtOnPage(germany);
    expect(await Books.lotsOf(shop.sql, order)).toEqual([10_000_000]);
    expect((await paymentOf(order)).amount_received).toBe(11_90);
    const receipt = await receiptOf(agent);
    expect(receipt).toMatchObject({
      purchase: order,
      amount_usd: '10.00',
      tax_usd: '1.90',
      total_usd: '11.90',
      reversed_usd: '0.00',
    });
    const page = await (await fetch(receipt.url)).text();
    expect(page).toContain('1.90 USD');
    expect(page).toContain('<dd>11.90 USD</dd>');
  });

  test('the notice alone grants it: the tax is read from the page', async () => {
    const offer = await Agent.offer(Agent.at(shop.url), { amount_usd: '4.00' });
    await Person.pay(await Person.open(offer.checkoutUrl), undefined, { country: 'FR' });
    await expect.poll(() => Books.lotsOf(shop.sql, offer.order)).toEqual([4_000_000]);
    const [row] = await shop.sql`SELECT amount, tax FROM shop.purchase WHERE id = ${offer.order}`;
    expect(row).toEqual({ amount: 4_000_000, tax: 800_000 });
  });

  test('a company gives its name and tax id, and gets an invoice without tax', async () => {
    const { agent } = await boughtOnPage(company);
    const receipt = await receiptOf(agent);
    expect(receipt).toMatchObject({ tax_usd: '0.00', total_usd: '10.00' });
    const answer = await Customer.call(agent, 'GET', receipt.invoice_url);
    expect(answer.status, answer.text).toBe(200);
    const id = answer.body.invoice_url.split('/').at(-1);
    expect(await network.stripe.invoices.retrieve(id)).toMatchObject({
      status: 'paid',
      customer_name: 'Dupont SARL',
      customer_tax_ids: [{ type: 'eu_vat', value: 'FR12345678901' }],
    });
    const stranger = await Agent.registered(shop.url);
    expect((await Customer.call(stranger, 'GET', receipt.invoice_url)).status).toBe(404);
  });

  test('without a billing address nothing can be paid', async () => {
    const offer = await Agent.offer(Agent.at(shop.url));
    const answer = await Person.submit(await Person.open(offer.checkoutUrl));
    expect([answer.status, await network.takenFor(offer.order)]).toEqual([422, 0]);
  });
});

describe('by a card token', () => {
  test('the challenge asks for the amount and its tax, and Stripe is told of the calculation', async () => {
    const { agent, offer, order } = await boughtByToken();
    expect(offer.answer.body.tax).toMatchObject({ included: false, tax_usd: '1.90', total_usd: '11.90' });
    expect(await Books.lotsOf(shop.sql, order)).toEqual([10_000_000]);
    const payment = await paymentOf(order);
    expect(payment.amount_received).toBe(11_90);
    const calculation = payment.hooks?.inputs?.tax?.calculation ?? '';
    expect(await network.stripe.tax.calculations.retrieve(calculation)).toMatchObject({
      amount_total: 11_90,
      tax_amount_exclusive: 1_90,
    });
    expect(await receiptOf(agent)).toMatchObject({ tax_usd: '1.90', total_usd: '11.90', invoice_url: null });
  });

  test('a billing address in the request comes before the address that it was sent from', async () => {
    const { offer } = await boughtByToken({ amount_usd: '10.00', billing_address: { country: 'FR' } });
    expect(offer.answer.body.tax).toMatchObject({ tax_usd: '2.00', calculated_for: 'billing_address' });
  });

  test('of a buyer whose place is not known, the token is not asked for, and the card page is', async () => {
    const agent = { ...Agent.at(shop.url), address: '10.0.0.7' };
    const answer = await Agent.ask(agent, { amount_usd: '10.00' });
    expect(answer.status).toBe(402);
    expect(answer.headers.get('www-authenticate')).toBeNull();
    expect(answer.body.tax.message).toContain('billing_address');
    expect(answer.body.checkout_url).toContain('/checkout/');
    const faulty = await Agent.ask(agent, { billing_address: { country: 'Germany' } });
    expect([faulty.status, faulty.body.errors?.[0]?.field]).toEqual([422, 'billing_address']);
  });

  test('a purchase that is paid twice by its challenge is charged once, with its tax', async () => {
    const { agent, offer, paid } = await boughtByToken();
    const again = await Agent.pay(agent, offer, await network.mint());
    expect([again.status, again.body.purchase]).toEqual([200, paid.body.purchase]);
    expect(paid.body.purchase).toMatchObject({ amount_usd: '10.00', tax_usd: '1.90', total_usd: '11.90' });
    expect(await network.takenFor(offer.order)).toBe(1);
  });
});

describe('a refund', () => {
  test('takes net and tax in proportion, and the last one all that is left of both', async () => {
    const { agent, order } = await boughtByToken();
    expect((await refund(order, { amount_usd: '3.33', key: 'one' })).status).toBe(200);
    expect(await balance(agent)).toBe('6.67');
    expect(await receiptOf(agent)).toMatchObject({ reversed_usd: '3.33', reversed_tax_usd: '0.63' });
    expect((await refund(order, { amount_usd: '3.33', key: 'one' })).status).toBe(200);
    expect((await refund(order)).status).toBe(200);
    expect(await balance(agent)).toBe('0.00');
    expect(await receiptOf(agent)).toMatchObject({ reversed_usd: '10.00', reversed_tax_usd: '1.90' });
    const { data } = await network.stripe.refunds.list({ payment_intent: (await paymentOf(order)).id });
    expect(data.map(({ amount }) => amount).sort()).toEqual([3_96, 7_94]);
  });

  test('that the seller made at Stripe is split by the order’s share', async () => {
    const { agent, order } = await boughtOnPage(germany);
    await network.stripe.refunds.create({ payment_intent: (await paymentOf(order)).id, amount: 5_95 });
    await expect.poll(() => balance(agent)).toBe('5.00');
    expect(await receiptOf(agent)).toMatchObject({ reversed_usd: '5.00', reversed_tax_usd: '0.95' });
  });
});

describe('a plan that renews', () => {
  test('is invoiced with tax each period, and its units depend on the net price alone', async () => {
    const { agent, order } = await boughtOnPage(germany, '', 'small');
    const first = await receiptOf(agent);
    expect(first).toMatchObject({ purchase: order, amount_usd: '10.00', tax_usd: '1.90' });
    expect((await Customer.call(agent, 'GET', first.invoice_url)).status).toBe(200);
    await network.control('/clock', { advance_seconds: monthSeconds });
    await expect.poll(async () => (await receiptOf(agent)).rail).toBe('invoice');
    expect(await receiptOf(agent)).toMatchObject({
      amount_usd: '10.00',
      tax_usd: '1.90',
      total_usd: '11.90',
    });
    const rows = await shop.sql`SELECT amount, units, tax FROM shop.purchase
      WHERE account_id = ${agent.account} AND state = 'granted' ORDER BY granted_at`;
    expect(rows).toEqual(
      Array.from({ length: 2 }, () => ({ amount: 10_000_000, units: 100, tax: 1_900_000 })),
    );
  });
});

test('every page and offer that shows a price says that tax is added', async () => {
  const [page, manifest, services, skill] = await Promise.all(
    ['/', '/manifest.json', '/services', '/skill.md'].map(async (path) =>
      (await fetch(shop.url + path, { headers: { accept: path === '/' ? 'text/html' : '*/*' } })).text(),
    ),
  );
  for (const text of [page, manifest, services, skill]) expect(text).toContain('Prices exclude tax.');
});
