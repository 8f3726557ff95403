import { globSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as ReplicaPair from '../support/replica-pair.ts';
import * as SqlFlaw from '../support/sql-flaw.ts';
import { type Flaw, foundation, otherWrites, type RepeatedWrite, repeatedWrites } from './repeated-writes.ts';

const pollMs = 10;
/** Longer than any step on a busy machine. */
const waitMsMax = 30_000;
let pair: ReplicaPair.ReplicaPair;
/** Its commits do not wait for the standby. */
let local: postgres.Sql;

beforeAll(async () => {
  if (!ReplicaPair.isInstalled) return;
  pair = await ReplicaPair.open();
  await migrate(pair.url);
  local = postgres(pair.url, { max: 1, onnotice: () => {}, connection: { synchronous_commit: 'local' } });
  await local.unsafe(foundation);
  await pair.pause();
});
afterAll(async () => {
  await local?.end({ timeout: 1 });
  await pair?.close();
});

/** Runs a write while the standby is paused. `waits`: its commit waits for the standby. Its connection is cut then. */
async function outcome(write: RepeatedWrite['write']): Promise<string> {
  const sql = Connection.openConnection(pair.url, 1, waitMsMax);
  const done = Promise.resolve(write(sql)).then(
    () => 'answered',
    (fault: unknown) => `failed: ${fault}`,
  );
  let state = 'running';
  void done.then((end) => {
    if (state === 'running') state = end;
  });
  for (const end = Date.now() + waitMsMax; state === 'running' && Date.now() < end; await sleep(pollMs)) {
    const cut =
      await local`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    if (cut.length > 0) state = 'waits';
  }
  await sql.end({ timeout: 0 });
  return state;
}

test('the table of repeated writes names every write of the adapters', () => {
  const sources = globSync('src/**/*.ts').map((path) =>
    readFileSync(path, 'utf8').replace(/^\s*(\*|\/\/).*$/gm, ''),
  );
  const functions = globSync('migrations/functions/*.sql').map((path) => readFileSync(path, 'utf8'));
  const writing = new Set(
    [...functions.join('\n').matchAll(/CREATE OR REPLACE FUNCTION ((?:shop|ledger)\.\w+)\(([\s\S]*?)\$\$/g)]
      .filter(([, , head]) => !/\b(STABLE|IMMUTABLE)\b/.test(head ?? ''))
      .map(([, name]) => name),
  );
  const found = sources.flatMap((source) => [
    ...[...source.matchAll(/\b((?:shop|ledger)\.\w+)\(/g)]
      .map(([, name]) => name)
      .filter((name) => writing.has(name)),
    ...[...source.matchAll(/\b(INSERT|UPDATE|DELETE)(?: INTO| FROM)? ((?:shop|ledger)\.\w+)/g)].map(
      ([, verb, table]) => `${verb} ${table}`,
    ),
  ]);
  const named = [...repeatedWrites.map(({ item }) => item), ...Object.keys(otherWrites)];
  expect([...new Set(found)].filter((item) => !named.includes(item ?? ''))).toEqual([]);
  expect(named.filter((item) => item !== 'ledger.grant_lot' && !found.includes(item))).toEqual([]);
});

test('no SQL function notifies in the transaction that writes', () => {
  const notifying = globSync('{migrations/functions/*.sql,src/**/*.ts}').filter((path) =>
    /\bpg_notify\(/.test(readFileSync(path, 'utf8')),
  );
  expect(notifying.sort()).toEqual([
    'migrations/functions/notices.sql',
    'src/adapters/postgres/notify.ts',
    'src/adapters/postgres/revocations.ts',
  ]);
});

describe.runIf(ReplicaPair.isInstalled)('while the synchronous standby is paused', () => {
  test.each(repeatedWrites.map((each) => [each.item, each] as const))(
    '%s does not report success, neither the first time nor repeated after its connection was cut',
    async (_, { write }) => {
      expect(await outcome(write)).toBe('waits');
      expect(await outcome(write)).toBe('waits');
    },
  );

  const flaws: Flaw[] = repeatedWrites.flatMap(({ flaw }) => flaw ?? []);
  test.each(flaws.map((flaw) => [flaw.name, flaw] as const))(
    'a %s without its wait is found',
    async (name, flaw) => {
      const [before] = await local<[{ text: string }]>`SELECT pg_get_functiondef(${name}::regproc) AS text`;
      await local.unsafe(SqlFlaw.replacing(name, flaw.from, flaw.to));
      const write = repeatedWrites.find((each) => each.flaw === flaw)?.write as RepeatedWrite['write'];
      expect(await outcome(write)).toBe('answered');
      await local.unsafe(before.text);
      expect(await outcome(write)).toBe('waits');
    },
  );

  test('an await_standby that writes no log is found by every statement that relies on it', async () => {
    const name = 'ledger.await_standby';
    const [before] = await local<[{ text: string }]>`SELECT pg_get_functiondef(${name}::regproc) AS text`;
    await local.unsafe(
      SqlFlaw.replacing(name, "SELECT pg_logical_emit_message(true, 'sluice', '')", 'SELECT'),
    );
    const items = [
      'INSERT ledger.job',
      'INSERT shop.purchase',
      'INSERT shop.refund_request',
      'INSERT shop.mail',
      'INSERT shop.secret',
      'DELETE shop.oauth_grant',
      'DELETE shop.signing_key',
    ];
    for (const { item, write } of repeatedWrites.filter(({ item }) => items.includes(item)))
      expect(`${item} ${await outcome(write)}`).toBe(`${item} answered`);
    await local.unsafe(before.text);
  });
});
