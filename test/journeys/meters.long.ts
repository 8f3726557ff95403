import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as BareHttp from '../support/bare-http.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let script: (received: Upstream.Received) => unknown;

beforeAll(async () => {
  upstream = await Upstream.scripted((received) => script(received));
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'metered.yaml',
    env: { UNPAID_CALLS_MAX: '1000', WITHHELD_CALLS_MAX: '1000' },
  });
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

function answers(body: string | Buffer, headers: readonly string[] = [], status = 200): void {
  script = ({ socket }) => socket.write(Upstream.http(status, body, headers));
}

async function buyer(microUsd = 50_000_000): Promise<Customer.Customer> {
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, microUsd);
  return customer;
}

const chat = '/v1/chat/completions';

function call(
  { token }: Pick<Customer.Customer, 'token'>,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Customer.Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const given = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
  return BareHttp.send('POST', shop.url + path, given, text);
}

async function balance({ account }: Customer.Customer): Promise<number> {
  const lots = await shop.sql<{ asset: string; remaining: number }[]>`
    SELECT asset, remaining FROM ledger.statement(${account})`;
  return lots.reduce((all, lot) => all + (lot.asset === 'usd' ? Number(lot.remaining) : 0), 0);
}

/** Makes a call and returns the response with what it cost. */
async function paid(customer: Customer.Customer, work: () => Promise<Customer.Answer>) {
  const before = await balance(customer);
  const answer = await work();
  return { answer, cost: before - (await balance(customer)) };
}

const usage = (input: number, output: number, cached?: number) =>
  JSON.stringify({
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
    },
  });
/** A prompt that is long enough for a number of input tokens. */
const prompt = (model: string, bytes: number, more = {}) => ({ model, prompt: 'x'.repeat(bytes), ...more });

