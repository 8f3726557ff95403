import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as Form from '../src/protocol/form.ts';
import { isRefusal } from '../src/protocol/refusal.ts';
import { type CardNetwork, errorOf, open } from './card-network.ts';

let network: CardNetwork;
beforeAll(async () => {
  network = await open();
});
afterAll(() => network.close());

describe('the API', () => {
  it.each([
    ['no key', undefined, 'No API key'],
    ['a publishable key', 'pk_test_x', 'sk_test_'],
    ['a live key', 'sk_live_secret', 'live key'],
    ['a restricted live key', 'rk_live_secret', 'live key'],
  ])('refuses %s and does not repeat it', async (_what, key, text) => {
    for (const scheme of ['Bearer', 'Basic'] as const) {
      const value = scheme === 'Basic' ? btoa(`${key}:`) : key;
      const response = await fetch(`${network.url}/v1/balance`, {
        headers: key === undefined ? {} : { authorization: `${scheme} ${value}` },
      });
      expect(response.status).toBe(401);
      const body = await response.text();
      expect(body).toContain(text);
      expect(body).not.toContain('secret"');
      if (key !== undefined) expect(body).not.toContain(key);
    }
  });

  it('gives the stock client an authentication error for a live key', async () => {
    const error = await errorOf(network.client({ key: 'sk_live_x' }).balance.retrieve());
    expect(error).toBeInstanceOf(Stripe.errors.StripeAuthenticationError);
  });

  it('names every answer by a request id, errors too', async () => {
    const balance = await network.stripe.balance.retrieve();
    expect(balance.lastResponse.requestId).toMatch(/^req_/);
    const error = await errorOf(network.stripe.charges.retrieve('ch_none'));
    expect(error).toMatchObject({ statusCode: 404, code: 'resource_missing', param: 'id' });
    expect(error.requestId).toMatch(/^req_/);
  });

  it.each([
    [{ amount: 500, currency: 'usd', colour: 'red' }, 'colour'],
    [
      { amount: 500, currency: 'usd', automatic_payment_methods: { enabled: true, colour: 'red' } },
      'automatic_payment_methods[colour]',
    ],
  ])('refuses a parameter that it does not know: %o', async (params, param) => {
    const error = await errorOf(
      network.stripe.paymentIntents.create(params as Stripe.PaymentIntentCreateParams),
    );
    expect(error).toMatchObject({ statusCode: 400, code: 'parameter_unknown', param });
    expect(error.message).toContain('Received unknown parameter');
  });

  it('names a parameter that is missing', async () => {
    const error = await errorOf(
      network.stripe.paymentIntents.create({ currency: 'usd' } as Stripe.PaymentIntentCreateParams),
    );
    expect(error).toMatchObject({ statusCode: 400, code: 'parameter_missing', param: 'amount' });
  });

  it('refuses a JSON body, an unknown address and a malformed version', async () => {
    const headers = { authorization: 'Bearer sk_test_x' };
    const post = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' };
    expect((await fetch(`${network.url}/v1/customers`, post)).status).toBe(400);
    expect((await fetch(`${network.url}/v1/nothing`, { headers })).status).toBe(404);
    const versioned = { headers: { ...headers, 'stripe-version': 'latest' } };
    expect((await fetch(`${network.url}/v1/balance`, versioned)).status).toBe(400);
  });

  it('refuses what cannot be expanded, before anything is done', async () => {
    const before = (await network.stripe.customers.list()).data.length;
    const error = await errorOf(network.stripe.customers.create({ expand: ['wishes'] }));
    expect(error).toMatchObject({ statusCode: 400, param: 'expand' });
    expect((await network.stripe.customers.list()).data).toHaveLength(before);
  });
});

describe('a list', () => {
  const nowMs = Date.UTC(2026, 10, 21);
  let timeMs = nowMs;
  let lists: CardNetwork;
  beforeAll(async () => {
    lists = await open({}, () => timeMs);
    for (const second of [0, 1, 2, 3, 4]) {
      timeMs = nowMs + second * 1_000;
      await lists.stripe.customers.create({ name: `customer ${second}` });
    }
  });
  afterAll(() => lists.close());

  async function names(params: Stripe.CustomerListParams): Promise<[string[], boolean]> {
    const { data, has_more } = await lists.stripe.customers.list(params);
    return [data.map(({ name }) => (name ?? '').slice(-1)), has_more];
  }

  it('comes newest first, page by page, both ways', async () => {
    const all = (await lists.stripe.customers.list()).data.map(({ id }) => id);
    expect(await names({ limit: 2 })).toEqual([['4', '3'], true]);
    expect(await names({ limit: 2, starting_after: all[1] ?? '' })).toEqual([['2', '1'], true]);
    expect(await names({ limit: 2, starting_after: all[3] ?? '' })).toEqual([['0'], false]);
    expect(await names({ limit: 2, ending_before: all[3] ?? '' })).toEqual([['3', '2'], true]);
    expect(await names({ limit: 5, ending_before: all[1] ?? '' })).toEqual([['4'], false]);
  });

  it('is walked whole by the client', async () => {
    const seen = await lists.stripe.customers.list({ limit: 2 }).autoPagingToArray({ limit: 100 });
    expect(seen).toHaveLength(5);
  });

  it('keeps to the times asked for', async () => {
    const at = (second: number) => nowMs / 1_000 + second;
    expect(await names({ created: { gte: at(3) } })).toEqual([['4', '3'], false]);
    expect(await names({ created: { gt: at(1), lt: at(3) } })).toEqual([['2'], false]);
    expect(await names({ created: at(0) })).toEqual([['0'], false]);
  });

  it.each([{ limit: 0 }, { limit: 101 }, { starting_after: 'cus_none' }])('refuses %o', async (params) => {
    expect((await errorOf(lists.stripe.customers.list(params))).statusCode).toBe(400);
  });
});

describe('a form', () => {
  it('is read into objects by its brackets', () => {
    expect(Form.parse('a=1&b[c]=2&b[d][0]=x&b[d][1]=y&e[]=p&e[]=q&f%5Bg%5D=%C3%A9')).toEqual({
      a: '1',
      b: { c: '2', d: { 0: 'x', 1: 'y' } },
      e: { 0: 'p', 1: 'q' },
      f: { g: 'é' },
    });
  });

  it('takes no name from the prototype of objects', () => {
    expect(Form.parse('__proto__[polluted]=1')).toMatchObject({});
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  it.each(['a=1&a[b]=2', 'a[b]=1&a=2', '[a]=1', 'a[b=1', 'a[b][c][d][e][f][g]=1'])('refuses %s', (text) => {
    expect(isRefusal(Form.parse(text))).toBe(true);
  });

  it('cannot pass for a refusal', () => {
    expect(isRefusal(Form.parse('refused=true&status=200'))).toBe(false);
  });
});
