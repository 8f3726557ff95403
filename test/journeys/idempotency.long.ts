import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let bases: string[];
let script: (received: Upstream.Received) => unknown;
let keys = 0;

const answer =
  (body: string | Buffer, status = 200) =>
  (received: Upstream.Received) =>
    received.socket.write(Upstream.http(status, body, ['content-type: application/json', 'etag: "a"']));

beforeAll(async () => {
  upstream = await Upstream.scripted((received) => script(received));
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml' });
  bases = [shop.url.replace('localhost', '127.0.0.1'), await shop.addStorefront()];
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

async function join(): Promise<Customer.Customer> {
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 500_000);
  return customer;
}

type Asked = {
  base?: number;
  method?: string;
  path?: string;
  body?: unknown;
  headers?: Record<string, string>;
};

function ask(customer: Customer.Customer, key: string, asked: Asked = {}): Promise<Customer.Answer> {
  const { base = 0, method = 'POST', path = '/v1/list', body = { max: 5 }, headers = {} } = asked;
  return Customer.call(customer, method, `${bases[base]}${path}`, method === 'GET' ? undefined : body, {
    'idempotency-key': key,
    ...headers,
  });
}

const freshKey = () => `key ${++keys}`;

/** Returns the number of requests that reached the upstream during `act`. */
async function asked(act: () => Promise<unknown>): Promise<number> {
  const before = upstream.received.length;
  await act();
  return upstream.received.length - before;
}

/** Returns the calls of an account that stayed charged, and their units. */
async function charged({ account }: Customer.Customer): Promise<{ calls: string[]; units: number }> {
  const rows = await shop.sql<
    { call_id: string; units: number }[]
  >`SELECT call_id, sum(units)::int AS units FROM ledger.usage u
    WHERE account_id = ${account} AND amount > 0 AND NOT EXISTS (
      SELECT 1 FROM ledger.posting p WHERE p.key = 'undelivered:' || u.call_id || ':' || u.draw) GROUP BY 1`;
  return {
    calls: rows.map((row) => `call_${row.call_id}`),
    units: rows.reduce((sum, { units }) => sum + units, 0),
  };
}

/** Returns the parts of a response that its replay must repeat. */
function gist({ status, headers, text }: Customer.Answer): unknown {
  const own = ['date', 'idempotent-replayed', 'connection', 'keep-alive'];
  return { status, text, headers: [...headers].filter(([name]) => !own.includes(name)) };
}

describe('the same key again', () => {
  test('gives the first answer byte for byte from every process, without a second call or charge', async () => {
    const customer = await join();
    const key = freshKey();
    script = answer('{"count":3,\n "x": "\u00e9\\u0000\\""}');
    const receipt = { headers: { 'storefront-receipt': 'jws' } };
    const first = await ask(customer, key, receipt);
    expect(first.status).toBe(200);
    expect(first.headers.get('storefront-units')).toBe('3');
    expect(first.headers.get('storefront-receipt')).toBeTruthy();
    expect(first.headers.has('idempotent-replayed')).toBe(false);
    script = answer('{"count":5}');
    for (const base of [0, 1, 0, 1]) {
      const count = await asked(async () => {
        const again = await ask(customer, key, { ...receipt, base });
        expect(gist(again)).toEqual(gist(first));
        expect(again.headers.get('idempotent-replayed')).toBe('true');
      });
      expect(count).toBe(0);
    }
    expect(await charged(customer)).toEqual({ calls: [first.headers.get('storefront-call')], units: 3 });
  });

  test('of an account without credit by now is answered all the same', async () => {
    const customer = await Customer.register(shop.url);
    const key = freshKey();
    script = answer('{"count":25}');
    const first = await ask(customer, key, { body: { max: 25 } });
    expect((await ask(customer, freshKey(), { body: { max: 25 } })).status).not.toBe(200);
    expect(gist(await ask(customer, key, { body: { max: 25 } }))).toEqual(gist(first));
  });

  test.each([
    [204, ''],
    [302, '{}'],
    [400, '{"message":"no"}'],
    [404, '{"message":"no such thing"}'],
    [422, ''],
  ])('gives a %i again, which was free', async (status, body) => {
    const customer = await join();
    const key = freshKey();
    script = answer(body, status);
    const first = await ask(customer, key);
    expect(first.status).toBe(status);
    script = answer('{"count":5}');
    expect(gist(await ask(customer, key, { base: 1 }))).toEqual(gist(first));
    expect((await charged(customer)).calls).toEqual([]);
  });

  test.each([408, 429, 500, 502, 503])('calls anew after a %i', async (status) => {
    const customer = await join();
    const key = freshKey();
    script = answer('{}', status);
    expect((await ask(customer, key)).status).toBe(status);
    script = answer('{"count":2}');
    const second = await ask(customer, key, { base: 1 });
    expect(second.status).toBe(200);
    expect(second.headers.has('idempotent-replayed')).toBe(false);
    expect((await charged(customer)).units).toBe(2);
  });

  test('calls anew after a refusal of the storefront, whatever its reason', async () => {
    const customer = await join();
    const key = freshKey();
    script = answer('{"count":2}');
    expect((await ask(customer, key, { headers: { 'storefront-max-cost': '0.001' } })).body.code).toBe(
      'price_ceiling',
    );
    expect((await ask({ ...customer, token: 'x' }, key)).status).toBe(401);
    script = answer('{}', 401);
    expect((await ask(customer, key)).body.code).toBe('upstream_refused');
    script = ({ socket }) => socket.destroy();
    expect((await ask(customer, key)).body.code).toBe('upstream_unavailable');
    script = () => {};
    expect((await ask(customer, key)).body.code).toBe('upstream_timeout');
    const poor = await Customer.register(shop.url);
    expect((await ask(poor, key, { body: { max: 50 } })).body.code).toBe('credit_exhausted');
    await Customer.credit(shop.sql, poor, 500_000);
    script = answer('{"count":2}');
    expect((await ask(poor, key, { body: { max: 50 } })).status).toBe(200);
    expect((await ask(customer, key)).status).toBe(200);
  });

  test('is another account’s own', async () => {
    const [ann, bob] = [await join(), await join()];
    const key = freshKey();
    script = answer('{"count":2}');
    const [first, second] = [await ask(ann, key), await ask(bob, key)];
    expect(second.headers.get('storefront-call')).not.toBe(first.headers.get('storefront-call'));
    expect((await charged(bob)).units).toBe(2);
  });
});

describe('another request under the same key is refused', () => {
  test.each<[string, Asked, Asked]>([
    ['body', { body: { max: 5 } }, { body: { max: 6 } }],
    ['path', { method: 'GET', path: '/v1/items/1' }, { method: 'GET', path: '/v1/items/2' }],
    ['query', { method: 'GET', path: '/v1/search?max=2' }, { method: 'GET', path: '/v1/search?max=3' }],
    [
      'method',
      { method: 'PUT', path: '/v1/items/1', body: {} },
      { method: 'PATCH', path: '/v1/items/1', body: {} },
    ],
  ])('by its %s', async (_, first, second) => {
    const customer = await join();
    const key = freshKey();
    script = answer('{"count":1}');
    expect((await ask(customer, key, first)).status).toBe(200);
    const count = await asked(async () => {
      const refused = await ask(customer, key, { ...second, base: 1 });
      expect([refused.status, refused.body.code]).toEqual([422, 'idempotency_mismatch']);
    });
    expect(count).toBe(0);
    expect((await charged(customer)).calls).toHaveLength(1);
  });

  test.each(['', 'x'.repeat(256)])('and so is one that is no key (%#)', async (key) => {
    const customer = await join();
    const refused = await ask(customer, key);
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'Idempotency-Key']);
    script = answer('{"count":1}');
    expect((await ask(customer, 'x'.repeat(255))).status).toBe(200);
  });
});