describe('a language model', () => {
  test('is charged exactly by model and meter, and says so in headers and receipt', async () => {
    const customer = await buyer();
    answers(usage(812, 40, 300));
    const { answer, cost } = await paid(customer, () =>
      call(customer, chat, prompt('small-1', 900), { 'storefront-receipt': 'jws' }),
    );
    // 512 at 0.15, 300 at 0.075 and 40 at 0.60 for a million: 123.3 micro-dollars.
    expect([answer.status, cost]).toEqual([200, 124]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'storefront-usage': 'input=812, cached_input=300, output=40',
      'storefront-cost-usd': '0.000124',
      'storefront-balance-usd': '49.999876',
    });
    expect(answer.headers.has('storefront-units')).toBe(false);
    const receipt = JSON.parse(
      Buffer.from(
        String(answer.headers.get('storefront-receipt')).split('.')[1] ?? '',
        'base64url',
      ).toString(),
    );
    expect(receipt).toMatchObject({
      model: 'small-1',
      quantities: { input: 812, cached_input: 300, output: 40 },
      cost_usd: '0.000124',
    });
    expect(receipt).not.toHaveProperty('units');
  });

  test('below one dollar for a million tokens costs a micro-dollar where its exact price is less', async () => {
    const customer = await buyer();
    answers(usage(1, 1));
    expect((await paid(customer, () => call(customer, chat, prompt('nano-1', 10)))).cost).toBe(1);
    answers(usage(0, 0));
    expect((await paid(customer, () => call(customer, chat, prompt('nano-1', 10)))).cost).toBe(0);
  });

  test('is paid with exactly what it delivers over random calls, never above the hold', async () => {
    const customer = await buyer();
    const prices = {
      'nano-1': [50, 5, 400],
      'small-1': [150, 75, 600],
      'large-1': [2500, 3125, 10000],
    } as const;
    let state = 7;
    const random = (below: number) => {
      state = (state * 48271) % 2147483647;
      return state % below;
    };
    const before = await balance(customer);
    let value = 0;
    for (let at = 0; at < 60; at++) {
      const [model, [input, cached, output]] = Object.entries(prices)[random(3)] as [
        string,
        readonly number[],
      ] as [string, [number, number, number]];
      const bytes = 1 + random(3000);
      const q = { input: random(bytes), output: random(500) };
      const part = random(q.input + 1);
      answers(usage(q.input, q.output, part));
      // Thousandths of a micro-dollar.
      const milli = (q.input - part) * input + part * cached + q.output * output;
      const worst = Math.ceil(((bytes + 60) * Math.max(input, cached) + 500 * output) / 1000);
      const answer = await call(customer, chat, prompt(model, bytes, { max_tokens: 500 }));
      const cost = Math.round(Number(answer.headers.get('storefront-cost-usd')) * 1_000_000);
      expect([answer.status, cost]).toEqual([200, Math.ceil(milli / 1000)]);
      expect(cost).toBeLessThanOrEqual(worst);
      value += cost;
    }
    expect(before - (await balance(customer))).toBe(value);
  });

  test('is refused before the upstream is asked where the worst case is not covered', async () => {
    const customer = await buyer(5_000);
    const asked = upstream.received.length;
    answers(usage(1, 1));
    const answer = await call(customer, chat, prompt('large-1', 10, { max_tokens: 1000 }));
    expect(answer).toMatchObject({ status: 402, body: { code: 'credit_exhausted' } });
    expect(answer.body).not.toHaveProperty('affordable_units');
    expect((await call(customer, chat, prompt('large-1', 10, { max_tokens: '10' }))).status).toBe(402);
    expect(upstream.received.length).toBe(asked);
    expect((await call(customer, chat, prompt('large-1', 10, { max_tokens: 100 }))).status).toBe(200);
  });

  test('respects Storefront-Max-Cost', async () => {
    const customer = await buyer();
    answers(usage(10, 10));
    const most = (usd: string) => ({ 'storefront-max-cost': usd });
    const body = '{"model":"large-1","max_tokens":100}';
    const refused = await call(customer, chat, body, most('0.001112'));
    expect(refused).toMatchObject({ status: 402, body: { code: 'price_ceiling', required_usd: '0.001113' } });
    expect((await call(customer, chat, body, most('0.001113'))).status).toBe(200);
  });

  test('that has no price, or an unclear one, is refused with the known ones and costs nothing', async () => {
    const customer = await buyer();
    const asked = upstream.received.length;
    const unknown = await paid(customer, () => call(customer, chat, { model: 'huge-1' }));
    expect(unknown).toMatchObject({
      cost: 0,
      answer: {
        status: 400,
        body: {
          code: 'price_unknown',
          field: '/model',
          value: 'huge-1',
          known: ['nano-1', 'small-1', 'large-1'],
        },
      },
    });
    const twice = '{"model":"nano-1","model":"large-1"}';
    expect((await call(customer, chat, twice)).body).toMatchObject({ code: 'price_unknown' });
    expect((await call(customer, `${chat}?model=large-1`, { model: 'nano-1' })).status).toBe(400);
    expect(upstream.received.length).toBe(asked);
  });
});

