import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Program from '../support/program.ts';
import * as Shop from '../support/shop.ts';
import { header } from './opened.ts';

const keys = ['sk_first_key_of_the_shop', 'sk_second_key_of_the_shop'];
const backupKey = 'sk_backup_key_of_the_shop';
const password = 'pw_of_the_maps_of_the_shop';
const secrets = [...keys, backupKey, password];

type Script = (received: Upstream.Received) => unknown;
const counted: Script = ({ socket }) =>
  socket.write(Upstream.http(200, '{"count":2}', ['content-type: application/json']));

let script: Script = counted;
let main: Upstream.ScriptedUpstream;
let backup: Upstream.ScriptedUpstream;
let maps: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let env: Record<string, string>;

beforeAll(async () => {
  [main, backup, maps] = await Promise.all([
    Upstream.scripted((received) => script(received)),
    Upstream.scripted(counted),
    Upstream.scripted(counted),
  ]);
  env = {
    UPSTREAM_BACKUP_URL: backup.url,
    UPSTREAM_BACKUP_KEY: backupKey,
    UPSTREAM_MAPS_URL: maps.url,
    UPSTREAM_MAPS_PASSWORD: password,
  };
  const upstream = { url: main.url, key: keys.join(',') };
  shop = await Shop.open({ upstream, catalog: 'upstreams.yaml', env });
});
afterAll(async () => {
  await shop?.stop();
  for (const server of [main, backup, maps]) await server?.close();
});
afterEach(() => {
  script = counted;
  for (const server of [main, backup, maps]) server.received.length = 0;
});

const remaining = async (customer: Customer.Customer) =>
  (await Customer.call(customer, 'GET', `${shop.url}/account`)).body.included_remaining;

