import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type * as Connection from '../../src/adapters/postgres/connection.ts';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import { openSellerEvents } from '../../src/adapters/postgres/events.ts';
import type { EventRange, EventType, SellerEvents } from '../../src/payment/event.ts';
import * as EventEndpoint from '../../src/payment/event-endpoint.ts';
import { createMigrated, type Database } from '../support/database.ts';
import { deliverAll } from './deliver-all.ts';
import { openReceiver, type Receiver, type Reply } from './receiver.ts';
import { secrets } from './secrets.ts';

const endpoint = 'ep_1';
const secret = EventEndpoint.newSecret();
const everything: EventRange = { from: null, to: null, sinceMs: 0, untilMs: null, types: null };

let database: Database;
let sql: Connection.Connection;
let events: SellerEvents;
let reply: Reply;
let [former, current]: Receiver[] = [];
beforeAll(async () => {
  database = await createMigrated();
  sql = openConnection(database.url, 4);
  events = openSellerEvents(sql, secrets, undefined, 3);
});
afterAll(async () => {
  await sql?.end();
  await database?.drop();
});
beforeEach(async () => {
  reply = 204;
  const open = () =>
    openReceiver(
      () => [secret],
      () => reply,
    );
  [former, current] = await Promise.all([open(), open()]);
  await sql`DELETE FROM shop.audit`.catch(() => undefined);
  await events.add({ id: endpoint, url: former?.url ?? '', types: null, secret }, 'test');
});
afterEach(async () => {
  await events.remove(endpoint, 'test');
  expect([...(former?.faults ?? []), ...(current?.faults ?? [])]).toEqual([]);
  await Promise.all([former?.close(), current?.close()]);
});

let numbers = 0;
async function write(account: string, ...types: EventType[]): Promise<string[]> {
  const ids: string[] = [];
  for (const type of types) {
    numbers += 1;
    await sql`SELECT shop.add_event(${type}, ${account}, ${String(numbers)}, '{}')`;
    const [row] = await sql<{ id: string }[]>`SELECT id FROM shop.event WHERE key = ${`${type}:${numbers}`}`;
    ids.push(row?.id ?? '');
  }
  return ids;
}

const change = (url: string | undefined, types: EventType[] | null = null) =>
  events.change({ id: endpoint, url: url ?? '', types }, 'test');
const audited = (act: string) =>
  sql<
    { before: object; after: object }[]
  >`SELECT before, after FROM shop.audit WHERE act = ${act} ORDER BY id`;
const takeOne = async () => {
  await events.publish();
  const due = await events.take([]);
  if (due === null) throw new Error('nothing is due');
  return due;
};
const attempt = { at: new Date().toISOString(), ms: 1, status: 410, fault: 'status 410' };

test('a changed endpoint receives waiting and later events at its new address, of its new types, with its secret', async () => {
  reply = 500;
  await write('acc_1', 'order.granted');
  const due = await takeOne();
  await events.finish(due, attempt, { state: 'waiting', waitMs: 3_600_000, isGone: false });
  reply = 204;
  expect(await change(current?.url, ['order.granted'])).toBe(true);
  await write('acc_2', 'order.granted', 'order.refunded');
  await deliverAll(sql, events);
  expect(former?.received).toEqual([]);
  expect(current?.received.map(({ account, type }) => `${account} ${type}`).toSorted()).toEqual([
    'acc_1 order.granted',
    'acc_2 order.granted',
  ]);
});

test('a change is recorded once with both addresses, however often its form is sent, and never makes an endpoint', async () => {
  const before = (await audited('event_endpoint_changed')).length;
  for (const _ of [1, 2]) expect(await change(current?.url, ['order.granted'])).toBe(true);
  const records = (await audited('event_endpoint_changed')).slice(before);
  expect(records).toEqual([
    {
      before: { url: former?.url, types: null },
      after: { url: current?.url, types: ['order.granted'] },
    },
  ]);
  expect(await events.change({ id: 'ep_none', url: 'https://a.example/', types: null }, 'test')).toBe(false);
  expect((await events.endpoints()).map(({ id, url }) => [id, url])).toEqual([[endpoint, current?.url]]);
});

test('failures of the former address do not disable the endpoint at its new one', async () => {
  await write('acc_1', 'order.granted');
  const due = await takeOne();
  await sql`UPDATE shop.event_endpoint SET failing_since = now() - interval '10 days'`;
  await change(current?.url);
  // The former address answers 410 only now.
  const late = await events.finish(due, attempt, { state: 'waiting', waitMs: 0, isGone: true });
  expect(late).toEqual({ recorded: false, disabled: false });
  expect(await events.endpoints()).toMatchObject([{ state: 'on', failingSinceMs: null }]);
  await deliverAll(sql, events);
  expect(current?.received).toHaveLength(1);
});

