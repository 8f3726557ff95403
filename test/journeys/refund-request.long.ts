import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';

const adminToken = 'adm_of_the_refund_requests_and_long_enough';
const contact = 'sales@example.com';

let upstream: Upstream.ScriptedUpstream;
let mailbox: Mailbox.Mailbox;
let shop: Shop.Shop;
let other: string;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket, body }) =>
    socket.write(Upstream.http(200, JSON.stringify({ count: JSON.parse(body || '{}').max ?? 1 }))),
  );
  mailbox = await Mailbox.open();
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'scripted.yaml',
    env: { ...Agent.shopEnv, ...mailbox.env, ADMIN_TOKEN: adminToken },
  });
  other = await shop.addStorefront();
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await mailbox?.stop();
  await upstream?.close();
});

type Buyer = Agent.Agent & { token: string; account: string; order: string };

/** Registers a buyer who has bought 2.00 USD. */
async function bought(): Promise<Buyer> {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, { amount_usd: '2.00' });
  expect((await Agent.pay(agent, offer, await Network.of(shop.sandboxUrl).mint())).status).toBe(200);
  return { ...agent, order: offer.order };
}

function ask(buyer: { token: string }, purchase: string, body: unknown, base = shop.url) {
  return Customer.call(buyer, 'POST', `${base}/purchases/${purchase}/refund-request`, body);
}

function standing(buyer: Buyer) {
  return Customer.call(buyer, 'GET', `${shop.url}/purchases/${buyer.order}/refund-request`);
}

let addresses = 0;
function admin(method: string, path: string, body?: unknown) {
  addresses += 1;
  const from = { 'x-forwarded-for': `198.51.100.${addresses % 250}` };
  return Customer.call({ token: adminToken }, method, `${shop.url}/admin/refund-requests${path}`, body, from);
}

const balance = async (buyer: Buyer) =>
  (await Customer.call(buyer, 'GET', `${shop.url}/account`)).body.balance_usd;

/** Returns the mails to the seller about a purchase. */
const told = async ({ order }: Buyer) =>
  (await mailbox.mailsTo(contact)).filter(({ text }) => text.includes(order));

