import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as TcpProxy from '../support/proxy.ts';
import * as Shop from '../support/shop.ts';
import * as Waits from '../support/waits.ts';
import * as Attempt from './attempt.ts';

/** More than the upstream's connections and queue together. */
const callers = 400;
const padding = 'x'.repeat(20_000);
let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let proxy: TcpProxy.Proxy;
/** The process that reaches the database through the proxy. */
let base: string;
let script: (received: Upstream.Received) => unknown;
const right = ({ socket }: Upstream.Received) =>
  socket.write(Upstream.http(200, `{"count":1,"padding":"${padding}"}`));

beforeAll(async () => {
  upstream = await Upstream.scripted((received) => {
    upstream.received.length = 0;
    script(received);
  });
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'pressed.yaml' });
  proxy = await TcpProxy.open(shop.databaseUrl);
  base = await shop.addStorefront({ DATABASE_URL: proxy.url, LOG_LEVEL: 'error' });
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  proxy?.stall(false);
  await shop?.stop();
  await proxy?.cut();
  await upstream?.close();
  Attempt.close();
});

async function join(): Promise<Customer.Customer> {
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 50_000_000);
  return customer;
}

/** Returns the resident memory of the process under pressure, in bytes. */
function resident(): number {
  const { pid } = shop.storefronts.at(-1)?.child ?? {};
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

type Seen = { codes: Map<string, number>; longestMs: number; grownBytes: number; answered: number };

/** All callers call repeatedly for `ms`. Returns the responses, the longest wait and the growth of the process. */
async function press(bearers: readonly string[], ms: number): Promise<Seen> {
  const seen: Seen = { codes: new Map(), longestMs: 0, grownBytes: 0, answered: 0 };
  const before = resident();
  const look = setInterval(() => {
    seen.grownBytes = Math.max(seen.grownBytes, resident() - before);
  }, 100);
  const end = performance.now() + ms;
  const call = async (at: number) => {
    for (let round = 0; performance.now() < end; round++) {
      const key = at % 3 === 0 ? { 'idempotency-key': `${ms} ${at} ${round}` } : null;
      const headers = {
        authorization: `Bearer ${bearers[at % bearers.length]}`,
        'content-type': 'application/json',
        ...key,
      };
      const attempt = await Attempt.make(
        { url: `${base}/v1/list`, headers, body: '{"max":1}', leaves: null },
        () => {},
      );
      seen.longestMs = Math.max(seen.longestMs, attempt.waitedMs);
      if (attempt.kind === 'broken')
        throw new Error(shop.storefronts.at(-1)?.output().slice(-1500) || 'broken off');
      if (attempt.status === 200) {
        seen.answered += 1;
        continue;
      }
      const { code } = JSON.parse(attempt.body.toString());
      seen.codes.set(code, (seen.codes.get(code) ?? 0) + 1);
      if (attempt.status === 503) {
        expect(attempt.headers['retry-after'], code).toMatch(/^\d+$/);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, at) => call(at))).finally(() => clearInterval(look));
  return seen;
}

async function isWellAgain({ token }: Customer.Customer): Promise<void> {
  script = right;
  const status = async () => (await Customer.call({ token }, 'POST', `${base}/v1/list`, { max: 1 })).status;
  await expect.poll(status, { timeout: 40_000 }).toBe(200);
}

test('an upstream that stalls: waits end with its time-out, further calls are refused at once, memory stays', async () => {
  const customer = await join();
  script = right;
  await press([customer.token], 2_000);
  script = () => {};
  const seen = await press([customer.token], 6_000);
  expect([...seen.codes.keys()].sort()).toEqual(['busy', 'upstream_timeout']);
  // 256 calls wait for 64 connections: the last one waits four time-outs and then has its own. Each is 1.5 s, and is noticed up to a
  // tenth later.
  expect(seen.longestMs).toBeLessThan(Waits.busyFactor * 5 * 1_500 * 1.1);
  expect(seen.grownBytes).toBeLessThan(64e6);
  await isWellAgain(customer);
});

test('a database that stalls: whoever waits is told to come again, nothing is delivered uncharged, memory stays', async () => {
  const customer = await join();
  script = right;
  const { body } = await Customer.call(customer, 'POST', `${shop.url}/account/keys`, { name: 'known' });
  const fresh = await Customer.call(customer, 'POST', `${shop.url}/account/keys`, { name: 'not known here' });
  await press([customer.token, body.key], 2_000);
  const stalled = setTimeout(() => proxy.stall(true), 500);
  const seen = await press([customer.token, body.key, fresh.body.key], 14_000);
  clearTimeout(stalled);
  // On a slow machine the callers can also fill the queue for the upstream before the database stalls.
  expect(['busy', 'ledger_unavailable']).toEqual(expect.arrayContaining([...seen.codes.keys()]));
  expect(seen.codes.get('ledger_unavailable')).toBeGreaterThan(0);
  // A call waits for the upstream (1.5 s), for its hold (3 s) and for its settlement (5 s).
  expect(seen.longestMs).toBeLessThan(Waits.busyFactor * (1_500 + 3_000 + 5_000));
  expect(seen.grownBytes).toBeLessThan(96e6);
  proxy.stall(false);
  await isWellAgain(customer);
});

test.each(['/v1/list', '/v1/file'])(
  'an answer of %s that a dead process had not handed over costs nothing',
  async (path) => {
    const customer = await join();
    script = ({ socket }) => socket.write(Upstream.http(200, `{"count":1,"padding":"${'x'.repeat(24e6)}"}`));
    const doomed = new URL(await shop.addStorefront());
    const socket = connect(Number(doomed.port), doomed.hostname);
    socket.on('error', () => undefined);
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: shop\r\nauthorization: Bearer ${customer.token}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"max":1}`,
    );
    // It starts to read, and then stops.
    const [head] = await once(socket, 'data');
    socket.pause();
    expect(String(head)).toMatch(/^HTTP\/1.1 200/);
    const booked = () =>
      shop.sql`SELECT call_id FROM ledger.usage WHERE account_id = ${customer.account} AND amount > 0`;
    expect(await booked()).toHaveLength(1);
    // Wait until its writer has reported to the ledger which responses were delivered.
    const checkpointed = () =>
      shop.sql`SELECT 1 FROM ledger.writer WHERE id LIKE ${`%:${doomed.port}`} AND checkpointed_seq >= 3`;
    await expect.poll(checkpointed).toHaveLength(1);
    await shop.storefronts.pop()?.kill();
    const givenBack = () =>
      shop.sql`SELECT 1 FROM ledger.posting WHERE account_id = ${customer.account} AND kind = 'undelivered'`;
    await expect.poll(givenBack, { timeout: 30_000 }).toHaveLength(1);
    socket.destroy();
  },
);

test('a process that is told to end under load loses nothing: each key is called, charged and answered once, here or at the process that stays', async () => {
  const leaving = await shop.addStorefront();
  const customer = await join();
  const drainers = 48;
  const callsEach = 40;
  let served = 0;
  script = ({ socket }) => {
    served += 1;
    setTimeout(() => socket.write(Upstream.http(200, '{"count":1}')), served % 30);
  };
  let answered = 0;
  let isLeaving = false;
  let stopped: Promise<number | null | undefined> | undefined;
  const call = async (key: string) => {
    for (;;) {
      const base = isLeaving ? shop.url : leaving;
      const headers = { 'idempotency-key': key };
      const body = { max: 1 };
      const answer = await Customer.call(customer, 'POST', `${base}/v1/list`, body, headers).catch(
        () => null,
      );
      if (answer?.status === 200) return answer.headers.get('storefront-call');
      // The process takes no new calls, or the first attempt is still under way there.
      if (answer) expect(answer.body.code).toBe('idempotency_in_flight');
    }
  };
  const calls = await Promise.all(
    Array.from({ length: drainers }, async (_, caller) => {
      const ids: (string | null)[] = [];
      for (let at = 0; at < callsEach; at++) {
        ids.push(await call(`${caller} ${at}`));
        answered += 1;
        if (answered !== (drainers * callsEach) / 2) continue;
        stopped = shop.storefronts.pop()?.stop();
        isLeaving = true;
      }
      return ids;
    }),
  );
  expect(await stopped).toBe(0);
  const all = calls.flat();
  expect(new Set(all).size).toBe(drainers * callsEach);
  expect(served).toBe(drainers * callsEach);
  const booked =
    await shop.sql`SELECT DISTINCT call_id FROM ledger.usage WHERE account_id = ${customer.account} AND amount > 0`;
  expect(new Set(booked.map((row) => `call_${row.call_id}`))).toEqual(new Set(all));
  expect([
    ...(await shop.sql`SELECT 1 FROM ledger.posting WHERE account_id = ${customer.account} AND kind = 'undelivered'`),
  ]).toEqual([]);
});
