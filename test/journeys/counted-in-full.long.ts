import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as BareHttp from '../support/bare-http.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

const adminToken = 'adm_of_the_counted_and_long_enough';
let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let script: (received: Upstream.Received) => unknown;

beforeAll(async () => {
  upstream = await Upstream.scripted((received) => script(received));
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'counted.yaml',
    env: { ADMIN_TOKEN: adminToken, UNPAID_CALLS_MAX: '1000', WITHHELD_CALLS_MAX: '1000' },
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

/** Registers an account with a trial of 25 units, and credit. */
async function join(microUsd = 0): Promise<Customer.Customer> {
  const customer = await Customer.register(shop.url);
  if (microUsd > 0) await Customer.credit(shop.sql, customer, microUsd);
  return customer;
}

/** Registers an account with credit and without a trial. */
async function payer(microUsd: number): Promise<Customer.Customer> {
  const customer = await join(microUsd);
  answers('{"count":25}');
  expect((await call(customer, { max: 25 })).status).toBe(200);
  return customer;
}

function call(
  { token }: Pick<Customer.Customer, 'token'>,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  path = '/v1/list',
): Promise<Customer.Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const given = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
  return BareHttp.send('POST', shop.url + path, given, text);
}

/** Returns the remaining units of the trial, and the balance in micro-dollars. */
async function left({ account }: Customer.Customer): Promise<{ units: number; microUsd: number }> {
  const lots = await shop.sql<{ asset: string; remaining: number }[]>`
    SELECT asset, remaining FROM ledger.statement(${account})`;
  const sum = (asset: string) =>
    lots.reduce((all, lot) => all + (lot.asset === asset ? Number(lot.remaining) : 0), 0);
  return { units: sum('unit'), microUsd: sum('usd') };
}

async function isFree(customer: Customer.Customer, work: () => Promise<Customer.Answer>) {
  const before = await left(customer);
  const answer = await work();
  expect(await left(customer)).toEqual(before);
  return answer;
}

const more = '{"count":30,"results":["secret"]}';

describe('a response that holds more than its request asked for', () => {
  test('is charged in full, and its headers and receipt say so', async () => {
    const customer = await join(50_000);
    answers(more);
    const answer = await call(customer, { max: 5 }, { 'storefront-receipt': 'jws' });
    expect([answer.status, answer.text]).toEqual([200, more]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'storefront-units': '30',
      'storefront-cost-usd': '0.005000',
      'storefront-balance-usd': '0.045000',
      'storefront-included-remaining': '0',
      'storefront-plan': 'trial, credit',
    });
    const receipt = String(answer.headers.get('storefront-receipt')).split('.')[1] ?? '';
    expect(JSON.parse(Buffer.from(receipt, 'base64url').toString())).toMatchObject({ units: 30 });
    expect(await left(customer)).toEqual({ units: 0, microUsd: 45_000 });
  });

  test('is withheld and costs nothing where there is no credit for all of it', async () => {
    const customer = await join();
    answers(more);
    const answer = await isFree(customer, () => call(customer, { max: 5 }));
    expect(answer).toMatchObject({
      status: 402,
      body: {
        code: 'credit_exhausted',
        message: expect.stringContaining('not delivered'),
        required_usd: '0.03',
        available_usd: '0.025',
        affordable_units: 25,
      },
    });
    expect(answer.text).not.toContain('secret');
  });

  test('is withheld where it costs more than its caller allows', async () => {
    const customer = await payer(100_000);
    answers(more);
    const allow = (usd: string) => ({ 'storefront-max-cost': usd });
    const answer = await isFree(customer, () => call(customer, { max: 5 }, allow('0.029999')));
    expect(answer).toMatchObject({
      status: 402,
      body: { code: 'price_ceiling', required_usd: '0.03', ceiling_usd: '0.029999' },
    });
    expect(answer.text).not.toContain('secret');
    expect((await call(customer, { max: 5 }, allow('0.03'))).status).toBe(200);
  });

  test('is withheld where the budget of its key does not reach, and drawn from both where it does', async () => {
    const customer = await payer(100_000);
    const made = await Customer.call(customer, 'POST', `${shop.url}/account/keys`, {
      name: 'robot',
      budget_usd: '0.05',
    });
    const key = { token: made.body.key };
    answers(more);
    expect((await call(key, { max: 5 })).headers.get('storefront-cost-usd')).toBe('0.030000');
    const answer = await isFree(customer, () => call(key, { max: 5 }));
    expect(answer).toMatchObject({
      status: 402,
      body: { code: 'budget_exhausted', required_usd: '0.03', budget_usd: '0.05', spent_usd: '0.03' },
    });
    expect((await call(customer, { max: 5 })).status).toBe(200);
  });

  test('is not kept under an Idempotency-Key while it cannot be paid: the key takes it once there is credit', async () => {
    const customer = await join();
    answers(more);
    const key = { 'idempotency-key': 'k' };
    expect((await call(customer, { max: 5 }, key)).status).toBe(402);
    await Customer.credit(shop.sql, customer, 50_000);
    const paid = await call(customer, { max: 5 }, key);
    expect([paid.status, paid.headers.get('storefront-units')]).toEqual([200, '30']);
    answers('{"count":1}');
    const again = await isFree(customer, () => call(customer, { max: 5 }, key));
    expect([again.status, again.text]).toEqual([200, more]);
  });

  test('is never more than the shop says that a call may cost', async () => {
    const customer = await payer(100_000);
    answers('{"count":51}');
    const answer = await isFree(customer, () => call(customer, { max: 5 }));
    expect(answer).toMatchObject({ status: 502, body: { code: 'response_uncountable' } });
    answers('{"count":50}');
    expect((await call(customer, { max: 5 })).headers.get('storefront-units')).toBe('50');
  });

  test('in a crowd draws what there is, never more, and gives nothing away', async () => {
    const customer = await payer(100_000);
    answers(more);
    const crowd = await Promise.all(Array.from({ length: 10 }, () => call(customer, { max: 3 })));
    const given = crowd.filter(({ status }) => status === 200);
    for (const { status } of crowd) expect([200, 402, 429]).toContain(status);
    expect(given.length).toBeGreaterThan(0);
    expect(given.length).toBeLessThanOrEqual(3);
    expect(await left(customer)).toEqual({ units: 0, microUsd: 100_000 - given.length * 30_000 });
  });
});

