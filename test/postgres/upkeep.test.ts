import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import * as Maintenance from '../../src/adapters/postgres/maintenance.ts';
import { createMigrated } from '../support/database.ts';

let database: Awaited<ReturnType<typeof createMigrated>>;
let sql: Connection.Connection;
beforeAll(async () => {
  database = await createMigrated();
  sql = Connection.openConnection(database.url, 2);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await sql?.end({ timeout: 1 });
  await database?.drop();
});

test('what ended is indexed and summed up, by a process that has run for a few minutes, and once', async () => {
  const [day] = await sql<
    [{ from: string; to: string }]
  >`SELECT ledger.uuid_at('2020-01-01Z') AS from, ledger.uuid_at('2020-01-02Z') AS to`;
  await sql.unsafe(
    `CREATE TABLE ledger.usage_20200101 PARTITION OF ledger.usage FOR VALUES FROM ('${day.from}') TO ('${day.to}')`,
  );
  await sql`INSERT INTO ledger.usage (call_id, draw, account_id, service, operation, status, units, price, amount, writer_id, epoch, seq)
    VALUES (ledger.uuid_at(now() - interval '3 hours'), 0, 'acc_1', 'lists', 'GET /v1/list', 200, 0, 1000, 0, 'writer', 1, 1)`;
  const summed = () => sql`SELECT service, calls FROM ledger.usage_hour`.then((rows) => [...rows]);
  await Maintenance.maintain(sql);
  expect(await summed()).toEqual([]);
  vi.spyOn(performance, 'now').mockReturnValue(6 * 60 * 1000);
  await Maintenance.maintain(sql);
  expect(await summed()).toEqual([{ service: 'lists', calls: 1 }]);
  expect(await sql`SELECT 1 FROM pg_indexes WHERE indexname = 'usage_20200101_account'`).toHaveLength(1);
  const [timeout] = await sql`SHOW statement_timeout`;
  expect(timeout).toEqual({ statement_timeout: '2s' });
});