describe('while the first call is under way', () => {
  test('the second is told to wait, in every process, and then has its answer', async () => {
    const customer = await join();
    const key = freshKey();
    const arrived = Promise.withResolvers<Upstream.Received>();
    script = arrived.resolve;
    const first = ask(customer, key);
    const received = await arrived.promise;
    for (const base of [0, 1]) {
      const early = await ask(customer, key, { base });
      expect([early.status, early.body.code]).toEqual([409, 'idempotency_in_flight']);
      expect(early.headers.get('retry-after')).toBe('1');
    }
    answer('{"count":4}')(received);
    expect(
      gist(await ask(customer, key, { base: 1 }).then((again) => (again.status === 409 ? first : again))),
    ).toEqual(gist(await first));
    expect((await charged(customer)).units).toBe(4);
  });

  test('sixty at once over two processes make one call and one charge', async () => {
    const customer = await join();
    const key = freshKey();
    script = (received) => setImmediate(() => answer('{"count":4}')(received));
    const answers: Customer.Answer[] = [];
    const count = await asked(async () => {
      answers.push(
        ...(await Promise.all(Array.from({ length: 60 }, (_, at) => ask(customer, key, { base: at % 2 })))),
      );
    });
    expect(count).toBe(1);
    // Some calls may have exceeded the rate limit; none of them was charged.
    expect(
      [...new Set(answers.map(({ status }) => status))].filter((status) => ![200, 409, 429].includes(status)),
    ).toEqual([]);
    const given = answers.filter(({ status }) => status === 200);
    expect(new Set(given.map((one) => JSON.stringify(gist(one)))).size).toBe(1);
    expect((await charged(customer)).units).toBe(4);
  });
});

