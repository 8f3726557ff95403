import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import * as Maintenance from '../../src/adapters/postgres/maintenance.ts';
import { openTopUps } from '../../src/adapters/postgres/top-ups.ts';
import { createMigrated } from '../support/database.ts';

const lots = 30_000;
const agreements = 90_000;

let database: Awaited<ReturnType<typeof createMigrated>>;
let sql: Connection.Connection;
/** Without the limit on a statement's time: to fill the database. */
let patient: Connection.Connection;
beforeAll(async () => {
  database = await createMigrated();
  sql = Connection.openConnection(database.url, 2);
  patient = Connection.openConnection(database.url, 1, 0);
});
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await patient?.end({ timeout: 1 });
  await database?.drop();
});

test('thirty thousand lots that end at one moment are taken out in steps', async () => {
  await patient`WITH lot AS (
      INSERT INTO ledger.lot (account_id, asset, kind, plan_id, priority, avail, expires_at)
        SELECT 'gift_' || n, 'usd', 'grant', 'credit', 12, 1000000, '2026-01-31T00:00Z' FROM generate_series(1, ${lots}) n RETURNING *
    )
    INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount)
      SELECT 'test:' || id, account_id, id, 'grant', 'seller', avail FROM lot`;
  await patient`ANALYZE ledger.lot`;
  const left = () => sql<[{ count: number }]>`SELECT count(*) FROM ledger.lot WHERE avail > 0`;
  let runs = 0;
  for (; (await left())[0].count > 0; runs++) await Maintenance.maintain(sql);
  expect(runs).toBeLessThan(30);
  const [expired] = await sql`SELECT count(*), sum(amount) FROM ledger.posting WHERE kind = 'expiry'`;
  expect(expired).toEqual({ count: lots, sum: String(-lots * 1_000_000) });
});

test('a lot that somebody holds does not keep the others from ending', async () => {
  const lot = (
    account: string,
  ) => sql`SELECT ledger.grant_lot(${`test:${account}`}, ${account}, 'grant', 'seller', 'grant', 'usd', 'p', 5,
    clock_timestamp() - interval '1 second')`;
  await lot('held');
  await lot('free');
  const session = await patient.reserve();
  try {
    await session`BEGIN`;
    await session`SELECT 1 FROM ledger.lot WHERE account_id = 'held' FOR UPDATE`;
    await Maintenance.maintain(sql);
    expect(await sql`SELECT account_id FROM ledger.lot WHERE avail > 0`).toEqual([{ account_id: 'held' }]);
  } finally {
    await session`ROLLBACK`;
    session.release();
  }
  await Maintenance.maintain(sql);
  expect(await sql`SELECT account_id FROM ledger.lot WHERE avail > 0`).toEqual([]);
});

test('a chore that fails is reported and does not stop those behind it', async () => {
  await sql`SELECT ledger.grant_lot('test:behind', 'behind', 'grant', 'seller', 'grant', 'usd', 'p', 5, clock_timestamp() - interval '1 second')`;
  const [{ source }] = await sql<
    [{ source: string }]
  >`SELECT pg_get_functiondef('ledger.collect_clawbacks(integer)'::regprocedure) AS source`;
  await sql.unsafe(`CREATE OR REPLACE FUNCTION ledger.collect_clawbacks(p_max integer DEFAULT 1000) RETURNS integer LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'this one fails'; END $$`);
  await expect(Maintenance.maintain(sql)).rejects.toThrow('this one fails');
  expect(await sql`SELECT account_id FROM ledger.lot WHERE avail > 0`).toEqual([]);
  await sql.unsafe(source);
});

test('among ninety thousand agreements those that are due are found at once', async () => {
  await patient`INSERT INTO shop.account (id, origin) SELECT 'topped_' || n, 'purchase' FROM generate_series(1, ${agreements}) n`;
  await patient`WITH lot AS (
      INSERT INTO ledger.lot (account_id, asset, kind, plan_id, priority, avail)
        SELECT 'topped_' || n, 'usd', 'credit', 'credit', 12, 6000000 FROM generate_series(1, ${agreements}) n RETURNING *
    )
    INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount)
      SELECT 'topped:' || id, account_id, id, 'grant', 'seller', avail FROM lot`;
  await patient`INSERT INTO shop.top_up_consent (id, account_id, plan_id, below, amount, monthly_max, state, saved_card, expires_at, agreed_at)
    SELECT 'consent_' || n, 'topped_' || n, 'credit', 5000000, 5000000, 50000000, 'agreed', '{}', now(), now() FROM generate_series(1, ${agreements}) n`;
  await patient`INSERT INTO shop.top_up (account_id, state, plan_id, below, amount, monthly_max, saved_card, consent_id)
    SELECT 'topped_' || n, 'on', 'credit', 5000000, 5000000, 50000000, '{}', 'consent_' || n FROM generate_series(1, ${agreements}) n`;
  await patient`UPDATE shop.top_up SET low = false`;
  await patient`VACUUM ANALYZE`;
  const topUps = openTopUps(sql, 'writer');
  const plan = async () =>
    JSON.stringify(
      await sql`EXPLAIN (FORMAT JSON) SELECT account_id FROM shop.top_up t WHERE t.state = 'on' AND t.low LIMIT 50`,
    );
  expect(await plan()).toContain('top_up_low');
  expect(await topUps.due()).toEqual([]);
  // A checkpoint that takes an account below its limit marks it.
  await sql`UPDATE ledger.lot SET avail = 4000000 WHERE account_id = 'topped_77777'`;
  await sql`SELECT shop.mark_low_top_ups(${sql.array(['topped_77777', 'topped_5', 'nobody'])})`;
  expect(await topUps.due()).toEqual(['topped_77777']);
  // Nothing of what changed here was spent: the sweep finds it in its turn.
  await sql`UPDATE ledger.lot SET avail = 6000000 WHERE account_id = 'topped_77777'`;
  await sql`UPDATE ledger.lot SET expires_at = clock_timestamp() WHERE account_id = 'topped_4242'`;
  const found: string[] = [];
  for (let look = 0; look < 1 + agreements / 500; look++) found.push(...(await topUps.due()));
  expect([...new Set(found)]).toEqual(['topped_4242']);
});
