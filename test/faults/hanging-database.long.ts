import { readFile } from 'node:fs/promises';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as RouteTable from '../discovery-pages/route-table.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as PausableCluster from '../support/pausable-cluster.ts';
import * as Shop from '../support/shop.ts';

const boundMs = 5_000;
const routesAtOnce = 16;
const adminToken = 'adm_of_the_hanging_database_and_long_enough';
/** Each request comes from another address, so that no limit of one address applies. */
const addressHeader = 'x-test-address';
let cluster: PausableCluster.PausableCluster;
let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let seller: string;
let requests = 0;
let isUpstreamReady = true;

beforeAll(async () => {
  [cluster, upstream] = await Promise.all([
    PausableCluster.open(),
    Upstream.scripted(({ socket, body, head }) => {
      if (head.startsWith('GET /readyz '))
        return socket.write(Upstream.http(isUpstreamReady ? 200 : 503, '{}'));
      const results = JSON.parse(body || '{}').max_results ?? 0;
      return socket.write(Upstream.http(200, JSON.stringify({ results: [], results_length: results })));
    }),
  ]);
  const env = { ADMIN_TOKEN: adminToken, CLIENT_ADDRESS_HEADER: addressHeader };
  shop = await Shop.open({ server: cluster.url, upstream: { url: upstream.url, key: 'upk_1' }, env });
  const signIn = await request('POST', '/admin/console/sign-in', { body: `token=${adminToken}` });
  seller = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
});
afterEach(() => cluster?.resume());
afterAll(async () => {
  await cluster?.resume();
  await shop?.stop();
  await upstream?.close();
  await cluster?.close();
});

type Sent = { body?: string; token?: string; cookie?: string; type?: string; accept?: string };

