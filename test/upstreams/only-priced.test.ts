import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let ada: Customer.Customer;
let body = '';

beforeAll(async () => {
  const json = ['content-type: application/json'];
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, body, json)));
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'jobs.yaml' });
});
beforeEach(async () => {
  ada = await Customer.register(shop.url);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

const models = () => Customer.call(ada, 'GET', `${shop.url}/v1/models`);

test('a list of models has those with prices only, and its other bytes stay as they are', async () => {
  body =
    '{"models": [ {"name":"models/small-1","size":1.0}, {"name":"models/tiny-1"}, {"name":"large-1"},{"name":7} ],"last":"tiny-1","page":null}';
  const { status, text } = await models();
  expect(status).toBe(200);
  expect(text).toBe('{"models": [ {"name":"models/small-1","size":1.0}, {"name":"large-1"} ],"page":null}');
});

test('a list that cannot be read is refused', async () => {
  body = '{"models":{"small-1":{}}}';
  expect(await models()).toMatchObject({ status: 502, body: { code: 'response_uncountable' } });
});
