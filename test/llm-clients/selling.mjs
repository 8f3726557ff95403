import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { start } from '../../examples/llm-shop/upstream.ts';
import * as Shop from '../mppx/shop.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const microDollars = 1_000_000;

/** Prices in thousandths of a micro-dollar, written again by hand: a mistake in the catalogue must not repeat here. */
const tokenPrices = {
  'small-1': { input: 150, cached: 75, output: 600 },
  'large-1': { input: 2500, cached: 1250, output: 10_000 },
};
const embeddingPrices = { 'small-1': 20, 'large-1': 130 };
const itemPrices = { images: 20_000, transcriptions: 6_000, files: 1_000 };

/** The small upstream, a shop with the example's catalogue in front of it, and a buyer with 5 USD. */
export async function open() {
  const key = 'key-of-the-upstream';
  const upstream = await start({ key, host: '127.0.0.1', port: 0, usagePort: 0, eventMs: 1 });
  const catalog = join(root, 'examples/llm-shop/catalog.yaml');
  const env = { CATALOG: catalog };
  for (const name of ['UPSTREAM', 'UPSTREAM_ANTHROPIC', 'UPSTREAM_GEMINI']) env[`${name}_URL`] = upstream.url;
  for (const name of ['UPSTREAM_API', 'UPSTREAM_ANTHROPIC', 'UPSTREAM_GEMINI']) env[`${name}_KEY`] = key;
  const shop = await Shop.open(env).catch(async (error) => {
    await upstream.close();
    throw error;
  });
  const close = async () => {
    await shop.close();
    await upstream.close();
  };
  try {
    return { shop, upstream, close, token: await buyer(shop), key };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Registers a buyer with credit. */
export async function buyer(shop) {
  const answer = await fetch(`${shop.url}/agent/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"type":"anonymous"}',
  });
  assert.equal(answer.status, 201);
  const token = (await answer.json()).access_token;
  const { account } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url'));
  const grant = [
    'grant',
    account ?? JSON.parse(Buffer.from(token.split('.')[1], 'base64url')).sub,
    '--usd',
    '5.00',
  ];
  await run('node', ['src/cli/sluice.ts', ...grant, '--key', randomUUID()], {
    cwd: root,
    env: shop.settings,
  });
  return token;
}

/** The balance in micro-dollars. */
export async function balance({ shop, token }) {
  const answer = await fetch(`${shop.url}/account`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(answer.status, 200);
  const usd = (await answer.json()).balance_usd;
  return Math.round(Number(usd) * microDollars);
}

/** Everything that the upstream has counted. */
export async function counted({ upstream }) {
  return (await (await fetch(upstream.usageUrl)).json()).calls;
}

/** The price of one call by the upstream's own record, in micro-dollars: rounded up once. */
export function costOf({ api, model, input, cached, output, items }) {
  if (api in itemPrices) return items * itemPrices[api];
  if (api === 'embeddings') return Math.ceil((input * embeddingPrices[model]) / 1000);
  const price = tokenPrices[model];
  return Math.ceil(((input - cached) * price.input + cached * price.cached + output * price.output) / 1000);
}
