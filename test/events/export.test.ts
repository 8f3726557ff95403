import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type * as Connection from '../../src/adapters/postgres/connection.ts';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import * as EventExport from '../../src/adapters/postgres/event-export.ts';
import * as UsageExport from '../../src/adapters/postgres/usage-export.ts';
import * as EventsCommand from '../../src/cli/commands/events.ts';
import * as ExportCommand from '../../src/cli/commands/export.ts';
import * as ExportFile from '../../src/cli/export-file.ts';
import { columns } from '../../src/payment/event-export.ts';
import { createMigrated, type Database } from '../support/database.ts';
import { keys } from './secrets.ts';

let database: Database;
let sql: Connection.Connection;
let folder: string;
beforeAll(async () => {
  database = await createMigrated();
  sql = openConnection(database.url, 4);
  folder = await mkdtemp(join(tmpdir(), 'sluice-export-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(async () => {
  await sql?.end();
  await database?.drop();
  await rm(folder, { recursive: true });
});

const order = {
  order: 'pur_1',
  plan: 'credit',
  amount: 9_007_199_254_740_991,
  tax: 0,
  rail: 'card',
  payment: 'pi_1',
  units: null,
};

/** Exports after a cursor. Returns the ids of the events and the next cursor. */
async function next(since: EventExport.Since): Promise<{ ids: unknown[]; cursor: string }> {
  const found = await EventExport.readEvents(sql, 'events', since);
  const ids: unknown[] = [];
  for await (const page of found?.pages ?? []) ids.push(...page.map(({ event }) => event));
  return { ids, cursor: found?.cursor ?? '' };
}

test('a transaction that commits after a later one is exported by the next run, and nothing twice', async () => {
  await sql`SELECT shop.add_event('order.granted', 'acc_1', 'first', ${sql.json(order)})`;
  const all: unknown[] = [];
  let cursor = '';
  const run = async (since: EventExport.Since) => {
    const found = await next(since);
    all.push(...found.ids);
    ({ cursor } = found);
  };
  await run({ ms: 0 });
  await sql.begin(async (slow) => {
    await slow`SELECT shop.add_event('order.granted', 'acc_2', 'slow', ${slow.json(order)})`;
    await sql`SELECT shop.add_event('order.granted', 'acc_3', 'fast', ${sql.json(order)})`;
    await run({ event: cursor });
    expect(all).toHaveLength(2);
  });
  await run({ event: cursor });
  await run({ event: cursor });
  const rows = await sql<{ id: string }[]>`SELECT id FROM shop.event`;
  expect(all.toSorted()).toEqual(rows.map(({ id }) => id).sort());
  expect(await EventExport.readEvents(sql, 'events', { event: 'evt_unknown' })).toBeNull();
});

test('NDJSON and Parquet files have the same rows and the documented columns', async () => {
  const [ndjson, parquet] = [join(folder, 'orders.ndjson'), join(folder, 'orders.parquet')];
  const read = async () => (await EventExport.readEvents(sql, 'orders', { ms: 0 }))?.pages ?? [];
  const rows = await ExportFile.writeNdjson((await read()) as AsyncIterable<never>, ndjson);
  expect(await ExportFile.writeParquet((await read()) as AsyncIterable<never>, columns.orders, parquet)).toBe(
    rows,
  );
  const lines = (await readFile(ndjson, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toHaveLength(rows);
  expect(lines[0]).toMatchObject({
    order: 'pur_1',
    account: 'acc_1',
    amount_micro_usd: 9_007_199_254_740_991,
  });
  const found = await parquetReadObjects({ file: await asyncBufferFromFile(parquet) });
  const plain = found.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'bigint'
          ? Number(value)
          : value instanceof Date
            ? value.toISOString()
            : (value ?? null),
      ]),
    ),
  );
  expect(plain).toEqual(lines);
  expect(Object.keys(found[0] ?? {})).toEqual(columns.orders.map(({ name }) => name));
});

test('usage is exported by whole days that never change', async () => {
  await sql`INSERT INTO ledger.usage_hour (hour, service, calls, units, included, cost)
    SELECT h, 's', 1, 2, 3, 4 FROM unnest(ARRAY['2030-01-01 00:00Z', '2030-01-01 23:00Z', '2030-01-02 00:00Z']::timestamptz[]) h
    UNION ALL SELECT date_trunc('day', now() - interval '3 days', 'UTC') + interval '5 hours', 's', 1, 2, 3, 4`;
  const found = await UsageExport.readUsage(sql, Date.now() - 4 * 86_400_000);
  const rows = [];
  for await (const page of found.pages) rows.push(...page);
  expect(rows).toMatchObject([{ service: 's', calls: 1, cost_micro_usd: 4 }]);
  expect(Date.parse(found.cursor ?? '')).toBeLessThanOrEqual(Date.now());
  const again = await UsageExport.readUsage(sql, Date.parse(found.cursor ?? ''));
  for await (const page of again.pages) expect(page).toEqual([]);
});

