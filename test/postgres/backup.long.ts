import { execFile, execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import { openCluster } from '../../src/cli/embedded/cluster.ts';
import * as Sluice from '../cli/sluice.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import { createDatabase } from '../support/database.ts';
import * as Shop from '../support/shop.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice backup '));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const server = postgres(inject('databaseUrl'), { max: 1 });
const [found] = await server<
  [{ major: number }]
>`SELECT current_setting('server_version_num')::int / 10000 AS major`;
await server.end();
/** PostgreSQL's own tools, of the server's version or later. The embedded server has none. */
const tools = globSync('/usr/lib/postgresql/*/bin/pg_dump')
  .filter((path) => Number(path.split('/')[4]) >= found.major)
  .map((path) => dirname(path))[0];

describe.skipIf(tools === undefined)('an older backup, by pg_dump beside a running shop', () => {
  let upstream: Upstream.ScriptedUpstream;
  let shop: Shop.Shop;
  let restored: Awaited<ReturnType<typeof createDatabase>>;
  beforeAll(async () => {
    upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":5}')));
    shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml' });
    restored = await createDatabase();
  });
  afterAll(async () => {
    await shop?.stop();
    await restored?.drop();
    await upstream?.close();
  });

  const purchase = async (buyer: Customer.Customer, usd: string) =>
    (await Customer.call(buyer, 'POST', `${shop.url}/plans/credit/purchase`, { amount_usd: usd })).body;
  const buy = async (buyer: Customer.Customer, usd: string) => {
    const { checkout_url, purchase: order } = await purchase(buyer, usd);
    expect((await Customer.pay(checkout_url)).status).toBe(200);
    return order.id as string;
  };
  const call = (buyer: Customer.Customer, url = shop.url) =>
    Customer.call(buyer, 'POST', `${url}/v1/list`, { max: 10 });
  const balance = async (buyer: Customer.Customer, url: string) =>
    (await Customer.call(buyer, 'GET', `${url}/account`)).body.balance_usd;
  const sluice = (...args: string[]) =>
    Sluice.run([...args, '--json'], {
      env: {
        DATABASE_URL: restored.url,
        STRIPE_SECRET_KEY: 'sk_test_sandbox',
        STRIPE_API_BASE: shop.sandboxUrl,
        PUBLIC_URL: shop.url,
        CATALOG: join(import.meta.dirname, '../fixtures/scripted.yaml'),
      },
    });
  const tool = (name: string, ...args: string[]) => promisify(execFile)(join(tools ?? '', name), args);

  test('gives every buyer what was paid, once, for the same tokens; the calls since are the seller’s loss', async () => {
    const [ann, bob] = [await Customer.register(shop.url), await Customer.register(shop.url)];
    const first = await buy(ann, '5.00');
    const page = (await purchase(bob, '0.50')).checkout_url;
    // First the trial is used, then credit.
    while ((await balance(ann, shop.url)) === '5.00') expect((await call(ann)).status).toBe(200);
    const before = await balance(ann, shop.url);
    // Charges whose responses are not marked as delivered would be reversed, as after a crash at that moment.
    await expect
      .poll(
        () => shop.sql`SELECT 1 FROM ledger.usage u JOIN ledger.writer n ON n.id = u.writer_id AND n.epoch = u.epoch
          WHERE u.seq > n.delivered_seq`,
      )
      .toHaveLength(0);

    const dump = join(folder, 'sluice.dump');
    await tool('pg_dump', '--format=custom', `--file=${dump}`, shop.databaseUrl);

    for (let calls = 0; calls < 3; calls++) await call(ann);
    const second = await buy(ann, '2.00');
    expect((await Customer.pay(page)).status).toBe(200);
    const eve = await Customer.register(shop.url);
    const third = await buy(eve, '3.00');
    const env = {
      DATABASE_URL: shop.databaseUrl,
      STRIPE_SECRET_KEY: 'sk_test_sandbox',
      STRIPE_API_BASE: shop.sandboxUrl,
    };
    expect((await Sluice.run(['refund', first, '--amount', '1.00'], { env })).code).toBe(0);
    await Promise.all(shop.storefronts.map((storefront) => storefront.kill()));

    await tool('pg_restore', '--no-owner', '--exit-on-error', `--dbname=${restored.url}`, dump);
    expect(JSON.parse((await sluice('ledger', 'verify')).out).holds).toBe(true);
    const mended = await sluice('reconcile', '--restored');
    expect(JSON.parse(mended.out).entered.sort()).toEqual([second, third].sort());
    expect(mended.code).toBe(0);
    const again = await sluice('reconcile', '--restored');
    expect(JSON.parse(again.out)).toMatchObject({ entered: [], differences: [] });

    const url = await shop.addStorefront({ DATABASE_URL: restored.url });
    const expected = (Number(before) + 2 - 1).toFixed(3);
    expect(Number(await balance(ann, url)).toFixed(3)).toBe(expected);
    expect([await balance(bob, url), await balance(eve, url)]).toEqual(['0.50', '3.00']);
    expect((await call(eve, url)).headers.get('storefront-balance-usd')).toBe('2.995000');
    // The dead process's leases are returned.
    const dead = postgres(restored.url, { max: 1 });
    await expect
      .poll(
        () =>
          dead`SELECT 1 FROM ledger.writer n JOIN ledger.lease l ON l.writer_id = n.id WHERE n.heartbeat_at < now() - interval '5 seconds'`,
      )
      .toHaveLength(0);
    await dead.end();
    expect(JSON.parse((await sluice('ledger', 'verify')).out).holds).toBe(true);
  });
});

test('a cold copy of the embedded database opens elsewhere, and its books hold', async () => {
  const from = join(folder, 'data');
  const logFile = join(folder, 'log');
  await mkdir(from, { recursive: true });
  const open = () => openCluster({ dir: join(from, 'postgres'), database: 'sluice', durable: true, logFile });
  const cluster = await open();
  await migrate(cluster.url);
  const sql = postgres(cluster.url, { max: 1, onnotice: () => {} });
  await sql`SELECT shop.register('acc_ann', 'trial', 25)`;
  await sql.end();
  await cluster.stop();

  const copy = join(folder, 'copy');
  execFileSync('cp', ['-a', from, copy]);
  await rm(from, { recursive: true });
  const { code, out } = await Sluice.run(['ledger', 'verify', '--json'], { env: { DATA_DIR: copy } });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    holds: true,
    totals: [{ asset: 'unit', granted: 25, balance: 25 }],
  });
});
