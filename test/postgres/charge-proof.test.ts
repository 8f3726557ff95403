import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChargeProof } from '../../src/adapters/postgres/charge-proof.ts';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import * as Database from '../support/database.ts';

let database: Database.Database;
let sql: Connection.Connection;

beforeAll(async () => {
  database = await Database.createMigrated();
  sql = Connection.openConnection(database.url, 4);
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const reasons: string[] = [];
const proof = (nowMs: () => number = () => performance.now()) =>
  openChargeProof(sql, (reason) => reasons.push(reason), nowMs);

/** Rows of every table that a charge writes to. */
async function rows(): Promise<number> {
  const [row] = await sql<
    [{ rows: number }]
  >`SELECT (SELECT count(*) FROM ledger.usage) + (SELECT count(*) FROM ledger.lot)
    + (SELECT count(*) FROM ledger.posting) + (SELECT count(*) FROM ledger.lease) + (SELECT count(*) FROM ledger.batch)
    + (SELECT count(*) FROM ledger.batch_result) + (SELECT count(*) FROM ledger.writer) AS rows`;
  return row.rows;
}

test('a charge is proved, and nothing is left of it', async () => {
  expect(await proof()()).toBeNull();
  expect(await rows()).toBe(0);
  expect(reasons).toEqual([]);
});

test('a database that only reads, or lacks the table of usage, fails the proof with its reason', async () => {
  await sql`ALTER TABLE ledger.usage RENAME TO usage_gone`;
  expect(await proof()()).toContain('usage');
  await sql`ALTER TABLE ledger.usage_gone RENAME TO usage`;
  expect(reasons.pop()).toContain('usage');
  const [{ name }] = await sql<[{ name: string }]>`SELECT current_database() AS name`;
  await sql.unsafe(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
  const reader = Connection.openConnection(database.url, 1);
  expect(await openChargeProof(reader, (reason) => reasons.push(reason))()).toContain('read-only');
  expect(reasons.pop()).toContain('read-only');
  await reader.end();
  await sql.unsafe(`ALTER DATABASE "${name}" RESET default_transaction_read_only`);
});

test('a failure counts for less than the interval of a balancer’s checks, so that one failure is one failed check', async () => {
  let nowMs = 0;
  const check = proof(() => nowMs);
  await sql`ALTER TABLE ledger.usage RENAME TO usage_gone`;
  expect(await check()).toContain('usage');
  nowMs = 249;
  await sql`ALTER TABLE ledger.usage_gone RENAME TO usage`;
  expect(await check()).toContain('usage');
  nowMs = 500;
  expect(await check()).toBeNull();
  reasons.length = 0;
});

test('a thousand checks at once, and those of the next two seconds, are one statement', async () => {
  let nowMs = 0;
  let asked = 0;
  const counted = new Proxy(sql, {
    apply(target, self, given) {
      asked += 1;
      return Reflect.apply(target, self, given);
    },
  });
  const check = openChargeProof(
    counted,
    () => undefined,
    () => nowMs,
  );
  expect(new Set(await Promise.all(Array.from({ length: 1_000 }, check)))).toEqual(new Set([null]));
  nowMs = 1_999;
  await check();
  expect(asked).toBe(1);
  nowMs = 2_001;
  await check();
  expect(asked).toBe(2);
});
