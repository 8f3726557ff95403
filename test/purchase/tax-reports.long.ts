import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as Sluice from '../cli/sluice.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import { createDatabase } from '../support/database.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

/** The card sandbox taxes Germany at 19 percent. */
const germany = { country: 'DE' };
const adminToken = 'sat_of_the_seller_in_the_tests_of_tax_reports';
const catalog = fileURLToPath(new URL('../fixtures/taxed.yaml', import.meta.url));

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

const admin = (method: string, path: string, body?: object) =>
  Customer.call({ token: adminToken }, method, `${shop.url}/admin${path}`, body);

async function buyer(plan = 'credit', amount_usd = '10.00'): Promise<{ agent: Buyer; order: string }> {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, plan === 'credit' ? { amount_usd } : {}, plan);
  const back = await Person.pay(await Person.open(offer.checkoutUrl), undefined, germany);
  expect((await fetch(back)).status).toBe(200);
  return { agent, order: offer.order };
}

const search = (agent: Buyer, max: number) => Customer.call(agent, 'GET', `${shop.url}/v1/search?max=${max}`);

test('a refused call that offers plans says that tax is added to their prices', async () => {
  const excluded = { included: false, message: expect.stringContaining('Prices exclude tax.') };
  const stranger = await Agent.registered(shop.url);
  const forbidden = await search(stranger, 1);
  expect([forbidden.status, forbidden.body.code]).toEqual([403, 'plan_required']);
  expect(forbidden.body.tax).toEqual(excluded);

  const { agent, order } = await buyer('credit', '1.00');
  expect((await admin('POST', '/refunds', { purchase: order, amount_usd: '0.98' })).status).toBe(200);
  await expect.poll(async () => (await search(agent, 50)).body.code).toBe('credit_exhausted');
  const exhausted = await search(agent, 50);
  expect([exhausted.status, exhausted.body.tax]).toEqual([402, excluded]);
});

test('a refund request shows net and tax apart, to the buyer and to the seller', async () => {
  const { agent, order } = await buyer();
  const path = `${shop.url}/purchases/${order}/refund-request`;
  const asked = await Customer.call(agent, 'POST', path, { reason: 'Too much', amount_usd: '5.00' });
  expect(asked.body.refund_request).toMatchObject({
    amount_usd: '5.00',
    tax_usd: '0.95',
    refunded_usd: '0.00',
    refunded_tax_usd: '0.00',
  });
  const { body } = await admin('GET', '/refund-requests');
  expect(body.refund_requests[0]).toMatchObject({
    purchase: order,
    amount_usd: '5.00',
    tax_usd: '0.95',
    paid_usd: '10.00',
    paid_tax_usd: '1.90',
  });
  expect((await admin('POST', `/refund-requests/${order}/refund`, {})).status).toBe(200);
  expect((await Customer.call(agent, 'GET', path)).body.refund_request).toMatchObject({
    state: 'refunded',
    refunded_usd: '5.00',
    refunded_tax_usd: '0.95',
  });
});

test('an automatic top-up is charged with tax, and grants its net amount', async () => {
  const { agent } = await buyer('credit', '1.00');
  const terms = { below_usd: '0.98', amount_usd: '1.00', monthly_max_usd: '3.00' };
  const put = () => Customer.call(agent, 'PUT', `${shop.url}/account/auto-top-up`, terms);
  const page = await Person.openConsent((await put()).body.consent_url);
  expect((await fetch(await Person.pay(page, undefined, germany))).status).toBe(200);
  expect((await search(agent, 30)).status).toBe(200);
  const topUps = () => shop.sql`SELECT id, amount, tax FROM shop.purchase
    WHERE account_id = ${agent.account} AND rail = 'top_up' AND state = 'granted'`;
  await expect.poll(topUps).toHaveLength(1);
  const [topUp] = await topUps();
  expect(topUp).toMatchObject({ amount: 1_000_000, tax: 190_000 });
  expect(await Books.lotsOf(shop.sql, topUp?.id)).toEqual([1_000_000]);
  const payments = await network.paymentsOf(topUp?.id);
  expect(payments.map((payment) => payment.amount_received)).toEqual([1_19]);
});

test('a change to a more expensive plan is charged with the tax of its net price', async () => {
  const { agent } = await buyer('small');
  const change = await Customer.call(agent, 'POST', `${shop.url}/account/plans/small/change`, {
    plan: 'large',
  });
  expect(change.status, change.text).toBe(200);
  const [small, large] = await shop.sql`SELECT plan_id, amount, tax FROM shop.purchase
    WHERE account_id = ${agent.account} AND state = 'granted' ORDER BY granted_at`;
  expect(small).toEqual({ plan_id: 'small', amount: 10_000_000, tax: 1_900_000 });
  // The time that has passed since the purchase can cost a cent.
  expect([30_000_000, 30_010_000]).toContain(large?.amount);
  expect(large).toEqual({ plan_id: 'large', amount: large?.amount, tax: 5_700_000 });
});

test('the console shows revenue, refunds and their tax apart', async () => {
  const { order } = await buyer();
  expect((await admin('POST', '/refunds', { purchase: order, amount_usd: '2.00' })).status).toBe(200);
  const signIn = await fetch(`${shop.url}/admin/console/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': '198.51.100.7' },
    body: new URLSearchParams({ token: adminToken, to: '/admin' }),
  });
  const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const html = await (
    await fetch(`${shop.url}/admin`, {
      headers: { accept: 'text/html', cookie, 'x-forwarded-for': '198.51.100.8' },
    })
  ).text();
  const [taxed] = await shop.sql`SELECT sum(tax)::bigint AS paid,
    (SELECT coalesce(sum(tax), 0)::bigint FROM shop.reversal) AS returned FROM shop.purchase WHERE state = 'granted'`;
  const usd = (micro: number) => (micro / 1_000_000).toFixed(2);
  expect(html).toContain(`<dt>Tax</dt><dd>${usd(taxed?.paid - taxed?.returned)} USD</dd>`);
  expect(html).toContain('Tax refunded');
});

test('restoring an older backup keeps net and tax of every payment', async () => {
  const restored = await createDatabase();
  const sql = postgres(restored.url, { max: 1, types: shop.sql.options.types });
  try {
    await migrate(restored.url);
    const ran = await Sluice.run(['reconcile', '--restored', '--json'], {
      env: {
        DATABASE_URL: restored.url,
        STRIPE_SECRET_KEY: 'sk_test_sandbox',
        STRIPE_API_BASE: shop.sandboxUrl,
        PUBLIC_URL: shop.url,
        CATALOG: catalog,
      },
    });
    const compared = JSON.parse(ran.out);
    const open = compared.differences.filter(({ state }: { state: string }) => state !== 'repaired');
    // Only the periods of plans that began after the backup are left to a person.
    for (const { detail } of open) expect(detail).toContain('for a period of');
    const credit = (from: postgres.Sql) => from`SELECT id, amount::float8 AS amount, tax::float8 AS tax
      FROM shop.purchase WHERE state = 'granted' AND plan_id = 'credit' ORDER BY id`;
    const before = await credit(shop.sql);
    expect(before.length).toBeGreaterThan(3);
    expect(await credit(sql)).toEqual(before);
  } finally {
    await sql.end();
    await restored.drop();
  }
});