describe('a request in disguise', () => {
  const form = 'application/x-www-form-urlencoded';
  const json = '{"max\\u005fx":1,"ma\\u0078":50}';
  test.each([
    ['JSON under the type of a form', json, { 'content-type': form }],
    ['JSON after blanks under the type of a form', ` \n${json}`, { 'content-type': form }],
    ['a type that ends at the next hop', json, { 'content-type': form, connection: 'content-type' }],
    ['a name that frameworks checkpoint', 'm.a.x=50', { 'content-type': form }],
    ['no type at all', json, { 'content-type': '' }],
  ])('costs what it brings: %s', async (_, body, headers) => {
    const customer = await payer(100_000);
    answers('{"count":50}');
    const answer = await call(customer, body, headers);
    expect([answer.status, answer.headers.get('storefront-cost-usd')]).toEqual([200, '0.050000']);
  });

  test('cannot give the type that the upstream sees another meaning than it has here', async () => {
    const customer = await payer(100_000);
    answers('{"count":1}');
    const received = upstream.received.length;
    const connection = 'content-type, idempotency-key';
    await call(customer, '{}', { connection, 'content-type': form, 'idempotency-key': 'k' });
    expect(upstream.received.slice(received).map(({ head }) => /content-type/i.test(head))).toEqual([false]);
    answers('{"count":2}');
    const other = await call(customer, { max: 3 }, { 'idempotency-key': 'k' });
    expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });
});

