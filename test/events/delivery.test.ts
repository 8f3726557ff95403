import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openEventSender } from '../../src/adapters/event-sender.ts';
import type * as Connection from '../../src/adapters/postgres/connection.ts';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import { openSellerEvents } from '../../src/adapters/postgres/events.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import { EventDelivery } from '../../src/journeys/event-delivery.ts';
import type { EventType, SellerEvents } from '../../src/payment/event.ts';
import * as EventEndpoint from '../../src/payment/event-endpoint.ts';
import { createDatabase, type Database } from '../support/database.ts';
import { openReceiver, type Received, type Receiver, type Reply } from './receiver.ts';

const rules = { local: true, private: false };

let database: Database;
let sql: Connection.Connection;
let events: SellerEvents;
beforeAll(async () => {
  database = await createDatabase();
  await migrate(database.url);
  sql = openConnection(database.url, 4);
  events = openSellerEvents(sql);
});
afterAll(async () => {
  await sql?.end();
  await database?.drop();
});

let secret: string;
let reply: (message: Received) => Reply | Promise<Reply>;
let secrets: () => string[];
let receiver: Receiver;
let endpoint: string;
let numbers = 0;
beforeEach(async () => {
  secret = EventEndpoint.newSecret();
  secrets = () => [secret];
  reply = () => 204;
  receiver = await openReceiver(
    () => secrets(),
    (message) => reply(message),
  );
  endpoint = await add(null);
});
afterEach(async () => {
  for (const { id } of await events.endpoints()) await events.remove(id, 'test');
  await receiver.close();
  expect(receiver.faults).toEqual([]);
});

async function add(types: readonly EventType[] | null): Promise<string> {
  numbers += 1;
  const id = `ep_${numbers}`;
  await events.add({ id, url: receiver.url, types, secret }, 'test');
  return id;
}

async function write(account: string, ...types: EventType[]): Promise<void> {
  for (const type of types) {
    numbers += 1;
    await sql`SELECT shop.add_event(${type}, ${account}, ${String(numbers)}, '{"amount": 5000000}')`;
  }
}

const reports: string[] = [];

/** Delivers until nothing is due. Further attempts follow at once. */
async function deliver(includesEmail = false): Promise<void> {
  const sender = openEventSender(rules);
  const report = (event: string) => void reports.push(event);
  const context = { events, sender, includesEmail, clock: Date.now, report };
  const delivery = new EventDelivery(context, (tries) => EventEndpoint.retryMs(tries, 0.5) && 0);
  const due =
    () => sql`SELECT FROM shop.event_lane l JOIN shop.event_endpoint p ON p.id = l.endpoint_id AND p.state = 'on'
    UNION ALL SELECT FROM shop.event WHERE position IS NULL`;
  do await delivery.run();
  while ((await due()).length > 0);
  await delivery.drain(1_000);
  await sender.close();
}

const types = () => receiver.received.map(({ type }) => type);

test('the stock verifier accepts each message, and both secrets during a rotation', async () => {
  await write('acc_1', 'account.registered');
  await deliver();
  const old = secret;
  secret = EventEndpoint.newSecret();
  for (const _ of [1, 2]) expect(await events.rotate(endpoint, secret, 'test')).toBe(true);
  secrets = () => [secret, old];
  await write('acc_1', 'order.granted');
  await deliver();
  expect(types()).toEqual(['account.registered', 'order.granted']);
  expect(receiver.signatures.map((one) => one.split(' ').length)).toEqual([1, 2]);
  expect(receiver.received[1]).toMatchObject({ account: 'acc_1', body: { data: { amount: 5_000_000 } } });
  expect(receiver.received[1]?.id).toBe(receiver.received[1]?.body.id);
  await sql`UPDATE shop.event_endpoint SET previous_until = now()`;
  secrets = () => [secret];
  await write('acc_1', 'order.refunded');
  await deliver();
  expect(receiver.signatures.at(-1)?.split(' ')).toHaveLength(1);
});

test('an event waits for the former one of its account, and not for those of other accounts', async () => {
  await write('acc_1', 'account.registered', 'order.granted', 'order.refunded');
  await write('acc_2', 'account.registered', 'order.granted');
  let refusals = 0;
  reply = ({ account, type }) => {
    const isRefused = account === 'acc_1' && type === 'account.registered' && refusals < 5;
    if (isRefused) refusals += 1;
    // The other account is served while this one is refused.
    return isRefused || (account === 'acc_1' && receiver.received.length < 2) ? 500 : 204;
  };
  await deliver();
  const of = (account: string) =>
    receiver.received.filter((one) => one.account === account).map(({ type }) => type);
  expect(of('acc_1')).toEqual(['account.registered', 'order.granted', 'order.refunded']);
  expect(of('acc_2')).toEqual(['account.registered', 'order.granted']);
  expect(receiver.received.slice(0, 2).map(({ account }) => account)).toEqual(['acc_2', 'acc_2']);
});

