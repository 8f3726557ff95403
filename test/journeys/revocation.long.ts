import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as TcpProxy from '../support/proxy.ts';
import * as Shop from '../support/shop.ts';
import * as Waits from '../support/waits.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let proxy: TcpProxy.Proxy;
/** The second process; its way to the database goes through the proxy. */
let other: string;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml' });
  proxy = await TcpProxy.open(shop.databaseUrl);
  other = await shop.addStorefront({ DATABASE_URL: proxy.url });
});
afterAll(async () => {
  await shop?.stop();
  await proxy?.cut();
  await upstream?.close();
});

function form(base: string, path: string, fields: Record<string, string>): Promise<Customer.Answer> {
  return fetch(base + path, { method: 'POST', body: new URLSearchParams(fields) }).then(Customer.read);
}

async function revoke(base: string, token: string): Promise<void> {
  expect((await form(base, '/oauth2/revoke', { token })).status).toBe(200);
}

function exchange(base: string, assertion: string): Promise<Customer.Answer> {
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  return form(base, '/oauth2/token', { grant_type, assertion });
}

async function status(base: string, token: string): Promise<number> {
  return (await Customer.call({ token }, 'GET', `${base}/v1/key`)).status;
}

test('a token that was revoked at one process opens nothing at another from the answer on', async () => {
  for (let round = 0; round < 25; round += 1) {
    const { token } = await Customer.register(shop.url);
    const [here, there] = round % 2 === 0 ? [shop.url, other] : [other, shop.url];
    expect(await status(there, token)).toBe(200);
    await revoke(here, token);
    expect([await status(there, token), await status(here, token)]).toEqual([401, 401]);
    expect((await Customer.call({ token }, 'GET', `${there}/account`)).status).toBe(401);
  }
});

test('an assertion takes its whole session with it: all its tokens, and the way to new ones', async () => {
  const { token, assertion } = await Customer.register(shop.url);
  const second = (await exchange(other, assertion)).body.access_token;
  expect([await status(shop.url, second), await status(other, token)]).toEqual([200, 200]);
  await revoke(other, assertion);
  for (const base of [shop.url, other]) {
    expect([await status(base, token), await status(base, second)]).toEqual([401, 401]);
    expect(await exchange(base, assertion)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  }
});

test('a token goes alone, and what is no token is thanked for', async () => {
  const { token, assertion } = await Customer.register(shop.url);
  await Promise.all([shop.url, shop.url, other].map((base) => revoke(base, token)));
  await revoke(other, token);
  const next = await exchange(other, assertion);
  expect(next.status).toBe(200);
  expect(await status(other, next.body.access_token)).toBe(200);
  await revoke(shop.url, 'nobody.knows.this');
  // Without a confirmation each would take three seconds.
  await Waits.takesLess(2_000, async () => revoke(other, (await Customer.register(shop.url)).token));
});

test('a process that hears nothing asks the record, and has caught up when it hears again', async () => {
  const [deaf, before] = await Promise.all([Customer.register(shop.url), Customer.register(shop.url)]);
  expect([await status(other, deaf.token), await status(other, before.token)]).toEqual([200, 200]);

  proxy.forbid('listen "revocations"');
  await revoke(shop.url, deaf.token);
  expect([await status(other, deaf.token), await status(other, before.token)]).toEqual([401, 200]);
  const during = await Customer.register(other);
  expect(await status(other, during.token)).toBe(200);

  proxy.forbid(null);
  // It confirms again, so a revocation need not wait for it any more.
  await Waits.takesLess(1_000, async () => revoke(shop.url, (await Customer.register(shop.url)).token));
  const tokens = [deaf.token, before.token, during.token];
  expect(await Promise.all(tokens.map((token) => status(other, token)))).toEqual([401, 200, 200]);
});

test('a process that starts later knows what was revoked before, and one that died holds nobody up for long', async () => {
  const { token } = await Customer.register(shop.url);
  await revoke(shop.url, token);
  const late = await shop.addStorefront();
  expect(await status(late, token)).toBe(401);

  await shop.storefronts.at(-1)?.kill();
  const next = await Customer.register(shop.url);
  const startedMs = performance.now();
  await revoke(other, next.token);
  expect(performance.now() - startedMs).toBeLessThan(Waits.busyFactor * 3_000);
  expect(await status(shop.url, next.token)).toBe(401);
});
