import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let script: (received: Upstream.Received) => unknown;

beforeAll(async () => {
  upstream = await Upstream.scripted((received) => script(received));
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'own-figures.yaml' });
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

const json = 'content-type: application/json';
const usage =
  '{"left":999999,"used":4000,"cost":9.5,"balance":"100.00","rate":1000,"rate_left":999,"resets":"2030-01-01","owner":"ops@example.com","id":12345678901234567890}';
const operators = ['999999', '4000', '9.5', '100.00', '1000', '2030', 'ops@example.com'];

function responds(body: string | Buffer, headers: readonly string[] = [json], status = 200): void {
  script = ({ socket }) => socket.write(Upstream.http(status, body, headers));
}

/** An account without included units, and with 0.020 USD. */
async function payer(): Promise<Customer.Customer> {
  const customer = await Customer.register(shop.url);
  responds('{"count":25}');
  await call(customer, '/v1/list', { max: 25 });
  await Customer.credit(shop.sql, customer, 20_000);
  return customer;
}

function call(customer: Customer.Customer, path: string, body?: unknown, headers = {}) {
  return Customer.call(customer, body ? 'POST' : 'GET', shop.url + path, body, headers);
}

test('figures of the operator are replaced by those of the caller; everything else stays as it was', async () => {
  const customer = await payer();
  responds(`{ "count":3, "results":[{"usage":${usage}}],"usage":${usage}}`, [json, 'etag: "1"']);
  const response = await call(customer, '/v1/list', { max: 5 });
  expect(response.text).toBe(
    `{ "count":3, "results":[{"usage":${usage}}],"usage":{"left":17,"used":3,"cost":"0.003000","balance":"0.017000","rate":7,"rate_left":${response.body.usage.rate_left},"resets":null,"id":12345678901234567890}}`,
  );
  expect(response.body.usage.rate_left).toBeLessThan(7);
  expect(response.headers.get('storefront-units')).toBe('3');
  expect(response.headers.get('etag')).toBeNull();
  const info = await Customer.call(customer, 'GET', `${shop.url}/account`);
  expect(info.body.balance_usd).toBe('0.017');
});

test.each([
  ['a fixed price and a long body', 200, `{"pad":"${'x'.repeat(200_000)}","usage":${usage}}`, [json]],
  ['a compressed body', 200, gzipSync(`{"usage":${usage}}`), [json, 'content-encoding: gzip']],
  ['an error', 422, `{"usage":${usage}}`, ['content-type: application/problem+json; charset=utf-8']],
  ['a name that occurs twice, once in disguise', 200, `{"usage":${usage},"\\u0075sage":${usage}}`, [json]],
])('no figure of the operator is in a response with %s', async (_, status, body, headers) => {
  const customer = await payer();
  responds(body, headers, status);
  const response = await call(customer, '/v1/fixed', { a: 1 });
  expect(response.status).toBe(status);
  for (const figure of operators) expect(response.text).not.toContain(figure);
  expect(response.body.usage).toMatchObject({ used: status === 200 ? 2 : 0, id: expect.any(Number) });
});

test('the first response to an account names the rate limit of its own plan, not of the fastest plan on sale', async () => {
  const customer = await Customer.register(shop.url);
  responds(`{"usage":${usage}}`);
  const { rate, rate_left } = (await call(customer, '/v1/fixed', { a: 1 })).body.usage;
  expect({ rate, rate_left }).toEqual({ rate: 7, rate_left: 6 });
});

test('a repeated request under a key receives the figures of the first response', async () => {
  const customer = await payer();
  responds(`{"count":3,"usage":${usage}}`);
  const headers = { 'idempotency-key': 'once' };
  const first = await call(customer, '/v1/list', { max: 5 }, headers);
  const second = await call(customer, '/v1/list', { max: 5 }, headers);
  expect(first.body.usage.left).toBe(17);
  expect(second.text).toBe(first.text);
});

test('a free call names what the account has, and what is not JSON stays byte for byte', async () => {
  const customer = await payer();
  responds(`{"usage":${usage}}`);
  expect((await call(customer, '/v1/gratis')).body.usage).toMatchObject({ used: 0, balance: '0.020000' });
  responds(usage, ['content-type: text/plain']);
  expect((await call(customer, '/v1/gratis')).text).toBe(usage);
});

test('a response that cannot be read for its figures is withheld and costs nothing', async () => {
  const customer = await payer();
  const long = Buffer.concat([
    Buffer.from(`{"usage":${usage},"pad":"`),
    Buffer.alloc(33 * 1024 * 1024, 'x'),
    Buffer.from('"}'),
  ]);
  responds(long);
  const response = await call(customer, '/v1/fixed', { a: 1 });
  expect([response.status, response.body.code]).toEqual([502, 'response_uncountable']);
  const account = await Customer.call(customer, 'GET', `${shop.url}/account`);
  expect(account.body.balance_usd).toBe('0.02');
});