describe('an answer that is too large to be kept', () => {
  const large = Buffer.from(`{"count":2,"x":"${'y'.repeat(1024 * 1024)}"}`);

  test.each<[string, Asked]>([
    ['metered', {}],
    ['streamed', { method: 'GET', path: '/v1/items/1' }],
  ])('(%s) leaves whole, is charged once, and is not charged again', async (_, request) => {
    const customer = await join();
    const key = freshKey();
    script = answer(large);
    const first = await ask(customer, key, request);
    expect([first.status, first.text.length]).toEqual([200, large.length]);
    const before = await charged(customer);
    expect(before.calls).toHaveLength(1);
    const count = await asked(async () => {
      const again = await ask(customer, key, { ...request, base: 1 });
      expect([again.status, again.body.code]).toEqual([410, 'answer_not_kept']);
      expect(again.body.call).toBe(first.headers.get('storefront-call'));
    });
    expect(count).toBe(0);
    expect(await charged(customer)).toEqual(before);
  });

  test('and breaks off on its way costs nothing, and can be asked for again', async () => {
    const customer = await join();
    const key = freshKey();
    const request = { method: 'GET', path: '/v1/items/1' };
    script = ({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${large.length}\r\n\r\n`);
      socket.write(large.subarray(0, 100_000), () => socket.destroy());
    };
    await expect(ask(customer, key, request)).rejects.toThrow();
    script = answer(large);
    await expect.poll(async () => (await ask(customer, key, request)).status).toBe(200);
    expect((await charged(customer)).calls).toHaveLength(1);
  });
});

test('calls of processes that are killed at any moment are charged once, and answered', async () => {
  const customer = await join();
  script = (received) => setImmediate(() => answer('{"count":2}')(received));
  const wanted = Array.from({ length: 40 }, freshKey);
  const given = new Map<string, unknown[]>(wanted.map((key) => [key, []]));
  const take = (key: string, one: Customer.Answer) => {
    if (one.status === 200) given.get(key)?.push(gist(one));
    return one.status === 200;
  };
  for (let round = 0; round < 2; round++) {
    const doomed = bases.push(await shop.addStorefront()) - 1;
    const victim = shop.storefronts.at(-1);
    const underWay = wanted.slice(round * 20, round * 20 + 20).map((key) =>
      ask(customer, key, { base: doomed }).then(
        (one) => take(key, one),
        () => false,
      ),
    );
    await Promise.any([...underWay.map((one) => one.then((is) => is || Promise.reject(new Error())))]);
    await victim?.kill();
    await Promise.all(underWay);
    bases.pop();
  }
  for (const key of wanted)
    await expect
      .poll(async () => take(key, await ask(customer, key, { base: 1 })), { timeout: 30_000, interval: 100 })
      .toBe(true);
  for (const answers of given.values())
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
  const { calls, units } = await charged(customer);
  expect([calls.length, units]).toEqual([wanted.length, 2 * wanted.length]);
});

test('a key is forgotten after a day, and its answer with it', async () => {
  const customer = await join();
  const key = freshKey();
  script = answer('{"count":1}');
  await ask(customer, key);
  await shop.sql`UPDATE ledger.idempotency_key SET taken_at = taken_at - interval '25 hours' WHERE account_id = ${customer.account}`;
  await expect
    .poll(() => shop.sql`SELECT 1 FROM ledger.idempotency_key WHERE account_id = ${customer.account}`)
    .toHaveLength(0);
  await shop.sql`DELETE FROM ledger.stored_response WHERE account_id = ${customer.account}`;
  expect((await ask(customer, key)).headers.has('idempotent-replayed')).toBe(false);
  expect((await charged(customer)).units).toBe(2);
});
