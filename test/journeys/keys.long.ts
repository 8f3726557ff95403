import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

const price = 100;
let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let bases: string[];

beforeAll(async () => {
  // Returns at most the requested number of results, and sometimes an error.
  let served = 0;
  upstream = await Upstream.scripted(({ socket, body }) => {
    served += 1;
    const { max = 1 } = body === '' ? {} : JSON.parse(body);
    const answer =
      served % 11 === 0 ? Upstream.http(500, '{}') : Upstream.http(200, `{"count":${served % (max + 1)}}`);
    setImmediate(() => socket.write(answer));
  });
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'busy.yaml' });
  bases = [shop.url.replace('localhost', '127.0.0.1'), await shop.addStorefront()];
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
  expect(await Shop.strays(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

async function join(): Promise<Customer.Customer> {
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 500_000);
  return customer;
}

async function makeKey(customer: Customer.Customer, purchaseInput: Record<string, unknown> = {}) {
  const made = await Customer.call(customer, 'POST', `${shop.url}/account/keys`, {
    name: 'robot',
    ...purchaseInput,
  });
  expect(made.status).toBe(201);
  return { id: made.body.id as string, token: made.body.key as string, body: made.body };
}

const list = (caller: { token: string }, max: number, base = 0) =>
  Customer.call(caller, 'POST', `${bases[base]}/v1/list`, { max });

const listed = async (customer: Customer.Customer, id: string) =>
  (await Customer.call(customer, 'GET', `${shop.url}/account/keys`)).body.keys.find(
    (key: { id: string }) => key.id === id,
  );

describe('a key', () => {
  test('is shown once, stored as its digest, and calls in every process as its account', async () => {
    const customer = await join();
    const key = await makeKey(customer);
    expect(key.token).toMatch(/^slk_[\w-]{43}$/);
    expect(key.body).toMatchObject({ name: 'robot', services: null, budget_usd: null, expires_at: null });
    const shown = await listed(customer, key.id);
    const { success: _, key: secret, ...rest } = key.body;
    expect([secret, shown]).toEqual([key.token, rest]);
    const dump = JSON.stringify(await shop.sql`SELECT * FROM shop.key`);
    expect(dump).not.toContain(key.token);
    for (const base of [0, 1]) expect([200, 500]).toContain((await list(key, 5, base)).status);
    expect((await Customer.call(key, 'GET', `${shop.url}/account`)).body.account).toBe(customer.account);
    await expect
      .poll(() => shop.sql`SELECT DISTINCT key_id FROM ledger.usage WHERE account_id = ${customer.account}`)
      .toEqual([{ key_id: key.id }]);
  });

  test('makes, lists and ends none', async () => {
    const customer = await join();
    const key = await makeKey(customer);
    for (const [method, path] of [
      ['POST', '/account/keys'],
      ['GET', '/account/keys'],
      ['DELETE', `/account/keys/${key.id}`],
    ] as const) {
      const refused = await Customer.call(
        key,
        method,
        shop.url + path,
        method === 'POST' ? { name: 'x' } : undefined,
      );
      expect([refused.status, refused.body.code]).toEqual([403, 'key_not_allowed']);
    }
  });

  test('that was revoked opens nothing in any process from then on, also where it was known', async () => {
    const customer = await join();
    const key = await makeKey(customer);
    for (const base of [0, 1]) expect((await list(key, 1, base)).status).not.toBe(401);
    const stranger = await join();
    const path = `${shop.url}/account/keys/${key.id}`;
    expect((await Customer.call(stranger, 'DELETE', path)).status).toBe(404);
    expect((await Customer.call(customer, 'DELETE', path)).status).toBe(200);
    for (const base of [0, 1, 0, 1]) expect((await list(key, 1, base)).body.code).toBe('token_invalid');
    expect(await listed(customer, key.id)).toBeUndefined();
    expect((await Customer.call(customer, 'DELETE', path)).status).toBe(200);
  });

  test('that has expired opens nothing, and one that was never made neither', async () => {
    const customer = await join();
    const soon = await makeKey(customer, { expires_at: new Date(Date.now() + 2_000).toISOString() });
    expect((await list(soon, 1)).status).not.toBe(401);
    await expect.poll(async () => (await list(soon, 1)).status).toBe(401);
    expect((await list({ token: `slk_${'x'.repeat(43)}` }, 1)).body.code).toBe('token_invalid');
    expect((await list({ token: 'slk_short' }, 1)).body.code).toBe('token_invalid');
  });

  test('calls no service that is not on its list', async () => {
    const customer = await join();
    const key = await makeKey(customer, { services: ['lists'] });
    expect((await list(key, 1)).status).not.toBe(403);
    await shop.sql`UPDATE shop.key SET services = '{others}' WHERE id = ${key.id}`;
    await shop.storefronts[1]?.stop();
    bases[1] = await shop.addStorefront();
    const refused = await list(key, 1, 1);
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { code: 'key_not_allowed', key: key.id, services: ['others'] },
    ]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['budget_usd', { budget_usd: '0' }],
    ['budget_usd', { budget_usd: 5 }],
    ['services', { services: [] }],
    ['services[1]', { services: ['lists', 'list'] }],
    ['expires_at', { expires_at: '2001-01-01T00:00:00Z' }],
    ['expires_at', { expires_at: 'soon' }],
    ['limit', { limit: 1 }],
  ])('is not made with a bad %s (%j)', async (field, purchaseInput) => {
    const customer = await Customer.register(shop.url);
    const refused = await Customer.call(customer, 'POST', `${shop.url}/account/keys`, {
      name: 'robot',
      ...purchaseInput,
    });
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, field]);
  });

  test('is not made for services that are nested beyond any measure', async () => {
    const customer = await Customer.register(shop.url);
    const body = `{"name":"robot","services":[${'['.repeat(20_000)}${']'.repeat(20_000)}]}`;
    const refused = await Customer.call(customer, 'POST', `${shop.url}/account/keys`, body);
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'services[0]']);
  });

  test('is one of a hundred at most', async () => {
    const customer = await Customer.register(shop.url);
    const make = () => Customer.call(customer, 'POST', `${shop.url}/account/keys`, { name: 'robot' });
    const answers = await Promise.all(Array.from({ length: 104 }, make));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(answers.filter(({ body }) => body.code === 'too_many_keys')).toHaveLength(4);
  });
});

