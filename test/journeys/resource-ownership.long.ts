import { gzipSync } from 'node:zlib';
import { id } from '@sluice/kernel/id';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openResourceOwners } from '../../src/adapters/postgres/resource-owners.ts';
import * as Retention from '../../src/adapters/postgres/retention.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let script: (received: Upstream.Received) => unknown;

beforeAll(async () => {
  upstream = await Upstream.scripted((received) => script(received));
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'uploads.yaml' });
});
let ada: Customer.Customer;
let bob: Customer.Customer;
beforeEach(async () => {
  ada = await Customer.register(shop.url);
  bob = await Customer.register(shop.url);
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

const json = ['content-type: application/json'];
const responds = (body: unknown, status = 200) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  script = ({ socket }) => socket.write(Upstream.http(status, text, json));
};
const call = (customer: Customer.Customer, method: string, path: string, body?: unknown) =>
  Customer.call(customer, method, shop.url + path, body);
const included = async (customer: Customer.Customer): Promise<number> =>
  (await call(customer, 'GET', '/account')).body.included_remaining;
const rows = (account: string) =>
  shop.sql`SELECT kind, id, expires_at FROM shop.resource WHERE account_id = ${account} ORDER BY id`;
const logged = () => shop.storefronts.map((storefront) => storefront.output()).join('');

/** Creates a file at the upstream. */
async function create(customer: Customer.Customer, file = id('file')): Promise<string> {
  responds({ id: file });
  expect((await call(customer, 'POST', '/v1/files', {})).status).toBe(200);
  return file;
}

describe('a resource that a buyer created', () => {
  test('is theirs before its response arrives', async () => {
    const file = await create(ada);
    expect(await rows(ada.account)).toMatchObject([{ kind: 'file', id: file, expires_at: null }]);
    responds({ id: file });
    expect((await call(ada, 'GET', `/v1/files/${file}`)).body).toEqual({ id: file });
    expect((await call(ada, 'GET', `/v1/files/${file}/content`)).status).toBe(200);
  });

  test.each([
    ['GET', ''],
    ['GET', '/content'],
    ['DELETE', ''],
    ['HEAD', ''],
  ])(
    'answers 404 to others before the upstream is called, and costs them nothing: %s %s',
    async (method, rest) => {
      const file = await create(ada);
      const before = upstream.received.length;
      const refused = await call(bob, method, `/v1/files/${file}${rest}`);
      expect(refused.status).toBe(404);
      if (method !== 'HEAD') expect(refused.body.code).toBe('resource_not_found');
      expect(upstream.received.length).toBe(before);
      expect(await included(bob)).toBe(25);
    },
  );

  test('is refused in the same words as one that does not exist', async () => {
    const file = await create(ada);
    const { request_id: _, ...foreign } = (await call(bob, 'GET', `/v1/files/${file}`)).body;
    const { request_id: __, ...missing } = (await call(bob, 'GET', '/v1/files/file_none')).body;
    expect(foreign).toEqual(missing);
  });

  test('is found by its exact spelling alone', async () => {
    await create(ada, 'file-A b');
    await create(bob, 'file-a b');
    responds({ ok: true });
    expect((await call(ada, 'GET', '/v1/files/file-A%20b')).status).toBe(200);
    for (const spelling of ['file-a%20b', 'file%2DA%20b', 'file-A%20b;x=1', 'file-A+b', 'FILE-A%20B'])
      expect([spelling, (await call(ada, 'GET', `/v1/files/${spelling}`)).status]).toEqual([spelling, 404]);
  });

  test('moves with its account when that is joined to another', async () => {
    const file = await create(ada);
    await shop.sql`SELECT shop.join_accounts(${ada.account}, ${bob.account})`;
    expect(await rows(bob.account)).toMatchObject([{ id: file }]);
    responds({ id: file });
    await expect.poll(async () => (await call(ada, 'GET', `/v1/files/${file}`)).status).toBe(200);
    expect((await call(bob, 'GET', `/v1/files/${file}`)).status).toBe(200);
    // A process that has not heard of the join yet still binds to the remaining account.
    const owners = openResourceOwners(shop.sql as never);
    expect(await owners.bind(ada.account, { kind: 'file', id: 'late' }, null)).toBe('bound');
    expect((await rows(bob.account)).length).toBe(2);
  });

  test('stays bound for a while after it was deleted, so that its id reaches no other account', async () => {
    const file = await create(ada);
    responds({ deleted: true });
    expect((await call(ada, 'DELETE', `/v1/files/${file}`)).status).toBe(200);
    const [row] = await rows(ada.account);
    expect(row?.expires_at.getTime()).toBeGreaterThan(Date.now() + 29 * 86_400_000);
    responds({ id: file });
    expect((await call(bob, 'POST', '/v1/files', {})).status).toBe(502);
    await shop.sql`UPDATE shop.resource SET expires_at = now() - interval '1 second' WHERE id = ${file}`;
    expect((await call(ada, 'GET', `/v1/files/${file}`)).status).toBe(404);
    await create(bob, file);
    await shop.sql`UPDATE shop.resource SET expires_at = now() - interval '1 second' WHERE id = ${file}`;
    await Retention.sweep(shop.sql as never, Retention.usual);
    expect(await rows(bob.account)).toEqual([]);
  });

  test('is not ended by a DELETE that failed', async () => {
    const file = await create(ada);
    responds({ error: 'in use' }, 409);
    expect((await call(ada, 'DELETE', `/v1/files/${file}`)).status).toBe(409);
    expect(await rows(ada.account)).toMatchObject([{ expires_at: null }]);
  });
});

describe('a response that creates a resource', () => {
  test('is withheld and free when the id belongs to another account, which keeps it', async () => {
    const file = await create(ada);
    responds({ id: file, secret: 'x' });
    const refused = await call(bob, 'POST', '/v1/files', {});
    expect([refused.status, refused.body.code]).toEqual([502, 'ownership_unclear']);
    expect(refused.text).not.toContain('secret');
    expect(await included(bob)).toBe(25);
    expect((await rows(ada.account)).map((row) => row.id)).toContain(file);
    await expect.poll(logged).toMatch(/"resource_unbound"[^\n]*"taken"|"taken"[^\n]*"resource_unbound"/);
  });

  test.each([
    ['no id', { name: 'x' }],
    ['an empty id', { id: '' }],
    ['an id that is too long', { id: 'x'.repeat(201) }],
    ['an id with a control character', { id: 'a\u0000b' }],
    ['a fraction as its id', { id: 1.5 }],
    ['a list as its id', { id: ['a'] }],
    ['no JSON', 'created'],
    ['no body', ''],
  ])('is withheld and free when it has %s', async (_, body) => {
    responds(body);
    const refused = await call(ada, 'POST', '/v1/files', {});
    expect([refused.status, refused.body.code]).toEqual([502, 'ownership_unclear']);
    expect(await included(ada)).toBe(25);
    expect(await rows(ada.account)).toEqual([]);
  });

  test('is read through its content coding and delivered unchanged', async () => {
    const file = id('file');
    const coded = gzipSync(JSON.stringify({ id: file }));
    script = ({ socket }) => socket.write(Upstream.http(200, coded, [...json, 'content-encoding: gzip']));
    expect((await call(ada, 'POST', '/v1/files', {})).body).toEqual({ id: file });
    expect((await rows(ada.account)).map((row) => row.id)).toEqual([file]);
  });

  test('binds nothing when it is an error', async () => {
    responds({ id: 'file_error' }, 400);
    expect((await call(ada, 'POST', '/v1/files', {})).status).toBe(400);
    expect(await rows(ada.account)).toEqual([]);
  });

  test('may carry its id deeper and as a number, and bind it for some days', async () => {
    responds({ job: { number: 4711 } });
    expect((await call(ada, 'POST', '/v1/jobs', {})).status).toBe(200);
    const [row] = await rows(ada.account);
    expect(row).toMatchObject({ kind: 'job', id: '4711' });
    expect(Math.round((row?.expires_at.getTime() - Date.now()) / 86_400_000)).toBe(7);
    responds({ state: 'done' });
    expect((await call(ada, 'GET', '/v1/jobs/4711')).status).toBe(200);
    // The same number of another kind is another resource.
    expect((await call(ada, 'GET', '/v1/files/4711')).status).toBe(404);
  });

  test('is created once for an idempotency key, and replayed with the same id', async () => {
    const file = id('file');
    responds({ id: file });
    const headers = { 'idempotency-key': 'create-1' };
    const send = () => Customer.call(ada, 'POST', `${shop.url}/v1/files`, {}, headers);
    const before = upstream.received.length;
    expect([(await send()).body, (await send()).body]).toEqual([{ id: file }, { id: file }]);
    expect(upstream.received.length).toBe(before + 1);
  });
});

describe('the number of resources of an account', () => {
  test('is bounded, also over concurrent calls', async () => {
    const owners = openResourceOwners(shop.sql as never, 3);
    const bind = (name: string) =>
      owners.bind(ada.account, { kind: 'file', id: `${ada.account}-${name}` }, null);
    const states = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(bind));
    expect(states.sort()).toEqual(['bound', 'bound', 'bound', 'full', 'full']);
    expect(await owners.isFull(ada.account)).toBe(true);
    expect(await owners.isFull(bob.account)).toBe(false);
    const [first] = await rows(ada.account);
    expect(await owners.bind(ada.account, { kind: 'file', id: first?.id }, null)).toBe('bound');
  });

  test('never gives one id to two accounts that create it at once', async () => {
    const owners = openResourceOwners(shop.sql as never);
    for (let time = 0; time < 20; time++) {
      const resource = { kind: 'file', id: id('race') };
      const states = await Promise.all([ada, bob].map(({ account }) => owners.bind(account, resource, null)));
      expect(states.sort()).toEqual(['bound', 'taken']);
    }
  });
});

