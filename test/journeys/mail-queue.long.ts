import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import { openOutbox } from '../../src/adapters/postgres/outbox.ts';
import * as Mail from '../../src/identity/mail.ts';
import { MailDelivery } from '../../src/journeys/mail-delivery.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';

let shop: Shop.Shop;
let sql: Connection.Connection;
let outbox: Mail.Outbox;

beforeAll(async () => {
  // Without a mail server, all mail stays in the queue.
  shop = await Shop.open({
    upstream: { url: 'http://127.0.0.1:9', key: 'upk_1' },
    catalog: 'scripted.yaml',
    env: { SMTP_URL: '', MAIL_FROM: '' },
  });
  sql = Connection.openConnection(shop.databaseUrl, 4);
  outbox = openOutbox(sql);
});
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await shop?.stop();
});

const letter = (to: string) => ({ to, subject: 'A receipt', text: 'Paid: 5.00 USD' });
const row = async (key: string) => (await sql`SELECT * FROM shop.mail WHERE key = ${key}`)[0];
/** Makes every waiting message due. */
const makeDue = () => sql`UPDATE shop.mail SET due_at = clock_timestamp() WHERE state = 'waiting'`;

/** A mail server with scripted outcomes that records the mail sent to it. */
function scripted(...outcomes: Mail.Posted[]) {
  const sent: string[] = [];
  const reports: string[] = [];
  const mailer: Mail.Mailer = {
    async send({ to }) {
      sent.push(to);
      return outcomes.shift() ?? 'sent';
    },
  };
  return { sent, reports, outbox, mailer, report: (event: string) => void reports.push(event) };
}

async function deliver(context: ReturnType<typeof scripted>): Promise<void> {
  const delivery = new MailDelivery();
  await delivery.run(context);
  await delivery.drain(5_000);
}

test('sends one message for each idempotency key, and erases its text', async () => {
  await Promise.all(
    Array.from({ length: 5 }, () => outbox.enqueue(letter('ann@person.example'), 'receipt:1')),
  );
  const context = scripted();
  await deliver(context);
  await outbox.enqueue(letter('ann@person.example'), 'receipt:1');
  await deliver(context);
  expect(context.sent).toEqual(['ann@person.example']);
  expect(await row('receipt:1')).toMatchObject({ state: 'sent', recipient: '', subject: '', body: '' });
});

test.each(['away', 'rejected'] as const)(
  'retries a message while the mail server is %s, later each time',
  async (posted) => {
    const key = `receipt:${posted}`;
    await outbox.enqueue(letter('bob@person.example'), key);
    const context = scripted(posted, posted);
    await deliver(context);
    const first = await row(key);
    await deliver(context);
    expect(context.sent).toHaveLength(1);
    await makeDue();
    await deliver(context);
    const second = await row(key);
    expect(second?.due_at - Date.now()).toBeGreaterThan(first?.due_at - Date.now());
    await makeDue();
    await deliver(context);
    expect(context.sent).toHaveLength(3);
    expect((await row(key))?.state).toBe('sent');
  },
);

test('gives up a message to a mailbox that does not exist', async () => {
  await outbox.enqueue(letter('nobody@person.example'), 'receipt:refused');
  const context = scripted('refused');
  await deliver(context);
  await makeDue();
  await deliver(context);
  expect(context.sent).toHaveLength(1);
  expect(await row('receipt:refused')).toMatchObject({ state: 'refused', recipient: '', body: '' });
});

test('no two workers send the same message, and a message whose worker died is sent by another', async () => {
  for (let at = 0; at < 30; at++) await outbox.enqueue(letter(`p${at}@person.example`), `many:${at}`);
  const context = scripted();
  for (let turn = 0; turn < 6; turn++) await Promise.all([1, 2, 3].map(() => deliver(context)));
  expect([...context.sent].sort()).toEqual(
    Array.from({ length: 30 }, (_, at) => `p${at}@person.example`).sort(),
  );

  await outbox.enqueue(letter('late@person.example'), 'died');
  expect(await outbox.take()).toMatchObject({ key: 'died', attempt: 1 });
  expect(await outbox.take()).toBeNull();
  await makeDue();
  expect(await outbox.take()).toMatchObject({ key: 'died', attempt: 2 });
});

test('drops a message that is of no more use, erased, and reports it', async () => {
  await outbox.enqueue(letter('old@person.example'), 'old', Date.now() - 1);
  const context = scripted();
  await deliver(context);
  expect(context.sent).toEqual([]);
  expect(context.reports).toEqual(['mail_expired']);
  expect(await row('old')).toMatchObject({ state: 'expired', recipient: '', body: '' });
});

test('waits at most an hour between attempts', () => {
  expect([1, 2, 5, 30, 100].map(Mail.retryMs)).toEqual([5_000, 10_000, 80_000, 3_600_000, 3_600_000]);
});

test('a code that is asked for while the mail server is away arrives when it is back', async () => {
  const mailbox = await Mailbox.open();
  const email = 'carol@person.example';
  const url = await shop.addStorefront({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'shop@shop.example' });
  const customer = await Customer.register(shop.url);
  const asked = await Customer.send({
    method: 'POST',
    url: `${url}/agent/auth/claim`,
    headers: { 'content-type': 'application/json' },
    body: { claim_token: customer.assertion, email },
  });
  expect([asked.status, asked.body.status]).toEqual([200, 'initiated']);
  await expect
    .poll(async () => (await sql`SELECT attempts FROM shop.mail WHERE recipient = ${email}`)[0]?.attempts)
    .toBe(1);
  await shop.storefronts.at(-1)?.stop();
  await shop.addStorefront(mailbox.env);
  await makeDue();
  await expect.poll(() => mailbox.mailsTo(email)).toHaveLength(1);
  await mailbox.stop();
});
