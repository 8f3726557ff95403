import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Sluice from '../cli/sluice.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

const cent = 10_000;

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let network: Network.Network;
beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'periods.yaml',
    env: Agent.shopEnv,
  });
  network = Network.of(shop.sandboxUrl);
});
afterAll(async () => {
  await Books.proves(shop.sql);
  await shop?.stop();
  await upstream?.close();
});

async function bought(card: string, plan = 'credit', body: object = { amount_usd: '2.00' }): Promise<string> {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, body, plan);
  expect((await Agent.pay(agent, offer, await network.mint(card), plan)).status).toBe(200);
  const [row] = await shop.sql<
    [{ payment: string }]
  >`SELECT payment FROM shop.purchase WHERE id = ${offer.order}`;
  return row.payment;
}

async function reconcile() {
  const env = { DATABASE_URL: shop.databaseUrl, STRIPE_API_BASE: shop.sandboxUrl };
  const run = await Sluice.run(['reconcile', '--json'], { env });
  expect(run.code, run.err).toBe(0);
  return JSON.parse(run.out).fees;
}

const feesOf = async (payment: string) => [
  ...(await shop.sql`SELECT kind, currency, amount, fee, tax, net FROM shop.fee WHERE payment = ${payment} ORDER BY kind`),
];

test('what the processor kept of each payment, refund and dispute is on record, once', async () => {
  const plain = await bought('pm_card_visa');
  const disputed = await bought('pm_card_createDispute');
  await expect
    .poll(() => shop.sql`SELECT 1 FROM shop.reversal WHERE kind = 'dispute'`.then((rows) => rows.length))
    .toBe(1);
  const charge = {
    kind: 'charge',
    currency: 'usd',
    amount: 200 * cent,
    fee: 36 * cent,
    tax: 0,
    net: 164 * cent,
  };
  await reconcile();
  expect(await feesOf(plain)).toEqual([charge]);
  const dispute = {
    kind: 'dispute',
    currency: 'usd',
    amount: -200 * cent,
    fee: 1_500 * cent,
    tax: 0,
    net: -1_700 * cent,
  };
  await expect.poll(async () => (await reconcile()) && feesOf(disputed)).toEqual([charge, dispute]);
  // A later refund is read too, and movements that were read before are not counted twice.
  await network.stripe.refunds.create({ payment_intent: plain, amount: 50 });
  await expect
    .poll(() => shop.sql`SELECT 1 FROM shop.reversal WHERE kind = 'refund'`.then((rows) => rows.length))
    .toBe(1);
  const sums = await reconcile();
  expect(await feesOf(plain)).toHaveLength(2);
  expect(sums).toMatchObject([
    { kind: 'charge', count: 2, fee: 72 * cent },
    { kind: 'dispute', count: 1, fee: 1_500 * cent },
    { kind: 'refund', count: 1, fee: 0, amount: -50 * cent },
  ]);
});

test('the fees of a renewing plan and of a page are read by the storefront itself', async () => {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, {}, 'small');
  expect((await fetch(await Person.pay(await Person.open(offer.checkoutUrl)))).status).toBe(200);
  const [row] = await shop.sql<
    [{ payment: string; amount: number }]
  >`SELECT payment, amount FROM shop.purchase WHERE id = ${offer.order}`;
  const fee = (Math.round((row.amount / cent) * 0.029) + 30) * cent;
  await expect.poll(() => feesOf(row.payment), { timeout: 30_000 }).toMatchObject([{ kind: 'charge', fee }]);
});
