import { afterAll, beforeAll, expect, it } from 'vitest';
import * as Database from '../src/adapters/database.ts';
import { records, sweep } from '../src/adapters/records.ts';
import type { Records } from '../src/usage/records.ts';
import * as SampleService from './support/sample-service.ts';

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start();
});
afterAll(() => service.close());

const jobs = '/v2/jobs/company';
const nobody = 'https://www.network.example/company/nobody-at-all';
const plan = (recordsPerMonth: number) => ({ name: 'Test', requestsPerSecond: 100_000, recordsPerMonth });

async function unsettled(): Promise<number> {
  const [row] = await service.sql<
    { open: number }[]
  >`select count(*) as open from direct.usage where used is null`;
  return row?.open ?? -1;
}

it('charges what was returned, not what was asked for, and nothing for nothing', async () => {
  const key = await service.issue(plan(100));
  const filtered = {
    company_network_url: SampleService.northwind,
    max_results: 50,
    job: { title: { include: ['[CEO]'] } },
  };
  expect((await service.post(jobs, filtered, key)).body.fair_usage).toMatchObject({
    records_used: 0,
    records_remaining: 100,
  });
  expect((await service.post(jobs, { company_network_url: nobody }, key)).body.fair_usage.records_used).toBe(
    0,
  );
  const eight = await service.post(
    jobs,
    { company_network_url: SampleService.northwind, max_results: 8 },
    key,
  );
  expect(eight.body.fair_usage).toMatchObject({ records_used: 8, records_remaining: 92 });
  expect(await service.remaining(key)).toBe(92);
});

it('serves up to the balance, then says 402, and key-info still answers', async () => {
  const key = await service.issue(plan(5));
  const body = { company_network_url: SampleService.northwind, max_results: 10 };
  const last = await service.post(jobs, body, key);
  expect(last.body).toMatchObject({ results_length: 5, max_results: 10 });
  expect(last.body.cursor).not.toBeNull();
  const refused = await service.post(jobs, body, key);
  expect(refused.status).toBe(402);
  expect(refused.body).toMatchObject({
    success: false,
    fair_usage: { records_used: 0, records_remaining: 0 },
  });
  expect(refused.headers.get('x-records-remaining')).toBe('0');
  expect(await service.remaining(key)).toBe(0);
});

it('never gives out more than the allowance, however many ask at once', async () => {
  const key = await service.issue(plan(137));
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      service.post(jobs, { company_network_url: SampleService.northwind, max_results: 1 + (index % 9) }, key),
    ),
  );
  const used = answers.reduce((sum, { body }) => sum + body.fair_usage.records_used, 0);
  const delivered = answers.reduce((sum, { body }) => sum + (body.results_length ?? 0), 0);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]));
  expect(used).toBe(137);
  expect(delivered).toBe(137);
  expect(await service.remaining(key)).toBe(0);
  expect(await unsettled()).toBe(0);
});

it('shares one balance exactly between processes', async () => {
  const secret = await service.issue(plan(1_000));
  const key = await service.keyOf(secret);
  const other = Database.openPool(service.databaseUrl, { connectionsMax: 4, statementTimeoutMs: 60_000 });
  const ports = [records(service.sql), records(other)];
  const use = async (port: Records, index: number) => {
    const requestId = `shared-${index}`;
    const { granted } = await port.reserve({
      requestId,
      key,
      operation: 'test',
      records: 20,
      nowMs: service.clock.nowMs,
    });
    const used = Math.min(granted, index % 7);
    if (granted > 0) await port.settle(requestId, used);
    return used;
  };
  const used = await Promise.all(
    Array.from({ length: 100 }, (_, index) => ports.map((port, side) => use(port, 2 * index + side))).flat(),
  );
  await other.end();
  expect(await service.remaining(secret)).toBe(1_000 - used.reduce((sum, count) => sum + count, 0));
});

it('ends a reservation once', async () => {
  const secret = await service.issue(plan(10));
  const key = await service.keyOf(secret);
  const port = records(service.sql);
  await port.reserve({ requestId: 'once', key, operation: 'test', records: 4, nowMs: service.clock.nowMs });
  expect((await port.settle('once', 1)).recordsRemaining).toBe(9);
  await expect(port.settle('once', 0)).rejects.toThrow('not open');
  expect(await service.remaining(secret)).toBe(9);
});