describe('a list of resources', () => {
  test('contains the caller’s own alone, byte for byte, and is counted after that', async () => {
    const [first, second] = [await create(ada), await create(ada)];
    const other = await create(bob);
    const before = await included(ada);
    responds(
      `{"object" : "list", "data": [ {"id":"${other}"} ,\n {"id": "${first}", "n":1e2},{"id":"x"}, {"no":1} , {"id":"${second}"} ],"last_id":"${second}", "has_more":false}`,
    );
    const list = await call(ada, 'GET', '/v1/files');
    expect(list.text).toBe(
      `{"object" : "list", "data": [ {"id": "${first}", "n":1e2} , {"id":"${second}"} ],"has_more":false}`,
    );
    expect(Number(list.headers.get('storefront-units'))).toBe(2);
    expect(await included(ada)).toBe(before - 2);
    expect(Number(list.headers.get('content-length'))).toBe(list.text.length);
  });

  test('is empty and free for a caller who has none', async () => {
    const file = await create(ada);
    responds({ data: [{ id: file }], has_more: false });
    const list = await call(bob, 'GET', '/v1/files');
    expect([list.text, await included(bob)]).toEqual(['{"data":[],"has_more":false}', 25]);
  });

  test.each([
    ['has no list at the pointer', '{"files":[]}'],
    ['names the list twice', '{"data":[],"data":[{"id":"x"}]}'],
    ['has another value there', '{"data":{"id":"x"}}'],
    ['is not JSON', '[{"id"'],
  ])('that %s is withheld and free', async (_, body) => {
    responds(body);
    const refused = await call(ada, 'GET', '/v1/files');
    expect([refused.status, refused.body.code]).toEqual([502, 'ownership_unclear']);
    expect(await included(ada)).toBe(25);
  });
});