describe('a response that cannot be counted', () => {
  const bad: [string, string][] = [
    ['is not JSON', 'no'],
    ['has no usage', '{}'],
    ['has null', '{"usage":{"prompt_tokens":null,"completion_tokens":1}}'],
    ['has a negative quantity', usage(-1, 1)],
    ['has a fraction', usage(1.5, 1)],
    ['has a text', '{"usage":{"prompt_tokens":"1","completion_tokens":1}}'],
    ['has more output than the request asked for', usage(1, 1001)],
    ['has more input than the request has bytes', usage(1_000_000, 1)],
    ['has a negative part', usage(10, 1, -5)],
  ];
  test.each(bad)('as it %s is withheld and free', async (_, body) => {
    const customer = await buyer();
    answers(body);
    const { answer, cost } = await paid(customer, () =>
      call(customer, chat, prompt('small-1', 10, { max_tokens: 1000 })),
    );
    expect([answer.status, cost]).toEqual([502, 0]);
    expect(answer.body).toMatchObject({ code: 'response_uncountable' });
  });

  test.each(bad)(
    'as it %s is delivered free, or at the worst case, as the operation says',
    async (_, body) => {
      const customer = await buyer();
      answers(body);
      const text = '{"model":"small-1"}';
      const free = await paid(customer, () => call(customer, '/v1/lenient', text));
      expect([free.answer.status, free.cost, free.answer.text]).toEqual([200, 0, body]);
      const most = await paid(customer, () => call(customer, '/v1/strict', text));
      // 19 bytes at 0.15 and 1000 tokens at 0.60 for a million: 602.85 micro-dollars.
      expect([most.answer.status, most.cost, most.answer.text]).toEqual([200, 603, body]);
    },
  );

  test('is not one where a part of a meter is absent, which is zero', async () => {
    const customer = await buyer();
    answers('{"usage":{"prompt_tokens":10,"prompt_tokens_details":null,"completion_tokens":0}}');
    const { answer, cost } = await paid(customer, () => call(customer, chat, prompt('small-1', 10)));
    expect([answer.status, cost]).toEqual([200, 2]);
  });

  test('is not one where the upstream fails: an error is free', async () => {
    const customer = await buyer();
    answers(usage(10, 10), [], 400);
    const { answer, cost } = await paid(customer, () => call(customer, chat, prompt('small-1', 10)));
    expect([answer.status, cost]).toEqual([400, 0]);
  });
});

describe('other meters', () => {
  test('count the request, the bytes, the seconds and the call', async () => {
    const customer = await buyer();
    answers('x'.repeat(100));
    const { answer, cost } = await paid(customer, () => call(customer, '/v1/images?quality=high', { n: 3 }));
    expect(answer.headers.get('storefront-usage')).toBe('images=3, bytes=100, seconds=2, calls=1');
    expect([answer.status, cost]).toEqual([200, 240_000 + 10 + 2000 + 1]);
    expect((await call(customer, '/v1/images?quality=high', { n: '3' })).body).toMatchObject({
      code: 'price_unknown',
      field: '/n',
    });
  });

  test("charge the upstream's own decimal price plus a markup, and a header, exactly", async () => {
    const customer = await buyer();
    answers('{"usage":{"cost":0.000123}}', ['x-credits-used: 2']);
    const first = await paid(customer, () => call(customer, '/v1/resold', {}));
    // 123 micro-dollars plus 30 percent, and two searches.
    expect(first.cost).toBe(160 + 10_000);
    expect(first.answer.headers.get('storefront-usage')).toBe('provider=123, searches=2');
    answers('{"usage":{"cost":1.0e-5}}');
    expect((await paid(customer, () => call(customer, '/v1/resold', {}))).cost).toBe(13);
    answers('{"usage":{"cost":0.51}}');
    expect(await paid(customer, () => call(customer, '/v1/resold', {}))).toMatchObject({
      cost: 0,
      answer: { status: 502 },
    });
  });

  test('by a header send that header to the upstream, so that it serves what is paid', async () => {
    const customer = await buyer();
    answers('ok');
    const { answer, cost } = await paid(customer, () =>
      call(customer, '/v1/speech', { characters: 1000 }, { 'x-voice': 'studio' }),
    );
    expect([answer.status, cost]).toEqual([200, 160_000]);
    expect(upstream.received.at(-1)?.head).toMatch(/\r\nx-voice: studio(\r\n|$)/i);
  });
});

describe('the documents of the shop', () => {
  test('state no price for a unit of a service with meters', async () => {
    for (const path of ['/manifest.json', '/services', '/services/chat', '/openapi.json', '/llms.txt', '/']) {
      const { status, text } = await BareHttp.send('GET', shop.url + path, { accept: '*/*' }, '');
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toMatch(/"priceUsd": ?"0.000001"|"price_usd": ?"0.000001"|0\.000001 USD a/);
    }
    const { body } = await BareHttp.send('GET', `${shop.url}/services/chat`, {}, '');
    expect(body.price).toContain('small-1: $0.15 per 1M input tokens');
  });
});
