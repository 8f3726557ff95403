import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let script: (received: Upstream.Received) => unknown;

beforeAll(async () => {
  upstream = await Upstream.scripted((received) => script(received));
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml' });
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

const isRefused = (port: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
    socket.once('connect', () => socket.destroy());
  });

test('a process that is told to end lets its calls end, charges them, takes no new ones and owes nothing', async () => {
  const base = await shop.addStorefront();
  const { port } = new URL(base);
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 500_000);
  const calls = 8;
  const allThere = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  let there = 0;
  script = async ({ socket }) => {
    there += 1;
    if (there === calls) allThere.resolve();
    await letGo.promise;
    socket.write(Upstream.http(200, '{"count":10}'));
  };
  const underWay = Array.from({ length: calls }, () =>
    Customer.call(customer, 'POST', `${base}/v1/list`, { max: 10 }),
  );
  await allThere.promise;

  const storefront = shop.storefronts.at(-1);
  const stopped = storefront?.stop();
  await expect.poll(() => isRefused(port)).toBe(true);
  letGo.resolve();
  const answers = await Promise.all(underWay);
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: calls }, () => 200));
  const cost = answers.map(({ headers }) => Number(headers.get('storefront-cost-usd')) * 1e6);
  expect(Math.round(cost.reduce((sum, one) => sum + one, 0))).toBe(55_000);

  expect(await stopped).toBe(0);
  const writer = `%:${port}`;
  const [{ open } = { open: null }] = await shop.sql`SELECT open FROM ledger.writer WHERE id LIKE ${writer}`;
  expect(open).toBe(false);
  expect([...(await shop.sql`SELECT * FROM ledger.lease WHERE writer_id LIKE ${writer}`)]).toEqual([]);
  const mine = await Customer.call(customer, 'GET', `${shop.url}/account`);
  expect(mine.body).toMatchObject({ balance_usd: '0.445', included_remaining: 0 });
  expect(await Shop.breaches(shop)).toEqual([]);
  const lines = storefront?.output().trim().split('\n') ?? [];
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ event: 'stopped' });
});

test('until DRAIN_SECONDS have passed it is not ready and serves on; a second SIGTERM ends it at once, and nothing is owed', async () => {
  const base = await shop.addStorefront({ DRAIN_SECONDS: '60', DRAIN_MAX_SECONDS: '60' });
  const storefront = shop.storefronts.at(-1);
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 500_000);
  script = ({ socket }) => socket.write(Upstream.http(200, '{"count":1}'));
  const ready = () => Customer.send({ method: 'GET', url: `${base}/readyz` });
  expect((await ready()).status).toBe(200);
  storefront?.child.kill('SIGTERM');
  await expect.poll(async () => (await ready()).status).toBe(503);
  expect((await ready()).body).toMatchObject({ status: 'not_ready', checks: { serving: false } });
  for (const path of ['/v1/list', '/v1/list?q=1']) {
    const call = await Customer.call(customer, 'POST', `${base}${path}`, { max: 1 });
    expect(call.status).toBe(200);
    expect(call.headers.get('connection')).toBe('close');
  }
  // A second signal within half a second counts as the first.
  await expect
    .poll(() => {
      storefront?.child.kill('SIGTERM');
      return storefront?.child.exitCode;
    })
    .toBe(1);
  expect(storefront?.output()).toContain('"stopped_at_once"');
  const open = async () =>
    (await shop.sql`SELECT 1 FROM ledger.lease WHERE writer_id LIKE ${`%:${new URL(base).port}`}`).length;
  await expect.poll(open, { timeout: 60_000 }).toBe(0);
  expect(await Shop.breaches(shop)).toEqual([]);
});

test('whoever is connected and silent does not hold it up', async () => {
  const base = await shop.addStorefront();
  const [silent, idle] = [1, 2].map(() => connect(Number(new URL(base).port), '127.0.0.1'));
  for (const socket of [silent, idle]) socket?.on('error', () => undefined);
  idle?.write('GET /healthz HTTP/1.1\r\nhost: shop\r\n\r\n');
  await new Promise((resolve) => idle?.once('data', resolve));
  const startedMs = performance.now();
  expect(await shop.storefronts.at(-1)?.stop()).toBe(0);
  // Without that, the silent connection would keep the process for ten seconds, its time for a first byte.
  expect(performance.now() - startedMs).toBeLessThan(9_500);
});
