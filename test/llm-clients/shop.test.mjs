import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { calls } from './calls.mjs';
import * as Selling from './selling.mjs';

/** Calls that cost nothing. */
const free = new Set(['openai: models']);

let selling;
before(async () => {
  selling = await Selling.open();
});
after(() => selling?.close());

for (const title of Object.keys(calls({ url: 'http://127.0.0.1', token: '-' })))
  test(`${title} costs exactly what the upstream has counted`, async () => {
    const balanceBefore = await Selling.balance(selling);
    const { length } = await Selling.counted(selling);
    await calls({ url: selling.shop.url, token: selling.token })[title]();
    const cost = (await Selling.counted(selling))
      .slice(length)
      .reduce((sum, each) => sum + Selling.costOf(each), 0);
    assert.equal(balanceBefore - (await Selling.balance(selling)), cost);
    assert.equal(cost === 0, free.has(title));
  });

test('a client without a valid token is refused before the upstream is called', async () => {
  const { length } = await Selling.counted(selling);
  const openai = new OpenAI({ baseURL: `${selling.shop.url}/v1`, apiKey: 'invalid', maxRetries: 0 });
  const messages = [{ role: 'user', content: 'Hello' }];
  await assert.rejects(openai.chat.completions.create({ model: 'small-1', messages }), { status: 401 });
  assert.equal((await Selling.counted(selling)).length, length);
});

test('a file of one buyer is absent for another', async () => {
  const other = await Selling.buyer(selling.shop);
  const clientOf = (apiKey) => new OpenAI({ baseURL: `${selling.shop.url}/v1`, apiKey, maxRetries: 0 });
  const file = new File(['{}\n'], 'own.jsonl');
  const { id } = await clientOf(selling.token).files.create({ file, purpose: 'batch' });
  await assert.rejects(clientOf(other).files.content(id), { status: 404 });
  assert.deepEqual(await Array.fromAsync(clientOf(other).files.list()), []);
});
