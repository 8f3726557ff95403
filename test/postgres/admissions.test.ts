import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openAdmissions } from '../../src/adapters/postgres/admissions.ts';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import * as Registration from '../../src/identity/registration.ts';
import { createMigrated } from '../support/database.ts';

let database: Awaited<ReturnType<typeof createMigrated>>;
let sql: Connection.Connection;
/** Two processes. */
let one: Registration.Admissions;
let other: Registration.Admissions;

beforeAll(async () => {
  database = await createMigrated();
  sql = Connection.openConnection(database.url, 10);
  one = openAdmissions(sql);
  other = openAdmissions(Connection.openConnection(database.url, 10));
});
beforeEach(() => sql`TRUNCATE shop.block_use, shop.used_work`);
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await database?.drop();
});

const from = (address: string, work: { id: string; expiresMs: number } | null = null, at = one) =>
  at.admit(Registration.rules(address), work);
const kinds = async (asked: Promise<Registration.Admission>[]) =>
  (await Promise.all(asked)).map((admission) =>
    admission.kind === 'refused' ? admission.reason : admission.kind,
  );
/** Registrations of today by strangers from everywhere. */
const registered = (count: number) =>
  sql`INSERT INTO shop.block_use (kind, block) SELECT 'registration', '' FROM generate_series(1, ${count}::integer)`;
const proof = (id: string) => ({ id, expiresMs: Date.now() + 60_000 });
/** Moves all that was counted into the past. */
const age = (interval: string) => sql`UPDATE shop.block_use SET at = at - ${interval}::interval`;
const count = (all: readonly string[], kind: string) => all.filter((it) => it === kind).length;

describe('one address block registers', () => {
  test('five times in ten minutes over all processes, and is told when again', async () => {
    const all = await kinds(
      Array.from({ length: 12 }, (_, at) => from('192.0.2.1', null, at % 2 ? one : other)),
    );
    expect([count(all, 'allowed'), count(all, 'address')]).toEqual([5, 7]);
    await age('4 minutes');
    const refused = await from('192.0.2.1');
    expect(refused).toMatchObject({ kind: 'refused', reason: 'address' });
    expect(refused.kind === 'refused' && refused.retryAfterSeconds).toBeGreaterThan(355);
    expect(refused.kind === 'refused' && refused.retryAfterSeconds).toBeLessThanOrEqual(360);
    expect((await from('192.0.2.2')).kind).toBe('allowed');
    await age('6 minutes');
    expect((await from('192.0.2.1')).kind).toBe('allowed');
  });

  test('twenty times a day', async () => {
    for (let turn = 0; turn < 4; turn++) {
      expect(count(await kinds(Array.from({ length: 5 }, () => from('192.0.2.1'))), 'allowed')).toBe(5);
      await age('11 minutes');
    }
    expect(await from('192.0.2.1')).toMatchObject({ kind: 'refused', reason: 'address' });
  });

  test('less than its parts could: a /56 ten times, a /48 and a /24 twenty times in ten minutes', async () => {
    const each = async (address: (at: number) => string) =>
      count(await kinds(Array.from({ length: 40 }, (_, at) => from(address(at)))), 'allowed');
    expect(await each((at) => `2001:db8:1:${at.toString(16)}::1`)).toBe(10);
    expect(await each((at) => `2001:db8:2:${(at * 256).toString(16)}::1`)).toBe(20);
    expect(await each((at) => `198.51.100.${at}`)).toBe(20);
  });

  test('is not counted where it was refused', async () => {
    await Promise.all(Array.from({ length: 30 }, () => from('192.0.2.1')));
    const [row] = await sql`SELECT count(*)::integer FROM shop.block_use WHERE block = ''`;
    expect(row?.count).toBe(5);
  });

  test('as often as it likes where it is our own machine', async () => {
    expect(count(await kinds(Array.from({ length: 50 }, () => from('127.0.0.1'))), 'allowed')).toBe(50);
  });
});

describe('when a day fills up', () => {
  test('a block that has registered needs a proof of work first, and one that has not is still let in', async () => {
    expect((await from('192.0.2.1')).kind).toBe('allowed');
    await registered(Registration.daily.seenMax);
    expect(await from('192.0.2.1')).toEqual({ kind: 'work_required', today: Registration.daily.seenMax + 1 });
    expect((await from('203.0.113.1')).kind).toBe('allowed');
    expect((await from('192.0.2.1', proof('a'))).kind).toBe('allowed');
  });

  test('one /48 cannot use up the part that is kept for others', async () => {
    await registered(Registration.daily.seenMax);
    const all = await kinds(
      Array.from({ length: 60 }, (_, at) => from(`2001:db8:3:${(at * 512).toString(16)}::1`)),
    );
    expect(count(all, 'allowed')).toBe(1);
  });

  test('every caller needs a proof of work above the ceiling, and twice the ceiling is the end until midnight UTC', async () => {
    await registered(Registration.daily.unseenMax);
    expect((await from('203.0.113.1')).kind).toBe('work_required');
    expect((await from('203.0.113.1', proof('a'))).kind).toBe('allowed');
    await registered(Registration.daily.max - Registration.daily.unseenMax);
    const end = await from('203.0.113.2', proof('b'));
    expect(end).toMatchObject({ kind: 'refused', reason: 'day' });
    const midnight = 86_400 - ((Date.now() / 1_000) % 86_400);
    expect(Math.abs((end.kind === 'refused' ? end.retryAfterSeconds : 0) - midnight)).toBeLessThan(5);
    await age('1 day');
    expect((await from('203.0.113.2')).kind).toBe('allowed');
  });

  test('a proof of work counts once, over all processes', async () => {
    await registered(Registration.daily.unseenMax);
    const all = await kinds(
      Array.from({ length: 6 }, (_, at) => from(`203.0.113.${at}`, proof('same'), at % 2 ? one : other)),
    );
    expect([count(all, 'allowed'), count(all, 'work_used')]).toEqual([1, 5]);
  });
});
