import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import { openRevenueReport } from '../../src/adapters/postgres/revenue-report.ts';
import * as Database from '../support/database.ts';

let database: Database.Database;
let sql: Connection.Connection;

beforeAll(async () => {
  database = await Database.createMigrated();
  sql = Connection.openConnection(database.url, 2);
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

test('a dispute that waits for a response stays in the list, however many refunds follow it', async () => {
  await sql`INSERT INTO shop.account (id, origin) VALUES ('acc_1', 'purchase')`;
  await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at) VALUES ('pur_1', 'acc_1', 'credit', 5000000, now())`;
  await sql`INSERT INTO shop.reversal (id, purchase_id, kind, amount, status, is_effective, created_at)
    VALUES ('dp_1', 'pur_1', 'dispute', 5000000, 'needs_response', true, now() - interval '9 days')`;
  await sql`INSERT INTO shop.reversal (id, purchase_id, kind, amount, status, is_effective, created_at)
    SELECT 're_' || n, 'pur_1', 'refund', 10000, 'succeeded', true, now() - n * interval '1 hour' FROM generate_series(1, 5) n`;
  const listed = await openRevenueReport(sql).returned(3);
  expect(listed.map(({ id }) => id)).toEqual(['dp_1', 're_1', 're_2', 're_3']);
  const all = await openRevenueReport(sql).returned(10);
  expect(all.map(({ id }) => id)).toEqual(['dp_1', 're_1', 're_2', 're_3', 're_4', 're_5']);
});
