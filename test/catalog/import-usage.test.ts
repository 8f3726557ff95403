import * as Schema from '@sluice/kernel/json-schema';
import { describe, expect, test } from 'vitest';
import { listOperations } from '../../src/catalog/import/found-operation.ts';
import { readPrices } from '../../src/catalog/import/price-file.ts';
import { draftUsage, pricesOf } from '../../src/catalog/import/usage-draft.ts';

const integer = { type: 'integer' };
const object = (properties: object) => ({ type: 'object', properties });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });

function usageOf(path: string, request: object, response: object, method = 'post', more: object = {}) {
  const document = {
    paths: {
      [path]: {
        [method]: {
          requestBody: json(object(request)),
          responses: { 200: { ...json(object(response)), ...more } },
        },
      },
    },
  };
  const read = Schema.reader(document);
  const [found] = listOperations(document, read, null);
  if (found === undefined) throw new Error('the description has an operation');
  return draftUsage(read, found);
}

const chatRequest = {
  model: { type: 'string' },
  messages: { type: 'array' },
  max_tokens: { ...integer, maximum: 8192 },
  n: integer,
  stream: { type: 'boolean' },
  stream_options: object({}),
};
const chatUsage = object({
  prompt_tokens: integer,
  completion_tokens: integer,
  prompt_tokens_details: object({ cached_tokens: integer }),
});

describe('described token counts become meters', () => {
  test('of chat completions, with the maximum of a request and the usage of a stream', () => {
    expect(usageOf('/chat/completions', chatRequest, { usage: chatUsage })).toMatchObject({
      meters: {
        input: { unit: 'input token', count: '/usage/prompt_tokens' },
        cached_input: { count: '/usage/prompt_tokens_details/cached_tokens', part_of: 'input' },
        output: { count: '/usage/completion_tokens' },
      },
      priced: ['input', 'output'],
      priceBy: '/model',
      max: {
        input: { bytes: 1 },
        output: { pointer: '/max_tokens', ceiling: 8192, times: { pointer: '/n' } },
      },
      stream: { when: '/stream', usage: { at: '/usage' }, set: { '/stream_options/include_usage': true } },
    });
  });

  test('of messages, whose cache counts are no parts of the input', () => {
    const usage = object({
      input_tokens: integer,
      output_tokens: integer,
      cache_creation_input_tokens: integer,
      cache_read_input_tokens: integer,
    });
    const found = usageOf('/v1/messages', { model: {}, max_tokens: integer, stream: {} }, { usage });
    expect(found?.meters).toMatchObject({
      cache_write: { optional: true },
      cached_input: { count: '/usage/cache_read_input_tokens', optional: true },
    });
    expect(found?.meters.cached_input).not.toHaveProperty('part_of');
    expect(found?.max).toMatchObject({ cached_input: { bytes: 1 } });
    expect(found?.stream).toMatchObject({ usage: { merge: 'max' } });
  });

  test('of a model that the path names', () => {
    const usageMetadata = object({
      promptTokenCount: integer,
      candidatesTokenCount: integer,
      thoughtsTokenCount: integer,
    });
    const request = { contents: {}, generationConfig: object({ maxOutputTokens: integer }) };
    expect(usageOf('/v1/models/{model}:generateContent', request, { usageMetadata })).toMatchObject({
      priceBy: 'path:model',
      max: { output: { pointer: '/generationConfig/maxOutputTokens' } },
    });
  });

  test('of embeddings, whose only meter is the input', () => {
    const usage = object({ prompt_tokens: integer, total_tokens: integer });
    expect(usageOf('/embeddings', { model: {}, input: {} }, { usage })?.meters).toEqual({
      input: { unit: 'input token', count: '/usage/prompt_tokens' },
    });
  });
});

describe('what is no new work is not metered', () => {
  test('a GET that shows an earlier response', () => {
    expect(usageOf('/responses/{id}', {}, { usage: chatUsage }, 'get')).toBeNull();
  });
  test('an object that is filled in when the work ends', () => {
    expect(usageOf('/runs', { model: {} }, { usage: { anyOf: [chatUsage, { type: 'null' }] } })).toBeNull();
    expect(usageOf('/runs', { model: {} }, { usage: { ...chatUsage, nullable: true } })).toBeNull();
  });
  test('a request without a model, and a response without counts', () => {
    expect(usageOf('/things', { name: {} }, { usage: chatUsage })).toBeNull();
    expect(usageOf('/things', { model: {} }, { usage: object({ rows: integer }) })).toBeNull();
  });
});

test("the upstream's own price becomes a meter when it is described in dollars", () => {
  const cost = (description: string) => ({ usage: object({ cost: { type: 'number', description } }) });
  expect(usageOf('/run', { input: {} }, cost('price in USD'))).toMatchObject({
    meters: { cost: { count: { cost: { pointer: '/usage/cost', markup: '30%' } } } },
    max: { cost: { usd: '1.00' } },
  });
  expect(usageOf('/run', { input: {} }, cost('price in points'))).toBeNull();
});

test('credits in a response header become a meter', () => {
  const headers = { 'X-Credits-Charged': { schema: { type: 'number' } } };
  expect(usageOf('/removebg', { image: {} }, {}, 'post', { headers })).toMatchObject({
    meters: { credits: { count: { header: 'X-Credits-Charged' } } },
  });
});

describe('a price list', () => {
  const list = 'model,input,cached_input,output\nsmall,0.15,0.075,0.60\nplain,$1,,2\nembed,0.02,,\n';
  const rowsOf = (text: string) => {
    const read = readPrices(text, 'prices.csv');
    if (!read.ok) throw new Error(read.reason);
    return read.rows;
  };
  const chat = usageOf('/chat/completions', chatRequest, { usage: chatUsage });
  const embeddings = usageOf('/embeddings', { model: {} }, { usage: object({ prompt_tokens: integer }) });

  test('prices each service by the models that fit it; a part without a price costs as much as the whole', () => {
    if (chat === null || embeddings === null) throw new Error('both are metered');
    expect(pricesOf(chat, rowsOf(list))).toEqual({
      small: { per: 1_000_000, input: '0.15', cached_input: '0.075', output: '0.60' },
      plain: { per: 1_000_000, input: '1', cached_input: '1', output: '2' },
    });
    expect(pricesOf(embeddings, rowsOf(list))).toEqual({ embed: { per: 1_000_000, input: '0.02' } });
    expect(pricesOf(chat, rowsOf('key,input\nembed,0.02\n'))).toBeNull();
  });

  test.each([
    ['key,input,output\nsmall,0.15\n', 'prices.csv:2 has 2 values for 3 columns'],
    ['key,input\nsmall,0.15\nsmall,0.2\n', 'prices.csv:3 has small a second time: keep one'],
    [
      'key,input\nsmall,free\n',
      'prices.csv:2 input "free" is not a decimal with at most 12 places, such as 0.15',
    ],
    ['name,input\nsmall,1\n', 'prices.csv:1 begins with name: the first column is key, the model'],
    ['key,per,input\nsmall,10,1\n', 'prices.csv:2 per is not 1, 1000 or 1000000'],
    ['key,input\n,1\n', 'prices.csv:2 has no key: write the name of the model'],
    ['key,input\n', 'prices.csv:1 has no prices: write key,input,output and a line for each model'],
    [
      'key,input\nsmall,-1\n',
      'prices.csv:2 input "-1" is not a decimal with at most 12 places, such as 0.15',
    ],
  ])('is refused with the line: %j', (text, reason) => {
    expect(readPrices(text, 'prices.csv')).toEqual({ ok: false, reason });
  });
});
