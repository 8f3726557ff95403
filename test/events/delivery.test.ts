import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openEventSender } from '../../src/adapters/event-sender.ts';
import type * as Connection from '../../src/adapters/postgres/connection.ts';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import { openSellerEvents } from '../../src/adapters/postgres/events.ts';
import type { EventFilter, EventRange, EventType, SellerEvents } from '../../src/payment/event.ts';
import * as EventEndpoint from '../../src/payment/event-endpoint.ts';
import { createMigrated, type Database } from '../support/database.ts';
import { deliverAll } from './deliver-all.ts';
import { openReceiver, type Received, type Receiver, type Reply } from './receiver.ts';
import { secrets } from './secrets.ts';

let database: Database;
let sql: Connection.Connection;
let events: SellerEvents;
beforeAll(async () => {
  database = await createMigrated();
  sql = openConnection(database.url, 4);
  events = openSellerEvents(sql, secrets);
});
afterAll(async () => {
  await sql?.end();
  await database?.drop();
});

let secret: string;
let reply: (message: Received) => Reply | Promise<Reply>;
let known: () => string[];
let receiver: Receiver;
let endpoint: string;
let numbers = 0;
beforeEach(async () => {
  secret = EventEndpoint.newSecret();
  known = () => [secret];
  reply = () => 204;
  receiver = await openReceiver(
    () => known(),
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
const deliver = (includesEmail = false) => deliverAll(sql, events, reports, includesEmail);

/** Delivers a range again. */
const replay = (range: Partial<EventRange>, to = endpoint) =>
  events.replay(to, { from: null, to: null, sinceMs: null, untilMs: null, types: null, ...range }, 'test');

const types = () => receiver.received.map(({ type }) => type);

test('the stock verifier accepts each message, and both secrets during a rotation', async () => {
  await write('acc_1', 'account.registered');
  await deliver();
  const old = secret;
  secret = EventEndpoint.newSecret();
  for (const _ of [1, 2]) expect(await events.rotate(endpoint, secret, false, 'test')).toBe(true);
  known = () => [secret, old];
  await write('acc_1', 'order.granted');
  await deliver();
  expect(types()).toEqual(['account.registered', 'order.granted']);
  expect(receiver.signatures.map((one) => one.split(' ').length)).toEqual([1, 2]);
  expect(receiver.received[1]).toMatchObject({ account: 'acc_1', body: { data: { amount: 5_000_000 } } });
  expect(receiver.received[1]?.id).toBe(receiver.received[1]?.body.id);
  await sql`UPDATE shop.event_endpoint SET previous_until = now()`;
  known = () => [secret];
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
  expect(await replay({ from: failed?.id ?? '', to: failed?.id ?? '' })).toEqual({ count: 1, next: null });
  await deliver();
  expect(types()).toEqual(['order.refunded', 'order.granted']);
  const [first] = receiver.received;
  expect(await replay({ from: failed?.id ?? '' })).toEqual({ count: 2, next: null });
  await deliver();
  expect(receiver.received.slice(2).map(({ id }) => id)).toEqual([failed?.id, first?.id]);
});

test('an endpoint that is added later gets past events from a time on, by type, in order per account and with their ids', async () => {
  for (const account of ['acc_9', 'acc_10'])
    await write(account, 'account.registered', 'order.granted', 'order.refunded');
  const [old] = await sql<
    { id: string }[]
  >`SELECT id FROM shop.event WHERE account_id = 'acc_9' AND type = 'account.registered'`;
  await sql`UPDATE shop.event SET at = now() - interval '10 days' WHERE id = ${old?.id ?? ''}`;
  await deliver();
  const before = receiver.received.splice(0);
  const late = await add(['account.registered', 'order.granted', 'order.refunded']);
  await deliver();
  expect(receiver.received).toEqual([]);
  const sinceMs = Date.now() - 60_000;
  const again = () =>
    replay({ sinceMs, types: ['account.registered', 'order.refunded', 'credit.low'] }, late);
  const counts = await Promise.all([again(), again()]);
  expect(counts.map((run) => run?.count).sort()).toEqual([0, 3]);
  expect(await again()).toEqual({ count: 0, next: null });
  await deliver();
  const of = (account: string) =>
    receiver.received.filter((one) => one.account === account).map(({ type }) => type);
  expect([of('acc_9'), of('acc_10')]).toEqual([['order.refunded'], ['account.registered', 'order.refunded']]);
  const ids = before.map(({ id }) => id);
  for (const { id } of receiver.received) expect(ids).toContain(id);
  expect(await replay({ sinceMs: 0, untilMs: sinceMs, types: ['account.registered'] }, late)).toMatchObject({
    count: 1,
  });
  await deliver();
  expect(receiver.received.at(-1)?.id).toBe(old?.id);
  expect(await replay({ from: old?.id ?? '' }, 'ep_unknown')).toBeNull();
  expect(await replay({ from: 'evt_unknown' })).toBeNull();
});

test('a run delivers a bounded number of events again, and says where the next one goes on', async () => {
  await sql`INSERT INTO shop.event (key, type, account_id, data) SELECT 'many:' || n, 'credit.low', 'acc_many', '{}' FROM generate_series(1, 5000) n`;
  await events.remove(endpoint, 'test');
  while (!(await events.publish()));
  const late = await add(['credit.low']);
  const range = { from: null, to: null, sinceMs: 0, untilMs: null, types: null };
  const bounded = openSellerEvents(sql, secrets, 1_000, 4_000);
  const first = await bounded.replay(late, range, 'test');
  expect(first?.count).toBeGreaterThan(2_000);
  expect(first?.count).toBeLessThanOrEqual(4_000);
  const second = await bounded.replay(late, { ...range, from: first?.next ?? '' }, 'test');
  expect(second).toEqual({ count: 5_000 - (first?.count ?? 0), next: null });
  await sql`DELETE FROM shop.event WHERE account_id = 'acc_many'`;
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

test('the list has the failing events apart from those that wait for them, and the endpoint has their last fault', async () => {
  reply = () => 503;
  await write('acc_7', 'order.granted', 'order.refunded');
  await deliver();
  const typesOf = async (filter: EventFilter) => (await events.list(filter, 10)).map(({ type }) => type);
  const waiting = { state: 'waiting', account: 'acc_7' } as const;
  await sql`UPDATE shop.event_delivery SET state = 'waiting' WHERE account_id = 'acc_7'
    AND position = (SELECT min(position) FROM shop.event WHERE account_id = 'acc_7')`;
  await sql`UPDATE shop.event_delivery SET state = 'waiting', attempts = '[]' WHERE account_id = 'acc_7' AND state = 'failed'`;
  expect(await typesOf({ ...waiting, isFailing: true })).toEqual(['order.granted']);
  expect(await typesOf({ ...waiting, isFailing: false })).toEqual(['order.refunded']);
  expect(await typesOf(waiting)).toEqual(['order.refunded', 'order.granted']);
  expect(await events.endpoints()).toMatchObject([{ lastFault: 'status 503' }]);
  // Nothing is sent to an endpoint that is off, so nothing fails.
  await events.enable(endpoint, false, 'test');
  expect(await typesOf({ ...waiting, isFailing: true })).toEqual([]);
  const [listed] = await events.list(waiting, 10);
  expect((await events.deliveriesOf(listed ? [listed] : [])).get(listed?.id ?? '')).toMatchObject([
    { state: 'waiting', isFailing: false },
  ]);
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
  await replay({ from: receiver.received[1]?.id ?? '' });
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
