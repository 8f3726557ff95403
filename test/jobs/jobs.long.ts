import { id } from '@sluice/kernel/id';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let ada: Customer.Customer;
/** The state of each job at the upstream. */
const jobs = new Map<string, { status: string; seconds?: unknown; usage?: unknown }>();
/** The responses of the upstream to a request that starts a job, other than the usual one. */
let created: { status: number; body: unknown } | null = null;

const json = ['content-type: application/json'];

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket, head }) => {
    const [, method, path = ''] = /^(\w+) (\S+)/.exec(head) ?? [];
    const job = path.split('/')[3] ?? '';
    const found = jobs.get(decodeURIComponent(job));
    const made = { status: 202, body: { id: id('job'), status: 'queued' } };
    const response = method === 'POST' ? (created ?? made) : { status: found ? 200 : 404, body: found ?? {} };
    socket.write(Upstream.http(response.status, JSON.stringify(response.body), json));
  });
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'jobs.yaml' });
});
beforeEach(async () => {
  created = null;
  ada = await Customer.register(shop.url);
  await Customer.credit(shop.sql, ada, 1_000_000);
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
  expect(await Shop.strays(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  Customer.send({
    ...{
      method,
      url: shop.url + path,
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json', ...headers },
    },
    ...(body !== undefined && { body }),
  });

/** The credit in micro-dollars and the units of the trial. */
async function balance(): Promise<[number, number]> {
  const { body } = await Customer.call(ada, 'GET', `${shop.url}/account`);
  return [Math.round(Number(body.balance_usd) * 1e6), body.included_remaining];
}

const stateOf = async (job: string) =>
  (await shop.sql<{ state: string }[]>`SELECT state FROM ledger.job WHERE id = ${job}`)[0]?.state;

const whenState = (job: string, state: string) => expect.poll(() => stateOf(job)).toBe(state);

async function start(body: unknown = { seconds: 20 }, path = '/v1/videos'): Promise<string> {
  const answer = await call('POST', path, body);
  expect(answer.status).toBe(202);
  return answer.body.id;
}

describe('a job', () => {
  test('is held in full when it starts, and costs what it reports at its end', async () => {
    const job = await start();
    expect(await balance()).toEqual([830_000, 0]);
    jobs.set(job, { status: 'succeeded', seconds: 7 });
    await whenState(job, 'ended');
    // Three seconds are included, four cost a cent each.
    await expect.poll(balance).toEqual([960_000, 0]);
  });

  test('that failed costs nothing, and what its start drew from the trial is there again', async () => {
    const job = await start();
    jobs.set(job, { status: 'failed', seconds: 20 });
    await whenState(job, 'ended');
    await expect.poll(balance).toEqual([1_000_000, 3]);
  });

  test('costs no more than was held, whatever it reports', async () => {
    const job = await start({ seconds: 5 });
    jobs.set(job, { status: 'succeeded', seconds: 60 });
    await whenState(job, 'ended');
    await expect.poll(balance).toEqual([980_000, 0]);
  });

  test('whose cost cannot be counted is free', async () => {
    const job = await start();
    jobs.set(job, { status: 'succeeded', seconds: 'many' });
    await whenState(job, 'ended');
    await expect.poll(balance).toEqual([1_000_000, 3]);
  });

  test('is not started by a caller who cannot pay its worst case', async () => {
    const answer = await call('POST', '/v1/held', { seconds: 60 });
    expect(answer.status).toBe(202);
    const refused = await call('POST', '/v1/held', { seconds: 60 });
    expect(refused).toMatchObject({ status: 402 });
  });

  test('is charged while it runs, and settled as its rule says when it has not ended in time', async () => {
    const [free, held] = [await start({ seconds: 3 }), await start({ seconds: 10 }, '/v1/held')];
    for (const job of [free, held]) jobs.set(job, { status: 'running' });
    await shop.sql`UPDATE ledger.job SET expires_at = now(), next_poll_at = now() WHERE id IN (${free}, ${held})`;
    await whenState(free, 'released');
    await whenState(held, 'released');
    await expect.poll(balance).toEqual([900_000, 3]);
  });

  test('appears in the usage as the call that started it, credited back, and its cost', async () => {
    const job = await start({ seconds: 10 });
    jobs.set(job, { status: 'succeeded', seconds: 5 });
    await whenState(job, 'ended');
    const { body } = await call('GET', '/account/usage?group=operation');
    expect(JSON.stringify(body)).toContain('0.02');
  });
});

describe('a job that is counted by meters', () => {
  // 180 frames at 5 USD and 2 images at 10 USD for a thousand.
  const render = { model: 'large-1', frames: 180, images: 2 };
  const model = async () => (await call('GET', '/account/usage?group=model')).body.usage;

  test('is held at the prices of its model, and costs the quantities of its end', async () => {
    const job = await start(render, '/v1/renders');
    expect((await balance())[0]).toBe(80_000);
    jobs.set(job, { status: 'succeeded', usage: { frames: 30 } });
    await whenState(job, 'ended');
    // 0.15 USD of frames, and 0.02 USD of images, which the request said.
    await expect.poll(async () => (await balance())[0]).toBe(830_000);
    const [used] = await model();
    expect(used).toMatchObject({
      model: 'large-1',
      cost_usd: '0.170000',
      quantities: { frames: 30, images: 2 },
    });
  });

  test('costs what was held, and no more, when its end counts more', async () => {
    const job = await start({ ...render, model: 'small-1', frames: 10 }, '/v1/renders');
    jobs.set(job, { status: 'succeeded', usage: { frames: 500 } });
    await whenState(job, 'ended');
    await expect.poll(async () => (await balance())[0]).toBe(1_000_000 - 5_000 - 2_000);
  });

  test('is free when its end states no quantity, and when it has failed', async () => {
    for (const end of [{ status: 'succeeded' }, { status: 'failed', usage: { frames: 3 } }]) {
      const job = await start(render, '/v1/renders');
      jobs.set(job, end);
      await whenState(job, 'ended');
      await expect.poll(async () => (await balance())[0]).toBe(1_000_000);
    }
  });

  test('is refused without a model that has prices, and starts nothing', async () => {
    const refused = await call('POST', '/v1/renders', { frames: 1 });
    expect(refused.body.code).toBe('price_unknown');
  });
});

test('a key with a budget bears what a job costs, and no more', async () => {
  const made = await call('POST', '/account/keys', { name: 'jobs', budget_usd: '0.50' });
  const headers = { authorization: `Bearer ${made.body.key}` };
  const started = await call('POST', '/v1/videos', { seconds: 20 }, headers);
  expect(started.status).toBe(202);
  expect((await call('POST', '/v1/videos', { seconds: 40 }, headers)).body.code).toBe('budget_exhausted');
  jobs.set(started.body.id, { status: 'succeeded', seconds: 10 });
  await whenState(started.body.id, 'ended');
  await expect.poll(balance).toEqual([930_000, 0]);
  expect((await call('POST', '/v1/videos', { seconds: 40 }, headers)).status).toBe(202);
  expect((await call('POST', '/v1/videos', { seconds: 1 }, headers)).body.code).toBe('budget_exhausted');
});

test('the description of the shop says when a job is charged, and where its end is seen', async () => {
  const { body } = await Customer.call(ada, 'GET', `${shop.url}/openapi.json?path=/v1/videos`);
  const { post } = body.paths['/v1/videos'];
  expect(post.description).toContain('when `GET /v1/videos/{id}` shows its end, the rest is returned');
  expect(post['x-job']).toEqual({ poll: '/v1/videos/{id}', hours: 24, unended: 'free' });
});

describe('a start', () => {
  test.each([
    ['without an id', { status: 202, body: { status: 'queued' } }],
    ['with an id that leads elsewhere', { status: 202, body: { id: '..' } }],
  ])('%s is refused and free', async (_, response) => {
    created = response;
    expect((await call('POST', '/v1/videos', { seconds: 20 })).status).toBe(502);
    expect(await balance()).toEqual([1_000_000, 3]);
  });

  test('that the upstream refuses is free and no job', async () => {
    created = { status: 422, body: { error: 'no' } };
    expect((await call('POST', '/v1/videos', { seconds: 20 })).status).toBe(422);
    expect(await balance()).toEqual([1_000_000, 3]);
  });

  test('with the id of a job that still runs is refused and free', async () => {
    const job = await start({ seconds: 13 }, '/v1/held');
    created = { status: 202, body: { id: job } };
    expect((await call('POST', '/v1/held', { seconds: 20 })).status).toBe(502);
    expect((await balance())[0]).toBe(900_000);
    created = null;
  });

  test('that is repeated with its key is one job', async () => {
    const headers = { 'idempotency-key': id('key') };
    const [first, second] = [
      await call('POST', '/v1/videos', { seconds: 20 }, headers),
      await call('POST', '/v1/videos', { seconds: 20 }, headers),
    ];
    expect(second.body).toEqual(first.body);
    expect(await balance()).toEqual([830_000, 0]);
    jobs.set(first.body.id, { status: 'succeeded', seconds: 3 });
    await whenState(first.body.id, 'ended');
    await expect.poll(balance).toEqual([1_000_000, 0]);
  });
});
