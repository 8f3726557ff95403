import { expect, test } from 'vitest';
import * as Sluice from '../cli/sluice.ts';
import * as Customer from '../support/customer.ts';
import * as Agent from './agent.ts';
import type * as Network from './network.ts';
import * as Person from './person.ts';
import { openForEachTest, type SubscriptionShop, subscribe, useUnits } from './subscription-shop.ts';

let shop: SubscriptionShop['shop'];
let network: Network.Network;
openForEachTest((opened) => ({ shop, network } = opened));

const email = 'ada.lovelace@example.com';
/** The address that the person types on the card page. */
const payerEmail = 'buyer@example.com';

const sluice = (...args: string[]) => Sluice.runBeside(shop, ...args);

/** Returns the places in the shop's tables that contain `text`, as `table.column`. */
async function placesOf(text: string): Promise<string[]> {
  const columns = await shop.sql<{ schema: string; table: string; column: string }[]>`
    SELECT c.table_schema AS schema, c.table_name AS table, c.column_name AS column FROM information_schema.columns c
    JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema IN ('shop', 'ledger') AND t.table_type = 'BASE TABLE'`;
  const found: string[] = [];
  for (const { schema, table, column } of columns) {
    const [row] = await shop.sql`SELECT count(*)::integer AS count FROM ${shop.sql(schema)}.${shop.sql(table)}
      WHERE ${shop.sql(column)}::text ILIKE ${`%${text}%`}`;
    if (row?.count > 0) found.push(`${table}.${column}`);
  }
  return found;
}

/** A person with an email address, a subscription, credit, a key and a waiting mail. */
async function person() {
  const agent = await subscribe(shop, 'small');
  const offer = await Agent.offer(agent, { amount_usd: '5.00' });
  await fetch(await Person.pay(await Person.open(offer.checkoutUrl)));
  await useUnits(shop, agent, 50);
  const key = await Customer.call(agent, 'POST', `${shop.url}/account/keys`, { name: 'Ada’s laptop' });
  await shop.sql`UPDATE shop.account SET email = ${email}, claimed_at = now() WHERE id = ${agent.account}`;
  await shop.sql`INSERT INTO shop.mail (key, recipient, subject, body, expires_at) VALUES ('m1', ${email}, 's', ${`to ${email}`}, now() + interval '1 day')`;
  await shop.sql`INSERT INTO shop.sign_in (id, email, mailbox, token_digest, browser_digest, expires_at) VALUES ('s1', ${email}, 'x', 'y', 'z', now())`;
  const [row] =
    await shop.sql`SELECT processor_id FROM shop.subscription WHERE account_id = ${agent.account}`;
  const subscription = await network.stripe.subscriptions.retrieve(row?.processor_id);
  return {
    ...agent,
    key: key.body.key as string,
    subscription: subscription.id,
    customer: String(subscription.customer),
  };
}

test('the owner of an account gets all that is stored; nothing of it is secret', async () => {
  const { account, key } = await person();
  const { code, out } = await sluice('accounts', 'export', email);
  expect(code).toBe(0);
  const data = JSON.parse(out);
  expect(data.accounts).toMatchObject([{ id: account, email }]);
  expect(data.keys).toMatchObject([{ name: 'Ada’s laptop' }]);
  expect(data.purchases).toHaveLength(2);
  expect(data.subscriptions).toMatchObject([{ plan_id: 'small', payer_email: payerEmail }]);
  expect(data.usage_by_month).toMatchObject([{ calls: 1, units: 50 }]);
  expect(data.waiting_mails).toHaveLength(1);
  expect(out).not.toContain(key);
  expect(out).not.toMatch(/digest|manage_key|spk_/);
});

test('an erasure leaves no trace of the person here and none at the processor; the books hold', async () => {
  const { account, token, key, subscription, customer } = await person();
  const erase = (...more: string[]) => sluice('accounts', 'erase', account, ...more);
  expect((await erase('--yes', '--forfeit')).err).toContain('A subscription still renews or runs');
  await network.stripe.subscriptions.cancel(subscription);
  await expect
    .poll(async () => (await shop.sql`SELECT status FROM shop.subscription`)[0]?.status)
    .toBe('canceled');
  expect((await erase('--yes')).err).toContain('Paid credit is unspent');
  expect((await erase('--forfeit')).err).toContain('Add --yes');
  expect(await placesOf(email)).toContain('account.email');
  expect(await network.stripe.customers.retrieve(customer)).toMatchObject({ email: payerEmail });

  const erased = await erase('--forfeit', '--yes', '--reason', 'asked by its owner');
  expect([erased.code, erased.out]).toEqual([
    0,
    `The owner of ${account} is erased. Deleted at the card processor: ${customer}.\n`,
  ]);
  for (const text of [email, payerEmail, 'Ada’s laptop', customer]) expect(await placesOf(text)).toEqual([]);
  expect(await network.stripe.customers.retrieve(customer)).not.toMatchObject({ email: payerEmail });
  const call = (bearer: string) => Customer.call({ token: bearer }, 'GET', `${shop.url}/v1/search?max=1`);
  await expect.poll(async () => (await call(token)).body.code).toBe('account_frozen');
  await expect.poll(async () => (await call(key)).status).not.toBe(200);
  expect((await sluice('accounts', 'find', email)).code).toBe(1);
  expect(JSON.parse((await sluice('ledger', 'verify', '--json')).out).holds).toBe(true);
  const acts =
    await shop.sql`SELECT act, after ->> 'reason' AS reason FROM shop.audit WHERE subject = ${account}`;
  expect([...acts]).toEqual([{ act: 'erased', reason: 'asked by its owner' }]);
  expect((await erase('--forfeit', '--yes')).code).toBe(0);
});

test('accounts that were joined are erased together', async () => {
  const one = await Agent.registered(shop.url);
  const other = await Agent.registered(shop.url);
  await Customer.call(other, 'POST', `${shop.url}/account/keys`, { name: 'Ada’s phone' });
  await shop.sql`UPDATE shop.account SET email = ${email}, claimed_at = now() WHERE id = ${one.account}`;
  await shop.sql`SELECT shop.join_accounts(${other.account}, ${one.account})`;
  expect((await sluice('accounts', 'erase', other.account, '--yes')).code).toBe(0);
  for (const text of [email, 'Ada’s phone']) expect(await placesOf(text)).toEqual([]);
});
