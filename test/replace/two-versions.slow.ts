import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Sluice from '../cli/sluice.ts';
import * as Customer from '../support/customer.ts';
import { createDatabase, type Database } from '../support/database.ts';
import * as Program from '../support/program.ts';
import { Load } from './load.ts';
import * as PreviousRelease from './previous-release.ts';
import { chargedTo, environment } from './run.ts';
import * as Upstream from './upstream.ts';

const loadMs = 5_000;
const rate = 20;

let database: Database;
let sql: postgres.Sql;
let upstream: Upstream.Upstream;
let previous: PreviousRelease.Tree;
beforeAll(async () => {
  [database, upstream, previous] = await Promise.all([
    createDatabase(),
    Upstream.open(),
    PreviousRelease.extract(),
  ]);
  sql = postgres(database.url, { max: 1, onnotice: () => {} }) as unknown as postgres.Sql;
});
afterAll(async () => {
  await Promise.all([sql?.end({ timeout: 1 }), upstream?.close(), previous?.remove()]);
  await database?.drop();
});

test('the previous release sells on while its database is migrated, and beside this version', async () => {
  const [oldPort, newPort] = [await Program.freePort(), await Program.freePort()];
  const start = (port: number, folder?: string) =>
    Program.start('src/main.ts', environment(database.url, upstream.url, port), folder);
  const older = await start(oldPort, previous.folder);
  const buyer = await Customer.register(`http://127.0.0.1:${oldPort}`);
  await Customer.credit(sql, buyer, 100_000_000);
  const loads = [new Load(`http://127.0.0.1:${oldPort}`, buyer.token, rate, 2)];
  const migrated = await Sluice.run(['migrate'], { env: { DATABASE_URL: database.url } });
  expect(migrated, migrated.err).toMatchObject({ code: 0 });
  const newer = await start(newPort);
  // Registered by the other version: keys, secrets and accounts are shared.
  const second = await Customer.register(`http://127.0.0.1:${newPort}`);
  await Customer.credit(sql, second, 100_000_000);
  loads.push(
    new Load(`http://127.0.0.1:${newPort}`, buyer.token, rate, 2),
    new Load(`http://127.0.0.1:${oldPort}`, second.token, rate, 2),
    new Load(`http://127.0.0.1:${newPort}`, second.token, rate, 2),
  );
  await sleep(loadMs);
  const results = await Promise.all(loads.map((load) => load.stop()));
  expect(results.flatMap(({ errors }) => errors)).toEqual([]);
  for (const { calls } of results) expect(calls).toBeGreaterThan(rate);
  expect(await Promise.all([older.stop(), newer.stop()])).toEqual([0, 0]);
  const cost = results.reduce((sum, one) => sum + one.cost, 0);
  expect((await chargedTo(sql, buyer.account)) + (await chargedTo(sql, second.account))).toBe(cost);
  expect([...(await sql`SELECT * FROM ledger.verify()`)]).toEqual([]);
}, 300_000);
