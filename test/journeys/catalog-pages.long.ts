import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let shop: Shop.Shop;
beforeAll(async () => {
  shop = await Shop.open();
});
afterAll(() => shop?.stop());

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  Customer.send({ method: 'GET', url: shop.url + path, headers });

const documents = [
  '/',
  '/manifest.json',
  '/services',
  '/services/company-jobs',
  '/services/tam-by-jobs',
  '/services/company-distribution-by-country',
  '/services/account',
  '/auth.md',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-authorization-server',
  '/manifest.jws',
  '/openapi.json',
  '/services/company-jobs/openapi.json',
  '/schemas/manifest.json',
  '/schemas/service.json',
  '/schemas/payment-info.json',
  '/llms.txt',
  '/llms-full.txt',
  '/skill.md',
  '/favicon.svg',
  '/.well-known/api-catalog',
  '/.well-known/security.txt',
];

describe('what the shop says of itself', () => {
  test.each(documents)('is sent once and then known by its tag: %s', async (path) => {
    const first = await get(path);
    expect(first.status).toBe(200);
    expect(first.headers.get('storefront-origin')).toBe('storefront');
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"[\w-]+"$/);
    for (const known of [tag, tag.replace('W/', ''), `"other", ${tag}`, '*']) {
      const again = await get(path, { 'if-none-match': known });
      expect(again).toMatchObject({ status: 304, text: '' });
      expect(again.headers.get('etag')).toBe(tag);
    }
    expect((await get(path, { 'if-none-match': '"other"' })).text).toBe(first.text);
    const head = await fetch(shop.url + path, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag')]).toEqual([200, tag]);
  });

  test.each([
    ['manifest', '/manifest.json'],
    ['service', '/services/tam-by-jobs'],
  ])('is what its schema says: %s', async (name, path) => {
    const file = new URL(`../../openapi/${name}.schema.json`, import.meta.url);
    const validate = new Ajv2020({ strictTypes: false }).compile(JSON.parse(await readFile(file, 'utf8')));
    expect([validate((await get(path)).body), validate.errors]).toEqual([true, null]);
  });

  test('has one price, wherever it stands', async () => {
    const { body: manifest } = await get('/manifest.json');
    expect(manifest.payment.minimumUsd).toBe('0.50');
    for (const { service, priceUsd, includedUnits } of manifest.prices) {
      const { body } = await get(`/services/${service}`);
      expect(body.price_usd).toBe(priceUsd);
      const rows = body.plans.map((row: Record<string, unknown>) => [row.kind, row.price_per_unit_usd]);
      expect(rows).toEqual([
        ['trial', '0.00'],
        ['credit', priceUsd],
        ['subscription', '0.00'],
        ['subscription', '0.00'],
      ]);
      expect(body.plans[0].included_units).toBe(includedUnits);
    }
  });

  test('says so where it has nothing', async () => {
    const answer = await get('/services/unsold');
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await Customer.send({ method: 'GET', url: answer.body.services })).status).toBe(200);
  });

  test('tells whoever runs it how it is', async () => {
    expect((await get('/healthz')).body).toMatchObject({ status: 'ok' });
    const ready = { status: 'ready', checks: { serving: true, ledger: true, schema: true, upstream: true } };
    expect(await get('/readyz')).toMatchObject({ status: 200, body: ready });
  });
});

/** Clients post to all endpoints of the metadata but the authorization endpoint, which a browser opens (RFC 6749, section 3.1). */
const isPosted = (name: string) =>
  /(_endpoint|register_uri)$/.test(name) && name !== 'authorization_endpoint';

/** Every request that a document gives: a URL alone is a GET, an endpoint and the tools a POST. */
function requests(value: unknown, name = ''): Customer.Request[] {
  if (typeof value === 'string' && value.startsWith(shop.url))
    return [{ method: isPosted(name) || value.endsWith('/mcp') ? 'POST' : 'GET', url: value }];
  if (typeof value !== 'object' || value === null) return [];
  const { method, url, headers, body } = value as Partial<Customer.Request>;
  if (typeof method === 'string' && typeof url === 'string')
    return [
      { method, url, ...(headers && { headers }), ...(body !== undefined && { body }) },
      ...Object.entries(value).flatMap(([key, inner]) => (key === 'url' ? [] : requests(inner, key))),
    ];
  return Object.entries(value).flatMap(([key, inner]) => requests(inner, key));
}

