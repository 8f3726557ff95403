import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate, progress } from '../../src/adapters/postgres/migrate.ts';
import * as Database from '../../src/direct/adapters/database.ts';
import * as DirectMigrations from '../../src/direct/adapters/migrations.ts';
import * as Upstream from '../relay/scripted-upstream.ts';
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
  expect(await progress(sql)).toMatchObject({ applied: 0, unknown: 0 });
  await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);
  expect(await progress(sql)).toMatchObject({ pending: 0, unknown: 0 });
  await sql.end();
  await database.drop();
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
    ALTER TABLE ledger.bucket ADD COLUMN newer text;
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

test('the direct interface refuses a newer database, too', async () => {
  const database = await createDatabase();
  const sql = Database.open(database.url, { connectionsMax: 1, statementTimeoutMs: 10_000 });
  await DirectMigrations.migrate(sql);
  await sql`INSERT INTO direct.migration (name, digest) VALUES ('9999_newer.sql', 'x')`;
  await expect(DirectMigrations.migrate(sql)).rejects.toThrow(
    /newer than this program: it has 9999_newer\.sql/,
  );
  await Database.close(sql, 1_000);
  await database.drop();
});
