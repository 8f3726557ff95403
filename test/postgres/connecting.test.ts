import { id } from '@sluice/kernel/id';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as TransactionPooler from '../../src/adapters/postgres/transaction-pooler.ts';
import { checkDatabase } from '../../src/cli/check/database.ts';
import { createDatabase } from '../support/database.ts';

let database: Awaited<ReturnType<typeof createDatabase>>;
let admin: postgres.Sql;
beforeAll(async () => {
  database = await createDatabase();
  admin = postgres(database.url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await admin?.end();
  await database?.drop();
});

test('a role that may not create schemas runs the shop once the migrations are applied', async () => {
  const role = id('role').toLowerCase();
  const name = new URL(database.url).pathname.slice(1);
  await admin.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'p'; GRANT CREATE ON DATABASE ${name} TO ${role}`);
  const url = new URL(database.url);
  url.username = role;
  url.password = 'p';
  await migrate(url.href);
  await admin.unsafe(`REVOKE CREATE ON DATABASE ${name} FROM ${role}`);
  await migrate(url.href);
  const says = (await checkDatabase(url.href, Date.now)).map(({ says }) => says).join('\n');
  expect(says).toContain('migrations are applied');
  await admin.unsafe(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
});

test('a migration waits for another one for a bounded time, and says what it waits for', async () => {
  await admin`SELECT pg_advisory_lock(7385001)`;
  try {
    await expect(
      migrate(database.url, null, { turnMsMax: 100, tableMsMax: 100, againMs: 1, triesMax: 1 }),
    ).rejects.toThrow('migration lock');
  } finally {
    await admin`SELECT pg_advisory_unlock(7385001)`;
  }
});

test('several hosts are tried in turn, with the parameters of a managed service', async () => {
  const url = new URL(inject('databaseUrl'));
  const several = database.url.replace(url.host, `127.0.0.1:9,${url.host}`);
  const sql = openConnection(
    `${several}?channel_binding=prefer&target_session_attrs=read-write&pgbouncer=true`,
    1,
  );
  expect([...(await sql`SELECT 1 AS one`)]).toEqual([{ one: 1 }]);
  await sql.end();
});

test('a database without a pooler is told from one behind a pooler', async () => {
  for (let at = 0; at < 5; at++) expect(await TransactionPooler.isThere(database.url)).toBe(false);
});
