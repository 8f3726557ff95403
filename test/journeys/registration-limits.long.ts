import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import { solve } from '../support/proof-of-work.ts';
import * as Shop from '../support/shop.ts';

const adminToken = 'adm_of_the_limits_and_long_enough';
let shop: Shop.Shop;

beforeAll(async () => {
  shop = await Shop.open({
    upstream: { url: 'http://127.0.0.1:9', key: 'upk_1' },
    catalog: 'scripted.yaml',
    env: { ADMIN_TOKEN: adminToken },
  });
});
beforeEach(() => shop.sql`TRUNCATE shop.block_use`);
afterAll(() => shop?.stop());

const register = (
  more: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
) =>
  Customer.send({
    method: 'POST',
    url: `${shop.url}/agent/auth`,
    headers: { 'content-type': 'application/json', ...headers },
    body: { type: 'anonymous', ...more },
  });

const fillDay = () =>
  shop.sql`INSERT INTO shop.block_use (kind, block) SELECT 'registration', '' FROM generate_series(1, 10000)`;

describe('a registration on a full day', () => {
  test('is let in by the proof of work that its refusal asks for, once', async () => {
    await fillDay();
    const refused = await register();
    expect([refused.status, refused.body.code]).toEqual([429, 'proof_of_work_required']);
    const { challenge, leading_zero_bits: bits, algorithm } = refused.body.proof_of_work;
    expect([algorithm, bits]).toEqual(['sha256', 19]);
    const work = { proof_of_work: solve({ challenge, bits }) };
    const [one, two] = await Promise.all([register(work), register(work)]);
    expect([one.status, two.status].sort()).toEqual([201, 403]);
    const again = await register(work);
    expect([again.status, again.body.code]).toEqual([403, 'proof_of_work_invalid']);
    expect(again.body.proof_of_work.challenge).not.toBe(challenge);
    const wrong = await register({
      proof_of_work: { challenge: again.body.proof_of_work.challenge, solution: 'no' },
    });
    expect(wrong.status).toBe(403);
  });

  test('is let in by the same proof of work through the tool', async () => {
    await fillDay();
    const call = (args: unknown) =>
      Customer.send({
        method: 'POST',
        url: `${shop.url}/mcp`,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'shop_register', arguments: args },
        },
      });
    const told = JSON.parse((await call({})).body.result.content[0].text);
    const { challenge, leading_zero_bits: bits } = told.proof_of_work;
    const done = JSON.parse((await call(solve({ challenge, bits }))).body.result.content[0].text);
    expect(done.account).toMatch(/^acc_/);
  });
});

describe('without CLIENT_ADDRESS_HEADER', () => {
  test.each([
    ['x-forwarded-for', (at: number) => `203.0.113.${at}`],
    ['forwarded', (at: number) => `for=203.0.113.${at}`],
    ['x-real-ip', (at: number) => `203.0.113.${at}`],
  ])('all callers of a local proxy that sends %s are one address', async (name, value) => {
    const all: number[] = [];
    for (let at = 0; at < 7; at++) all.push((await register({}, { [name]: value(at) })).status);
    expect(all).toEqual([201, 201, 201, 201, 201, 429, 429]);
    expect((await register()).status).toBe(201);
  });

  test('the operator is warned once, by the log, the metrics and the console', async () => {
    for (let at = 0; at < 3; at++) await register({}, { 'x-forwarded-for': '203.0.113.1' });
    const [storefront] = shop.storefronts;
    // The log is a pipe: its line may arrive after the response.
    const warnings = () => storefront?.output().match(/"client_address_unknown"/g)?.length ?? 0;
    await expect.poll(warnings).toBe(1);
    const headers = { authorization: `Bearer ${adminToken}` };
    const metrics = await Customer.send({ method: 'GET', url: `${shop.url}/metrics`, headers });
    expect(metrics.text).toContain('sluice_events_total{event="client_address_unknown"} 1');
  });
});
