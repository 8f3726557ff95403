import { id } from '@sluice/kernel/id';
import postgres from 'postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate, requireCurrent } from '../../src/adapters/postgres/migrate.ts';
import { createDatabase, type Database } from '../support/database.ts';
import * as Sluice from './sluice.ts';

let database: Database;
let sql: postgres.Sql;
beforeEach(async () => {
  database = await createDatabase();
  sql = postgres(database.url, { max: 2, onnotice: () => {} });
});
afterEach(async () => {
  await sql.end({ timeout: 1 });
  await database.drop();
});
const sluice = (...args: string[]) => Sluice.here(['migrate', ...args], { DATABASE_URL: database.url });

test('reports what is pending without a change, applies it once, also when run in parallel and again', async () => {
  expect(await sluice('--check')).toMatchObject({
    code: 1,
    err: expect.stringContaining('migrations are pending'),
  });
  expect(JSON.parse((await sluice('--check', '--json')).out)).toMatchObject({ kind: 'behind', applied: 0 });
  await expect(requireCurrent(database.url)).rejects.toThrow(/behind this program: .* Run sluice migrate/);
  expect(await sql`SELECT to_regnamespace('shop') AS shop`).toEqual([{ shop: null }]);
  const env = { DATABASE_URL: database.url };
  const runs = await Promise.all([1, 2, 3].map(() => Sluice.run(['migrate'], { env })));
  expect(runs.map(({ code, err }) => `${code}${err}`)).toEqual(['0', '0', '0']);
  expect(await sql`SELECT 1 FROM shop.function_set`).toHaveLength(1);
  expect(await sluice()).toMatchObject({ code: 0, out: expect.stringContaining('nothing to apply') });
  expect(await sluice('--check')).toMatchObject({ code: 0, out: expect.stringContaining('up to date') });
  await requireCurrent(database.url);
  await sql`UPDATE shop.function_set SET digest = 'older'`;
  expect(await sluice('--check')).toMatchObject({ code: 1, err: expect.stringContaining('functions') });
  await expect(requireCurrent(database.url)).rejects.toThrow(/functions of this version/);
  expect(await sluice()).toMatchObject({ code: 0, out: 'Applied the functions of this version.\n' });
});

test('leaves a newer database alone', async () => {
  await sluice();
  await sql`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('newer', 9999999999999)`;
  for (const args of [[], ['--check']])
    expect(await sluice(...args)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is newer than this program'),
    });
  await expect(requireCurrent(database.url)).rejects.toThrow('is newer than this program');
});

test('works as the owner and grants the role of the storefront what it needs', async () => {
  const role = id('role').toLowerCase();
  await sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'p'`);
  const url = new URL(database.url);
  [url.username, url.password] = [role, 'p'];
  const env = { DATABASE_URL: url.href };
  const refused = await Sluice.run(['migrate'], { env });
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('DATABASE_OWNER_URL') });
  const run = await Sluice.run(['migrate'], { env: { ...env, DATABASE_OWNER_URL: database.url } });
  expect(run, run.err).toMatchObject({ code: 0 });
  await requireCurrent(url.href);
  await sql.unsafe(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
});

test('does not hold up the statements of running processes behind a table that a report reads', async () => {
  await sluice();
  const last = await sql<{ name: string }[]>`
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'ledger.usage'::regclass AND c.relname <> 'usage_other' ORDER BY 1 DESC LIMIT 1`;
  await sql.unsafe(`DROP TABLE ledger.${last[0]?.name}`);
  const report = await sql.reserve();
  await report.unsafe('BEGIN; LOCK TABLE ledger.usage IN ACCESS SHARE MODE');
  const waits = { turnMsMax: 1_000, tableMsMax: 50, againMs: 200, triesMax: 100 };
  const migrating = migrate(database.url, null, waits);
  const waiting = () =>
    sql`SELECT 1 FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await expect.poll(async () => (await waiting()).length).toBeGreaterThan(0);
  // Would wait for the end of the report if the migration waited for it.
  expect(await sql`SELECT count(*)::int AS rows FROM ledger.usage`).toEqual([{ rows: 0 }]);
  await report`COMMIT`;
  report.release();
  await migrating;
  // The day to come is created by the next run that finds the table free.
  await sluice();
  expect(await sql`SELECT to_regclass(${`ledger.${last[0]?.name}`}) IS NOT NULL AS there`).toEqual([
    { there: true },
  ]);
  const held = await sql.reserve();
  await held.unsafe('BEGIN; LOCK TABLE shop.function_set IN ACCESS EXCLUSIVE MODE');
  const refused = migrate(database.url, null, { ...waits, triesMax: 2, againMs: 1 });
  await expect(refused).rejects.toThrow('holds a table of the shop');
  await held`ROLLBACK`;
  held.release();
});
