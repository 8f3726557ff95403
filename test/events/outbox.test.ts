import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as Connection from '../../src/adapters/postgres/connection.ts';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import { openSellerEvents, publish } from '../../src/adapters/postgres/events.ts';
import * as Maintenance from '../../src/adapters/postgres/maintenance.ts';
import { eventDocument, schemaOf } from '../../src/discovery/event-reference.ts';
import { type EventType, eventData, eventTypes } from '../../src/payment/event-data.ts';
import { newSecret } from '../../src/payment/event-endpoint.ts';
import { createMigrated, type Database } from '../support/database.ts';
import { deliverAll } from './deliver-all.ts';
import { openReceiver } from './receiver.ts';
import { secrets } from './secrets.ts';

type Properties = { properties: Record<string, { properties?: object } | undefined> };

const dollar = 1_000_000;

let database: Database;
let sql: Connection.Connection;
beforeAll(async () => {
  database = await createMigrated();
  sql = openConnection(database.url, 4);
});
afterAll(async () => {
  await sql?.end();
  await database?.drop();
});

let numbers = 0;
function name(kind: string): string {
  numbers += 1;
  return `${kind}_${numbers}`;
}

async function account(): Promise<string> {
  const id = name('acc');
  await sql`SELECT shop.register(${id}, 'trial', 0)`;
  return id;
}

async function offer(accountId: string | null, dollars = 5): Promise<string> {
  const id = name('pur');
  await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at)
    VALUES (${id}, ${accountId}, 'credit', ${dollars * dollar}, clock_timestamp() + interval '1 day')`;
  return id;
}

const grant = (order: string, newAccount = 'acc_none') =>
  sql`SELECT shop.grant_purchase(${order}, ${`pi_${order}`}, ${newAccount}, NULL, NULL, 950000)`;

/** The types of an account's events, in the order of their publication, and the data of the last one. */
async function eventsOf(accountId: string): Promise<{ types: string[]; last: Record<string, unknown> }> {
  await publish(sql);
  const rows = await sql<
    { type: string; data: Record<string, unknown> }[]
  >`SELECT type, data FROM shop.event WHERE account_id = ${accountId} ORDER BY position`;
  return { types: rows.map(({ type }) => type), last: rows.at(-1)?.data ?? {} };
}

test('an order without an account is reported as a registration and a grant, once, however often it is paid', async () => {
  const order = await offer(null);
  const id = name('acc');
  await Promise.all([grant(order, id), grant(order, id)]);
  const { types, last } = await eventsOf(id);
  expect(types).toEqual(['account.registered', 'order.granted']);
  expect(last).toMatchObject({
    order,
    amount: 5 * dollar,
    tax: 950_000,
    rail: 'card',
    payment: `pi_${order}`,
  });
});

test('a transaction that is rolled back leaves no event', async () => {
  const id = await account();
  const order = await offer(id);
  const undone = sql.begin(async (transaction) => {
    await transaction`SELECT shop.grant_purchase(${order}, 'pi_undone', 'acc_none')`;
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect((await eventsOf(id)).types).toEqual(['account.registered']);
});

test('a refund that fails later, and a dispute from its start to its end, are reported', async () => {
  const id = await account();
  const order = await offer(id);
  await grant(order);
  let sequence = 0;
  const found = async (kind: string, status: string, isEffective: boolean) => {
    sequence += 1;
    const list = [
      {
        id: `${kind}_${order}`,
        kind,
        amount: dollar,
        tax: 0,
        status,
        is_effective: isEffective,
        reason: 'fraudulent',
      },
    ];
    for (const _ of [1, 2]) await sql`SELECT shop.apply_reversals(${order}, ${sequence}, ${sql.json(list)})`;
  };
  await found('refund', 'pending', false);
  await found('refund', 'succeeded', true);
  await found('refund', 'failed', false);
  await found('dispute', 'needs_response', true);
  await found('dispute', 'under_review', true);
  await found('dispute', 'won', false);
  const { types, last } = await eventsOf(id);
  expect(types.slice(2)).toEqual([
    'order.refunded',
    'order.refund_failed',
    'dispute.opened',
    'dispute.closed',
  ]);
  expect(last).toMatchObject({ dispute: `dispute_${order}`, order, amount: dollar, status: 'won' });
});

test('a prepaid period is reported when it starts and when it ends', async () => {
  const id = await account();
  const order = name('pur');
  const terms = { units: 100, price: 5 * dollar, every: 'month', graceDays: 0, rollover: false };
  await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, units, terms, expires_at)
    VALUES (${order}, ${id}, 'pro', ${5 * dollar}, 100, ${sql.json(terms)}, clock_timestamp() + interval '1 day')`;
  await grant(order);
  await Maintenance.maintain(sql);
  const started = await eventsOf(id);
  expect(started.types.slice(1).sort()).toEqual(['order.granted', 'subscription.started']);
  await sql`UPDATE shop.subscription SET period_start = now() - interval '2 months', period_end = now() - interval '1 day' WHERE account_id = ${id}`;
  await Maintenance.maintain(sql);
  await Maintenance.maintain(sql);
  const { types, last } = await eventsOf(id);
  expect(types.filter((type) => type === 'subscription.ended')).toHaveLength(1);
  expect(last).toMatchObject({ plan: 'pro', status: 'expired' });
});

