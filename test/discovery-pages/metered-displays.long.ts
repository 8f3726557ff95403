import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { breaches } from '../catalog/schema.ts';
import * as Mcp from '../journeys/mcp-client.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as BareHttp from '../support/bare-http.ts';
import * as Browser from '../support/browser.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Described from './described.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;

beforeAll(async () => {
  const usage = '{"usage":{"prompt_tokens":812,"completion_tokens":40}}';
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, usage, [])));
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'metered.yaml' });
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

const get = (path: string) => BareHttp.send('GET', shop.url + path, { accept: '*/*' }, '');

const chatPrices = [
  { key: 'nano-1', per: 1_000_000, usd: { input: '0.05', cached_input: '0.005', output: '0.40' } },
  { key: 'small-1', per: 1_000_000, usd: { input: '0.15', cached_input: '0.075', output: '0.60' } },
  { key: 'large-1', per: 1_000_000, usd: { input: '2.50', cached_input: '3.125', output: '10.00' } },
];
const chat = {
  price_by: '/model',
  meters: [
    { name: 'input', unit: 'input token', part_of: null },
    { name: 'cached_input', unit: 'cached input token', part_of: 'input' },
    { name: 'output', unit: 'output token', part_of: null },
  ],
  prices: chatPrices,
};

/** Price of one unit of account, which is a micro-dollar for a service with meters and no price of anything. */
const unitPrice = /0\.000001 USD (?:a|per) |"(?:priceUsd|price_usd|price_per_unit_usd)": ?"0\.000001"/;

test.each([
  '/manifest.json',
  '/services',
  '/services/chat',
  '/openapi.json?page=all',
  '/llms.txt',
  '/llms-full.txt',
  '/skill.md',
  '/',
])('%s states no unit price of a service with meters', async (path) => {
  const { status, text } = await get(path);
  expect(status).toBe(200);
  expect(text).not.toMatch(unitPrice);
});

describe('documents for programs have the price of each meter under each price key', () => {
  test('the manifest', async () => {
    const { body } = await get('/manifest.json');
    expect(breaches('manifest.schema.json', body)).toEqual([]);
    const of = (slug: string) => body.services.find((it: { slug: string }) => it.slug === slug).metering;
    expect(of('chat')).toEqual(chat);
    expect(of('open').prices.map(({ key }: { key: string }) => key)).toEqual(['large-1', 'default']);
    expect([of('media').price_by, of('voices').price_by]).toEqual(['query:quality', 'header:x-voice']);
    expect(of('resold')).toMatchObject({
      price_by: null,
      meters: [{ name: 'provider', provider_price_markup_percent: 30 }, { name: 'searches' }],
      prices: [{ key: 'default', per: 1, usd: { searches: '0.005' } }],
    });
    expect(body.prices).toEqual([]);
  });

  test('/services and /services/{slug}', async () => {
    const [list, one] = [(await get('/services')).body, (await get('/services/chat')).body];
    expect(breaches('service.schema.json', list, 'list')).toEqual([]);
    expect(breaches('service.schema.json', one)).toEqual([]);
    expect([one.metering, list.services[0].metering]).toEqual([chat, chat]);
  });

  test('x-payment-info of an operation', async () => {
    const { body } = await get('/services/chat/openapi.json');
    const infos = Described.operations(body).map(({ operation }) => operation['x-payment-info']);
    expect(infos).toHaveLength(3);
    for (const info of infos) {
      expect(breaches('payment-info.schema.json', info)).toEqual([]);
      expect(info).toMatchObject({ price: { mode: 'dynamic', min: '0.00' }, metering: chat });
      expect([info.rates, info.perCallUsage]).toEqual([undefined, undefined]);
    }
    for (const { operation } of Described.operations(body))
      expect(Object.keys(operation.responses['200'].headers)).toEqual([
        'storefront-usage',
        'storefront-cost-usd',
        'storefront-balance-usd',
      ]);
  });
});

describe('texts for agents', () => {
  test('list the prices by model', async () => {
    const { text } = await get('/llms.txt');
    expect(text).toContain(
      '  - small-1: $0.15 per 1M input tokens, $0.075 per 1M cached input tokens, $0.60 per 1M output tokens\n',
    );
    expect((await get('/skill.md')).text).toContain('`storefront-usage`');
  });

  test.each(['/llms.txt', '/llms-full.txt', '/skill.md'])(
    '%s has no empty quotation and no double blank line',
    async (path) => {
      const { text } = await get(path);
      expect(text).not.toMatch(/\n\n\n|^> *$/m);
    },
  );
});

describe('the shop page', () => {
  test('has a table of prices by model', async () => {
    const { html } = await new Browser.Browser(shop.url).open('/');
    const plain = html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    expect(plain).toContain('Model (body field model ) Input tokens Cached input tokens Output tokens');
    expect(plain).toContain('small-1 0.15 USD per 1M 0.075 USD per 1M 0.60 USD per 1M');
    expect(plain).toContain('any other 0.01 USD per 1,000');
    expect(plain).toContain('the provider’s price plus 30 %');
    expect(plain).not.toMatch(/\bunits?\b/);
  });
});

describe('a call', () => {
  test('from the page says what was counted, what it cost, and the dollars that are left', async () => {
    const browser = new Browser.Browser(shop.url);
    await browser.open('/shop/start', {});
    const { html: page } = await browser.open('/shop/account/settings');
    const account = /class="id">(acc_[^<]+)</.exec(page)?.[1] ?? '';
    await Customer.credit(shop.sql, { account, token: '', assertion: '' }, 1_000_000);
    const { html } = await browser.open('/shop/try', {
      operation: 'POST /v1/chat/completions',
      path: '/v1/chat/completions',
      body: JSON.stringify({ model: 'small-1', max_tokens: 50, prompt: 'x'.repeat(900) }),
    });
    // 812 * 0.15 + 40 * 0.60 micro-dollars, rounded up.
    expect(html).toContain('input 812, output 40: 0.000146 USD</dd>');
    expect(html).toContain('<dt>Left</dt><dd>0.999854 USD</dd>');
  });

  test('that costs more than the credit is refused in dollars, with what to lower', async () => {
    const customer = await Customer.register(shop.url);
    await Customer.credit(shop.sql, customer, 1_000);
    const request = (headers: Record<string, string> = {}) =>
      BareHttp.send(
        'POST',
        `${shop.url}/v1/chat/completions`,
        { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json', ...headers },
        JSON.stringify({ model: 'large-1', max_tokens: 1000, prompt: 'x' }),
      );
    const exhausted = await request();
    expect(exhausted.body).toMatchObject({ code: 'credit_exhausted', available_usd: '0.001' });
    expect(exhausted.body.message).toMatch(
      /^Not enough credit: this call may cost up to 0\.01\d+ USD, and you have 0\.001 USD\. .*maximum of output tokens/,
    );
    const ceiling = await request({ 'storefront-max-cost': '0.001' });
    expect(ceiling.body).toMatchObject({ code: 'price_ceiling' });
    expect(ceiling.body.message).toMatch(/may cost up to 0\.01\d+ USD.*maximum of output tokens/);
    for (const { body } of [exhausted, ceiling]) expect(body.message).not.toMatch(/units|chats/);
  });
});

test('the MCP tool of an operation states the prices of its meters and the most that a call can cost', async () => {
  const client = await Mcp.connect(shop.url, null, 'auto', {}, '?tools=all');
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name.endsWith('chat_completions'));
  expect(tool?.description).toMatch(
    /Price: nano-1: \$0\.05 per 1M input tokens, .*; at most \d+\.\d+ USD per call\.$/,
  );
  await client.close();
});
