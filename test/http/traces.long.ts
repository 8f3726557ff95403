import { parseTraceparent } from '@sluice/kernel/tracing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTracer } from '../../src/adapters/otel/tracer.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Collector from '../support/collector.ts';
import * as Customer from '../support/customer.ts';
import * as Program from '../support/program.ts';
import * as Shop from '../support/shop.ts';

const upstreamKey = 'upk_of_the_traces';
const adminToken = 'adm_of_the_traces_and_long_enough';
const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const callersSpan = '00f067aa0ba902b7';
/** Its flag says that the caller does not record the trace. */
const traceparent = `00-${callersTrace}-${callersSpan}-00`;

let upstream: Upstream.ScriptedUpstream;
let collector: Collector.Collector;
let shop: Shop.Shop;
/** URLs of further processes, each with other settings. */
let others: { none: string; untold: string; dead: string; late: string };
const secrets = [upstreamKey, adminToken];

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket, head, body }) => {
    if (head.includes('slow')) return;
    socket.write(Upstream.http(200, JSON.stringify({ count: JSON.parse(body || '{}').max ?? 1 })));
  });
  collector = await Collector.open();
  shop = await Shop.open({
    upstream: { url: upstream.url, key: upstreamKey },
    catalog: 'scripted.yaml',
    env: {
      ...collector.env,
      ADMIN_TOKEN: adminToken,
      OTEL_SERVICE_NAME: 'our-shop',
      UPSTREAM_TRACE_CONTEXT: 'on',
    },
  });
  const nobody = `http://127.0.0.1:${await Program.freePort()}`;
  const [none, untold, dead, late] = await Promise.all([
    shop.addStorefront({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }),
    shop.addStorefront({ UPSTREAM_TRACE_CONTEXT: '' }),
    shop.addStorefront({ OTEL_EXPORTER_OTLP_ENDPOINT: nobody }),
    shop.addStorefront({ OTEL_BSP_SCHEDULE_DELAY: '60000' }),
  ]);
  others = { none, untold, dead, late };
});
afterAll(async () => {
  await shop?.stop();
  await collector?.close();
  await upstream?.close();
});

async function join(): Promise<Customer.Customer> {
  const customer = await Customer.register(shop.url);
  secrets.push(customer.token, customer.assertion);
  return customer;
}

/** Returns the request's span, found by account and name. */
async function spanOf(name: string, account: string): Promise<Collector.Span> {
  const find = () =>
    collector.spans.find((span) => span.name === name && span.attributes['sluice.account'] === account);
  await expect.poll(find).toBeDefined();
  return find() as Collector.Span;
}

/** Returns the process that listens at an address. */
function processAt(base: string): Program.Program {
  const found = shop.storefronts.find(({ output }) => output().includes(`"port":${new URL(base).port}`));
  if (!found) throw new Error(`nobody listens at ${base}`);
  return found;
}

const childrenOf = ({ spanId }: Collector.Span) =>
  collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId);
const linkedTo = ({ spanId }: Collector.Span) =>
  collector.spans.filter(({ links }) => links.some((link) => link.spanId === spanId));

