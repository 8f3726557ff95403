import { id, uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../src/catalog/operation.ts';
import * as Quantities from '../../src/http/pages/quantities.ts';
import * as KeyRing from '../../src/identity/key-ring.ts';
import * as SignedReceipt from '../../src/identity/signed-receipt.ts';
import * as SigningKey from '../../src/identity/signing-key.ts';
import * as PaidResponse from '../../src/journeys/paid-response.ts';
import type { MeteredCall } from '../../src/ledger/hold.ts';
import { english } from '../../src/text/texts.ts';
import { type OpenWriter, openWriter } from '../ledger/open-writer.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Browser from '../support/browser.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

const adminToken = 'adm_of_the_console_and_long_enough';
let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let process: OpenWriter;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":3}')));
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'scripted.yaml',
    env: { ADMIN_TOKEN: adminToken },
  });
  process = await openWriter(shop.databaseUrl, id('metering'), Date.now);
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await process?.end();
  await shop?.stop();
  await upstream?.close();
});

const input = { quantities: { input: 1_200, output: 34.5 }, priceKey: 'small-1', upstreamCost: ofMicro(700) };

/** Settles a metered call as a process of the shop does. Returns its id. */
async function metered(account: string, outcome: Partial<MeteredCall> & { units: number }): Promise<string> {
  const callId = uuidv7(Date.now());
  const request = { callId, account, plans: ['credit'], price: ofMicro(1), units: outcome.units };
  const held = await process.writer.hold(request);
  if (held.kind !== 'held') throw new Error(held.kind);
  const call = { status: 200, service: 'lists', operation: 'POST /v1/list', ...input, ...outcome };
  const settled = await process.writer.settle(held.hold, call);
  if (settled.kind !== 'settled') throw new Error(settled.kind);
  process.writer.delivered(settled.seq);
  return `call_${callId}`;
}

/** An account with five dollars, two metered calls of two models, and a plain one. */
async function buyer() {
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 5_000_000);
  const small = await metered(customer.account, { units: 905 });
  const large = await metered(customer.account, {
    ...{ units: 2_000_000, priceKey: '=large"1' },
    quantities: { output: 1_000 },
  });
  const plain = await Customer.call(customer, 'POST', `${shop.url}/v1/list`, { max: 3 });
  expect(plain.status).toBe(200);
  const ask = (path: string) => Customer.call(customer, 'GET', `${shop.url}/account/${path}`);
  return { customer, small, large, plain: plain.headers.get('storefront-call') ?? '', ask };
}

