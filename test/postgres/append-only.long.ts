import { id } from '@sluice/kernel/id';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

const adminToken = 'adm_of_the_test_and_long_enough';
const appendOnly = [
  'ledger.usage',
  'ledger.posting',
  'ledger.batch',
  'shop.audit',
  'shop.payment_record',
  'shop.replacement',
  'ledger.closed_day',
  'ledger.closing',
  'ledger.closed_usage',
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
    // Only the owner writes these.
    if (table === 'ledger.closed_day')
      await shop.sql`INSERT INTO ledger.closed_day (day, rows, calls, usage_digest, closing_digest, archive, archive_digest, archive_bytes, record, public_jwk)
        VALUES ('2020-01-01', 0, 0, '', '', 'a', '', 0, 'r', '{}')`;
    if (table === 'ledger.closing')
      await shop.sql`INSERT INTO ledger.closing VALUES ('2020-01-01', 'a', 1, 2, 0)`;
    if (table === 'ledger.closed_usage')
      await shop.sql`INSERT INTO ledger.closed_usage (day, account_id, service, operation, calls, plan_calls, units, included, cost) VALUES ('2020-01-01', 'a', 's', 'o', 0, 0, 0, 0, 0)`;
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
      'ledger.closed_day': 'calls = 1',
      'ledger.closed_usage': 'calls = 1',
    }[table] ?? 'amount = 1'
  );
}

test('a role that owns nothing can neither close a day nor write its sums', async () => {
  const closing = app`SELECT ledger.close_day('2020-01-01', 0, '', '', 'a', '', 0, NULL, 'r', '{}')`;
  await expect(closing).rejects.toMatchObject({ code: '42501' });
  await expect(app`INSERT INTO ledger.closing VALUES ('2020-01-01', 'a', 1, 1, 0)`).rejects.toMatchObject({
    code: '42501',
  });
});

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