test('an event that fails for two days is given up, kept and can be delivered again', async () => {
  await write('acc_3', 'order.granted', 'order.refunded');
  reply = ({ type }) => (type === 'order.granted' ? 503 : 204);
  await deliver();
  expect(types()).toEqual(['order.refunded']);
  expect(reports).toContain('event_given_up');
  const [failed] = await events.list({ state: 'failed' }, 10);
  const found = await events.find(failed?.id ?? '');
  expect(found?.deliveries[0]).toMatchObject({ endpoint, state: 'failed' });
  expect(found?.deliveries[0]?.attempts).toHaveLength(10);
  expect(found?.deliveries[0]?.attempts[0]).toMatchObject({ status: 503 });
  reply = () => 204;
  expect(await events.replay(endpoint, failed?.id ?? '', failed?.id ?? '', 'test')).toBe(1);
  await deliver();
  expect(types()).toEqual(['order.refunded', 'order.granted']);
  const [first] = receiver.received;
  expect(await events.replay(endpoint, failed?.id ?? '', null, 'test')).toBe(2);
  await deliver();
  expect(receiver.received.slice(2).map(({ id }) => id)).toEqual([failed?.id, first?.id]);
});

test('410 and days of failures disable an endpoint, whose events wait until it is enabled', async () => {
  await write('acc_4', 'order.granted');
  reply = () => 410;
  await deliver();
  expect(await events.endpoints()).toMatchObject([{ state: 'disabled', reason: 'gone', waiting: 1 }]);
  reply = () => 500;
  await events.enable(endpoint, true, 'test');
  await sql`UPDATE shop.event_endpoint SET failing_since = now() - interval '73 hours'`;
  await deliver();
  expect(await events.endpoints()).toMatchObject([{ state: 'disabled', reason: 'failing', waiting: 1 }]);
  reply = () => 204;
  await write('acc_4', 'order.refunded');
  await deliver();
  expect(types()).toEqual([]);
  for (const _ of [1, 2]) expect(await events.enable(endpoint, true, 'test')).toBe(true);
  await deliver();
  expect(types()).toEqual(['order.granted', 'order.refunded']);
  expect(await events.endpoints()).toMatchObject([{ state: 'on', reason: null, failingSinceMs: null }]);
});

test('an endpoint gets the types that it asked for, and a test event alone', async () => {
  const other = await add(['order.refunded']);
  await write('acc_5', 'order.granted', 'order.refunded');
  expect(await events.test(other, 'test')).toMatch(/^evt_/);
  await deliver();
  const counts = Object.groupBy(types(), (type) => type);
  expect(
    [counts['order.granted'], counts['order.refunded'], counts['event.test']].map((list) => list?.length),
  ).toEqual([1, 2, 1]);
});

test('the address of the account is part of an event only when the seller asks for it', async () => {
  await sql`INSERT INTO shop.account (id, origin, email) VALUES ('acc_6', 'anonymous', 'ada@shop.example')`;
  await deliver();
  await write('acc_6', 'order.granted');
  await deliver(true);
  expect(receiver.received.map(({ body }) => body.email)).toEqual([undefined, 'ada@shop.example']);
  await sql`SELECT shop.erase_account('acc_6', true, 'asked', 'test')`;
  await events.replay(endpoint, receiver.received[1]?.id ?? '', null, 'test');
  await deliver(true);
  expect(receiver.received.slice(2).map(({ body }) => body.email)).toEqual([null, null]);
});

test('a process whose lease has ended records nothing', async () => {
  await write('acc_7', 'order.granted');
  await events.publish();
  const late = await events.take([]);
  expect(await events.take([])).toBeNull();
  await sql`UPDATE shop.event_lane SET due_at = now()`;
  const next = await events.take([]);
  expect(next?.id).toBe(late?.id);
  const attempt = { at: '', ms: 1, status: 200, fault: null };
  const outcome = { state: 'delivered' as const, waitMs: 0, isGone: false };
  if (!late || !next) throw new Error('nothing was due');
  expect(await events.finish(late, attempt, outcome)).toMatchObject({ recorded: false });
  expect(await events.finish(next, attempt, outcome)).toMatchObject({ recorded: true });
});

test.each([
  ['http://seller.example/hook', 'https'],
  ['https://127.0.0.1/hook', 'public'],
  ['https://[::1]/hook', 'public'],
  ['https://10.0.0.1/hook', 'public'],
  ['https://[fd00::1]/hook', 'public'],
  ['https://169.254.169.254/latest', 'public'],
  ['https://2130706433/', 'public'],
  ['https://localhost/hook', 'public'],
  ['https://user:word@seller.example/', 'password'],
  ['ftp://seller.example/', 'https'],
  ['no address', 'URL'],
])('%s is refused as the address of an endpoint', (url, why) => {
  expect(EventEndpoint.urlFault(url, { local: false, private: false })).toContain(why);
});

test('the sender refuses names that resolve to this network, and follows no redirect', async () => {
  const sender = openEventSender({ local: false, private: false });
  const request = { url: 'https://localtest.invalid/', body: '{}', headers: {} };
  expect(await sender.send(request)).toHaveProperty('fault');
  expect(await sender.send({ ...request, url: receiver.url })).toMatchObject({
    fault: expect.stringContaining('https'),
  });
  await sender.close();
  reply = () => 302;
  await write('acc_8', 'order.granted');
  await events.publish();
  await sql`UPDATE shop.event_delivery SET tries = 9`;
  await deliver();
  expect((await events.list({ account: 'acc_8' }, 1))[0]?.states).toEqual(['failed']);
});
