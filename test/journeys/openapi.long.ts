import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Described from '../discovery-pages/described.ts';
import * as Agent from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import * as Customer from '../support/customer.ts';
import * as Payer from '../support/payer.ts';
import * as Shop from '../support/shop.ts';

let shop: Shop.Shop;
let whole: Described.Document;
let check: ReturnType<typeof Described.checker>;
beforeAll(async () => {
  shop = await Shop.open({ env: Agent.shopEnv });
  whole = (await get('/openapi.json?page=all')).body;
  check = Described.checker(whole);
});
afterAll(() => shop?.stop());

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  Customer.send({ method: 'GET', url: shop.url + path, headers });
const json = { 'content-type': 'application/json' };

describe('the description, page by page', () => {
  test('is followed by its links to the end, and holds every operation once', async () => {
    const seen: string[] = [];
    let url: string | null = `${shop.url}/openapi.json`;
    while (url !== null) {
      const answer = await Customer.send({ method: 'GET', url });
      const { body } = answer;
      expect(answer.status).toBe(200);
      expect(Buffer.byteLength(answer.text)).toBeLessThan(64 * 1024);
      expect(await new Validator().validate(structuredClone(body))).toMatchObject({ valid: true });
      const here = Described.operations(body).map(({ id }) => id);
      expect(here.length).toBeLessThanOrEqual(10);
      expect(here.length).toBeGreaterThan(0);
      seen.push(...here);
      const link = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;
      expect(body.info['x-next']).toBe(link);
      url = link;
    }
    expect(seen).toEqual(Described.operations(whole).map(({ id }) => id));
    expect(new Set(seen).size).toBe(seen.length);
    expect(await new Validator().validate(structuredClone(whole))).toMatchObject({ valid: true });
  });

  test('is OpenAPI 3.1.0 of version 1.0.0, with a bearer scheme named planAccess', () => {
    expect(whole.openapi).toBe('3.1.0');
    expect(whole.info.version).toBe('1.0.0');
    expect(whole.components.securitySchemes.planAccess).toMatchObject({ type: 'http', scheme: 'bearer' });
  });

  test('holds every operation of the data API at its own path, with the same request body', async () => {
    const { body: upstream } = await Customer.send({
      method: 'GET',
      url: `${shop.upstream.url}/openapi.json`,
    });
    const theirs = Described.operations(upstream);
    expect(theirs.length).toBeGreaterThan(20);
    for (const { method, path, operation } of theirs) {
      const ours = whole.paths[path]?.[method];
      const schema = (body: typeof operation) => body?.requestBody?.content['application/json'].schema;
      expect([path, schema(ours)]).toEqual([path, schema(operation)]);
      const name = schema(operation)?.$ref.split('/').at(-1);
      if (name) expect(whole.components.schemas[name]).toEqual(upstream.components.schemas[name]);
    }
  });

  test('asks no caller for the slug of a service, as no operation belongs to two services', async () => {
    const { body: manifest } = await get('/manifest.json');
    const slugs: string[] = manifest.services.map(({ slug }: { slug: string }) => slug);
    const calls = manifest.services.flatMap(
      ({ operations }: { operations: { method: string; path: string }[] }) =>
        operations.map(({ method, path }) => `${method} ${path}`),
    );
    expect(new Set(calls).size).toBe(calls.length);
    const { body: upstream } = await Customer.send({
      method: 'GET',
      url: `${shop.upstream.url}/openapi.json`,
    });
    const requests = Object.entries(upstream.components.schemas).filter(([name]) => name.endsWith('Request'));
    expect(requests.length).toBeGreaterThan(10);
    for (const slug of slugs.filter((slug) => slug.includes('-')))
      expect(JSON.stringify(requests)).not.toContain(`"${slug}"`);
  });

  test('is known by its tag, in every form', async () => {
    for (const query of ['', '?page=2', '?q=email', '?page=all', '?path=/account&method=get']) {
      const first = await get(`/openapi.json${query}`);
      const tag = first.headers.get('etag') ?? '';
      expect(await get(`/openapi.json${query}`, { 'if-none-match': tag })).toMatchObject({
        status: 304,
        text: '',
      });
    }
  });

  test('says which pages there are, and what is wrong with a question', async () => {
    const beyond = await get('/openapi.json?page=999');
    expect(beyond).toMatchObject({
      status: 404,
      body: { code: 'no_such_page', first: `${shop.url}/openapi.json` },
    });
    for (const query of [
      'page=0',
      'page=x',
      'path=account',
      'method=5',
      'component=x',
      `q=${'x'.repeat(201)}`,
    ]) {
      const answer = await get(`/openapi.json?${query}`);
      expect(answer.status).toBe(422);
      expect(answer.body.errors).toMatchObject([{ field: query.split('=')[0] }]);
    }
    expect((await get('/services/nothing/openapi.json')).status).toBe(404);
  });

  test('has the price of the manifest on each operation that is sold, and its refusals', async () => {
    const { body: manifest } = await get('/manifest.json');
    for (const { slug, operations } of manifest.services) {
      const { body } = await get(`/services/${slug}/openapi.json`);
      const own = Described.operations(body);
      expect(own.map(({ method, path }) => ({ method: method.toUpperCase(), path }))).toEqual(operations);
      const price = manifest.prices.find((it: { service: string }) => it.service === slug);
      for (const { operation } of own) {
        expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['401', '402', '403']));
        const { access, rates, perCallUsage, price: ofCall } = operation['x-payment-info'];
        expect(access).toBe('plan');
        if (ofCall.amount === '0.00') {
          expect(rates).toBeUndefined();
          continue;
        }
        const credit = rates.find((it: { kind: string }) => it.kind === 'credit');
        expect(credit).toMatchObject({
          priceUsd: price.priceUsd,
          unit: price.unit,
          unitSize: price.unitSize,
        });
        const trial = rates.find((it: { kind: string }) => it.kind === 'trial');
        expect(trial.includedUnits).toBe(price.includedUnits);
        expect(perCallUsage).toMatchObject([{ service: slug, unit: price.unit }]);
      }
    }
  });
});

