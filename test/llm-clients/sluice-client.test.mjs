import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { APIConnectionError, Sluice } from '../../sdk/typescript/src/index.ts';
import * as Selling from './selling.mjs';

const question = { model: 'small-1', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 50 };
const microDollars = 1_000_000;

let selling;
let sluice;
before(async () => {
  selling = await Selling.open();
  sluice = new Sluice({ access_token: selling.token, base_url: selling.shop.url });
});
after(() => selling?.close());

/** The price of the upstream's last call, in micro-dollars. */
const lastCost = async () => Selling.costOf((await Selling.counted(selling)).at(-1));

test('the cost of a stream is known at its end, and is what the upstream has counted', async () => {
  const stream = sluice.stream('/v1/chat/completions', { ...question, stream: true });
  const events = await Array.fromAsync(stream, ({ data }) => data);
  assert.equal(events.at(-1), '[DONE]');
  const text = events.map((data) => data.choices?.[0]?.delta.content ?? '').join('');
  assert.equal(text, 'You said: Hello');
  assert.equal(Math.round(Number((await stream.charge()).cost_usd) * microDollars), await lastCost());
});

test('named events are read, and cost what the upstream has counted', async () => {
  const headers = { 'anthropic-version': '2023-06-01' };
  const stream = sluice.stream('/v1/messages', { ...question, stream: true }, { headers });
  const events = await Array.fromAsync(stream);
  assert.equal(events[0].event, 'message_start');
  assert.equal(events.at(-1).event, 'message_stop');
  assert.equal(Math.round(Number((await stream.charge()).cost_usd) * microDollars), await lastCost());
});

test('a response that is not streamed is one event with its charge', async () => {
  const stream = sluice.stream('/v1/chat/completions', question);
  const [whole] = await Array.fromAsync(stream);
  assert.equal(whole.data.choices[0].message.content, 'You said: Hello');
  const { cost_usd, balance_usd } = await stream.charge();
  assert.equal(Math.round(Number(cost_usd) * microDollars), await lastCost());
  assert.equal(Math.round(Number(balance_usd) * microDollars), await Selling.balance(selling));
});

test('a stream whose upstream disappears throws after what arrived, and is free', async () => {
  const other = await Selling.open();
  try {
    const buyer = new Sluice({ access_token: other.token, base_url: other.shop.url });
    // It takes long enough to be cut.
    const messages = [{ role: 'user', content: 'Hello '.repeat(1_000) }];
    const fields = { model: 'small-1', messages, max_tokens: 4_000, stream: true };
    const stream = buyer.stream('/v1/chat/completions', fields);
    const events = [];
    await assert.rejects(async () => {
      for await (const event of stream) {
        if (events.push(event) === 1) await other.upstream.close();
      }
    }, APIConnectionError);
    assert.ok(events.length > 0);
    assert.equal(await stream.charge(), null);
    assert.equal((await buyer.account.overview()).balance_usd, '5.00');
  } finally {
    await other.shop.close();
  }
});
