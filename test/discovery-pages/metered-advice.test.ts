import * as Advisor from '@sluice/advisor/advisor';
import { describe, expect, test } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import { priceList } from '../../src/discovery/price-list.ts';

const baseUrl = 'https://shop.example';
const json = (schema: object, example?: object) => ({ content: { 'application/json': { schema, example } } });
const result = { '200': { description: 'OK', ...json({ type: 'object' }) } };

/** Descriptions of a model, whose price is named in the body, of images, whose number is, and of a resold provider. */
const document = {
  openapi: '3.1.0',
  info: { title: 'Models', version: '1' },
  paths: {
    '/v1/chat/completions': {
      post: {
        summary: 'Chat completions',
        description: 'Writes an answer to a prompt.',
        requestBody: json(
          {
            type: 'object',
            required: ['model', 'max_tokens'],
            properties: { model: { type: 'string' }, max_tokens: { type: 'integer', example: 500 } },
          },
          { model: 'small-1', max_tokens: 500 },
        ),
        responses: result,
      },
    },
    '/v1/speech': {
      post: {
        summary: 'Speech',
        description: 'Reads a text aloud.',
        requestBody: json({ type: 'object', properties: { characters: { type: 'integer' } } }),
        responses: result,
      },
    },
    '/v1/resold': {
      post: { summary: 'Web searches', description: 'Searches the web.', responses: result },
    },
  },
};

async function advise(goal: string, budgetUsd?: number) {
  const catalog = await CatalogFile.load('test/fixtures/metered.yaml');
  const advisor = Advisor.openAdvisor(priceList(catalog, baseUrl), document, baseUrl, ['card'], '/guide');
  const asked = Advisor.ask(advisor, { goal, ...(budgetUsd !== undefined && { budgetUsd }) });
  if (asked.kind === 'fault') throw new Error(JSON.stringify(asked.faults));
  return asked.advise();
}

describe('advice on a service with meters', () => {
  test('names the prices of the request’s model and the most that the request can cost', async () => {
    const { operations, estimate, plan, guide } = await advise('chat completions');
    expect(operations).toHaveLength(1);
    const body = { model: 'small-1', max_tokens: 500 };
    expect(operations[0]).toMatchObject({
      operation: 'POST /v1/chat/completions',
      prices:
        'small-1: $0.15 per 1M input tokens, $0.075 per 1M cached input tokens, $0.60 per 1M output tokens',
      request: { body },
    });
    // An input token at most for each byte, and 500 output tokens.
    const micro = Math.ceil(JSON.stringify(body).length * 0.15 + 500 * 0.6);
    expect(estimate).toEqual({
      units_low: 0,
      units_high: 0,
      cost_usd_low: '0.00',
      cost_usd_high: (micro / 1e6).toFixed(6),
    });
    expect(plan).toMatchObject({
      id: 'credit',
      why: expect.stringContaining(`at most ${estimate.cost_usd_high} USD`),
    });
    expect(guide).toContain(`at most ${estimate.cost_usd_high} USD`);
    expect(guide).not.toMatch(/\d units/);
  });

  test('states all prices and the highest cost of any request where the price is not known', async () => {
    const { operations, estimate } = await advise('speech');
    expect(operations[0]?.prices).toBe(
      'plain: $0.015 per 1,000 characters; studio: $0.16 per 1,000 characters',
    );
    expect(estimate.cost_usd_high).toBe('0.80');
  });

  test('states a provider’s price with its markup, and compares the most with the budget', async () => {
    const { operations, estimate, status } = await advise('web searches', 0.1);
    expect(operations[0]?.prices).toBe("the provider's price plus 30 %, $0.005 per search");
    expect(estimate.cost_usd_high).toBe('0.665');
    expect(status).toBe('blocked');
  });
});