describe('a paid call', () => {
  test('is a span in its caller’s trace, the upstream a part of it, the ledger’s batch linked to it', async () => {
    const customer = await join();
    const answer = await Customer.call(
      customer,
      'POST',
      `${shop.url}/v1/list?secret=in-the-query`,
      { max: 3, text: 'in-the-body' },
      { traceparent, 'idempotency-key': 'in-a-header' },
    );
    expect(answer.status).toBe(200);
    const call = await spanOf('POST /v1/list', customer.account);
    expect(call).toMatchObject({
      traceId: callersTrace,
      parentSpanId: callersSpan,
      kind: 2,
      service: 'our-shop',
    });
    expect(call.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/list',
      'http.response.status_code': 200,
      'sluice.request_id': expect.stringMatching(/^req_/),
      'sluice.account': customer.account,
      'sluice.call': (answer.headers.get('storefront-call') ?? '').replace('call_', ''),
      'sluice.service': 'lists',
      'sluice.units': 3,
      'sluice.cost_micro_usd': 0,
    });
    expect(call.events).toEqual(['held', 'settled']);

    const named = (name: string) => childrenOf(call).find((child) => child.name === name);
    await expect.poll(() => childrenOf(call)).toHaveLength(2);
    expect(named('idempotency key')?.attributes).toEqual({
      'db.system.name': 'postgresql',
      'sluice.idempotency_claim': 'started',
    });
    const exchange = named('upstream');
    expect(exchange).toMatchObject({ kind: 3, traceId: callersTrace });
    expect(exchange?.attributes).toEqual({ 'http.response.status_code': 200, 'sluice.streamed': false });
    const sent = /^traceparent: (.*)$/im.exec(upstream.received.at(-1)?.head ?? '')?.[1];
    expect(sent?.trim()).toBe(`00-${callersTrace}-${exchange?.spanId}-01`);

    await expect.poll(() => linkedTo(call).length).toBeGreaterThan(0);
    for (const batch of linkedTo(call)) {
      expect(batch).toMatchObject({ name: 'ledger batch', kind: 3 });
      expect(batch.traceId).not.toBe(callersTrace);
      expect(batch.attributes).toMatchObject({
        'db.system.name': 'postgresql',
        'sluice.batch.state': 'ok',
      });
    }
  });

  test('calls at once share a batch, and so its span', async () => {
    const customer = await join();
    await Promise.all(
      Array.from({ length: 6 }, () => Customer.call(customer, 'POST', `${shop.url}/v1/list`, { max: 1 })),
    );
    const mine = () =>
      collector.spans.filter(
        ({ name, attributes }) =>
          name === 'POST /v1/list' && attributes['sluice.account'] === customer.account,
      );
    await expect.poll(() => mine().length).toBe(6);
    await expect.poll(() => mine().every((call) => linkedTo(call).length > 0)).toBe(true);
    expect(new Set(mine().map(({ traceId }) => traceId)).size).toBe(6);
  });

  test('that goes wrong says so, by a stable word', async () => {
    const customer = await join();
    const answer = await Customer.call(customer, 'GET', `${shop.url}/v1/items/slow`);
    expect(answer.status).toBe(504);
    const call = await spanOf('GET /v1/items/{id}', customer.account);
    expect(call.attributes).toMatchObject({
      'sluice.code': 'upstream_timeout',
      'http.response.status_code': 504,
    });
    expect(call.status).toMatchObject({ code: 2, message: 'upstream_timeout' });
    expect(childrenOf(call)[0]?.status).toMatchObject({ code: 2, message: 'timeout' });
  });
});

test('routes of our own are named by their template, and what is no route has no name', async () => {
  const customer = await join();
  await Customer.call(customer, 'DELETE', `${shop.url}/account/keys/key_1`);
  expect((await spanOf('DELETE /account/keys/:id', customer.account)).attributes).toMatchObject({
    'http.route': '/account/keys/:id',
    'http.response.status_code': 404,
  });
  const before = collector.spans.length;
  await fetch(`${shop.url}/no/such/in-the-path`);
  await expect.poll(() => collector.spans.slice(before).map(({ name }) => name)).toContain('GET');
});

test('what is no traceparent begins a trace of our own', async () => {
  for (const header of [
    undefined,
    '',
    'x',
    `ff-${callersTrace}-${callersSpan}-01`,
    `00-${'0'.repeat(32)}-${callersSpan}-01`,
    `00-${callersTrace}-${'0'.repeat(16)}-01`,
    `00-${callersTrace}-${callersSpan}-01-more`,
    `00-${callersTrace.toUpperCase()}-${callersSpan}-01`,
  ])
    expect([header, parseTraceparent(header)]).toEqual([header, null]);
  expect(parseTraceparent(`01-${callersTrace}-${callersSpan}-01-more`)).toEqual({
    traceId: callersTrace,
    spanId: callersSpan,
  });
  const customer = await join();
  await Customer.call(customer, 'GET', `${shop.url}/account`, undefined, {
    traceparent: `${traceparent}, ${traceparent}`,
  });
  const span = await spanOf('GET /account', customer.account);
  expect(span.traceId).not.toBe(callersTrace);
  expect(span.parentSpanId ?? '').toBe('');
});

