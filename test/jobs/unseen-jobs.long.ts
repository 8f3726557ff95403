import { request } from 'node:http';
import type { Socket } from 'node:net';
import { id } from '@sluice/kernel/id';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let ada: Customer.Customer;
const jobs = new Map<string, { status: string; seconds?: number; text?: string }>();
/** The status of every look at a job, if it is not that of the job. */
let failing: number | null = null;
/** Receives the requests that are not answered at once. */
let waiting: ((received: Upstream.Received) => void) | null = null;
let hanging: Socket[] = [];

const json = ['content-type: application/json'];
const created = () => Upstream.http(202, JSON.stringify({ id: id('job') }), json);

beforeAll(async () => {
  upstream = await Upstream.scripted((received) => {
    const [, method, path = ''] = /^(\w+) (\S+)/.exec(received.head) ?? [];
    const job = path.split('/')[3] ?? '';
    const found = jobs.get(job);
    if (path === '/v1/slow') return hanging.push(received.socket);
    if (method === 'POST') return waiting ? waiting(received) : received.socket.write(created());
    if (method === 'DELETE') return received.socket.write(Upstream.http(jobs.delete(job) ? 204 : 404));
    const status = failing ?? (found ? 200 : 404);
    return received.socket.write(Upstream.http(status, JSON.stringify(found ?? {}), json));
  });
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'jobs.yaml' });
});
beforeEach(async () => {
  [failing, waiting, hanging] = [null, null, []];
  ada = await Customer.register(shop.url);
  await Customer.credit(shop.sql, ada, 1_000_000);
});
afterEach(async () => {
  for (const socket of hanging) socket.destroy();
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

const call = (method: string, path: string, body?: unknown) =>
  Customer.call(ada, method, shop.url + path, body);

async function start(): Promise<string> {
  const { status, body } = await call('POST', '/v1/videos', { seconds: 60 });
  expect(status).toBe(202);
  return body.id;
}

/** The credit in micro-dollars. Three seconds are included, and each further one costs a cent. */
const credit = async () => Math.round(Number((await call('GET', '/account')).body.balance_usd) * 1e6);

const rowOf = async (job: string) =>
  (
    await shop.sql<{ state: string; polls: number }[]>`SELECT state, polls FROM ledger.job WHERE id = ${job}`
  )[0];

const isUnseenFor = (job: string) =>
  shop.sql`UPDATE ledger.job SET next_poll_at = now() + interval '1 hour' WHERE id = ${job}`;
const isDue = (job: string) => shop.sql`UPDATE ledger.job SET next_poll_at = now() WHERE id = ${job}`;
const hasExpired = (job: string) =>
  shop.sql`UPDATE ledger.job SET expires_at = now(), next_poll_at = now() WHERE id = ${job}`;

describe('a job whose end the shop has not seen', () => {
  test('is counted before a call of its buyer removes it', async () => {
    const job = await start();
    await isUnseenFor(job);
    jobs.set(job, { status: 'succeeded', seconds: 60 });
    await expect.poll(async () => (await call('DELETE', `/v1/videos/${job}`)).status).toBe(204);
    await isDue(job);
    expect(jobs.has(job)).toBe(false);
    expect((await rowOf(job))?.state).toBe('ended');
    expect(await credit()).toBe(430_000);
  });

  test('cannot be removed while the shop cannot see it, and can be while it runs', async () => {
    const job = await start();
    await isUnseenFor(job);
    jobs.set(job, { status: 'running' });
    failing = 500;
    expect((await call('DELETE', `/v1/videos/${job}`)).status).toBe(503);
    expect(jobs.has(job)).toBe(true);
    failing = null;
    expect((await call('DELETE', `/v1/videos/${job}`)).status).toBe(204);
  });

  test('is counted although its buyer keeps all connections of the account busy', async () => {
    const job = await start();
    await isUnseenFor(job);
    const slow = [call('GET', '/v1/slow'), call('GET', '/v1/slow')];
    await expect.poll(() => hanging.length).toBe(2);
    jobs.set(job, { status: 'succeeded', seconds: 60 });
    await hasExpired(job);
    await expect.poll(async () => (await rowOf(job))?.state).not.toBe('open');
    await Promise.all(slow);
    expect((await rowOf(job))?.state).toBe('ended');
    expect(await credit()).toBe(430_000);
  });

  test('is not settled as unended by a look that failed', async () => {
    const job = await start();
    jobs.set(job, { status: 'succeeded', seconds: 60 });
    failing = 503;
    const before = (await rowOf(job))?.polls ?? 0;
    await hasExpired(job);
    await expect.poll(async () => (await rowOf(job))?.polls).toBeGreaterThan(before);
    failing = null;
    await expect
      .poll(async () => {
        await isDue(job);
        return (await rowOf(job))?.state;
      })
      .toBe('ended');
    expect(await credit()).toBe(430_000);
  });

  test('is settled as unended when it could not be seen for a day after its time', async () => {
    const job = await start();
    failing = 503;
    await shop.sql`UPDATE ledger.job SET expires_at = now() - interval '1 day', next_poll_at = now() WHERE id = ${job}`;
    await expect.poll(async () => (await rowOf(job))?.state).toBe('released');
    expect(await credit()).toBe(1_000_000);
  });
});

test('a caller who leaves before the start of a job is answered pays for the job', async () => {
  const arrival = Promise.withResolvers<Upstream.Received>();
  waiting = arrival.resolve;
  const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' };
  const left = request(`${shop.url}/v1/videos`, { method: 'POST', headers });
  left.on('error', () => undefined).end('{"seconds":60}');
  const { socket } = await arrival.promise;
  (left.socket as Socket).resetAndDestroy();
  await expect.poll(() => shop.storefronts[0]?.output().includes('"status":0')).toBe(true);
  socket.write(Upstream.http(202, '{"id":"left"}', json));
  await expect.poll(async () => (await rowOf('left'))?.state).toBe('open');
  jobs.set('left', { status: 'succeeded', seconds: 60 });
  await expect.poll(async () => (await rowOf('left'))?.state).toBe('ended');
  expect(await credit()).toBe(430_000);
});

test('a caller whose starts are unreadable is stopped, so that its jobs are not free for good', async () => {
  waiting = ({ socket }) => socket.write(Upstream.http(202, '<id>job</id>', ['content-type: text/xml']));
  const start = async () => (await call('POST', '/v1/videos?format=xml', { seconds: 4 })).body.code;
  const codes = [await start(), await start(), await start(), await start(), await start(), await start()];
  expect(new Set(codes.slice(0, 5))).toEqual(new Set(['ownership_unclear']));
  expect(codes[5]).toBe('too_many_unpaid');
});