describe('the buyer', () => {
  test('reads usage by model with the sum of each meter, and no micro-dollars as units', async () => {
    const { ask } = await buyer();
    const { body } = await ask('usage?group=model');
    expect(body.usage).toEqual([
      {
        ...{ model: '=large"1', calls: 1, units: 0, included_units: 0, cost_usd: '2.000000' },
        quantities: { output: 1_000 },
      },
      {
        ...{ model: 'small-1', calls: 1, units: 0, included_units: 0, cost_usd: '0.000905' },
        quantities: { input: 1_200, output: 34.5 },
      },
      { model: null, calls: 1, units: 3, included_units: 3, cost_usd: '0.000000' },
    ]);
    const services = (await ask('usage')).body.usage;
    expect(services).toEqual([
      {
        ...{ service: 'lists', calls: 3, units: 3, included_units: 3, cost_usd: '2.000905' },
        quantities: { input: 1_200, output: 1_034.5 },
      },
    ]);
  });

  test('reads single calls with their model, quantities, cost, plans and status', async () => {
    const { ask, small, plain } = await buyer();
    const { status, body } = await ask(`calls/${small}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ success: true, call: small, at: expect.any(String), service: 'lists', operation: 'POST /v1/list' },
      ...{ status: 200, plans: ['credit'], key: null, units: 0, included_units: 0, cost_usd: '0.000905' },
      ...{ given_back: false, model: 'small-1', quantities: { input: 1_200, output: 34.5 } },
    });
    const listed = (await ask('calls')).body.calls;
    expect(listed.find(({ call }: { call: string }) => call === small)).toEqual({
      ...body,
      success: undefined,
    });
    const other = (await ask(`calls/${plain}`)).body;
    expect(other).toMatchObject({ call: plain, units: 3, plans: ['trial'] });
    expect(other).not.toHaveProperty('quantities');
    expect(other).not.toHaveProperty('model');
  });

  test('never sees what the upstream charges', async () => {
    const { ask, small } = await buyer();
    for (const path of ['usage', 'usage?group=model', 'calls', `calls/${small}`])
      expect((await ask(path)).text).not.toMatch(/upstream|700/);
  });

  test.each(['', 'call_', 'call_0', 'x', `call_${uuidv7(0)}`, `call_${uuidv7(Date.now())}`])(
    'finds no call "%s"',
    async (call) => {
      const customer = await Customer.register(shop.url);
      const { status, body } = await Customer.call(
        customer,
        'GET',
        `${shop.url}/account/calls/${call || '%20'}`,
      );
      expect([status, body.code]).toEqual([404, 'not_found']);
    },
  );

  test('cannot read a call of another account', async () => {
    const { small } = await buyer();
    const other = await Customer.register(shop.url);
    const url = `${shop.url}/account/calls/${small}`;
    expect((await Customer.call(other, 'GET', url)).status).toBe(404);
    expect((await fetch(url)).status).toBe(401);
  });

  test('sees quantities with the names of their meters on the account page and in the CSV file', async () => {
    const browser = new Browser.Browser(shop.url);
    await browser.open('/shop/start', {});
    const account = /acc_\w+/.exec((await browser.open('/shop/account/settings')).html)?.[0] ?? '';
    await Customer.credit(shop.sql, { account } as Customer.Customer, 5_000_000);
    const small = await metered(account, { units: 905 });
    await metered(account, { units: 2_000_000, priceKey: '=large"1', quantities: { output: 1_000 } });
    const { html } = await browser.open('/shop/account/usage?by=model');
    expect((await browser.open('/shop/account/usage')).html).toContain('>input 1200, output 1034.5</td>');
    expect(html).toMatch(
      /<th scope="row">small-1<\/th><td[^>]*>1<\/td><td[^>]*>input 1200, output 34.5<\/td>/,
    );
    expect(html).not.toMatch(/>905<|>2000905<|>2000000</);
    const csv = (await browser.open('/shop/account/calls.csv')).html.trim().split('\r\n');
    expect(csv[0]).toMatch(/,given_back,model,quantity:input,quantity:output$/);
    expect(csv[1]).toMatch(/,200,0,0,2\.000000,,false,"'=large""1",,1000$/);
    expect(csv[2]).toMatch(new RegExp(`^${small},.*,200,0,0,0\\.000905,,false,small-1,1200,34\\.5$`));
  });

  test('has a signed receipt with quantities instead of units', async () => {
    const key = await SigningKey.load(await SigningKey.generate(Date.now()));
    const ring = KeyRing.keyRing(shop.url, [key]);
    const service = { slug: 'chat' };
    const charges: never[] = [];
    const paid: PaidResponse.PaidResponse = {
      ...{ callId: uuidv7(0), account: 'acc_1', units: 905, wantsReceipt: true, measured: input },
      operation: { id: 'POST /chat', service, units: { kind: 'meters' } } as Operation,
      response: { kind: 'whole', status: 200, headers: [], body: Buffer.alloc(0) } as never,
      cost: {
        charges,
        cost: ofMicro(905),
        balance: ofMicro(10),
        includedRemaining: 0,
        includedUsd: null,
        resetsMs: null,
      },
    };
    const list = await PaidResponse.headers({ clock: Date.now, tokenVerifier: { ring } as never }, paid);
    const header = (name: string) => list[list.indexOf(name) + 1] ?? '';
    expect(list).not.toContain('storefront-units');
    expect(PaidResponse.unitsOf(paid)).toBeUndefined();
    expect(Quantities.ofCall(english, paid, 'result')).toBe('input 1200, output 34.5');
    expect(Quantities.ofCall(english, { units: 5 }, 'result')).toBe('5 results');
    expect(header('storefront-usage')).toBe('input=1200, output=34.5');
    const receipt = await SignedReceipt.verify(ring, header('storefront-receipt'));
    expect(receipt).toMatchObject({
      ...{ kind: 'call', operation: 'POST /chat', cost_usd: '0.000905' },
      ...{ model: 'small-1', quantities: { input: 1_200, output: 34.5 } },
    });
    expect(receipt).not.toHaveProperty('units');
    // Only the seller sees the upstream's price.
    expect(Object.values(receipt ?? {})).not.toContain(700);
    expect(Object.keys(receipt ?? {}).join()).not.toMatch(/upstream/i);
  });
});

test('the seller sees quantities and margins by service and model, and calls without a known cost as unknown', async () => {
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 50_000_000);
  await metered(customer.account, {
    units: 3_000_000,
    priceKey: 'console-1',
    upstreamCost: ofMicro(1_000_000),
  });
  const { upstreamCost: _, ...unknown } = input;
  const held = {
    callId: uuidv7(Date.now()),
    account: customer.account,
    plans: ['credit'],
    price: ofMicro(1),
    units: 9_000_000,
  };
  const answer = await process.writer.hold(held);
  if (answer.kind !== 'held') throw new Error(answer.kind);
  const call = { status: 200, service: 'lists', operation: 'POST /v1/list', units: 9_000_000 };
  const settled = await process.writer.settle(answer.hold, { ...call, ...unknown, priceKey: 'console-2' });
  expect(settled.kind).toBe('settled');

  const signIn = await fetch(`${shop.url}/admin/console/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', accept: 'text/html' },
    body: new URLSearchParams({ token: adminToken }),
  });
  const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const html = await (await fetch(`${shop.url}/admin`, { headers: { accept: 'text/html', cookie } })).text();
  const cells = (name: string) =>
    [
      ...(new RegExp(`<th[^>]* scope="row">[^<]*${name}</th>(.*?)</tr>`).exec(html)?.[1] ?? '').matchAll(
        />([^<]*)<\/td>/g,
      ),
    ].map(([, text]) => text);
  expect(cells('console-1')).toEqual([
    '1',
    'input 1,200, output 34.5',
    '0',
    '3.00 USD',
    '3.00 USD',
    '1.00 USD',
    '2.00 USD (66.7%)',
  ]);
  expect(cells('console-2')).toEqual([
    '1',
    'input 1,200, output 34.5',
    '0',
    '9.00 USD',
    'unknown',
    'unknown',
    'unknown',
  ]);
  expect(html).not.toMatch(/3,000,000|9,000,000/);
  const page = await (
    await fetch(`${shop.url}/admin/console/accounts/${customer.account}`, {
      headers: { accept: 'text/html', cookie },
    })
  ).text();
  expect(page).toMatch(
    /<td[^>]* class="number">input 1,200, output 34\.5<\/td><td[^>]* class="number">3\.00 USD<\/td>/,
  );
});
