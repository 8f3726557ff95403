import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createMCPClient } from '@ai-sdk/mcp';
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import * as Shop from '../mppx/shop.mjs';

const tokensMax = 6_000;
/** What common clients pass on of one result before they cut it. */
const resultTokensMax = 10_000;
const company = 'https://www.network.example/company/tessera-health';
const jobs = { operation: 'jobs_company', arguments: { company_network_url: company, max_results: 2 } };

let shop;
before(async () => {
  shop = await Shop.open();
});
after(() => shop?.close());

/** Opens an account with its trial. */
async function register() {
  const response = await fetch(`${shop.url}/agent/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"type":"anonymous"}',
  });
  return (await response.json()).access_token;
}

/** The clients of the official SDKs, in each revision that they negotiate. */
const clients = {
  'the TypeScript SDK 1': async (bearer) => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${shop.url}/mcp`), init(bearer)));
    return client;
  },
  'the client package with a handshake': (bearer) => connectNew(bearer, 'legacy'),
  'the client package without a handshake': (bearer) => connectNew(bearer, 'auto'),
};

async function connectNew(bearer, mode) {
  const client = new NewClient({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new NewTransport(new URL(`${shop.url}/mcp`), init(bearer)));
  return client;
}

const init = (bearer) => ({ requestInit: { headers: { authorization: `Bearer ${bearer}` } } });
const read = ({ content }) => JSON.parse(content[0].text);

for (const [name, connect] of Object.entries(clients)) {
  test(`${name} lists tools for less than 6,000 tokens, finds an operation, calls it and reads the documents`, async () => {
    const client = await connect(await register());
    const { tools } = await client.listTools();
    const tokens = encode(JSON.stringify(tools)).length;
    assert.ok(tokens < tokensMax, `${tokens} tokens`);
    const query = { query: 'jobs of a company' };
    const found = read(await client.callTool({ name: 'search_operations', arguments: query }));
    assert.ok(found.operations.some(({ operation }) => operation === 'jobs_company'));
    const result = await client.callTool({ name: 'call_operation', arguments: jobs });
    assert.equal(read(result).results_length, 2);
    assert.equal(result._meta['storefront/answer'].units, '2');
    const { resources } = await client.listResources();
    const prices = resources.find((it) => it.name === 'prices');
    const { contents } = await client.readResource({ uri: prices.uri });
    assert.ok(JSON.parse(contents[0].text).plans.length > 0);
    const { prompts } = await client.listPrompts();
    assert.ok(prompts.length > 0);
    await client.close();
  });

  test(`${name} gets a long result in parts that fit, and each part is free after the first`, async () => {
    const client = await connect(await register());
    const people = { operation: 'search_people', arguments: { max_results: 25 } };
    const result = await client.callTool({ name: 'call_operation', arguments: people });
    assert.ok(!result.isError, result.content[0].text);
    assert.ok(encode(JSON.stringify(result)).length < resultTokensMax);
    const { call } = result._meta['storefront/answer'];
    const seen = read(result).results;
    while (seen.length < 25) {
      const more = { call, from: seen.length };
      seen.push(...read(await client.callTool({ name: 'read_result', arguments: more })).results);
    }
    const link = result.content.find(({ type }) => type === 'resource_link');
    const { contents } = await client.readResource({ uri: link.uri });
    assert.deepEqual(JSON.parse(contents[0].text).results, seen);
    const account = read(await client.callTool({ name: 'shop_account' }));
    assert.equal(account.included_remaining, 0);
    await client.close();
  });
}

test('an agent of a framework finds an operation by itself, calls it and sees what it was charged', async () => {
  const headers = { authorization: `Bearer ${await register()}` };
  const mcp = await createMCPClient({ transport: { type: 'http', url: `${shop.url}/mcp`, headers } });
  const tools = await mcp.tools();
  const turns = [
    { toolName: 'search_operations', input: { query: 'jobs of a company' } },
    { toolName: 'call_operation', input: { ...jobs, fields: ['title'] } },
  ];
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      const turn = turns.shift();
      return turn === undefined
        ? {
            content: [{ type: 'text', text: 'done' }],
            finishReason: { unified: 'stop', raw: 'stop' },
            usage,
            warnings: [],
          }
        : {
            content: [
              {
                type: 'tool-call',
                toolCallId: turn.toolName,
                toolName: turn.toolName,
                input: JSON.stringify(turn.input),
              },
            ],
            finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
            usage,
            warnings: [],
          };
    },
  });
  const { steps, text } = await generateText({ model, tools, prompt: 'jobs', stopWhen: stepCountIs(5) });
  assert.equal(text, 'done');
  const results = steps.flatMap(({ toolResults }) => toolResults);
  assert.deepEqual(
    results.map(({ toolName }) => toolName),
    ['search_operations', 'call_operation'],
  );
  const said = JSON.stringify(results[1].output);
  assert.match(said, /title/);
  assert.match(said, /Charged/);
  await mcp.close();
});