test('an event that waits can be tried at once, in the order of its account, and is not given up for it', async () => {
  const [first = '', second = ''] = await write('acc_1', 'order.granted', 'order.refunded');
  const due = await takeOne();
  await sql`UPDATE shop.event_delivery SET tries = 8`;
  await events.finish(due, attempt, { state: 'waiting', waitMs: 3_600_000, isGone: false });
  expect(await events.take([])).toBe(null);
  const waits = async (id: string) => (await events.find(id))?.deliveries[0]?.wait;
  expect(await waits(first)).toMatchObject({ isOn: true, isUnderWay: false, after: null });
  expect(await waits(second)).toMatchObject({ after: first });
  expect(await events.deliverNow(endpoint, second, 'test')).toBe(false);
  expect(await events.deliverNow(endpoint, first, 'test')).toBe(true);
  expect(await audited('event_hurried')).toMatchObject([{ after: { event: first } }]);
  expect(await events.take([])).toMatchObject({ id: first, tries: 0 });
  expect(await waits(first)).toMatchObject({ isUnderWay: true });
  await events.enable(endpoint, false, 'test');
  expect(await waits(first)).toMatchObject({ isOn: false });
  expect(await events.deliverNow(endpoint, first, 'test')).toBe(false);
  expect(await events.deliverNow(endpoint, 'evt_none', 'test')).toBe(false);
});

test('an event whose process has died is tried at once, and a late result of that process does not count', async () => {
  const [first = ''] = await write('acc_1', 'order.granted');
  const dead = await takeOne();
  await sql`UPDATE shop.event_lane SET due_at = now() - interval '1 second'`;
  expect((await events.find(first))?.deliveries[0]?.wait).toMatchObject({ isUnderWay: false });
  expect(await events.deliverNow(endpoint, first, 'test')).toBe(true);
  expect(await events.finish(dead, attempt, { state: 'failed', waitMs: 0, isGone: false })).toMatchObject({
    recorded: false,
  });
  await deliverAll(sql, events);
  expect(former?.received).toHaveLength(1);
});

test('an event that is taken while its endpoint changes goes to the new address', async () => {
  await write('acc_1', 'order.granted');
  await events.publish();
  let taken: ReturnType<SellerEvents['take']> | undefined;
  await sql.begin(async (own) => {
    await own`LOCK TABLE shop.event_lane IN ACCESS EXCLUSIVE MODE`;
    taken = events.take([]);
    const waiting = () =>
      own`SELECT FROM pg_locks WHERE NOT granted AND relation = 'shop.event_lane'::regclass`;
    await expect.poll(async () => (await waiting()).length).toBe(1);
    await own`SELECT shop.change_event_endpoint(${endpoint}, ${current?.url ?? ''}, NULL, 'test')`;
  });
  expect(await taken).toMatchObject({ url: current?.url });
});

test('changes, switches, replays and deliveries of one endpoint never block each other for good', async () => {
  await write('acc_1', 'order.granted');
  await write('acc_2', 'order.granted');
  await deliverAll(sql, events);
  const rounds = Array.from({ length: 25 }, (_, round) => round);
  const each = (work: (round: number) => Promise<unknown>) => async () => {
    for (const round of rounds) await work(round);
  };
  const deliver = async () => {
    const due = await events.take([]);
    if (due !== null) await events.finish(due, attempt, { state: 'waiting', waitMs: 0, isGone: false });
  };
  const works = [
    each((round) => change(round % 2 ? former?.url : current?.url)),
    each((round) => events.enable(endpoint, round % 2 === 1, 'test')),
    each(() => events.replay(endpoint, everything, 'test')),
    each(deliver),
    each(() => events.publish()),
  ];
  // A deadlock rejects with SQLSTATE 40P01.
  await Promise.all(works.map((work) => work()));
  await events.enable(endpoint, true, 'test');
  await deliverAll(sql, events);
});

test('the number of events to deliver again is known before, up to the most of one run', async () => {
  await sql`DELETE FROM shop.event_delivery`;
  await sql`DELETE FROM shop.event`;
  await write('acc_3', 'order.granted', 'order.granted', 'order.refunded');
  await deliverAll(sql, events);
  const of = (range: Partial<EventRange>) => events.countReplay(endpoint, { ...everything, ...range });
  expect(await of({})).toEqual({ count: 3, isMore: false });
  expect(await of({ types: ['order.refunded'] })).toEqual({ count: 1, isMore: false });
  expect(await events.replay(endpoint, { ...everything, types: ['order.refunded'] }, 'test')).toMatchObject({
    count: 1,
  });
  // One that waits already is not queued a second time.
  expect(await of({})).toEqual({ count: 2, isMore: false });
  await write('acc_3', 'order.granted', 'order.granted');
  await deliverAll(sql, events);
  expect(await of({})).toEqual({ count: 3, isMore: true });
  expect(await of({ from: 'evt_none' })).toBe(null);
  expect(await events.countReplay('ep_none', everything)).toBe(null);
});
