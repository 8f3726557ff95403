import * as Money from '@sluice/kernel/money';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAccountMails } from '../../src/adapters/postgres/account-mails.ts';
import type * as Connection from '../../src/adapters/postgres/connection.ts';
import * as Maintenance from '../../src/adapters/postgres/maintenance.ts';
import * as Orders from '../../src/adapters/postgres/orders.ts';
import { openOutbox } from '../../src/adapters/postgres/outbox.ts';
import * as KeyRing from '../../src/identity/key-ring.ts';
import * as SigningKey from '../../src/identity/signing-key.ts';
import * as AccountMail from '../../src/journeys/account-mail.ts';
import type { Payer } from '../../src/payment/processor.ts';
import { english } from '../../src/text/texts.ts';
import * as World from './world.ts';

const publicUrl = 'https://shop.example';
const dollar = 1_000_000;

/** The payer of every subscription, at the processor. */
let payer: Payer = { customer: 'cus_1', email: null, card: null };
let world: World.World;
let sql: Connection.Connection;
let context: Parameters<typeof AccountMail.notifyAccounts>[0];
beforeAll(async () => {
  world = await World.open();
  sql = world.sql;
  const key = await SigningKey.load(await SigningKey.generate(Date.now()));
  const parts = {
    mail: openOutbox(sql),
    accountMails: openAccountMails(sql),
    orders: Orders.openOrders(sql, 'witness'),
    catalog: { storefront: { name: 'Shop' }, plans: [{ id: 'credit', name: 'Pay as you go' }] },
    publicUrl,
    texts: english,
    challengeSecrets: { current: 'a secret of the shop' },
    tokenVerifier: { ring: KeyRing.keyRing(publicUrl, [key]) },
    clock: Date.now,
    processor: { payerOf: async () => payer },
  };
  context = parts as unknown as typeof context;
});
afterAll(() => world?.close());

let people = 0;

/** Creates an account, with a proved address unless `isProved` is false. */
async function person(isProved = true): Promise<{ account: string; email: string }> {
  people += 1;
  const [account, email] = [`acc_${people}`, `ann${people}@person.example`];
  await sql`INSERT INTO shop.account (id, origin, email) VALUES (${account}, 'anonymous', ${isProved ? email : null})`;
  return { account, email };
}

