import { id as newId, uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type * as Connection from '../../src/adapters/postgres/connection.ts';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import * as Maintenance from '../../src/adapters/postgres/maintenance.ts';
import { type OpenLedgerStore, openLedgerStore } from '../ledger/open-ledger-store.ts';
import { type OpenWriter, openWriter } from '../ledger/open-writer.ts';

let real: OpenLedgerStore;
let sql: Connection.Connection;
const writers: OpenWriter[] = [];

beforeAll(async () => {
  real = await openLedgerStore();
  sql = openConnection(real.url, 4);
});
afterEach(async () => {
  for (const { end } of writers.splice(0)) await end();
});
afterAll(async () => {
  await sql.end();
  await real.end();
});

async function openProcess(): Promise<OpenWriter> {
  const one = await openWriter(real.url, newId('writer'), Date.now);
  writers.push(one);
  return one;
}

/** Grants a thousand units of a cent. */
const grant = (account: string) =>
  real.grant({ account, asset: 'usd', kind: 'grant', plan: 'p', amount: 10_000_000, expiresMs: null });

/** Makes calls of `cents` each; a refused call ends the loop. Returns the number of paid calls. */
async function spend({ writer }: OpenWriter, account: string, calls: number, cents: number): Promise<number> {
  for (let paid = 0; paid < calls; paid += 1) {
    const held = await writer.hold({
      callId: uuidv7(Date.now()),
      account,
      plans: ['p'],
      price: ofMicro(10_000),
      units: cents,
    });
    if (held.kind !== 'held') return paid;
    await writer.settle(held.hold, { units: cents, status: 200, service: 's', operation: 'o' });
  }
  return calls;
}

const look = () => Promise.all([Maintenance.lowerCredit(sql), Maintenance.lowerCredit(sql)]);

const eventsOf = async (account: string) =>
  (
    await sql<
      { type: string; remaining: number }[]
    >`SELECT type, (data ->> 'remaining')::bigint AS remaining FROM shop.event
      WHERE account_id = ${account} ORDER BY seq`
  ).map(({ type, remaining }) => `${type} ${remaining}`);

test('credit is reported as low and as exhausted once for each grant, over two processes', async () => {
  const [one, other] = [await openProcess(), await openProcess()];
  const account = newId('acc');
  await grant(account);
  await spend(one, account, 50, 10);
  await look();
  expect(await eventsOf(account)).toEqual([]);
  await Promise.all([spend(one, account, 21, 10), spend(other, account, 20, 10)]);
  await look();
  await look();
  expect(await eventsOf(account)).toEqual(['credit.low 900000']);
  expect(await spend(one, account, 9, 10)).toBe(9);
  await look();
  await look();
  expect(await eventsOf(account)).toEqual(['credit.low 900000', 'credit.exhausted 0']);
  await grant(account);
  await spend(other, account, 100, 10);
  await look();
  expect((await eventsOf(account)).slice(2)).toEqual(['credit.low 0', 'credit.exhausted 0']);
});

test('a rest that a refused call does not cover is reported as exhausted only when it is low', async () => {
  const one = await openProcess();
  const account = newId('acc');
  await grant(account);
  expect(await spend(one, account, 1, 2_000)).toBe(0);
  await look();
  expect(await eventsOf(account)).toEqual([]);
  await spend(one, account, 9, 110);
  await look();
  expect(await eventsOf(account)).toEqual(['credit.low 100000']);
  expect(await spend(one, account, 1, 20)).toBe(0);
  await look();
  expect(await eventsOf(account)).toEqual(['credit.low 100000', 'credit.exhausted 100000']);
});

test('credit that expires unused is reported as exhausted', async () => {
  const account = newId('acc');
  await real.grant({
    account,
    asset: 'unit',
    kind: 'trial',
    plan: 'p',
    amount: 10,
    expiresMs: Date.now() + 3_600_000,
  });
  await sql`UPDATE ledger.lot SET expires_at = now() WHERE account_id = ${account}`;
  await sql`SELECT shop.sweep_credit(NULL, 1000)`;
  expect(await eventsOf(account)).toEqual(['credit.low 0', 'credit.exhausted 0']);
});

test('paid calls write no event and change no level', async () => {
  const one = await openProcess();
  const account = newId('acc');
  await grant(account);
  const levels = () => sql`SELECT *, xmin::text FROM shop.credit_level WHERE account_id = ${account}`;
  const before = await levels();
  await spend(one, account, 20, 1);
  await look();
  expect(await levels()).toEqual(before);
});

test('the statements of a paid call run no function and no trigger of the outbox or of credit levels', async () => {
  const account = newId('acc');
  await grant(account);
  const one = await openProcess();
  // The first call takes the lease; the others are what a paid call costs.
  await spend(one, account, 1, 1);
  const [{ name }] = await sql<[{ name: string }]>`SELECT current_database() AS name`;
  await sql.unsafe(`ALTER DATABASE "${name}" SET track_functions = 'all'`);
  const tracked = await openProcess();
  await spend(tracked, account, 50, 1);
  await tracked.end();
  writers.splice(writers.indexOf(tracked), 1);
  const calls = async () => {
    const rows = await sql<
      { schema: string; name: string }[]
    >`SELECT schemaname AS schema, funcname AS name FROM pg_stat_user_functions WHERE calls > 0 ORDER BY 1, 2`;
    return rows.map(({ schema, name: function_ }) => `${schema}.${function_}`);
  };
  await expect.poll(calls).toContain('ledger.batch');
  expect(
    (await calls()).filter((function_) => /^shop\.(note_|raise_|add_event|credit_|lower_)/.test(function_)),
  ).toEqual([]);
  // A call that is refused for lack of credit is not paid, and noted.
  const refused = await openProcess();
  expect(await spend(refused, account, 1, 5_000)).toBe(0);
  await refused.end();
  writers.splice(writers.indexOf(refused), 1);
  await expect.poll(calls).toContain('shop.note_refused');
  await sql.unsafe(`ALTER DATABASE "${name}" RESET track_functions`);
  const triggers =
    await sql`SELECT t.tgrelid::regclass::text AS "table", t.tgname AS name FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE t.tgrelid IN ('ledger.usage'::regclass, 'ledger.batch'::regclass, 'ledger.writer'::regclass, 'ledger.lease'::regclass, 'ledger.lot'::regclass,
      'ledger.batch_result'::regclass) AND p.proname LIKE ANY ('{note%,raise%}')`;
  expect(triggers).toEqual([]);
});
