import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Mcp from './mcp-client.ts';

const tokensMax = 6_000;
const bytesPerToken = 4;
let shop: Shop.Shop;

beforeAll(async () => {
  shop = await Shop.open();
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(() => shop?.stop());

test('the list of tools costs less than 6,000 tokens, and no operation is missing from the search', async () => {
  const client = await Mcp.connect(shop.url);
  const { tools } = await client.listTools();
  expect(Buffer.byteLength(JSON.stringify(tools)) / bytesPerToken).toBeLessThan(tokensMax);
  expect(tools.map(({ name }) => name)).toEqual([
    'shop_guide',
    'shop_services',
    'shop_prices',
    'shop_register',
    'shop_purchase',
    'shop_account',
    'search_operations',
    'call_operation',
    'read_result',
  ]);
  const { body } = await Mcp.call(client, 'search_operations', { query: 'jobs of a company' });
  expect(body.operations.map(({ operation }: { operation: string }) => operation)).toContain('jobs_company');
  const none = await Mcp.call(client, 'search_operations', { query: 'zzzzqqqq' });
  expect(none.body.others.length).toBeGreaterThan(20);
});

test('the price and the required arguments of an operation are known before it is called', async () => {
  const { token } = await Customer.register(shop.url);
  const client = await Mcp.connect(shop.url, token);
  const found = await Mcp.call(client, 'search_operations', { query: 'open jobs of a company page' });
  const job = found.body.operations.find((it: { operation: string }) => it.operation === 'jobs_company');
  expect(job).toMatchObject({ price: '0.001 USD a result', required: ['company_network_url'] });
  const described = await Mcp.call(client, 'search_operations', { operation: 'jobs_company' });
  expect(described.body.arguments.properties).toHaveProperty('company_network_url');
  expect(described.body.result_fields).toContain('title');
  const args = { company_network_url: 'https://www.network.example/company/tessera-health', max_results: 2 };
  const dear = await Mcp.call(client, 'call_operation', {
    operation: 'jobs_company',
    arguments: args,
    max_cost_usd: '0.0001',
  });
  expect(dear.body).toMatchObject({ code: 'price_ceiling' });
  const keyed = { operation: 'jobs_company', arguments: args, idempotency_key: 'once' };
  const first = await Mcp.call(client, 'call_operation', keyed);
  const again = await Mcp.call(client, 'call_operation', keyed);
  expect(again.answer).toMatchObject({ call: first.answer.call, idempotent_replayed: 'true' });
  expect((await Mcp.call(client, 'shop_account')).body.included_remaining).toBe(23);
});

test('wrong arguments are named before anything is charged', async () => {
  const { token } = await Customer.register(shop.url);
  const client = await Mcp.connect(shop.url, token);
  const fieldsOf = async (args: object): Promise<string[]> => {
    const { isError, body } = await Mcp.call(client, 'call_operation', { ...args });
    expect(isError).toBe(true);
    return (body.errors ?? []).map(({ field }: { field: string }) => field);
  };
  expect(await fieldsOf({ operation: 'jobs_company', arguments: {} })).toEqual([
    'arguments.company_network_url',
  ]);
  const wrong = { company_network_url: 7, max_results: 'many' };
  expect(await fieldsOf({ operation: 'jobs_company', arguments: wrong })).toEqual([
    'arguments.company_network_url',
    'arguments.max_results',
  ]);
  expect(await fieldsOf({ operation: 'jobs_company', arguments: [] })).toEqual(['arguments']);
  expect(await fieldsOf({ operation: 'jobs_company', arguments: {}, max_results: 3 })).toContain(
    'max_results',
  );
  const unknown = await Mcp.call(client, 'call_operation', { operation: 'job_company' });
  expect(unknown.body.message).toContain('jobs_company');
  expect((await Mcp.call(client, 'shop_account')).body.included_remaining).toBe(25);
});

test('the search takes the example of every operation that is described', async () => {
  const { paths } = parse(await readFile('packages/data-api/openapi/data-api.yaml', 'utf8'));
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 50_000_000);
  const client = await Mcp.connect(shop.url, customer.token);
  type Described = { requestBody?: unknown; operationId: string };
  for (const item of Object.values<Record<string, Described>>(paths)) {
    const [operation] = Object.values(item);
    const { content } = (operation?.requestBody ?? {}) as {
      content?: { 'application/json': { example: object } };
    };
    const name = operation?.operationId.replaceAll('.', '_');
    const example = content?.['application/json'].example ?? {};
    const said = await Mcp.call(client, 'call_operation', { operation: name, arguments: example });
    expect(said.isError, `${name} ${said.text}`).toBe(false);
  }
});

test('fifty people fit, their fields are chosen, and what was cut is read again for nothing by its account alone', async () => {
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 50_000_000);
  const client = await Mcp.connect(shop.url, customer.token);
  const people = { operation: 'search_people', arguments: { max_results: 50 } };
  const result = await client.callTool({ name: 'call_operation', arguments: { ...people } });
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(27_000);
  expect(result.structuredContent).toBeUndefined();
  const meta = result._meta?.['storefront/answer'] as { call: string; units: string };
  expect(meta.units).toBe('50');
  const before = (await Mcp.call(client, 'shop_account')).body;
  const link = result.content.find(({ type }) => type === 'resource_link') as { uri: string };
  const { contents } = await client.readResource({ uri: link.uri });
  const whole = JSON.parse((contents[0] as { text: string }).text);
  expect(whole.results).toHaveLength(50);

  const seen: unknown[] = [];
  for (let from: number | null = 0; from !== null; ) {
    const page: Mcp.Said = await Mcp.call(client, 'read_result', { call: meta.call, from });
    seen.push(...page.body.results);
    from = seen.length < 50 ? seen.length : null;
  }
  expect(seen).toEqual(whole.results);
  const described = await Mcp.call(client, 'search_operations', { operation: 'search_people' });
  const [field] = described.body.result_fields;
  const fields = await Mcp.call(client, 'read_result', { call: meta.call, fields: [field] });
  expect(fields.body.results).toHaveLength(50);
  expect(Object.keys(fields.body.results[0])).toEqual([field]);
  const none = await Mcp.call(client, 'read_result', { call: meta.call, fields: ['nonsense'] });
  expect(none.body.results[0]).toEqual(whole.results[0]);
  expect((await Mcp.call(client, 'shop_account')).body).toEqual(before);

  const stranger = await Mcp.connect(shop.url, (await Customer.register(shop.url)).token);
  expect((await Mcp.call(stranger, 'read_result', { call: meta.call })).body.code).toBe('not_found');
  await expect(stranger.readResource({ uri: link.uri })).rejects.toThrow('No result of this call');
  await expect((await Mcp.connect(shop.url)).readResource({ uri: link.uri })).rejects.toThrow();
});

test('documents, operations and prices are resources, and prompts start with them', async () => {
  const client = await Mcp.connect(shop.url);
  const { resources } = await client.listResources();
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    expect((contents[0] as { text: string }).text.length, uri).toBeGreaterThan(100);
  }
  const prices = await client.readResource({ uri: `${shop.url}/manifest.json` });
  const published = await (await fetch(`${shop.url}/manifest.json`)).json();
  expect(JSON.parse((prices.contents[0] as { text: string }).text)).toEqual(published);
  const described = await client.readResource({ uri: 'operation://jobs_company' });
  expect((described.contents[0] as { text: string }).text).toContain('0.001');
  await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('no such resource');
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['find_and_call', 'explain_prices', 'explain_operation']);
  const said = await client.getPrompt({ name: 'find_and_call', arguments: { goal: '40 jobs' } });
  expect(JSON.stringify(said.messages)).toContain('40 jobs');
  await expect(client.getPrompt({ name: 'find_and_call', arguments: {} })).rejects.toThrow('goal');
});