test('how many are recorded is ours to say; the upstream learns of our traces only where it is told to', async () => {
  const customer = await join();
  const sentBy = async (base: string) => {
    const answer = await Customer.call(
      customer,
      'POST',
      `${base}/v1/list`,
      { max: 1 },
      { traceparent: `00-${callersTrace}-${callersSpan}-01` },
    );
    expect(answer.status).toBe(200);
    return /^traceparent: (.*)\r?$/im.exec(upstream.received.at(-1)?.head ?? '')?.[1]?.trim();
  };
  expect(await sentBy(others.none)).toMatch(new RegExp(`^00-${callersTrace}-[0-9a-f]{16}-00$`));
  expect(await sentBy(others.untold)).toBeUndefined();
  await spanOf('POST /v1/list', customer.account);
  await processAt(others.none).stop();
  const mine = collector.spans.filter(({ attributes }) => attributes['sluice.account'] === customer.account);
  expect(mine.map(({ name }) => name).sort()).toEqual(['POST /agent/auth', 'POST /v1/list']);
});

describe('a collector', () => {
  test('that is dead makes nobody wait, is told of once, and holds no shutdown up', async () => {
    const customer = await join();
    for (let call = 0; call < 5; call++)
      expect((await Customer.call(customer, 'POST', `${others.dead}/v1/list`, { max: 1 })).status).toBe(200);
    const storefront = processAt(others.dead);
    const told = () => storefront.output().split('"event":"traces_away"').length - 1;
    await expect.poll(told).toBe(1);
    const since = performance.now();
    expect(await storefront.stop()).toBe(0);
    expect(performance.now() - since).toBeLessThan(12_000);
    expect(told()).toBe(1);
  });

  test('that never answers costs spans, not memory', async () => {
    const slow = await Collector.open();
    const held: (() => void)[] = [];
    slow.answer = (response) => void held.push(() => response.writeHead(200).end('{}'));
    const settings = {
      url: `${slow.url}/v1/traces`,
      serviceName: 'x',
      ratio: 1,
      delayMs: 10,
      tellsUpstream: false,
    };
    const reported: string[] = [];
    const tracer = openTracer(settings, (event) => reported.push(event));
    for (let span = 0; span < 30_000; span++) {
      tracer.request('GET', undefined).end({ 'sluice.code': `code-${span}` });
      if (span % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    slow.answer = (response) => response.writeHead(200).end('{}');
    for (const answer of held) answer();
    const since = performance.now();
    await tracer.close();
    expect(performance.now() - since).toBeLessThan(10_000);
    expect(slow.spans.length).toBeGreaterThan(0);
    // The spans that may wait, and the batches that may be under way.
    expect(slow.spans.length).toBeLessThan(4_096 + 4 * 512);
    await slow.close();
  });

  test('gets what has ended when the process ends', async () => {
    const customer = await join();
    await Customer.call(customer, 'GET', `${others.late}/account`);
    expect(await processAt(others.late).stop()).toBe(0);
    await spanOf('GET /account', customer.account);
  });
});

test('no secret, query, body or header is in anything that was told', () => {
  const all = collector.bodies.join('\n');
  expect(collector.spans.length).toBeGreaterThan(20);
  const inside = [
    'in-the-query',
    'in-the-body',
    'in-a-header',
    'in-the-path',
    new URL(upstream.url).host,
    'postgres://',
  ];
  for (const text of [...secrets, ...inside]) expect(all).not.toContain(text);
});