const type = (of: string) => [`content-type: ${of}`];
const uncountable: [reason: string, body: string | Buffer, headers: string[]][] = [
  ['not_json', '<html>secret</html>', type('text/html')],
  ['not_json', 'count\n3\nsecret', type('text/csv')],
  ['not_json', '{"count":3', type('application/json')],
  ['missing', '{"results":["secret"]}', type('application/json')],
  ['not_a_count', '{"count":-1}', type('application/json')],
  ['not_a_count', '{"count":2.5}', type('application/json')],
  ['not_a_count', '{"count":1e300}', type('application/json')],
  ['not_a_count', '{"count":"3"}', type('application/json')],
  ['above_units_max', '{"count":51}', type('application/json')],
];
/** Responses that cannot be searched for the operator's key (decision 0011). */
const undecodable: typeof uncountable = [
  ['undecodable', '{"count":3}', [...type('application/json'), 'content-encoding: compress']],
  ['undecodable', '{"count":3}', [...type('application/json'), 'content-encoding: gzip']],
];

describe('a success that cannot be counted', () => {
  test.each([...uncountable, ...undecodable])(
    'is withheld and costs nothing: %s %s',
    async (_, body, headers) => {
      const customer = await join();
      answers(body, headers);
      const answer = await isFree(customer, () => call(customer, { max: 5 }));
      expect(answer).toMatchObject({
        status: 502,
        body: { code: 'response_uncountable', operation: 'POST /v1/list' },
      });
      expect(answer.text).not.toContain('secret');
    },
  );

  test.each(uncountable)('is given away where the seller says so: %s %s', async (_, body, headers) => {
    const customer = await join();
    answers(body, headers);
    const answer = await isFree(customer, () => call(customer, { max: 5 }, {}, '/v1/lenient'));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('storefront-units')).toBe('0');
  });

  test.each(uncountable)(
    'costs the most it could where the seller says so: %s %s',
    async (_, body, headers) => {
      const customer = await join();
      answers(body, headers);
      const key = { 'idempotency-key': 'k' };
      const answer = await call(customer, { max: 5 }, key, '/v1/strict');
      expect([answer.status, answer.headers.get('storefront-units')]).toEqual([200, '5']);
      await isFree(customer, () => call(customer, { max: 5 }, key, '/v1/strict'));
      expect(await left(customer)).toEqual({ units: 20, microUsd: 0 });
    },
  );

  test.each(undecodable)(
    'is withheld and costs nothing whatever the seller says where it cannot be searched: %s %s',
    async (_, body, headers) => {
      const customer = await join(100_000);
      answers(body, headers);
      for (const path of ['/v1/lenient', '/v1/strict']) {
        const answer = await isFree(customer, () => call(customer, { max: 5 }, {}, path));
        expect(answer).toMatchObject({ status: 502, body: { code: 'response_uncountable' } });
      }
      const gratis = await isFree(customer, () => call(customer, {}, {}, '/v1/gratis'));
      expect(gratis).toMatchObject({ status: 502, body: { code: 'upstream_unavailable' } });
    },
  );

  test.each(undecodable)(
    'is none that is an error, which is not counted: %s %s',
    async (_, body, headers) => {
      const customer = await join();
      answers(body, headers, 400);
      const answer = await isFree(customer, () => call(customer, { max: 5 }));
      expect(answer).toMatchObject({ status: 502, body: { code: 'upstream_unavailable' } });
    },
  );

  test('costs the most that an unclear request could, or is withheld where that is more than there is', async () => {
    answers('<html>');
    const poor = await join();
    const withheld = await isFree(poor, () => call(poor, { max: 'all' }, {}, '/v1/strict'));
    expect(withheld).toMatchObject({ status: 402, body: { required_usd: '0.05' } });
    const rich = await join(100_000);
    const paid = await call(rich, { max: 'all' }, {}, '/v1/strict');
    expect([paid.status, paid.headers.get('storefront-units')]).toEqual([200, '50']);
  });

  test('is not kept under an Idempotency-Key: the next try under it calls again', async () => {
    for (const path of ['/v1/list', '/v1/lenient']) {
      const customer = await join();
      const key = { 'idempotency-key': 'k' };
      answers('{"count":', type('application/json'));
      await isFree(customer, () => call(customer, { max: 5 }, key, path));
      answers('{"count":4}');
      const again = await call(customer, { max: 5 }, key, path);
      expect([again.status, again.headers.get('storefront-units')]).toEqual([200, '4']);
    }
  });

  test('is a stream of events, which nobody waits for', async () => {
    const closed = Promise.withResolvers<void>();
    script = ({ socket }) => {
      socket.once('close', closed.resolve);
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
      );
      socket.write('5\r\ndata:\r\n');
    };
    const customer = await join();
    const answer = await isFree(customer, () => call(customer, { max: 5 }));
    expect(answer).toMatchObject({ status: 502, body: { code: 'response_uncountable' } });
    await closed.promise;
  });

  test('is one above the size limit', async () => {
    const customer = await join();
    script = ({ socket }) =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${33 * 1024 * 1024}\r\n\r\n{"count":3,`);
    const answer = await isFree(customer, () => call(customer, { max: 5 }));
    expect(answer).toMatchObject({ status: 502, body: { code: 'response_uncountable' } });
  });

  test.each([
    ['null', '{"count":null}', 200],
    ['false', '{"count":false}', 200],
    ['an empty body', '', 200],
    ['204', '', 204],
    ['an error', '<html>', 400],
    ['a redirection', '<html>', 302],
  ])('is not %s: that counts nothing', async (_, body, status) => {
    const customer = await join();
    answers(body, [], status);
    const answer = await isFree(customer, () => call(customer, { max: 5 }));
    expect([answer.status, answer.text]).toEqual([status, body]);
  });

  test('of a service without a price is delivered: nothing is lost', async () => {
    const customer = await join();
    for (const body of ['<html>', '{"count":9007199254740991}', '{"count":1e300}']) {
      answers(body);
      const answer = await call(customer, {}, {}, '/v1/gratis');
      expect([answer.status, answer.text]).toEqual([200, body]);
    }
  });

  test('is named by operation in the log, the metrics, the database and the console', async () => {
    const customer = await join();
    answers('<html>');
    await call(customer, { max: 5 });
    const search = await Customer.call(customer, 'GET', `${shop.url}/v1/search?max=3`);
    expect(search.status).toBe(502);
    const lines = () =>
      (shop.storefronts[0]?.output() ?? '')
        .split('\n')
        .filter((line) => line.includes('"response_uncountable"') && line.includes('GET /v1/search'));
    await expect.poll(lines).toHaveLength(1);
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({
      level: 50,
      operation: 'GET /v1/search',
      reason: 'not_json',
    });
    const admin = { headers: { authorization: `Bearer ${adminToken}` } };
    const metrics = await (await fetch(`${shop.url}/metrics`, admin)).text();
    expect(metrics).toContain(
      'sluice_uncountable_responses_total{operation="GET /v1/search",reason="not_json"} 1',
    );
    expect(metrics).toMatch(/sluice_events_total\{event="response_uncountable"\} \d/);
    const recorded = () =>
      shop.sql`SELECT calls FROM shop.uncountable_response WHERE operation = 'GET /v1/search' AND reason = 'not_json'`.then(
        ([row]) => Number(row?.calls),
      );
    await expect.poll(recorded).toBe(1);
  });
});

describe('a compressed response', () => {
  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('in %s is counted, and forwarded as it came', async (coding, compress) => {
    const customer = await join();
    const bytes = compress(Buffer.from('{"count":7}'));
    answers(bytes, [...type('application/json'), `content-encoding: ${coding}`]);
    const answer = await call(customer, { max: 9 });
    expect(answer.headers.get('storefront-units')).toBe('7');
    expect(answer.headers.get('content-length')).toBe(String(bytes.length));
    expect(answer.headers.get('content-encoding')).toBe(coding);
    expect(answer.text).toBe(bytes.toString('latin1'));
  });
});

test('a fixed price asks nothing of the response', async () => {
  const customer = await join();
  answers('<html>', type('text/html'));
  const answer = await call(customer, 'x', {}, '/v1/fixed');
  expect([answer.status, answer.headers.get('storefront-units')]).toEqual([200, '2']);
});