it('cancels a request before, between and after its statements, and a second time', async () => {
  const secret = await service.issue(plan(10));
  const key = await service.keyOf(secret);
  const port = records(service.sql);
  const { nowMs } = service.clock;
  const reserve = (requestId: string) =>
    port.reserve({ requestId, key, operation: 'test', records: 4, nowMs });
  const cancel = (requestId: string) => port.cancel({ requestId, keyId: key.id, operation: 'test', nowMs });
  expect(await cancel('cancelled-first')).toBe(true);
  await expect(reserve('cancelled-first')).rejects.toThrow('duplicate key');
  await reserve('cancelled-reserved');
  expect(await cancel('cancelled-reserved')).toBe(true);
  await expect(port.settle('cancelled-reserved', 3)).rejects.toThrow('not open');
  await reserve('cancelled-settled');
  await port.settle('cancelled-settled', 3);
  expect(await cancel('cancelled-settled')).toBe(true);
  expect(await cancel('cancelled-settled')).toBe(true);
  expect(await service.remaining(secret)).toBe(10);
  const both = await Promise.allSettled(
    Array.from({ length: 20 }, (_, at) => [reserve(`cancelled-${at}`), cancel(`cancelled-${at}`)]).flat(),
  );
  expect(both.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(20);
  for (let at = 0; at < 20; at++) expect(await cancel(`cancelled-${at}`)).toBe(true);
  expect(await service.remaining(secret)).toBe(10);
});

it('renews the allowance when its month is over, once, and does not mix the months', async () => {
  const secret = await service.issue(plan(20));
  const body = { company_network_url: SampleService.northwind, max_results: 20 };
  await service.post(jobs, body, secret);
  expect((await service.post(jobs, body, secret)).status).toBe(402);
  const before = service.clock.nowMs;
  service.clock.nowMs += 32 * 86_400_000;
  try {
    expect(await service.remaining(secret)).toBe(20);
    const [one, other] = await Promise.all([
      service.post(jobs, { ...body, max_results: 4 }, secret),
      service.post(jobs, { ...body, max_results: 5 }, secret),
    ]);
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(await service.remaining(secret)).toBe(11);
  } finally {
    service.clock.nowMs = before;
  }
});

it('does not carry what a request gives back over into the next month', async () => {
  const key = await service.keyOf(await service.issue(plan(20)));
  const port = records(service.sql);
  const wanted = { key, operation: 'test', records: 8, nowMs: service.clock.nowMs };
  await port.reserve({ ...wanted, requestId: 'before-midnight' });
  const later = service.clock.nowMs + 32 * 86_400_000;
  const renewed = await port.reserve({ ...wanted, requestId: 'after-midnight', nowMs: later });
  expect(renewed.recordsRemaining).toBe(12);
  expect((await port.settle('before-midnight', 0)).recordsRemaining).toBe(12);
  expect((await port.settle('after-midnight', 8)).recordsRemaining).toBe(12);
});

it('gives back what a request of a dead process had set aside, once, and only in its own month', async () => {
  const secret = await service.issue(plan(30));
  const [key] = await service.sql<{ id: string; period: number }[]>`
    select id, period from direct.api_key where id = ${(await service.keyOf(secret)).id}`;
  if (!key) throw new Error('no key');
  const long = new Date(service.clock.nowMs - 600_000);
  await service.sql`update direct.api_key set records_remaining = 30 - 12 where id = ${key.id}`;
  await service.sql`
    insert into direct.usage (request_id, key_id, operation, period, reserved, reserved_at)
    values ('gone-1', ${key.id}, 'test', ${key.period}, 7, ${long}), ('gone-2', ${key.id}, 'test', ${key.period}, 5, ${long}),
           ('older', ${key.id}, 'test', ${key.period - 1}, 9, ${long})`;
  await sweep(service.sql, service.clock.nowMs);
  await sweep(service.sql, service.clock.nowMs);
  expect(await service.remaining(secret)).toBe(30);
  expect(await unsettled()).toBe(0);
});

it('charges nothing and says 503 when the data are out of reach', async () => {
  const key = await service.issue(plan(50));
  await service.sql`alter table direct.job rename to job_away`;
  try {
    const answer = await service.post(jobs, { company_network_url: SampleService.northwind }, key);
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer.body)).not.toContain('job');
  } finally {
    await service.sql`alter table direct.job_away rename to job`;
  }
  const blocked = await service.sql.reserve();
  await blocked`begin`;
  await blocked`lock table direct.job in access exclusive mode`;
  try {
    const answer = await service.post(jobs, { company_network_url: SampleService.northwind }, key);
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ success: false });
  } finally {
    await blocked`rollback`;
    blocked.release();
  }
  expect(await service.remaining(key)).toBe(50);
  expect(await unsettled()).toBe(0);
});

it('charges nothing and says 503 when the connection is cut in the middle', async () => {
  const key = await service.issue(plan(50));
  const blocked = await service.sql.reserve();
  await blocked`begin`;
  await blocked`lock table direct.job in access exclusive mode`;
  try {
    const answer = service.post(jobs, { company_network_url: SampleService.northwind }, key);
    let cut = 0;
    while (cut === 0) {
      const rows = await service.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%direct.job%'`;
      cut = rows.length;
    }
    expect((await answer).status).toBe(503);
  } finally {
    await blocked`rollback`;
    blocked.release();
  }
  expect(await service.remaining(key)).toBe(50);
  expect((await service.post(jobs, { company_network_url: SampleService.northwind }, key)).status).toBe(200);
});

it('has a row for every record that was ever used', async () => {
  const rows = await service.sql<{ missing: number }[]>`
    select k.records_allowance - k.records_remaining
           - coalesce((select sum(used) from direct.usage u where u.key_id = k.id and u.period = k.period), 0)::bigint as missing
    from direct.api_key k`;
  expect(rows.every((row) => row.missing === 0)).toBe(true);
});