test('the command continues from the cursor that it printed', async () => {
  vi.stubEnv('DATABASE_URL', database.url);
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  const cursorOf = () => JSON.parse(String(said.mock.lastCall?.[0])) as { cursor: string; rows: number };
  const out = join(folder, 'command.ndjson');
  try {
    expect(await ExportCommand.run(['orders', '--since', '2020-01-01', '--out', out])).toBe(0);
    const first = cursorOf();
    expect(first.rows).toBeGreaterThan(0);
    await sql`SELECT shop.add_event('order.granted', 'acc_9', 'later', ${sql.json(order)})`;
    expect(await ExportCommand.run(['orders', '--since', first.cursor, '--out', out])).toBe(0);
    expect(cursorOf().rows).toBe(1);
    expect(JSON.parse(await readFile(out, 'utf8'))).toMatchObject({ account: 'acc_9' });
    const usage = join(folder, 'usage.parquet');
    const ofAccounts = ['account-usage', '--format', 'parquet', '--out', usage, '--since'];
    expect(await ExportCommand.run([...ofAccounts, '2020-01-01'])).toBe(0);
    expect(cursorOf()).toEqual({ cursor: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), rows: 0 });
    expect(await parquetReadObjects({ file: await asyncBufferFromFile(usage) })).toEqual([]);
    await expect(ExportCommand.run([...ofAccounts, first.cursor])).rejects.toThrow('--since');
    expect(await ExportCommand.run(['orders', '--since', 'evt_unknown', '--out', out])).toBe(1);
    await expect(ExportCommand.run(['orders', '--since', '2020', '--out', out])).rejects.toThrow('--since');
  } finally {
    said.mockRestore();
  }
});

test('an endpoint is added, listed, given a new secret and removed by the command', async () => {
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('ENCRYPTION_KEYS', keys);
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  const result = () => JSON.parse(String(said.mock.lastCall?.[0]));
  const events = (...args: string[]) => EventsCommand.run([...args, '--json']);
  try {
    await expect(events('endpoints', 'add', 'http://10.0.0.1/')).rejects.toThrow('https');
    expect(await events('endpoints', 'add', 'https://seller.example/', '--types', 'order.granted')).toBe(0);
    const { id, secret } = result();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await events('endpoints', 'rotate', id)).toBe(0);
    expect(result().secret).not.toBe(secret);
    const [event] = await sql<
      { id: string }[]
    >`SELECT id FROM shop.event WHERE position IS NOT NULL ORDER BY position LIMIT 1`;
    expect(await events('replay', id, '--from', event?.id ?? '')).toBe(0);
    expect(result().events).toBeGreaterThan(0);
    expect(await events('list', '--state', 'waiting')).toBe(0);
    expect(result()[0]).toMatchObject({ type: 'order.granted', states: ['waiting'] });
    expect(await events('endpoints', 'remove', id)).toBe(0);
    expect(await events('endpoints', 'remove', id)).toBe(1);
    const acts = await sql<{ act: string }[]>`SELECT act FROM shop.audit WHERE subject = ${id} ORDER BY id`;
    expect(acts.map(({ act }) => act)).toEqual([
      ...['event_endpoint_added', 'event_secret_rotated', 'events_replayed', 'event_endpoint_removed'],
    ]);
  } finally {
    said.mockRestore();
  }
});

test('a partition of usage is created later when a reader holds the table, and calls do not wait for it', async () => {
  const days = async () =>
    (await sql`SELECT FROM pg_inherits WHERE inhparent = 'ledger.usage'::regclass`).length;
  const before = await days();
  await sql.begin(async (reader) => {
    await reader`SELECT FROM ledger.usage LIMIT 0`;
    await sql`SELECT ledger.prepare_usage(9)`;
    expect(await days()).toBe(before);
  });
  await sql`SELECT ledger.prepare_usage(9)`;
  expect(await days()).toBe(before + 2);
});

test('an empty export is a valid Parquet file', async () => {
  const path = join(folder, 'empty.parquet');
  const found = await EventExport.readEvents(sql, 'disputes', { ms: 0 });
  if (found === null) throw new Error('no export');
  expect(await ExportFile.writeParquet(found.pages, columns.disputes, path)).toBe(0);
  expect(await parquetReadObjects({ file: await asyncBufferFromFile(path) })).toEqual([]);
});
