import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { start } from '../../examples/llm-shop/upstream.ts';
import { calls } from './calls.mjs';

const key = 'key-of-the-upstream';
const settings = { key, host: '127.0.0.1', port: 0, usagePort: 0, eventMs: 1 };

let upstream;
before(async () => {
  upstream = await start(settings);
});
after(() => upstream?.close());

for (const title of Object.keys(calls({ url: 'http://127.0.0.1', token: key })))
  test(`the upstream answers ${title}`, () => calls({ url: upstream.url, token: key })[title]());

test('the upstream refuses another key as OpenAI does', async () => {
  const openai = new OpenAI({ baseURL: `${upstream.url}/v1`, apiKey: 'other', maxRetries: 0 });
  await assert.rejects(openai.models.list(), { status: 401, code: 'invalid_api_key' });
});
