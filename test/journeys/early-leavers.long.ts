import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import type * as Program from '../support/program.ts';
import * as Shop from '../support/shop.ts';

/** Number of abandoned calls that are free. */
const freeMax = 2;
const json = ['content-type: application/json'];

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let script: (received: Upstream.Received) => unknown;

beforeAll(async () => {
  upstream = await Upstream.scripted((received) => script(received));
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'counted.yaml',
    env: { UNPAID_CALLS_MAX: String(freeMax) },
  });
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

/** A process of the shop, and its URL. */
type Process = { url: string; program: Program.Program };
const first = (): Process => ({ url: shop.url, program: shop.storefronts[0] as Program.Program });

async function another(env: Record<string, string>): Promise<Process> {
  const url = await shop.addStorefront(env);
  return { url, program: shop.storefronts.at(-1) as Program.Program };
}

async function join(microUsd = 1_000_000): Promise<Customer.Customer> {
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, microUsd);
  return customer;
}

/** Returns the number of requests in the log whose callers left before the response. */
const departures = ({ program }: Process) => program.output().split('"status":0').length - 1;

type Asked = { path?: string; body?: string; headers?: Record<string, string> };

/** Makes a call and leaves when it has reached the upstream. Resolves, with the upstream's connection, when the process has noticed. */
async function leave(
  process: Process,
  { token }: Customer.Customer,
  { path = '/v1/list', body = '{"max":5}', headers = {} }: Asked = {},
): Promise<Upstream.Received['socket']> {
  const arrival = Promise.withResolvers<Upstream.Received>();
  script = arrival.resolve;
  const before = departures(process);
  const given = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
  const call = request(process.url + path, { method: 'POST', headers: given });
  call.on('error', () => undefined).end(body);
  const { socket } = await arrival.promise;
  // After a plain close the caller could still be waiting for the response (decision 0012).
  (call.socket as Socket).resetAndDestroy();
  await expect.poll(() => departures(process)).toBe(before + 1);
  return socket;
}

/** Leaves as many calls as are free. */
async function leaveFree(process: Process, customer: Customer.Customer): Promise<void> {
  for (let times = 0; times < freeMax; times++) {
    const socket = await leave(process, customer);
    if (!socket.destroyed) await once(socket, 'close');
  }
}

/** Returns the units that the account was charged, without reversed ones. */
async function charged({ account }: Customer.Customer): Promise<number> {
  const [row] = await shop.sql`SELECT coalesce(sum(units), 0)::int AS units FROM ledger.usage u
    WHERE account_id = ${account} AND amount > 0 AND NOT EXISTS (
      SELECT 1 FROM ledger.posting p WHERE p.key = 'undelivered:' || u.call_id || ':' || u.draw)`;
  return row?.units;
}

const held = async ({ account }: Customer.Customer) => {
  const answer =
    await shop.sql`SELECT coalesce(sum(remaining), 0)::bigint AS left FROM ledger.statement(${account})`;
  return Number(answer[0]?.left);
};

