import { uuidv7 } from '@sluice/kernel/id';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

const dayMs = 86_400_000;
let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let customer: Customer.Customer;
let key: { id: string; token: string };

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket, body }) => {
    const { max = 0 } = body === '' ? {} : JSON.parse(body);
    socket.write(max === 13 ? Upstream.http(500, '{}') : Upstream.http(200, `{"count":${max}}`));
  });
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml' });
  customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 500_000);
  const { body } = await Customer.call(customer, 'POST', `${shop.url}/account/keys`, { name: 'robot' });
  key = { id: body.id, token: body.key };
  // 25 units of the trial, of which the second call takes the last ones and then money.
  for (const [caller, max] of [
    [customer, 20],
    [key, 10],
    [key, 13],
    [customer, 3],
  ] as const)
    await Customer.call(caller, 'POST', `${shop.url}/v1/list`, { max });
  await Customer.call(key, 'GET', `${shop.url}/v1/items/1`);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

async function ask(what: string, query = '') {
  const { status, body } = await Customer.call(customer, 'GET', `${shop.url}/account/${what}${query}`);
  expect(status).toBe(200);
  return body;
}

describe('what was used', () => {
  const of = (name: unknown, calls: number, units: number, included_units: number, cost_usd: string) => ({
    name,
    calls,
    units,
    included_units,
    cost_usd,
  });

  test.each([
    ['service', [of('items', 1, 1, 0, '0.001000'), of('lists', 4, 33, 25, '0.008000')]],
    [
      'operation',
      [of('GET /v1/items/{id}', 1, 1, 0, '0.001000'), of('POST /v1/list', 4, 33, 25, '0.008000')],
    ],
    [
      'plan',
      [of('credit', 3, 9, 0, '0.009000'), of('trial', 2, 25, 25, '0.000000'), of(null, 1, 0, 0, '0.000000')],
    ],
    ['day', [of(new Date().toISOString().slice(0, 10), 5, 34, 25, '0.009000')]],
  ])('by %s is what the calls said', async (group, rows) => {
    const { usage } = await ask('usage', `?group=${group}`);
    expect(usage).toEqual(rows.map(({ name, ...rest }) => ({ [group]: name, ...rest })));
  });

  test('by key tells each one’s', async () => {
    const { usage } = await ask('usage', '?group=key');
    expect(usage).toEqual([
      { key: key.id, calls: 3, units: 11, included_units: 5, cost_usd: '0.006000' },
      { key: null, calls: 2, units: 23, included_units: 20, cost_usd: '0.003000' },
    ]);
  });

  test('and was given back counts for nothing, and says so', async () => {
    const other = await Customer.register(shop.url);
    const { headers } = await Customer.call(other, 'POST', `${shop.url}/v1/list`, { max: 4 });
    const call = headers.get('storefront-call') ?? '';
    await shop.sql`SELECT ledger.credit_undelivered(ARRAY[${call.slice('call_'.length)}]::uuid[])`;
    const mine = async (what: string) =>
      (await Customer.call(other, 'GET', `${shop.url}/account/${what}`)).body;
    expect((await mine('usage')).usage).toMatchObject([{ calls: 1, units: 0, included_units: 0 }]);
    expect((await mine('calls')).calls).toMatchObject([{ call, units: 0, given_back: true }]);
  });

  test('is nobody else’s to know', async () => {
    const other = await Customer.register(shop.url);
    expect((await Customer.call(other, 'GET', `${shop.url}/account/usage`)).body.usage).toEqual([]);
    expect((await Customer.call(other, 'GET', `${shop.url}/account/calls`)).body.calls).toEqual([]);
    for (const path of ['usage', 'calls'])
      expect((await fetch(`${shop.url}/account/${path}`)).status).toBe(401);
  });

  test.each([
    ['from', 'usage?from=soon'],
    ['to', 'usage?to=2024-13-01'],
    ['from', 'usage?from=2024-01-02&to=2024-01-01'],
    ['from', 'usage?from=2024-01-01&to=2024-04-03'],
    ['group', 'usage?group=hour'],
    ['cursor', 'calls?cursor=1'],
  ])('is not told for a bad %s (%s)', async (field, path) => {
    const { status, body } = await Customer.call(customer, 'GET', `${shop.url}/account/${path}`);
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
  });
});

describe('days that have ended', () => {
  const account = 'acc_old';
  const day = (ago: number) => new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10);

  beforeAll(async () => {
    await shop.sql`INSERT INTO shop.account (id, origin, joined_to) VALUES (${account}, 'anonymous', ${customer.account})`;
    for (const ago of [2, 3]) {
      const name = `ledger.usage_${day(ago).replaceAll('-', '')}`;
      await shop.sql.unsafe(`CREATE TABLE ${name} PARTITION OF ledger.usage
        FOR VALUES FROM (ledger.uuid_at('${day(ago)}T00:00Z')) TO (ledger.uuid_at('${day(ago - 1)}T00:00Z'))`);
      for (let at = 0; at < 60; at++)
        await shop.sql`INSERT INTO ledger.usage (call_id, draw, account_id, service, operation, status, units, price, amount, writer_id, epoch, seq)
          VALUES (${uuidv7(Date.parse(`${day(ago)}T12:00Z`) + at)}, 0, ${account}, 'lists', 'POST /v1/list', 200, 0, 1000, 0, 'old', 1, ${at})`;
    }
  });

  test('are told with those of the account that they belong to by now, page by page', async () => {
    const seen: string[] = [];
    const times: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { calls: { call: string; at: string }[]; cursor: string | null } = await ask(
        'calls',
        cursor && `?cursor=${cursor}`,
      );
      expect(page.calls.length).toBeLessThanOrEqual(50);
      seen.push(...page.calls.map(({ call }) => call));
      times.push(...page.calls.map(({ at }) => at));
      cursor = page.cursor;
    }
    expect(new Set(seen).size).toBe(125);
    expect(times).toEqual([...times].sort().reverse());
    const { usage } = await ask('usage', `?group=day&from=${day(3)}&to=${day(2)}`);
    expect(usage).toMatchObject([
      { day: day(3), calls: 60 },
      { day: day(2), calls: 60 },
    ]);
  });

  test('are indexed, and today is not', async () => {
    for (let more = true; more; )
      [{ more }] = await shop.sql<[{ more: boolean }]>`SELECT ledger.index_usage() AS more`;
    const rows = await shop.sql<
      { name: string }[]
    >`SELECT indexname AS name FROM pg_indexes WHERE indexname LIKE 'usage_%_account' ORDER BY 1`;
    expect(rows.map(({ name }) => name)).toEqual(
      [3, 2].map((ago) => `usage_${day(ago).replaceAll('-', '')}_account`),
    );
  });
});
