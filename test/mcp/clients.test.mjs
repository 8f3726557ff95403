import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { stripe } from 'mppx/client';
import { McpClient } from 'mppx/mcp/client';
import * as Shop from '../mppx/shop.mjs';

const cliMsMax = 60_000;
const company = 'https://www.network.example/company/tessera-health';

let shop;
let home;
before(async () => {
  shop = await Shop.open();
  home = await mkdtemp(join(tmpdir(), 'sluice-mcp-home-'));
});
after(async () => {
  await shop?.close();
  if (home) await rm(home, { recursive: true, force: true });
});

test('the inspector finds no fault in the schemas of the tools, and nothing in their arguments that a client may not read', async () => {
  for (const [query, least] of [
    ['', 9],
    ['?tools=all', 21],
  ]) {
    const { code, stdout, log } = await inspector({ query }, 'tools/list', '--strict');
    assert.equal(code, 0, log.slice(0, 4_000));
    const { tools } = JSON.parse(stdout);
    assert.ok(tools.length >= least);
    assert.doesNotMatch(log, /Path: inputSchema/);
  }
});

test('the inspector reads the documents and prompts of the shop', async () => {
  const listed = await inspector({}, 'resources/list');
  assert.equal(listed.code, 0, listed.log);
  const { uri } = JSON.parse(listed.stdout).resources.find(({ name }) => name === 'prices');
  const read = await inspector({}, 'resources/read', '--uri', uri);
  assert.match(read.stdout, /plans/);
  const prompts = await inspector({}, 'prompts/list');
  assert.match(prompts.stdout, /find_and_call/);
});

test('the inspector registers, asks, buys on the card page and calls what it was told to call', async () => {
  const { access_token: bearer } = await called(null, 'shop_register');
  const advice = await called(null, 'shop_guide', { goal: '40 jobs at Tessera Health' });
  assert.equal(advice.status, 'quoted');
  const [buying, calling] = advice.steps.slice(1).map(({ tool }) => tool);

  const offer = await inspector(
    { bearer },
    'tools/call',
    '--tool-name',
    buying.name,
    ...pairs(buying.arguments),
  );
  assert.notEqual(offer.code, 0);
  await payByCard(/https?:\/\/\S+\/checkout\/\w+/.exec(offer.log)[0]);
  assert.equal((await called(bearer, 'shop_account')).balance_usd, '0.50');

  const answer = await called(bearer, calling.name, calling.arguments);
  assert.ok(Array.isArray(answer.results));
  const after = await called(bearer, 'shop_account');
  assert.equal(after.included_remaining, 25 - answer.results_length);
});

test('the published payment client pays a tool that asks for a payment, by itself', async () => {
  const { access_token: bearer } = await called(null, 'shop_register');
  const client = await connect(bearer);
  const paying = McpClient.wrap(client, {
    methods: [stripe.charge({ paymentMethod: 'pm_card_visa', createToken })],
  });
  const bought = await paying.callTool({
    name: 'shop_purchase',
    arguments: { plan: 'credit', amount_usd: '3.00' },
  });
  assert.equal(bought.structuredContent.balance_usd, '3.00');
  assert.equal(bought.receipt.status, 'success');
  assert.match(bought.receipt.reference, /^pi_/);
  await client.close();
});

test('a client of the SDK before this one lists, checks and calls, and is refused in words', async () => {
  const { access_token: bearer } = await called(null, 'shop_register');
  const client = await connect(bearer);
  await client.listTools();
  const { structuredContent, isError } = await client.callTool({
    name: 'jobs_company',
    arguments: { company_network_url: company, max_results: 1 },
  });
  assert.ok(!isError);
  assert.equal(structuredContent.results_length, 1);
  const dear = { company_network_url: company, max_results: 50 };
  const refused = await client.callTool({ name: 'jobs_company', arguments: dear });
  assert.equal(refused.isError, true);
  assert.equal(refused.structuredContent.code, 'credit_exhausted');
  await client.close();
});

async function connect(bearer) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${shop.url}/mcp`), { requestInit }));
  return client;
}

async function createToken({ amount, currency, expiresAt, networkId, paymentMethod }) {
  const answer = await fetch(`${shop.sandboxUrl}/v1/test_helpers/shared_payment/granted_tokens`, {
    method: 'POST',
    body: new URLSearchParams({
      payment_method: paymentMethod,
      'usage_limits[currency]': currency,
      'usage_limits[max_amount]': amount,
      'usage_limits[expires_at]': String(expiresAt),
      'seller_details[network_id]': networkId,
    }),
    headers: { authorization: `Basic ${btoa('sk_test_x:')}` },
  });
  assert.equal(answer.status, 200);
  return (await answer.json()).id;
}

/** Pays as a person does: opens the link and sends the form of the hosted page. */
async function payByCard(checkoutUrl) {
  const page = await fetch(checkoutUrl);
  const [, form] = /<form method="post" action="([^"]+)"/.exec(await page.text());
  const card = { number: '4242 4242 4242 4242', expiry: '12 / 40', cvc: '123' };
  const body = new URLSearchParams({ ...card, email: 'buyer@example.com', name: 'Ada Lovelace' });
  assert.equal((await fetch(new URL(form, page.url), { method: 'POST', body })).status, 200);
}

/** Has the published command line call a tool, and reads its result as data. */
async function called(bearer, name, args = {}) {
  const { code, stdout, log } = await inspector(
    { bearer },
    'tools/call',
    '--tool-name',
    name,
    ...pairs(args),
  );
  assert.equal(code, 0, log + stdout);
  const { structuredContent, content } = JSON.parse(stdout);
  return structuredContent ?? JSON.parse(content[0].text);
}

function pairs(args) {
  const texts = Object.entries(args).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return texts.length > 0 ? ['--tool-arg', ...texts] : [];
}

/** Runs the published command line as it is. */
function inspector({ bearer = null, query = '' }, method, ...more) {
  const bin = join(import.meta.dirname, 'node_modules/.bin/mcp-inspector');
  const header = bearer === null ? [] : ['--header', `Authorization: Bearer ${bearer}`];
  const args = [
    '--cli',
    `${shop.url}/mcp${query}`,
    '--transport',
    'http',
    '--method',
    method,
    ...more,
    ...header,
  ];
  const env = { PATH: process.env.PATH, HOME: home };
  return new Promise((resolve) => {
    execFile(bin, args, { env, timeout: cliMsMax, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, log) =>
      resolve({ code: error ? error.code : 0, stdout, log }),
    );
  });
}