describe('a budget', () => {
  const budget = 50_000;

  /** Returns the value of the calls under a key, without reversed ones, and the account's charges for them. */
  async function booked(id: string): Promise<{ worth: number; charged: number }> {
    const [row] = await shop.sql`SELECT
        coalesce(sum(u.amount) FILTER (WHERE plan_id = '#budget'), 0)::int AS worth, coalesce(sum(u.amount) FILTER (WHERE plan_id <> '#budget'), 0)::int AS charged
      FROM ledger.usage u WHERE key_id = ${id} AND NOT EXISTS (
        SELECT 1 FROM ledger.posting p WHERE p.kind = 'undelivered' AND p.key = 'undelivered:' || u.call_id || ':' || u.draw)`;
    return { worth: row?.worth, charged: row?.charged };
  }

  /** Calls until the budget is used up. Returns the sum of the costs in the responses. */
  async function spend(key: { token: string }, base: number, seed: number): Promise<number> {
    let max = 1 + (seed % 50);
    let total = 0;
    for (let asked = 0; asked < 400; asked++) {
      const answer = await list(key, max, base);
      if (answer.headers.has('storefront-call'))
        total += Math.round(Number(answer.headers.get('storefront-cost-usd')) * 1e6);
      else expect(['budget_exhausted', 'credit_in_flight']).toContain(answer.body.code);
      if (answer.body.code === 'budget_exhausted') {
        const left = Math.round((Number(answer.body.budget_usd) - Number(answer.body.spent_usd)) * 1e6);
        if (left < price) return total;
        max = Math.min(50, Math.max(1, Math.floor(left / price)));
      } else max = 1 + ((max * 31 + seed) % 50);
    }
    return total;
  }

  test('is drawn to the last micro-dollar and never beyond it, by 32 callers over two processes', async () => {
    const customer = await join();
    const key = await makeKey(customer, { budget_usd: '0.05' });
    const totals = await Promise.all(Array.from({ length: 32 }, (_, at) => spend(key, at % 2, at)));
    let total = totals.reduce((sum, one) => sum + one, 0);
    total += await spend(key, 0, 0);
    expect(total).toBe(budget);
    expect(await booked(key.id)).toEqual({ worth: budget, charged: budget });
    const refused = await list(key, 1);
    expect([refused.status, refused.body]).toMatchObject([
      402,
      { code: 'budget_exhausted', key: key.id, budget_usd: '0.05', spent_usd: '0.05' },
    ]);
    expect(await listed(customer, key.id)).toMatchObject({ budget_usd: '0.05', spent_usd: '0.05' });
    // The account itself can still be used.
    expect([200, 500]).toContain((await list(customer, 1)).status);
    expect((await Customer.call(customer, 'GET', `${shop.url}/account`)).body.balance_usd).toMatch(
      /^0\.4[45]/,
    );
  });

  test('gets back what a process that is killed had set aside or not delivered', async () => {
    const customer = await join();
    const key = await makeKey(customer, { budget_usd: '0.05' });
    const doomed = bases.push(await shop.addStorefront()) - 1;
    const victim = shop.storefronts.at(-1);
    let answered = 0;
    const killed = Promise.withResolvers<void>();
    const attack = Array.from({ length: 8 }, async () => {
      for (;;) {
        await list(key, 5, doomed);
        answered += 1;
        if (answered === 20) {
          await victim?.kill();
          killed.resolve();
        }
      }
    });
    await Promise.allSettled(attack);
    await killed.promise;
    bases.pop();
    await expect
      .poll(
        () =>
          shop.sql`SELECT 1 FROM ledger.lease l JOIN ledger.writer n ON n.id = l.writer_id WHERE l.account_id = ${key.id} AND n.heartbeat_at < now() - interval '4 seconds'`,
      )
      .toHaveLength(0);
    await expect
      .poll(async () => {
        await spend(key, 1, 3);
        return booked(key.id);
      })
      .toEqual({ worth: budget, charged: budget });
  });

  test('counts what included units bear at the price, and binds together with the account', async () => {
    const customer = await Customer.register(shop.url);
    await shop.sql`SELECT shop.grant_credit(${customer.account}, ${customer.account}, 'credit', 'unit', 100, NULL, 'test', 'test')`;
    const key = await makeKey(customer, { budget_usd: '0.001' });
    expect((await list(key, 11)).body.code).toBe('budget_exhausted');
    await expect
      .poll(async () => Number((await list(key, 10)).headers.get('storefront-units')))
      .toBeGreaterThan(0);
    const { worth } = await booked(key.id);
    expect(worth).toBeGreaterThan(0);
    expect((await Customer.call(customer, 'GET', `${shop.url}/account`)).body.included_remaining).toBe(
      100 - worth / price,
    );
    const rich = await makeKey(customer, { budget_usd: '100' });
    // More than the account's balance, and less than the budget.
    await expect.poll(async () => (await list(rich, 50)).body.code, { interval: 0 }).toBe('credit_exhausted');
    const { worth: all } = await booked(rich.id);
    expect(Number((await listed(customer, rich.id)).spent_usd)).toBe(all / 1e6);
  });
});
