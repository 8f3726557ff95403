import { afterAll, beforeAll, expect, it } from 'vitest';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import * as PoolWatchdog from '../../src/adapters/postgres/pool-watchdog.ts';
import { createDatabase } from '../support/database.ts';

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

it('leaves a pool alone that answers, and one whose database is away', async () => {
  const sql = Connection.openConnection(database.url, 1);
  const away = Connection.openConnection('postgres://127.0.0.1:1/none', 1);
  const isLost = PoolWatchdog.watch(sql, database.url);
  const isGone = PoolWatchdog.watch(away, 'postgres://127.0.0.1:1/none');
  for (let times = 0; times < 3; times += 1) {
    expect(await isLost()).toBe(false);
    expect(await isGone()).toBe(false);
  }
  await Promise.all([sql.end(), away.end()]);
});

it('finds a pool that never answers while its database does', async () => {
  const silent = (() => new Promise(() => undefined)) as unknown as Connection.Connection;
  const isLost = PoolWatchdog.watch(silent, database.url);
  expect(await isLost()).toBe(false);
  expect(await isLost()).toBe(true);
});