/** Pays for credit of 5.00 USD and 0.95 USD of tax, as reported by `times` concurrent webhook events. */
async function pay(account: string, times = 1): Promise<string> {
  const order = `pur_${crypto.randomUUID()}`;
  await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at)
    VALUES (${order}, ${account}, 'credit', ${5 * dollar}, clock_timestamp() + interval '1 day')`;
  const grant = () =>
    sql`SELECT shop.grant_purchase(${order}, ${`pi_${order}`}, 'acc_new', NULL, NULL, ${0.95 * dollar})`;
  await Promise.all(Array.from({ length: times }, grant));
  return order;
}

/** Records refunds of an order as the processor lists them. */
async function refund(order: string, ...amounts: number[]): Promise<void> {
  const orders = Orders.openOrders(sql, 'witness');
  const found = amounts.map((cents, at) => ({
    id: `re_${order}_${at}`,
    kind: 'refund' as const,
    amount: Money.ofCents(cents),
    tax: Money.zero,
    status: 'succeeded',
    isEffective: true,
    reason: null,
    key: null,
  }));
  await orders.reverse(order, (await orders.nextSyncSeq(order)) ?? 0, found);
}

const mailsTo = (email: string) =>
  sql<{ key: string; subject: string; body: string }[]>`
    SELECT key, subject, body FROM shop.mail WHERE recipient = ${email} ORDER BY id`;

test('a payment is mailed once, with plan, amount and receipt, however often it is reported and by two processes', async () => {
  const { account, email } = await person();
  const order = await pay(account, 4);
  await Promise.all([AccountMail.notifyAccounts(context), AccountMail.notifyAccounts(context)]);
  await AccountMail.notifyAccounts(context);
  const [mail, ...others] = await mailsTo(email);
  expect(others).toEqual([]);
  expect(mail?.subject).toBe('Shop: payment of 5.95 USD received');
  for (const part of [
    'Pay as you go',
    '0.95 USD',
    order,
    `${publicUrl}/receipts/`,
    `${publicUrl}/shop/account`,
  ])
    expect(mail?.body).toContain(part);
});

test('a process that ends after queuing a mail and before marking it sends nothing twice', async () => {
  const { account, email } = await person();
  const order = await pay(account);
  const dies = {
    ...context.accountMails,
    markQueued: () => Promise.reject(new Error('killed')),
  };
  await expect(AccountMail.notifyAccounts({ ...context, accountMails: dies })).rejects.toThrow('killed');
  await AccountMail.notifyAccounts(context);
  expect((await mailsTo(email)).map(({ key }) => key)).toEqual([`account_paid_${order}`]);
});

test('a grant that is rolled back is not mailed', async () => {
  const { account, email } = await person();
  const failed = sql.begin(async (transaction) => {
    await transaction`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at, state, payment)
      VALUES ('pur_undone', ${account}, 'credit', ${dollar}, clock_timestamp(), 'granted', 'pi_undone')`;
    throw new Error('undone');
  });
  await expect(failed).rejects.toThrow('undone');
  await AccountMail.notifyAccounts(context);
  expect(await mailsTo(email)).toEqual([]);
});

test('an account without a proved address gets no mail, also after an address was typed on the card page', async () => {
  const { account, email } = await person(false);
  const order = await pay(account);
  await sql`INSERT INTO shop.subscription (id, account_id, plan_id, status, period_start, period_end, payer_email)
    VALUES (${`sub_${account}`}, ${account}, 'month', 'active', now(), now() + interval '1 month', ${email})`;
  await sql`SELECT shop.apply_subscription(${`sub_${account}`}, 1, 'past_due', false, NULL, NULL, NULL, ${email})`;
  await refund(order, 500);
  await AccountMail.notifyAccounts(context);
  expect(await mailsTo(email)).toEqual([]);
  expect(await sql`SELECT FROM shop.account_mail WHERE account_id = ${account}`).toEqual([]);
});

test('a payment before the address was proved is mailed when it is proved', async () => {
  const { account, email } = await person(false);
  const order = await pay(account);
  await sql`INSERT INTO shop.claim (id, account_id, email, mailbox, code_digest, expires_at)
    VALUES (${`clm_${account}`}, ${account}, ${email}, ${email}, 'digest', clock_timestamp() + interval '10 minutes')`;
  const complete = () => sql`SELECT * FROM shop.complete_claim(${account}, 'digest', 5, 'trial', 0)`;
  await AccountMail.notifyAccounts(context);
  expect(await mailsTo(email)).toEqual([]);
  await complete();
  await complete();
  await AccountMail.notifyAccounts(context);
  expect((await mailsTo(email)).map(({ key }) => key)).toEqual([`account_paid_${order}`]);
});

test('each refund is mailed once, in part and in full', async () => {
  const { account, email } = await person();
  const order = await pay(account);
  await refund(order, 200);
  await AccountMail.notifyAccounts(context);
  await refund(order, 200, 395);
  await refund(order, 200, 395);
  await AccountMail.notifyAccounts(context);
  const mails = await mailsTo(email);
  expect(mails).toHaveLength(3);
  const [part, full] = ['2.00', '3.95'].map((amount) =>
    mails.find(({ subject }) => subject === `Shop: ${amount} USD was refunded`),
  );
  expect(part?.body).toContain('3.95 USD of it remains paid');
  expect(full?.body).toContain('refunded in full');
  expect(full?.body).toContain('Refunded before   2.00 USD');
  expect(part?.body).not.toContain('Refunded before');
});

test('an unpaid renewal is mailed once for each period, with the end of the access', async () => {
  const { account, email } = await person();
  const id = `sub_${account}`;
  await sql`INSERT INTO shop.subscription (id, account_id, plan_id, processor_id, status, period_start, period_end)
    VALUES (${id}, ${account}, 'month', ${id}, 'active', '2030-01-01', '2030-02-01')`;
  for (const sequence of [1, 2, 3])
    await sql`SELECT shop.apply_subscription(${id}, ${sequence}, 'past_due', false, NULL, NULL, 'https://pay.example/secret', NULL)`;
  await AccountMail.notifyAccounts(context);
  const [mail, ...others] = await mailsTo(email);
  expect(others).toEqual([]);
  expect(mail?.body).toContain('until 1 Feb 2030');
  expect(mail?.body).toContain(`${publicUrl}/shop/account/billing#plans`);
  expect(mail?.body).not.toContain('secret');
});

