import { id } from '@sluice/kernel/id';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as DataApi from '../../packages/data-api/src/adapters/database.ts';
import * as DirectMigrations from '../../packages/data-api/src/adapters/migrations.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as SchemaVersion from '../../src/adapters/postgres/schema-version.ts';
import { checkDatabase } from '../../src/cli/check/database.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import { createDatabase } from '../support/database.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml' });
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

test('several processes may bring a database to the newest migration at once', async () => {
  const database = await createDatabase();
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  expect(await SchemaVersion.read(sql)).toMatchObject({ kind: 'behind', applied: 0 });
  await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);
  expect(await SchemaVersion.read(sql)).toMatchObject({ kind: 'current' });
  expect(await sql`SELECT 1 FROM shop.function_set`).toHaveLength(1);
  await sql.end();
  await database.drop();
});

test('/readyz says what to do when the database of a running process lacks its migrations', async () => {
  const ready = () => Customer.send({ method: 'GET', url: `${shop.url}/readyz` });
  const checkedWithin = { timeout: 10_000 };
  const own = await shop.sql`SELECT digest FROM shop.function_set`;
  expect(await ready()).toMatchObject({ status: 200, body: { checks: { schema: true } } });
  await shop.sql`UPDATE shop.function_set SET digest = 'of an older backup'`;
  await expect.poll(async () => (await ready()).status, checkedWithin).toBe(503);
  expect((await ready()).body).toMatchObject({
    status: 'not_ready',
    checks: { schema: false, ledger: true },
    problems: [expect.stringContaining('Restart this process')],
  });
  await shop.sql`UPDATE shop.function_set SET digest = ${own[0]?.digest}`;
  await expect.poll(async () => (await ready()).status, checkedWithin).toBe(200);

  const [first] = await shop.sql`SELECT id, hash FROM drizzle.__drizzle_migrations ORDER BY id LIMIT 1`;
  await shop.sql`UPDATE drizzle.__drizzle_migrations SET hash = 'other' WHERE id = ${first?.id}`;
  await expect.poll(async () => (await ready()).status, checkedWithin).toBe(503);
  expect((await ready()).body.problems).toEqual([expect.stringContaining('a different build')]);
  await shop.sql`UPDATE drizzle.__drizzle_migrations SET hash = ${first?.hash} WHERE id = ${first?.id}`;
  await expect.poll(async () => (await ready()).status, checkedWithin).toBe(200);
});

test('a newer version may add to the database while the old one sells on; started anew, the old one refuses', async () => {
  const sell = async () => {
    const buyer = await Customer.register(shop.url);
    const offer = await Customer.call(buyer, 'POST', `${shop.url}/plans/credit/purchase`, {
      amount_usd: '1.00',
    });
    expect((await Customer.pay(offer.body.checkout_url)).status).toBe(200);
    expect((await Customer.call(buyer, 'POST', `${shop.url}/v1/list`, { max: 1 })).status).toBe(200);
    expect((await Customer.call(buyer, 'GET', `${shop.url}/account`)).body.balance_usd).toBe('1.00');
  };
  await sell();
  // As a newer version would: columns where old processes have prepared what they ask, a table, its own mark.
  await shop.sql.unsafe(`
    ALTER TABLE shop.account ADD COLUMN newer text NOT NULL DEFAULT '';
    ALTER TABLE shop.purchase ADD COLUMN newer text NOT NULL DEFAULT '';
    ALTER TABLE ledger.lot ADD COLUMN newer text;
    ALTER TABLE ledger.usage ADD COLUMN newer text;
    CREATE TABLE shop.newer (id text PRIMARY KEY);
    INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('newer', 9999999999999)`);
  await sell();
  await sell();
  expect(await Shop.breaches(shop)).toEqual([]);

  await expect(shop.addStorefront()).rejects.toThrow(
    /cannot start: the database is newer than this program: it has 1 migration that this version does not know/,
  );
  await sell();
});

describe('a migrated database', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let sql: postgres.Sql;
  beforeEach(async () => {
    database = await createDatabase();
    sql = postgres(database.url, { max: 1, onnotice: () => {} });
    await migrate(database.url);
  });
  afterEach(async () => {
    await sql.end();
    await database.drop();
  });
  const check = async () => (await checkDatabase(database.url, Date.now)).at(-1);

  test('of a different build is refused, with what to do', async () => {
    await sql`UPDATE drizzle.__drizzle_migrations SET hash = 'other' WHERE id = 2`;
    const refusal = /migrated by a different build: migration 0001_ledger is recorded .* DATA_DIR/;
    await expect(migrate(database.url)).rejects.toThrow(refusal);
    expect(await check()).toMatchObject({ state: 'problem', says: expect.stringMatching(refusal) });
  });

  test('gets the functions of this version when its own differ, all of them', async () => {
    await sql`CREATE OR REPLACE FUNCTION ledger.held_max() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 1::bigint'`;
    await migrate(database.url);
    expect(await sql`SELECT ledger.held_max() AS max`).toEqual([{ max: '1' }]);
    await sql`UPDATE shop.function_set SET digest = 'older'`;
    expect(await check()).toMatchObject({
      says: expect.stringContaining('functions of this version are to be applied'),
    });
    await Promise.all([migrate(database.url), migrate(database.url)]);
    expect(await sql`SELECT ledger.held_max() AS max`).toEqual([{ max: '1000000000000000' }]);
    expect(await sql`SELECT 1 FROM shop.function_set`).toHaveLength(2);
  });

  test('whose functions a newer version replaced is refused, until an operator returns to this version', async () => {
    await sql`INSERT INTO shop.function_set (digest) VALUES ('newer')`;
    await expect(migrate(database.url)).rejects.toThrow(/newer version replaced its SQL functions/);
    expect(await check()).toMatchObject({ state: 'problem', says: expect.stringContaining('DELETE FROM') });
    await sql`DELETE FROM shop.function_set`;
    await migrate(database.url);
    expect(await check()).toMatchObject({ state: 'ok' });
  });

  test('is not changed by a role that does not own it, which learns what to do', async () => {
    const role = id('role').toLowerCase();
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'p'];
    await sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'p'; SELECT shop.grant_app('${role}')`);
    await migrate(url.href);
    await sql`UPDATE shop.function_set SET digest = 'older'`;
    await expect(migrate(url.href)).rejects.toThrow(/does not own the tables.* DATABASE_OWNER_URL/);
    await migrate(url.href, database.url);
    await sql.unsafe(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
  });
});

test('the direct interface refuses a newer database, too', async () => {
  const database = await createDatabase();
  const sql = DataApi.openPool(database.url, { connectionsMax: 1, statementTimeoutMs: 10_000 });
  await DirectMigrations.migrate(sql);
  await sql`INSERT INTO direct.migration (name, digest) VALUES ('9999_newer.sql', 'x')`;
  await expect(DirectMigrations.migrate(sql)).rejects.toThrow(
    /newer than this program: it has 9999_newer\.sql/,
  );
  await DataApi.close(sql, 1_000);
  await database.drop();
});