async function request(method: string, path: string, { body, token, cookie, type, accept }: Sent = {}) {
  requests += 1;
  const startMs = performance.now();
  const response = await fetch(shop.url + path, {
    method,
    redirect: 'manual',
    headers: {
      [addressHeader]: `198.51.${100 + (requests >> 8)}.${requests & 255}`,
      origin: shop.url,
      ...(accept && { accept }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...(cookie && { cookie }),
      ...(body !== undefined && { 'content-type': type ?? 'application/x-www-form-urlencoded' }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, ms: performance.now() - startMs };
}

/** A path with values for its parameters. */
function filled(path: string, account: string): string {
  return path
    .replace(':account', account)
    .replace(':planId', 'credit')
    .replace(/:id\b/, 'pur_0123456789abcdef0123456789abcdef')
    .replace(/:[A-Za-z]+(?:\{[^}]*\})?/g, 'some')
    .replace('*', 'some');
}

/** Values for the fields of requests, by name. */
const values: Readonly<Record<string, unknown>> = {
  account: 'acc_0123456789abcdef0123456789abcdef',
  amount_usd: '5.00',
  budget_usd: '5.00',
  code: 'WELCOME',
  email: 'ada@shop.example',
  goal: 'work emails',
  name: 'key',
  plan: 'credit',
  purchase: 'pur_0123456789abcdef0123456789abcdef',
  reason: 'A test.',
};

// biome-ignore lint/suspicious/noExplicitAny: a test walks a document by what it says.
type Document = any;

/** Bodies by method and path: the examples of the description, or its required fields with values by name. */
async function describedBodies(): Promise<Map<string, string>> {
  const document: Document = parse(await readFile('openapi/storefront.yaml', 'utf8'));
  const bodies = new Map<string, string>();
  for (const [path, item] of Object.entries<Document>(document.paths))
    for (const method of ['post', 'put']) {
      const { schema = {}, example } = item[method]?.requestBody?.content?.['application/json'] ?? {};
      const meant = schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
      const filled = (meant.required ?? []).map((name: string) => [name, values[name] ?? 'some']);
      const route = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`;
      bodies.set(route, JSON.stringify(example ?? Object.fromEntries(filled)));
    }
  return bodies;
}

test('while the database hangs, every route and page of the shop answers within five seconds', async () => {
  const customer = await Customer.register(shop.url);
  const [{ routes }, described] = await Promise.all([RouteTable.read(), describedBodies()]);
  await cluster.pause();
  const answer = async ({ method, path }: RouteTable.Route) => {
    const route = `${method} ${path}`;
    const isForm = /^\/(?:shop|admin\/console|plans\/manage|checkout)\//.test(path);
    const isSeller = isForm || path === '/admin';
    const isForSeller = /^\/(?:admin|metrics)/.test(path);
    const json = described.get(route) ?? '{}';
    const form = new URLSearchParams({
      amount_usd: '5.00',
      goal: 'work emails',
      email: 'ada@shop.example',
    });
    const body = isForm ? { body: `${form}` } : { body: json, type: 'application/json' };
    const { status, ms } = await request(method, filled(path, customer.account), {
      ...(!isSeller && { token: isForSeller ? adminToken : customer.token }),
      cookie: isForSeller ? seller : `sluice_visitor=${customer.assertion}`,
      ...(method !== 'GET' && body),
    });
    return { route, status, ms };
  };
  // A few at a time, so that the times are those of the shop and not those of a crowded test.
  const answers: Awaited<ReturnType<typeof answer>>[] = [];
  for (let at = 0; at < routes.length; at += routesAtOnce)
    answers.push(...(await Promise.all(routes.slice(at, at + routesAtOnce).map(answer))));
  expect(answers.filter(({ status }) => status === 500)).toEqual([]);
  // On a busy machine a single answer may be late by itself.
  const late = answers.filter(({ ms }) => ms > boundMs).map(({ route }) => route);
  for (const route of routes.filter(({ method, path }) => late.includes(`${method} ${path}`)))
    await expect.poll(async () => (await answer(route)).ms, { timeout: 60_000 }).toBeLessThan(boundMs);
  const unavailable = answers.filter(({ status }) => status === 503).map(({ route }) => route);
  expect(unavailable).toEqual(
    expect.arrayContaining([
      'GET /readyz',
      'POST /agent/auth',
      'POST /plans/:planId/purchase',
      'POST /account/keys',
      'GET /account',
      'GET /shop/account',
      'GET /admin',
      'GET /admin/purchases',
    ]),
  );
});

test('while the database hangs, a person gets a page that says what to do', async () => {
  const customer = await Customer.register(shop.url);
  await cluster.pause();
  const cookie = `sluice_visitor=${customer.assertion}`;
  const { status, headers, text } = await request('GET', '/shop/account', { cookie, accept: 'text/html' });
  expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  expect(headers.get('content-type')).toContain('text/html');
  expect(text).toContain('You can try again in 5 seconds');
});

test('the shop is ready while its upstream says so, and says which check fails', async () => {
  const ready = async () => {
    const { status, text, ms } = await request('GET', '/readyz');
    const { checks } = JSON.parse(text);
    return { status, failing: Object.keys(checks).filter((name) => !checks[name]), isFast: ms < 2_500 };
  };
  const isReady = { status: 200, failing: [], isFast: true };
  await expect.poll(ready).toEqual(isReady);
  isUpstreamReady = false;
  await expect.poll(ready).toEqual({ status: 503, failing: ['upstream'], isFast: true });
  isUpstreamReady = true;
  await cluster.pause();
  // The check of the ledger is kept for two seconds.
  await expect.poll(ready).toEqual({ status: 503, failing: ['ledger'], isFast: true });
  await cluster.resume();
  await expect.poll(ready).toEqual(isReady);
  // A database that reads and commits nothing, such as one with a full disk, can charge no call.
  await readsOnly(true);
  await expect.poll(ready).toEqual({ status: 503, failing: ['ledger'], isFast: true });
  await readsOnly(false);
  await expect.poll(ready).toEqual(isReady);
});

async function readsOnly(isOn: boolean): Promise<void> {
  const sql = postgres(cluster.url, { max: 1, onnotice: () => {} });
  await sql.unsafe(`ALTER SYSTEM SET default_transaction_read_only = ${isOn ? 'on' : 'off'}`);
  await sql`SELECT pg_reload_conf()`;
  await sql.end();
}
