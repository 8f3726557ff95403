import { id } from '@sluice/kernel/id';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import * as Customer from '../support/customer.ts';
import { createDatabase } from '../support/database.ts';
import * as Shop from '../support/shop.ts';
import { unguarded } from '../support/unguarded.ts';

const adminToken = 'adm_of_the_test_and_long_enough';
const appendOnly = [
  'ledger.usage',
  'ledger.posting',
  'ledger.batch',
  'shop.audit',
  'shop.payment_record',
  'shop.replacement',
];

/** A shop whose processes connect as a role that owns no table. */
let shop: Shop.Shop;
let upstream: Upstream.ScriptedUpstream;
let role: string;
let app: postgres.Sql;

beforeAll(async () => {
  role = id('app');
  const admin = postgres(inject('databaseUrl'), { max: 1, onnotice: () => {} });
  await admin.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'app'`);
  await admin.end();
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'scripted.yaml',
    env: { ...Agent.shopEnv, ADMIN_TOKEN: adminToken },
    runsAs: { role, password: 'app' },
  });
  const url = new URL(shop.databaseUrl);
  [url.username, url.password] = [role, 'app'];
  app = postgres(url.href, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await app?.end();
  await shop?.stop();
  await upstream?.close();
  const admin = postgres(inject('databaseUrl'), { max: 1, onnotice: () => {} });
  await admin.unsafe(`DROP ROLE ${role}`);
  await admin.end();
});

test('a role that owns nothing runs the whole shop', async () => {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, { amount_usd: '2.00' });
  expect((await Agent.pay(agent, offer, await Network.of(shop.sandboxUrl).mint())).status).toBe(200);
  expect((await Customer.call(agent, 'POST', `${shop.url}/v1/list`, '{}')).status).toBe(200);
  const refund = { purchase: offer.order, amount_usd: '0.50' };
  expect(
    (await Customer.call({ token: adminToken }, 'POST', `${shop.url}/admin/refunds`, refund)).status,
  ).toBe(200);
  // The program's periodic jobs need the owner's rights, which these functions grant.
  await app`SELECT ledger.prepare_usage(8), ledger.index_usage(), ledger.sum_usage(), ledger.prune('1 hour'), ledger.prune_idempotency_keys('1 day', 10)`;
  await expect.poll(() => Shop.breaches(shop)).toEqual([]);
  const output = shop.storefronts.map((storefront) => storefront.output()).join('');
  expect(output).not.toContain('permission denied');
});

describe.each(appendOnly)('what is written to %s', (table) => {
  beforeAll(async () => {
    if (table === 'shop.replacement')
      await app`INSERT INTO shop.replacement VALUES ('replaced', 'order', 0, 0, 0)`;
  });
  const acts = [
    `DELETE FROM ${table}`,
    `TRUNCATE ${table}`,
    `UPDATE ${table} SET ${table === 'shop.audit' ? "who = 'nobody'" : column(table)}`,
  ];
  test.each(acts)('stays, for the role that runs the shop: %s', async (act) => {
    await expect(app.unsafe(act)).rejects.toMatchObject({ code: '42501' });
  });
  test.each(acts)('stays, for the owner too: %s', async (act) => {
    await expect(shop.sql.unsafe(act)).rejects.toThrow('is append-only');
  });
});

function column(table: string): string {
  return (
    {
      'ledger.usage': 'units = 0',
      'ledger.posting': 'amount = 1',
      'ledger.batch': 'seq = seq + 9',
      'shop.replacement': 'units_left = 1',
    }[table] ?? 'amount = 1'
  );
}

test('partitions of usage are no way around it', async () => {
  const [day] = await shop.sql<
    [{ name: string }]
  >`SELECT tableoid::regclass::text AS name FROM ledger.usage LIMIT 1`;
  for (const act of [`DELETE FROM ${day.name}`, `UPDATE ${day.name} SET units = 0`, `TRUNCATE ${day.name}`]) {
    await expect(app.unsafe(act)).rejects.toMatchObject({ code: '42501' });
    await expect(shop.sql.unsafe(act)).rejects.toThrow('is append-only');
  }
  await expect(app.unsafe(`DROP TABLE ${day.name}`)).rejects.toThrow('must be owner');
});

test('an entry of the audit log gets what came of it, once', async () => {
  await app`INSERT INTO shop.audit (who, act, subject) VALUES ('test', 'try', 'audited')`;
  const close = (text: string) =>
    app`UPDATE shop.audit SET after = ${app.json({ text })} WHERE subject = 'audited'`;
  await close('done');
  await expect(close('otherwise')).rejects.toThrow('is append-only');
});

test('an old day of usage can be dropped by the owner: what it drew from each lot stays on the books', async () => {
  const database = await createDatabase();
  await migrate(database.url);
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  try {
    const [day] = await sql<
      [{ from: string; to: string }]
    >`SELECT ledger.uuid_at('2020-01-01Z') AS from, ledger.uuid_at('2020-01-02Z') AS to`;
    await sql.unsafe(
      `CREATE TABLE ledger.usage_20200101 PARTITION OF ledger.usage FOR VALUES FROM ('${day.from}') TO ('${day.to}')`,
    );
    await sql`SELECT shop.register('ann', 'p', 25)`;
    await sql`INSERT INTO ledger.writer VALUES ('a', 1, false, 0, 0, now())`;
    await sql`INSERT INTO ledger.usage (call_id, draw, account_id, lot_id, plan_id, service, operation, status, units, price, amount, writer_id, epoch, seq)
      SELECT ledger.uuid_at('2020-01-01T12:00Z'), 0, account_id, id, plan_id, 's', 'o', 200, 5, 1000, 5, 'a', 1, 1 FROM ledger.lot`;
    await sql`UPDATE ledger.lot SET avail = avail - 5`;
    const state = async () =>
      JSON.stringify([
        [...(await sql`SELECT * FROM ledger.verify()`)],
        [...(await sql`SELECT * FROM ledger.totals()`)],
      ]);
    const before = await state();
    expect(before).toContain('[[],');
    const drop = () => sql<[{ calls: string | null }]>`SELECT ledger.drop_usage('2020-01-01') AS calls`;
    await expect(drop()).rejects.toThrow('has not been summed up');
    while ((await sql`SELECT ledger.sum_usage() AS more`)[0]?.more);
    await unguarded(
      sql,
      (free) =>
        free`INSERT INTO ledger.usage_hour VALUES ('2020-01-02Z', 's', 0, 0, 0, 0) ON CONFLICT DO NOTHING`,
    );
    expect((await drop())[0].calls).toBe('1');
    expect(await sql`SELECT 1 FROM ledger.usage`).toEqual([]);
    expect(await state()).toBe(before);
    expect((await drop())[0].calls).toBeNull();
    await expect(sql`SELECT ledger.drop_usage((now() - interval '3 days')::date)`).rejects.toThrow(
      'last 31 days',
    );
  } finally {
    await sql.end();
    await database.drop();
  }
});
