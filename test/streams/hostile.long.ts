import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Upstream from './streaming-upstream.ts';

let upstream: Upstream.StreamingUpstream;
let shop: Shop.Shop;
let customer: Customer.Customer;

beforeAll(async () => {
  upstream = await Upstream.open();
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_hostile' }, catalog: 'streams.yaml' });
});
beforeEach(async () => {
  customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 10_000);
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const call = (body: string) => Customer.call(customer, 'POST', `${shop.url}/v1/chat`, body);

function answer(text: string): void {
  upstream.next((response) => {
    Upstream.begin(response);
    response.end(text);
  });
}

test('usage that is nested beyond any measure is no usage, and ends no process', async () => {
  const nested = `data: {"usage":{"total_tokens":9,"details":${deep(20_000)}}}\n\n`;
  answer(nested + Upstream.done);
  expect(await call('{"stream":true,"max_tokens":50}')).toMatchObject({
    status: 200,
    text: nested + Upstream.done,
  });
  answer(nested + Upstream.usage(7) + Upstream.done);
  expect((await call('{"stream":true,"max_tokens":50}')).status).toBe(200);
  const [row] =
    await shop.sql`SELECT sum(units)::int AS units FROM ledger.usage WHERE account_id = ${customer.account}`;
  expect(row?.units).toBe(7);
});

test('a request that is nested beyond any measure is sent as it is, and holds nothing for longer', async () => {
  answer(Upstream.usage(7) + Upstream.done);
  const hostile = `{"stream":true,"max_tokens":100,"stream_options":${deep(9_000)}}`;
  expect((await call(hostile)).status).toBe(200);
  expect(upstream.asked.at(-1)?.text).toBe(hostile);
  answer(Upstream.usage(7) + Upstream.done);
  expect((await call('{"stream":true,"max_tokens":93}')).status).toBe(200);
});