test('every address that is given anywhere answers', async () => {
  const customer = await Customer.register(shop.url);
  const tam = `${shop.url}/v2/company/tam-by-jobs`;
  const answers = [
    ...(await Promise.all(documents.map((path) => get(path)))),
    await Customer.send({ method: 'POST', url: tam, body: '{}' }),
    await Customer.call(customer, 'POST', tam, { max_results: 50 }),
    await Customer.call(customer, 'POST', `${shop.url}/plans/credit/purchase`, {}),
    await get('/unsold'),
  ];
  const all = answers.flatMap(({ body }) => requests(body));
  const prose = answers.flatMap(({ text }) =>
    [...text.matchAll(/`\$SHOP(\/[\w./-]+)`/g)].map(([, path]) => path),
  );
  for (const path of prose) all.push({ method: 'GET', url: shop.url + path });
  // The purchase and the receipts of examples are made up, and this shop claims no accounts.
  const isMadeUp = ({ url }: Customer.Request) =>
    /pur_7d20b6a9|\/receipts\/ey|\/agent\/auth\/claim$/.test(url);
  const given = all.filter((request) => !isMadeUp(request));
  const distinct = [...new Map(given.map((request) => [JSON.stringify(request), request])).values()];
  expect(distinct.length).toBeGreaterThan(20);
  for (const request of distinct) {
    const { status } = await Customer.send(request);
    expect([200, 201, 303, 400, 401, 402, 415, 422], `${request.method} ${request.url}`).toContain(status);
  }
});

test('the metadata of the shop name the same places, and their keys verify its tokens', async () => {
  const { body: resource } = await get('/.well-known/oauth-protected-resource');
  const { body: server } = await get('/.well-known/oauth-authorization-server');
  expect(resource).toMatchObject({ resource: shop.url, authorization_servers: [server.issuer] });
  const { body: jwks } = await Customer.send({ method: 'GET', url: server.jwks_uri });
  const { token } = await Customer.register(shop.url);
  const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
  expect(jwks.keys.map((key: { kid: string }) => key.kid)).toContain(kid);
  expect(jwks.keys.every((key: object) => !('d' in key))).toBe(true);
});

test('the shell lines of auth.md work as they stand', async () => {
  const blocks = [...(await get('/auth.md')).text.matchAll(/```sh\n([\s\S]*?)```/g)].map(
    ([, block = '']) => block,
  );
  const [where = '', register = '', keep = '', call = '', renew = '', buy = '', revoke = ''] = blocks;
  expect(blocks).toHaveLength(7);
  let known = where;
  const run = async (block: string) => {
    const { stdout } = await promisify(execFile)('sh', ['-euc', `${known}\n${block}`]);
    return JSON.parse(stdout);
  };

  const registered = await run(register);
  expect(registered).toMatchObject({ success: true, token_type: 'Bearer', plan: { kind: 'trial' } });
  // The lines to keep have three dots where the answer's own values go.
  known += keep.replace(/^(\w+)=\.\.\./gm, (_, name) => `${name}=${registered[name.toLowerCase()]}`);
  expect((await run(call)).results.length).toBeGreaterThan(0);
  expect(await run(renew)).toMatchObject({ token_type: 'Bearer', expires_in: 3_600 });
  expect(await run(buy)).toMatchObject({ code: 'payment_required', purchase: { amount_usd: '0.50' } });
  await run(revoke);
  expect(await run(call)).toMatchObject({ success: false, code: 'token_invalid' });
  known += `ACCESS_TOKEN=${(await run(renew)).access_token}\n`;
  expect((await run(call)).results.length).toBeGreaterThan(0);
});
