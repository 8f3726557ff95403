import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as Customer from '../support/customer.ts';
import * as Program from '../support/program.ts';
import * as Shop from '../support/shop.ts';

// json-server is a program of somebody else: nothing in it or in ours was changed for the other.
const bin = createRequire(import.meta.url).resolve('json-server/lib/cli/bin.js');
let directory: string;
let server: ChildProcess;
let shop: Shop.Shop;
let customer: Customer.Customer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-notes-'));
  const data = join(directory, 'db.json');
  await copyFile(fileURLToPath(new URL('../fixtures/notes.json', import.meta.url)), data);
  const port = await Program.freePort();
  server = spawn(process.execPath, [bin, '--host', '127.0.0.1', '--port', String(port), data], {
    cwd: directory,
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(url), { timeout: 20_000 });

  shop = await Shop.open({ upstream: { url, key: 'notes_key' }, catalog: 'notes.yaml' });
  customer = await Customer.register(shop.url);
});
afterAll(async () => {
  await shop?.stop();
  if (server?.kill()) await once(server, 'exit');
  await rm(directory, { recursive: true, force: true });
});

const call = (method: string, path: string, body?: unknown) =>
  Customer.call(customer, method, shop.url + path, body);

test('another API is sold by another catalogue, with no line of code changed', async () => {
  const refused = await call('GET', '/posts/1');
  expect(refused).toMatchObject({ status: 403, body: { code: 'plan_required', service: 'posts' } });
  const [plan] = refused.body.plans;
  expect(plan).toMatchObject({ id: 'credit', price_usd: '1.00' });
  const offer = await call(plan.purchase.method, new URL(plan.purchase.url).pathname, plan.purchase.body);
  await Customer.pay(offer.body.checkout_url);

  let balance = 1_000_000;
  const counts = async (answer: Customer.Answer, units: number, price: number) => {
    balance -= units * price;
    expect(answer.headers.get('storefront-units')).toBe(String(units));
    expect(answer.headers.get('storefront-cost-usd')).toBe(((units * price) / 1e6).toFixed(6));
    expect(answer.headers.get('storefront-balance-usd')).toBe((balance / 1e6).toFixed(6));
  };
  const all = await call('GET', '/posts');
  expect(all.body).toHaveLength(7);
  await counts(all, 7, 2_000);
  const some = await call('GET', '/posts?author=cyd&_sort=title&_limit=5');
  expect(some.body.map(({ title }: { title: string }) => title)).toEqual(['On batches', 'On leases']);
  await counts(some, 2, 2_000);
  await counts(await call('GET', '/posts?author=nobody'), 0, 2_000);
  const one = await call('GET', '/posts/4');
  expect(one.body).toEqual({ id: 4, title: 'On ledgers', author: 'bob' });
  await counts(one, 1, 2_000);
  await counts(await call('GET', '/posts/404'), 0, 2_000);
  const comment = await call('POST', '/comments', { post: 2, text: 'Well said.' });
  expect(comment).toMatchObject({ status: 201, body: { id: 2, text: 'Well said.' } });
  await counts(comment, 1, 1);
  expect((await call('GET', '/account')).body.balance_usd).toBe('0.979999');
  expect(await Shop.breaches(shop)).toEqual([]);
});

test('what the catalogue does not list is out of reach, however the upstream would serve it', async () => {
  for (const [method, path, status] of [
    ['GET', '/profile', 404],
    ['GET', '/db', 404],
    ['GET', '/comments', 405],
    ['GET', '/comments/1', 404],
    ['DELETE', '/posts/1', 405],
    ['PUT', '/posts/1', 405],
    ['POST', '/posts', 405],
    ['GET', '/posts/1/comments', 404],
    ['GET', '/posts/..%2fprofile', 404],
  ] as const)
    expect([method, path, (await call(method, path)).status]).toEqual([method, path, status]);
  expect(JSON.stringify((await call('GET', '/posts/1')).body)).toContain('On plans');
});

test('its pages tell of this shop and no other', async () => {
  const { body } = await call('GET', '/manifest.json');
  expect(body).toMatchObject({
    name: 'Notes',
    meters: [{ id: 'post' }, { id: 'comment' }],
    prices: [
      { service: 'posts', priceUsd: '0.002', includedUnits: 0 },
      { service: 'comments', priceUsd: '0.000001' },
    ],
    payment: { minimumUsd: '1.00' },
  });
  const { text } = await call('GET', '/auth.md');
  expect(text).toContain('# Notes');
  expect(text).toMatch(/curl .*-X GET "\$SHOP\/posts"/);
});