describe('the description is true to what the shop answers', () => {
  const told = (method: string, path: string, answer: Customer.Answer, status: number) => {
    expect([path, answer.status]).toEqual([path, status]);
    expect(check.answer(method, path, answer)).toEqual([]);
    return answer;
  };

  test('to whoever comes for the first time', async () => {
    const post = (path: string, body: unknown) =>
      Customer.send({ method: 'POST', url: shop.url + path, headers: json, body });
    told('GET', '/readyz', await get('/readyz'), 200);
    told('POST', '/v2/jobs/company', await post('/v2/jobs/company', {}), 401);
    const goal = 'open jobs at Northwind Analytics';
    const asked = await get(`/advisor/guide?goal=${encodeURIComponent(goal)}`);
    told('GET', '/advisor/guide', asked, 200);
    expect(check.body('POST', '/advisor/guide', { goal })).toEqual([]);
    told('POST', '/advisor/guide', await post('/advisor/guide', { goal }), 200);
    told('POST', '/advisor/guide', await post('/advisor/guide', { gaol: goal }), 422);
    told('POST', '/advisor/quote', await post('/advisor/quote', { goal }), 402);
    const bought = told('POST', '/plans/{planId}/purchase', await post('/plans/credit/purchase', {}), 402);
    const { id } = bought.body.purchase;
    told('GET', '/purchases/{id}', await get(`/purchases/${id}`), 200);
    told('GET', '/purchases/{id}', await get('/purchases/pur_none'), 404);
    const registered = told('POST', '/agent/auth', await post('/agent/auth', { type: 'anonymous' }), 201);
    const wallet = Payer.payer();
    const challenge = await post('/agent/auth', { type: 'wallet', address: wallet.address });
    told('POST', '/agent/auth', challenge, 402);
    const { message } = challenge.body.sign_in;
    const signed = { type: 'wallet', message, signature: await wallet.signMessage({ message }) };
    expect(check.body('POST', '/agent/auth', signed)).toEqual([]);
    told('POST', '/agent/auth', await post('/agent/auth', signed), 201);
    const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
    const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    const send = (path: string, body: string) =>
      Customer.send({
        method: 'POST',
        url: shop.url + path,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
      });
    const assertion = registered.body.identity_assertion;
    told('POST', '/oauth2/token', await send('/oauth2/token', form({ grant_type: grant, assertion })), 200);
    told('POST', '/oauth2/token', await send('/oauth2/token', form({ grant_type: grant })), 400);
    told('POST', '/oauth2/revoke', await send('/oauth2/revoke', form({ token: assertion })), 200);
    const claim = await post('/agent/auth/claim', { claim_token: 'x', email: 'a@example.com' });
    expect(claim.status).toBe(501);
    expect(whole.paths).not.toHaveProperty(['/agent/auth/claim']);
  });

  test('to whoever has an account', async () => {
    const customer = await Customer.register(shop.url);
    await Customer.credit(shop.sql, customer, 5_000_000);
    const call = (method: string, path: string, body?: unknown, headers = {}) =>
      Customer.call(customer, method, shop.url + path, body, headers);
    const jobs = whole.paths['/v2/jobs/company'].post;
    const body = jobs.requestBody.content['application/json'].example;
    const paid = told('POST', '/v2/jobs/company', await call('POST', '/v2/jobs/company', body), 200);
    expect(paid.headers.get('storefront-units')).toMatch(/^\d+$/);
    const ceiling = { 'storefront-max-cost': '0.000001' };
    told('POST', '/v2/jobs/company', await call('POST', '/v2/jobs/company', body, ceiling), 402);
    told('POST', '/v2/jobs/company', await call('POST', '/v2/jobs/company', { nonsense: 1 }), 422);
    told('GET', '/v2/account/key-info', await call('GET', '/v2/account/key-info'), 200);
    const made = told('POST', '/account/keys', await call('POST', '/account/keys', { name: 'mine' }), 201);
    told('GET', '/account/keys', await call('GET', '/account/keys'), 200);
    told('DELETE', '/account/keys/{id}', await call('DELETE', `/account/keys/${made.body.id}`), 200);
    told('GET', '/account', await call('GET', '/account'), 200);
    for (const group of ['service', 'operation', 'plan', 'key', 'model', 'day'])
      told('GET', '/account/usage', await call('GET', `/account/usage?group=${group}`), 200);
    told('GET', '/account/usage', await call('GET', '/account/usage?group=moon'), 422);
    told('GET', '/account/calls', await call('GET', '/account/calls'), 200);
    const one = paid.headers.get('storefront-call');
    told('GET', '/account/calls/{id}', await call('GET', `/account/calls/${one}`), 200);
    told('GET', '/account/calls/{id}', await call('GET', '/account/calls/call_0'), 404);
    told('GET', '/account/receipts', await call('GET', '/account/receipts'), 200);
    told('GET', '/account/auto-top-up', await call('GET', '/account/auto-top-up'), 200);
    told('POST', '/account/promotions', await call('POST', '/account/promotions', { code: 'NONE' }), 404);
    const plan = '/account/plans/{id}';
    told('POST', `${plan}/cancel`, await call('POST', '/account/plans/start/cancel'), 404);
    told('POST', `${plan}/change`, await call('POST', '/account/plans/start/change', {}), 422);
  });

  test('to whoever buys', async () => {
    const network = Network.of(shop.sandboxUrl);
    const stranger = Agent.at(shop.url);
    const paid = await Agent.pay(stranger, await Agent.offer(stranger), await network.mint());
    const { body } = told('POST', '/plans/{planId}/purchase', paid, 200);
    const buyer = { ...stranger, token: body.access_token as string };
    const call = (method: string, path: string, body?: unknown) =>
      Customer.call(buyer, method, shop.url + path, body);
    const receipts = told('GET', '/account/receipts', await call('GET', '/account/receipts'), 200);
    expect(receipts.body.receipts).toHaveLength(1);
    const offer = await Agent.offer(buyer, {}, 'start');
    const subscribed = await Agent.pay(buyer, offer, await network.mint(), 'start');
    told('POST', '/plans/{planId}/purchase', subscribed, 200);
    told('GET', '/account', await call('GET', '/account'), 200);
    const plan = '/account/plans/{id}';
    told('POST', `${plan}/cancel`, await call('POST', '/account/plans/start/cancel'), 409);
    const topUp = { below_usd: '1.00', amount_usd: '5.00', monthly_max_usd: '10.00' };
    told('PUT', '/account/auto-top-up', await call('PUT', '/account/auto-top-up', topUp), 409);
  });
});