describe('a caller who leaves before the response', () => {
  test('seldom: the upstream is let go, and nothing is charged', async () => {
    const customer = await join();
    await leaveFree(first(), customer);
    expect(await charged(customer)).toBe(0);
  });

  test('more often than is free: the response is read to its end, charged, and in the account like any other', async () => {
    const customer = await join();
    await leaveFree(first(), customer);
    const socket = await leave(first(), customer);
    expect(socket.destroyed).toBe(false);
    socket.write(Upstream.http(200, '{"count":30}', json));
    await expect.poll(() => charged(customer)).toBe(30);
    const usage = await Customer.call(customer, 'GET', `${shop.url}/account/usage`);
    expect(JSON.stringify(usage.body)).toContain('"units":30');
    // The connection can still be used, and so can the account.
    script = ({ socket: next }) => next.write(Upstream.http(200, '{"count":1}', json));
    expect((await Customer.call(customer, 'POST', `${shop.url}/v1/list`, { max: 1 })).status).toBe(200);
    expect(await charged(customer)).toBe(31);
  });

  test('is charged what a fixed price says, though its response streams', async () => {
    const customer = await join();
    await leaveFree(first(), customer);
    const socket = await leave(first(), customer, { path: '/v1/fixed' });
    const letGo = once(socket, 'close');
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9999999\r\n\r\n{');
    await letGo;
    await expect.poll(() => charged(customer)).toBe(2);
  });

  test('is not charged for an upstream that fails, and nothing stays on hold', async () => {
    const customer = await join();
    await leaveFree(first(), customer);
    const before = await held(customer);
    for (const answer of [Upstream.http(500, '{}', json), Upstream.http(200, '<html>'), null]) {
      const socket = await leave(first(), customer);
      if (answer === null) socket.destroy();
      else socket.write(answer);
    }
    const all = { max: 25 };
    script = ({ socket }) => socket.write(Upstream.http(200, '{"count":25}', json));
    expect((await Customer.call(customer, 'POST', `${shop.url}/v1/list`, all)).status).toBe(200);
    expect(await charged(customer)).toBe(25);
    expect(await held(customer)).toBe(before - 25);
  });

  test('has the response under an Idempotency-Key, charged once', async () => {
    const customer = await join();
    await leaveFree(first(), customer);
    const under = { 'idempotency-key': 'k' };
    const socket = await leave(first(), customer, { headers: under });
    const again = () => Customer.call(customer, 'POST', `${shop.url}/v1/list`, '{"max":5}', under);
    expect((await again()).body.code).toBe('idempotency_in_flight');
    const received = upstream.received.length;
    socket.write(Upstream.http(200, '{"count":4}', json));
    await expect.poll(async () => (await again()).status).toBe(200);
    expect(await again()).toMatchObject({ status: 200, text: '{"count":4}' });
    expect(upstream.received.length).toBe(received);
    expect(await charged(customer)).toBe(4);
  });

  test('is one over MCP, too', async () => {
    const customer = await join();
    const call = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'POST_v1_list', arguments: { body: { max: 5 } } },
    });
    const headers = { accept: 'application/json, text/event-stream' };
    for (let times = 0; times <= freeMax; times++) {
      const socket = await leave(first(), customer, { path: '/mcp', body: call, headers });
      if (times < freeMax && !socket.destroyed) await once(socket, 'close');
      if (times === freeMax) socket.write(Upstream.http(200, '{"count":6}', json));
    }
    await expect.poll(() => charged(customer)).toBe(6);
  });

  test('is given up after a bounded time, and costs nothing then', async () => {
    const process = await another({ ABANDONED_READ_SECONDS: '1' });
    const customer = await join();
    await leaveFree(process, customer);
    const socket = await leave(process, customer);
    await once(socket, 'close');
    expect(await charged(customer)).toBe(0);
    await process.program.stop();
  });

  test('has to wait where no more such responses can be read at once', async () => {
    const process = await another({ ABANDONED_READS_MAX: '1' });
    const [one, other] = [await join(), await join()];
    await leaveFree(process, one);
    await leaveFree(process, other);
    const reading = await leave(process, one);
    const letGo = await leave(process, other);
    if (!letGo.destroyed) await once(letGo, 'close');
    const answer = await Customer.call(other, 'POST', `${process.url}/v1/list`, { max: 1 });
    expect(answer).toMatchObject({ status: 429, body: { code: 'too_many_unpaid' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect(reading.destroyed).toBe(false);
    reading.write(Upstream.http(200, '{"count":3}', json));
    await expect.poll(() => charged(one)).toBe(3);
    expect(await charged(other)).toBe(0);
    await process.program.stop();
  });

  test('is charged by a process that is told to end, which waits for the response', async () => {
    const process = await another({});
    const customer = await join();
    await leaveFree(process, customer);
    const socket = await leave(process, customer);
    const stopped = process.program.stop();
    await expect.poll(() => process.program.output()).toContain('"draining"');
    socket.write(Upstream.http(200, '{"count":8}', json));
    expect(await stopped).toBe(0);
    expect(await charged(customer)).toBe(8);
    const writers =
      await shop.sql`SELECT writer_id FROM ledger.lease WHERE writer_id LIKE ${`%:${new URL(process.url).port}`}`;
    expect([...writers]).toEqual([]);
  });
});

describe('an account whose credit is too short for what it is brought, too often', () => {
  test('is told why a small request needs so much', async () => {
    const customer = await Customer.register(shop.url);
    script = ({ socket }) => socket.write(Upstream.http(200, '{"count":50}', json));
    const small = () => Customer.call(customer, 'POST', `${shop.url}/v1/list`, { max: 5 });
    for (let times = 0; times < freeMax; times++) expect((await small()).status).toBe(402);
    const received = upstream.received.length;
    const refused = await small();
    expect(refused).toMatchObject({ status: 402, body: { code: 'credit_exhausted', required_usd: '0.05' } });
    expect(refused.body.message).toContain('disconnected from several calls');
    expect(upstream.received.length).toBe(received);
  });

  test('has all set aside that an unclear request could bring, before the upstream is asked', async () => {
    const customer = await Customer.register(shop.url);
    const unclear = () => Customer.call(customer, 'POST', `${shop.url}/v1/list`, '{"max":"all"}');
    script = ({ socket }) => socket.write(Upstream.http(200, '{"count":50}', json));
    for (let times = 0; times < freeMax; times++) {
      const answer = await unclear();
      expect(answer).toMatchObject({ status: 402, body: { code: 'credit_exhausted', required_usd: '0.05' } });
      expect(answer.body.message).toContain('not delivered');
    }
    const received = upstream.received.length;
    const refused = await unclear();
    expect(refused).toMatchObject({ status: 402, body: { code: 'credit_exhausted', required_usd: '0.05' } });
    expect(refused.body.message).toContain('plain JSON integer');
    expect(upstream.received.length).toBe(received);
    await Customer.credit(shop.sql, customer, 50_000);
    expect((await unclear()).status).toBe(200);
  });
});