test('what is asked is recorded once, and the seller is told of it once, also by two processes', async () => {
  const buyer = await bought();
  const asked = { reason: 'Bought\ntwice\u0000.', amount_usd: '1.50' };
  const all = await Promise.all(
    Array.from({ length: 6 }, (_, at) => ask(buyer, buyer.order, asked, at % 2 ? other : shop.url)),
  );
  expect(all.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
  for (const { body } of all)
    expect(body.refund_request).toMatchObject({
      purchase: buyer.order,
      amount_usd: '1.50',
      reason: 'Bought\ntwice.',
      state: 'open',
      refunded_usd: '0.00',
      answer: null,
    });
  const again = await ask(buyer, buyer.order, { reason: 'more' });
  expect(again.body.refund_request).toMatchObject({ amount_usd: '1.50', state: 'open' });
  await expect.poll(() => told(buyer)).toHaveLength(1);
  const [mail] = await told(buyer);
  expect(mail?.text).toContain('> twice.');
  expect(mail?.text).toContain('Unspent       2.00 USD');
  // Each address in the mail opens in a browser.
  expect(mail?.text).not.toMatch(/POST|\/admin\/refund-requests/);
  expect(mail?.text).toContain(`/admin/console/payments/${buyer.order}`);
  await expect
    .poll(async () => [
      ...(await shop.sql`SELECT notified_at IS NOT NULL AS told FROM shop.refund_request WHERE purchase_id = ${buyer.order}`),
    ])
    .toEqual([{ told: true }]);
});

test('the seller is sent one mail, also where the process that queued it died before it noted that', async () => {
  const buyer = await bought();
  await ask(buyer, buyer.order, { reason: 'Twice.' });
  await expect.poll(() => told(buyer)).toHaveLength(1);
  await shop.sql`UPDATE shop.refund_request SET notified_at = NULL, notifying_until = now() WHERE purchase_id = ${buyer.order}`;
  await expect
    .poll(
      () =>
        shop.sql`SELECT 1 FROM shop.refund_request WHERE purchase_id = ${buyer.order} AND notified_at IS NULL`,
    )
    .toHaveLength(0);
  expect(await told(buyer)).toHaveLength(1);
});

test('the seller sends it back: once, however often it is said, and its credit goes with it', async () => {
  const buyer = await bought();
  await Customer.call(buyer, 'POST', `${shop.url}/v1/list`, { max: 45 });
  await ask(buyer, buyer.order, { reason: 'Not what I thought.' });
  const [listed] = (await admin('GET', '?state=open')).body.refund_requests;
  expect(listed).toMatchObject({
    purchase: buyer.order,
    account: buyer.account,
    paid_usd: '2.00',
    amount_usd: '2.00',
    unspent_usd: '1.98',
  });
  const all = await Promise.all(
    Array.from({ length: 3 }, () => admin('POST', `/${buyer.order}/refund`, { amount_usd: '1.98' })),
  );
  for (const { status, body } of all) {
    expect(status).toBe(200);
    expect(body).toMatchObject({ refund: { amount_usd: '1.98' }, left_usd: '0.02' });
  }
  expect((await standing(buyer)).body.refund_request).toMatchObject({
    state: 'refunded',
    refunded_usd: '1.98',
  });
  // The writer's lease is clawed back when it is returned.
  await expect.poll(() => balance(buyer)).toBe('0.00');
  const { receipts } = (await Customer.call(buyer, 'GET', `${shop.url}/account/receipts`)).body;
  expect(await (await fetch(receipts[0].url)).text()).toMatch(/<dt>Refunded on [^<]+<\/dt><dd>-1\.98 USD/);
  expect((await admin('POST', `/${buyer.order}/decline`, { reason: 'no' })).body.code).toBe('answered');
  expect((await admin('GET', '?state=open')).body.refund_requests).not.toContainEqual(
    expect.objectContaining({ purchase: buyer.order }),
  );
});

test('the seller declines with a reason that the buyer reads, and may send it back after all', async () => {
  const buyer = await bought();
  await ask(buyer, buyer.order, { reason: 'Please.' });
  expect((await admin('POST', `/${buyer.order}/decline`, {})).status).toBe(422);
  const declined = await admin('POST', `/${buyer.order}/decline`, { reason: 'The results were delivered.' });
  expect(declined.body.refund_request).toMatchObject({ state: 'declined', account: buyer.account });
  expect((await standing(buyer)).body.refund_request).toMatchObject({
    state: 'declined',
    answer: 'The results were delivered.',
  });
  expect((await admin('POST', `/${buyer.order}/decline`, { reason: 'again' })).body.code).toBe('answered');
  const acts = await shop.sql`SELECT act FROM shop.audit WHERE subject = ${buyer.order} ORDER BY id`;
  expect(acts.map(({ act }) => act)).toEqual(['refund_declined']);
  expect((await admin('POST', `/${buyer.order}/refund`, { amount_usd: '0.50' })).status).toBe(200);
  expect((await standing(buyer)).body.refund_request).toMatchObject({
    state: 'refunded',
    refunded_usd: '0.50',
  });
});

test('nobody asks for another’s purchase, for what is not paid, or for more than there is', async () => {
  const [buyer, stranger] = [await bought(), await bought()];
  expect((await ask(stranger, buyer.order, { reason: 'mine' })).status).toBe(404);
  expect((await ask({ token: 'none' }, buyer.order, { reason: 'mine' })).status).toBe(401);
  const key = await Customer.call(buyer, 'POST', `${shop.url}/account/keys`, { name: 'robot' });
  expect((await ask({ token: key.body.key }, buyer.order, { reason: 'x' })).body.code).toBe(
    'key_not_allowed',
  );
  for (const body of [
    {},
    { reason: ' ' },
    { reason: 'x'.repeat(1_001) },
    { reason: 'x', amount_usd: '0.001' },
  ])
    expect((await ask(buyer, buyer.order, body)).status).toBe(422);
  expect((await ask(buyer, buyer.order, { reason: 'x', amount_usd: '2.01' })).body).toMatchObject({
    code: 'too_much',
    left_usd: '2.00',
  });
  const offer = await Agent.offer(buyer, {});
  expect((await ask(buyer, offer.order, { reason: 'x' })).body.code).toBe('not_paid');
  expect((await standing(buyer)).status).toBe(404);
  expect((await admin('POST', `/${buyer.order}/refund`, {})).status).toBe(404);
  await Customer.call(
    { token: adminToken },
    'POST',
    `${shop.url}/admin/accounts/${buyer.account}/freeze`,
    {},
  );
  expect((await ask(buyer, buyer.order, { reason: 'x' })).body.code).toBe('account_frozen');
});
