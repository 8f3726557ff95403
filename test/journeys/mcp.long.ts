import { readFile } from 'node:fs/promises';
import { type Client, ProtocolError } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as Network from '../purchase/network.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Mcp from './mcp-client.ts';

const company = 'https://www.network.example/company/tessera-health';
let shop: Shop.Shop;

beforeAll(async () => {
  shop = await Shop.open();
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(() => shop?.stop());

type Offer = {
  code: number;
  text: string;
  challenge: { id: string };
  checkoutUrl: string;
  problem: { title: string };
};

/** The payment that a purchase asks for, by either way in which MCP says so. */
async function offered(client: Client, args: object, meta?: object): Promise<Offer> {
  const answer = await Mcp.call(client, 'shop_purchase', { ...args }, meta && { ...meta }).catch(
    (fault: unknown) => fault,
  );
  const isError = answer instanceof ProtocolError;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it.
  const data: any = isError ? answer.data : (answer as Mcp.Said).meta['org.paymentauth/payment-required'];
  const body = isError ? data : (answer as Mcp.Said).body;
  return {
    code: isError ? answer.code : (answer as Mcp.Said).answer.status,
    text: isError ? answer.message : (answer as Mcp.Said).text,
    challenge: data.challenges[0],
    checkoutUrl: body.checkout_url,
    problem: data.problem,
  };
}

describe.each(['legacy', 'auto'] as const)('a stock client, negotiation %s', (mode) => {
  test('registers, asks, buys in the sandbox, calls what it was told to call, and the money adds up', async () => {
    const stranger = await Mcp.connect(shop.url, null, mode);
    expect(stranger.getNegotiatedProtocolVersion()).toBe(mode === 'legacy' ? '2025-11-25' : '2026-07-28');
    const guide = await Mcp.call(stranger, 'shop_guide', { goal: '40 jobs at Tessera Health' });
    expect(guide.body.status).toBe('quoted');
    const { body } = await Mcp.call(stranger, 'shop_register');

    const client = await Mcp.connect(shop.url, body.access_token, mode);
    await client.listTools();
    const { tool: buying } = guide.body.steps.find((step: { do: string }) => step.do === 'buy');
    const offer = await offered(client, buying.arguments);
    expect(offer.code).toBe(mode === 'legacy' ? -32042 : 402);
    expect(offer.text).toContain(offer.checkoutUrl);
    const credential = {
      challenge: offer.challenge,
      payload: { spt: await Network.of(shop.sandboxUrl).mint() },
    };
    const meta = { 'org.paymentauth/credential': credential };
    const bought = await Mcp.call(client, buying.name, buying.arguments, meta);
    expect(bought.body).toMatchObject({ success: true, balance_usd: '0.50' });
    expect(bought.meta['org.paymentauth/receipt']).toMatchObject({ status: 'success', method: 'stripe' });
    const again = await Mcp.call(client, buying.name, buying.arguments, meta);
    expect(again.body.balance_usd).toBe('0.50');

    const { tool: calling } = guide.body.steps.find((step: { do: string }) => step.do === 'call');
    const paid = await Mcp.call(client, calling.name, calling.arguments);
    expect(paid.isError).toBe(false);
    expect(paid.answer).toMatchObject({ status: 200, units: String(paid.body.results_length) });
    const overview = await Mcp.call(client, 'shop_account');
    expect(overview.body.balance_usd).toBe('0.50');
    expect(25 - overview.body.included_remaining).toBe(paid.body.results_length);
  });
});

test('every operation is a tool that takes the example of its description, and whose answer passes the check of the client', async () => {
  const { paths } = parse(await readFile('packages/data-api/openapi/data-api.yaml', 'utf8'));
  const { token } = await Customer.register(shop.url);
  const client = await Mcp.connect(shop.url, token, 'auto', {}, '?tools=all');
  const { tools } = await client.listTools();
  expect(tools.filter(({ outputSchema }) => outputSchema)).toHaveLength(Object.keys(paths).length);
  for (const [path, item] of Object.entries<Record<string, { requestBody?: unknown; operationId: string }>>(
    paths,
  )) {
    const [operation] = Object.values(item);
    if (operation === undefined) throw new Error(path);
    const { content } = (operation.requestBody ?? {}) as {
      content?: { 'application/json': { example: object } };
    };
    const example = content?.['application/json'].example ?? {};
    const args = { ...example, ...('max_results' in example && { max_results: 1 }) };
    const said = await Mcp.call(client, operation.operationId.replaceAll('.', '_'), args);
    expect(said.isError, `${path} ${said.text}`).toBe(false);
    expect(said.body, path).not.toHaveProperty('undescribed');
    expect(JSON.parse(said.text)).toEqual(said.body);
  }
});

test('without a bearer the lists are open, and what needs one says how to register, as over HTTP', async () => {
  const client = await Mcp.connect(shop.url);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('search_operations');
  const all = await Mcp.connect(shop.url, null, 'auto', {}, '?tools=all');
  expect((await all.listTools()).tools.length).toBeGreaterThan(20);
  expect((await Mcp.call(client, 'shop_services')).body.prices).toContainEqual(
    expect.objectContaining({ service: 'company-jobs', priceUsd: '0.001' }),
  );
  const prices = await Mcp.call(client, 'shop_prices', { service: 'company-jobs' });
  expect(prices.body.plans).toContainEqual(expect.objectContaining({ plan: 'credit' }));
  const paid = {
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'jobs_company', arguments: { company_network_url: company } },
  };
  const refused = await fetch(`${shop.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(paid),
  });
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toContain(
    `resource_metadata="${shop.url}/.well-known/oauth-protected-resource/mcp"`,
  );
  const said = JSON.parse(await refused.text());
  expect(said).toMatchObject({ id: 7, error: { data: { status: 401, code: 'bearer_required' } } });
  const { registration } = said.error.data;
  const registered = await Customer.send(registration);
  expect(registered.body.access_token).toMatch(/^ey/);
  const bad = await Mcp.call(await Mcp.connect(shop.url, 'nonsense'), 'shop_account');
  expect(bad).toMatchObject({ isError: true, body: { code: 'token_invalid' } });
});

test('a refusal has the code and the members that it has over HTTP', async () => {
  const customer = await Customer.register(shop.url);
  const client = await Mcp.connect(shop.url, customer.token);
  const bodies = [
    { company_network_url: company, max_results: 50 },
    { company_network_url: company, max_result: 5 },
    {},
  ];
  for (const body of bodies) {
    const over = await Customer.call(customer, 'POST', `${shop.url}/v2/jobs/company`, body);
    const said = await Mcp.call(client, 'jobs_company', body);
    expect(said.isError).toBe(true);
    expect(said.answer.status).toBe(over.status);
    const { request_id: _own, ...members } = over.body;
    expect(said.body).toMatchObject(members);
  }
  const dear = { company_network_url: company, max_results: 20 };
  const ceiling = await Mcp.call(client, 'jobs_company', { ...dear, storefront: { max_cost_usd: '0.010' } });
  expect(ceiling.body).toMatchObject({ code: 'price_ceiling', required_usd: '0.02', ceiling_usd: '0.01' });
  const bound = await Mcp.connect(shop.url, customer.token, 'auto', { 'storefront-max-cost': '0.001' });
  const higher = await Mcp.call(bound, 'jobs_company', { ...dear, storefront: { max_cost_usd: '1' } });
  expect(higher.body).toMatchObject({ code: 'price_ceiling', ceiling_usd: '0.001' });
  expect((await Mcp.call(client, 'shop_account')).body.included_remaining).toBe(25);
});

test('under an idempotency key a call is made and charged once, over MCP and HTTP together', async () => {
  const customer = await Customer.register(shop.url);
  const client = await Mcp.connect(shop.url, customer.token);
  const body = { company_network_url: company, max_results: 2 };
  const keyed = { ...body, storefront: { idempotency_key: 'once' } };
  const first = await Mcp.call(client, 'jobs_company', keyed);
  const second = await Mcp.call(client, 'jobs_company', keyed);
  const headers = { 'idempotency-key': 'once' };
  const third = await Customer.call(customer, 'POST', `${shop.url}/v2/jobs/company`, body, headers);
  expect(second.body).toEqual(first.body);
  expect(second.answer).toMatchObject({ call: first.answer.call, idempotent_replayed: 'true' });
  expect(third.body).toEqual(first.body);
  expect((await Mcp.call(client, 'shop_account')).body.included_remaining).toBe(23);
});

test('a purchase without a bearer opens the account, and a declined card is told with a fresh challenge', async () => {
  const network = Network.of(shop.sandboxUrl);
  const client = await Mcp.connect(shop.url, null, 'legacy');
  const purchaseInput = { plan: 'credit', amount_usd: '5.00' };
  const pay = async (card: string) => {
    const { challenge } = await offered(client, purchaseInput);
    return {
      challenge,
      'org.paymentauth/credential': { challenge, payload: { spt: await network.mint(card) } },
    };
  };
  const { challenge, ...bad } = await pay('pm_card_chargeDeclined');
  const declined = await offered(client, purchaseInput, bad);
  expect(declined.code).toBe(-32043);
  expect(declined.challenge.id).not.toBe(challenge.id);

  const { challenge: _paid, ...meta } = await pay('pm_card_visa');
  const other = await offered(client, { ...purchaseInput, amount_usd: '50.00' }, meta);
  expect(other.problem.title).toBe('Unknown or used challenge');
  const bought = await Mcp.call(client, 'shop_purchase', purchaseInput, meta);
  const own = await Mcp.connect(shop.url, bought.body.access_token);
  expect((await Mcp.call(own, 'shop_account')).body.balance_usd).toBe('5.00');
});

test('a person pays the checkout_url, and the account of the tool has the money', async () => {
  const { token } = await Customer.register(shop.url);
  const client = await Mcp.connect(shop.url, token);
  const { checkoutUrl } = await offered(client, { plan: 'credit', amount_usd: '2.00' });
  await Customer.pay(checkoutUrl);
  expect((await Mcp.call(client, 'shop_account')).body.balance_usd).toBe('2.00');
});