describe('a shop of several upstreams', () => {
  test('sends each service to its own one, with its own credentials only', async () => {
    const customer = await Customer.register(shop.url);
    const theirs = {
      'openai-beta': 'assistants=v2',
      'x-api-version': 'mine',
      'x-buyer': 'someone',
      cookie: 'a=b',
    };
    await Customer.call(customer, 'POST', `${shop.url}/v1/list?api_key=theirs`, {}, theirs);
    await Customer.call(customer, 'GET', `${shop.url}/v1/map?api_key=theirs`);
    const [list] = main.received as [Upstream.Received];
    expect(header(list, 'authorization')).toEqual([`Bearer ${keys[0]}`]);
    expect(header(list, 'openai-beta')).toEqual(['assistants=v2']);
    expect(header(list, 'x-api-version')).toEqual(['2024-06-01']);
    expect(header(list, 'cookie')).toEqual([]);
    const [map] = maps.received as [Upstream.Received];
    expect(header(map, 'authorization')).toEqual([
      `Basic ${Buffer.from(`shop:${password}`).toString('base64')}`,
    ]);
    expect(header(map, 'x-buyer')).toEqual([]);
    expect(backup.received).toHaveLength(0);
    expect(await remaining(customer)).toBe(100 - 2 - 1);
  });

  test('tells an upstream the same id of a buyer in every process, and never the account', async () => {
    const [one, other] = await Promise.all([Customer.register(shop.url), Customer.register(shop.url)]);
    const second = await shop.addStorefront();
    await Customer.call(one, 'POST', `${shop.url}/v1/list`, {}, { 'x-buyer': 'someone' });
    await Customer.call(one, 'POST', `${second}/v1/list`, {});
    await Customer.call(other, 'POST', `${shop.url}/v1/list`, {});
    const [first, again, another] = main.received.map((received) => header(received, 'x-buyer'));
    expect(first).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(again).toEqual(first);
    expect(another).not.toEqual(first);
    expect(main.received.map(({ head }) => head).join()).not.toContain(one.account);
  });

  test('refuses a body that the upstream does not take, sends nothing and charges nothing', async () => {
    const customer = await Customer.register(shop.url);
    const answer = await Customer.call(customer, 'POST', `${shop.url}/v1/alone`, { text: 'x'.repeat(1_000) });
    expect([answer.status, answer.body.code]).toEqual([413, 'body_too_large']);
    expect(main.received).toHaveLength(0);
    expect(await remaining(customer)).toBe(100);
  });

  test('never sends a request twice: an upstream that breaks off is not replaced, and nothing is charged', async () => {
    script = ({ socket }) => socket.destroy();
    const customer = await Customer.register(shop.url);
    const answer = await Customer.call(customer, 'POST', `${shop.url}/v1/list`, {});
    expect([answer.status, answer.body.code]).toEqual([502, 'upstream_unavailable']);
    expect([main.received.length, backup.received.length]).toEqual([1, 0]);
    expect(await remaining(customer)).toBe(100);
  });

  test('withholds a response that contains the key of another upstream', async () => {
    script = ({ socket }) => socket.write(Upstream.http(200, JSON.stringify({ count: 1, echo: backupKey })));
    const customer = await Customer.register(shop.url);
    const answer = await Customer.call(customer, 'POST', `${shop.url}/v1/list`, {});
    expect([answer.status, answer.body.code]).toEqual([502, 'upstream_unavailable']);
    expect(answer.text).not.toContain(backupKey);
    expect(await remaining(customer)).toBe(100);
  });

  test('while all keys rest: refuses with a time to retry and charges nothing, and uses the second upstream where there is one', async () => {
    script = ({ socket }) => socket.write(Upstream.http(401, '{}', ['retry-after: 40']));
    // Its own process, because its keys rest afterwards.
    const url = await shop.addStorefront();
    const customer = await Customer.register(shop.url);
    const call = (path: string) => Customer.call(customer, 'POST', `${url}${path}`, {});
    for (const _ of keys) expect((await call('/v1/alone')).body.code).toBe('upstream_refused');
    const refused = await call('/v1/alone');
    expect([refused.status, refused.body.code]).toEqual([503, 'upstream_refused']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
    expect(main.received).toHaveLength(keys.length);
    const served = await call('/v1/list');
    expect([served.status, served.body]).toEqual([200, { count: 2 }]);
    expect(backup.received[0]?.head.split(' ')[1]).toBe(`/v1/list?api_key=${backupKey}`);
    expect(await remaining(customer)).toBe(98);
  });

  test('uses the second upstream when the first cannot be reached, charges once, and reports both at /readyz', async () => {
    const port = await Program.freePort();
    const url = await shop.addStorefront({ UPSTREAM_URL: `http://127.0.0.1:${port}` });
    const customer = await Customer.register(shop.url);
    const served = await Customer.call(customer, 'POST', `${url}/v1/list`, {});
    expect([served.status, served.body]).toEqual([200, { count: 2 }]);
    expect(await remaining(customer)).toBe(98);
    const alone = await Customer.call(customer, 'POST', `${url}/v1/alone`, {});
    expect([alone.status, alone.body.code]).toEqual([502, 'upstream_unavailable']);
    expect(await remaining(customer)).toBe(98);
    const ready = await Customer.send({ method: 'GET', url: `${url}/readyz` });
    expect(ready.status).toBe(200);
    expect(ready.body.upstreams).toEqual({ main: false, backup: true, maps: true });
  });

  test('does not start without a variable that the catalogue names, and says which', async () => {
    const start = shop.addStorefront({ UPSTREAM_BACKUP_KEY: '', UPSTREAM_MAPS_URL: 'ftp://maps' });
    await expect(start).rejects.toThrow(
      /UPSTREAM_BACKUP_KEY is missing: upstreams\.backup\.key\.from in the catalogue names it[\s\S]*UPSTREAM_MAPS_URL is not an address/,
    );
  });

  test('books every charge, and logs no secret', async () => {
    expect(await Shop.breaches(shop)).toEqual([]);
    const logged = shop.storefronts.map(({ output }) => output()).join('\n');
    expect(logged).toContain('upstream_fallback');
    for (const secret of secrets) expect(logged).not.toContain(secret);
  });
});