test('a renewing subscription is reported when the processor ends it', async () => {
  const id = await account();
  const subscription = name('sub');
  await sql`INSERT INTO shop.subscription (id, account_id, plan_id, processor_id, status, period_start, period_end)
    VALUES (${subscription}, ${id}, 'month', ${subscription}, 'active', now(), now() + interval '1 month')`;
  for (const sequence of [1, 2])
    await sql`SELECT shop.apply_subscription(${subscription}, ${sequence}, 'canceled', false, NULL, now(), NULL, NULL)`;
  expect((await eventsOf(id)).types).toEqual([
    'account.registered',
    'subscription.started',
    'subscription.ended',
  ]);
});

test('joined and erased accounts are reported, and no event contains an address', async () => {
  const [from, to] = [await account(), await account()];
  await sql`UPDATE shop.account SET email = 'ada@shop.example' WHERE id = ${to}`;
  await sql`SELECT shop.join_accounts(${from}, ${to})`;
  for (const _ of [1, 2]) await sql`SELECT shop.erase_account(${from}, true, 'asked', 'test')`;
  const { types, last } = await eventsOf(to);
  expect(types).toEqual(['account.registered', 'account.joined', 'account.erased']);
  expect((last.accounts as string[]).sort()).toEqual([from, to].sort());
  expect(await sql`SELECT FROM shop.event WHERE data::text LIKE '%@%'`).toEqual([]);
});

test('each event, as it is delivered, has exactly the members of the OpenAPI document, which is valid', async () => {
  const document = eventDocument();
  expect(await new Validator().validate(structuredClone(document) as never)).toMatchObject({ valid: true });
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } }).addSchema(document, 'events');
  const secret = newSecret();
  const receiver = await openReceiver(() => [secret]);
  const events = openSellerEvents(sql, secrets);
  await events.add({ id: 'ep_all', url: receiver.url, types: null, secret }, 'test');
  await events.test('ep_all', 'test');
  // Credit that expired unused.
  const id = await account();
  await grant(await offer(id));
  await sql`UPDATE ledger.lot SET expires_at = now() WHERE account_id = ${id}`;
  await sql`SELECT shop.sweep_credit(NULL, 1000)`;
  await publish(sql);
  await events.replay('ep_all', { from: null, to: null, sinceMs: 0, untilMs: null, types: null }, 'test');
  await deliverAll(sql, events, [], true);
  for (const { type, body } of receiver.received) {
    const isValid = ajv.validate({ $ref: `events#/components/schemas/${type}` }, body);
    expect([type, isValid || ajv.errorsText()]).toEqual([type, true]);
    const { properties } = schemaOf(type as EventType) as Properties;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(body)));
    expect(Object.keys(body.data as object).sort()).toEqual(
      Object.keys(properties.data?.properties ?? {}).sort(),
    );
  }
  expect(new Set(receiver.received.map(({ type }) => type))).toEqual(new Set(eventTypes));
  expect(Object.keys(document.webhooks as object)).toEqual(eventTypes);
  await receiver.close();
});

test('the page of the events has each type with its members', async () => {
  const page = await readFile('docs/events.md', 'utf8');
  for (const [type, { shape }] of Object.entries(eventData)) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${type}\``)) ?? '';
    const same = /as `([a-z.]+)`/.exec(row)?.[1];
    const text = same ? (page.split('\n').find((line) => line.startsWith(`| \`${same}\``)) ?? '') : row;
    for (const name of Object.keys(shape))
      expect([type, text]).toEqual([type, expect.stringContaining(`\`${name}\``)]);
  }
});