test('an unpaid renewal names its amount and next attempt, and the card only to the person who pays with it', async () => {
  const [own, other] = [await person(), await person()];
  payer = {
    customer: 'cus_1',
    email: own.email,
    card: { brand: 'visa', last4: '4242', expMonth: 1, expYear: 2031 },
    unpaid: { amount: Money.ofCents(11781), nextAttemptMs: Date.UTC(2030, 1, 4) },
  };
  for (const { account } of [own, other]) {
    const id = `sub_${account}`;
    await sql`INSERT INTO shop.subscription (id, account_id, plan_id, processor_id, status, period_start, period_end)
      VALUES (${id}, ${account}, 'month', ${id}, 'active', '2030-01-01', '2030-02-01')`;
    await sql`SELECT shop.apply_subscription(${id}, 1, 'past_due', false, NULL, NULL, NULL, NULL)`;
  }
  await AccountMail.notifyAccounts(context);
  const [[paysIt], [doesNot]] = [await mailsTo(own.email), await mailsTo(other.email)];
  for (const mail of [paysIt, doesNot]) {
    expect(mail?.subject).toBe('Shop: payment of 117.81 USD for month failed');
    expect(mail?.body).toContain('Next attempt      4 Feb 2030');
  }
  expect(paysIt?.body).toContain('Card              Visa ending in 4242');
  expect(doesNot?.body).not.toContain('4242');
});

test('an unpaid renewal that was paid before the mail was written is not mailed', async () => {
  const { account, email } = await person();
  const id = `sub_${account}`;
  await sql`INSERT INTO shop.subscription (id, account_id, plan_id, processor_id, status, period_start, period_end)
    VALUES (${id}, ${account}, 'month', ${id}, 'active', '2030-01-01', '2030-02-01')`;
  await sql`SELECT shop.apply_subscription(${id}, 1, 'past_due', false, NULL, NULL, NULL, NULL)`;
  await sql`SELECT shop.apply_subscription(${id}, 2, 'active', false, NULL, NULL, NULL, NULL)`;
  await AccountMail.notifyAccounts(context);
  expect(await mailsTo(email)).toEqual([]);
});

test('a low balance is mailed once for each purchase, and not after a refund', async () => {
  const [low, rich, refunded] = [await person(), await person(), await person()];
  for (const { account } of [low, rich]) await pay(account);
  await refund(await pay(refunded.account), 500);
  await sql`UPDATE ledger.lot SET avail = ${0.4 * dollar} WHERE account_id = ${low.account}`;
  const look = async () => {
    await Maintenance.lowerCredit(sql);
    await AccountMail.notifyAccounts(context);
  };
  await look();
  await look();
  const subjects = async (email: string) => (await mailsTo(email)).map(({ subject }) => subject);
  const isLow = (subject: string) => subject.endsWith('of credit left');
  expect((await subjects(low.email)).filter(isLow)).toEqual(['Shop: 0.40 USD of credit left']);
  for (const { email } of [rich, refunded]) expect((await subjects(email)).filter(isLow)).toEqual([]);
  await pay(low.account);
  await sql`UPDATE ledger.lot SET avail = 0 WHERE account_id = ${low.account}`;
  await look();
  expect((await subjects(low.email)).filter(isLow)).toHaveLength(2);
});
