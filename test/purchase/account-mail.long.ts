import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Program from '../support/program.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

const monthSeconds = 31 * 24 * 60 * 60;
const adminToken = 'adm_of_the_test_and_long_enough';
/** Pays once, and is declined when it is charged again. */
const failingCard = '4000 0000 0000 0341';
const typed = 'typed@card.example';

let upstream: Upstream.ScriptedUpstream;
let mailbox: Mailbox.Mailbox;
let shop: Shop.Shop;
let network: Network.Network;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
});
afterAll(() => upstream?.close());

async function openShop(env: Record<string, string>): Promise<void> {
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'periods.yaml',
    env: { ...Agent.shopEnv, ADMIN_TOKEN: adminToken, ...env },
  });
  network = Network.of(shop.sandboxUrl);
}
beforeEach(async () => {
  mailbox = await Mailbox.open();
  await openShop(mailbox.env);
  await shop.addStorefront();
});
afterEach(async () => {
  await shop?.stop();
  await mailbox?.stop();
});

type Buyer = Agent.Agent & { token: string; account: string; email: string; order: string };

/** An account that proved `email` and bought `plan` with another address on the card page. */
async function bought(plan: string, body: object = {}, card?: string): Promise<Buyer> {
  const agent = await Agent.registered(shop.url);
  const email = `ann-${crypto.randomUUID()}@person.example`;
  await shop.sql`UPDATE shop.account SET email = ${email}, claimed_at = now() WHERE id = ${agent.account}`;
  const { order, checkoutUrl } = await Agent.offer(agent, body, plan);
  const back = await Person.pay(await Person.open(checkoutUrl), card, { email: typed });
  expect((await fetch(back)).status).toBe(200);
  return { ...agent, email, order };
}

const subjectsTo = async (email: string) => (await mailbox.mailsTo(email)).map(({ subject }) => subject);

async function expectMails(email: string, subjects: readonly string[]): Promise<void> {
  await expect.poll(() => subjectsTo(email)).toEqual(subjects);
}

test('a purchase and its refund are mailed to the proved address, with a receipt that anyone can read', async () => {
  const buyer = await bought('credit', { amount_usd: '5.00' });
  await expectMails(buyer.email, ['Periods: payment of 5.00 USD received']);
  const [mail] = await mailbox.mailsTo(buyer.email);
  const receipt = /^http\S+\/receipts\/\S+$/m.exec(mail?.text ?? '')?.[0] ?? '';
  const page = await fetch(receipt, { headers: { accept: 'text/html' } });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(buyer.order)]);
  const refund = { purchase: buyer.order, amount_usd: '2.00' };
  await Customer.call({ token: adminToken }, 'POST', `${shop.url}/admin/refunds`, refund);
  await expectMails(buyer.email, ['Periods: payment of 5.00 USD received', 'Periods: 2.00 USD was refunded']);
  expect(await mailbox.mailsTo(typed)).toEqual([]);
});

test('a renewal is mailed once', async () => {
  const buyer = await bought('small');
  await expectMails(buyer.email, ['Periods: payment of 10.00 USD received']);
  await network.control('/clock', { advance_seconds: monthSeconds });
  await expectMails(buyer.email, [
    'Periods: payment of 10.00 USD received',
    'Periods: Small was renewed for 10.00 USD',
  ]);
});

test('an unpaid renewal is mailed to the account, and apart from that to the card holder', async () => {
  const buyer = await bought('small', {}, failingCard);
  await network.control('/clock', { advance_seconds: monthSeconds });
  const unpaid = 'Periods: payment of 10.00 USD for Small failed';
  await expect.poll(() => subjectsTo(buyer.email)).toContain(unpaid);
  const mail = (await mailbox.mailsTo(buyer.email)).find(({ subject }) => subject === unpaid);
  // The access ends with the plan's days of grace.
  const [lot] = await shop.sql<
    [{ day: string }]
  >`SELECT to_char(max(expires_at) AT TIME ZONE 'UTC', 'FMDD Mon YYYY') AS day
    FROM ledger.lot WHERE account_id = ${buyer.account} AND kind = 'allowance'`;
  expect(mail?.text).toContain(`until ${lot.day}`);
  expect(mail?.text).toContain('Next attempt');
  expect(mail?.text).not.toContain('/plans/manage/');
});

test('a mail server that is unavailable delays neither the purchase nor its mail for good', async () => {
  await shop.stop();
  const closed = {
    SMTP_URL: `smtp://127.0.0.1:${await Program.freePort()}`,
    MAIL_FROM: 'Shop <s@shop.example>',
  };
  await openShop(closed);
  const buyer = await bought('credit', { amount_usd: '5.00' });
  const waiting = () => shop.sql`SELECT state, attempts FROM shop.mail WHERE recipient = ${buyer.email}`;
  await expect.poll(waiting).toMatchObject([{ state: 'waiting', attempts: 1 }]);
  const { body } = await Customer.call(buyer, 'GET', `${shop.url}/account`);
  expect(body.balance_usd).toBe('5.00');
});
