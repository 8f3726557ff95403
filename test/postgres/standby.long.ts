import { globSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { id, uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import * as LedgerAudit from '../../src/adapters/postgres/ledger-audit.ts';
import { Listener } from '../../src/adapters/postgres/listener.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import { announced } from '../../src/adapters/postgres/notices.ts';
import * as Revocations from '../../src/adapters/postgres/revocations.ts';
import { checkDatabase } from '../../src/cli/check/database.ts';
import type { Hold } from '../../src/ledger/hold.ts';
import { type OpenWriter, openWriter } from '../ledger/open-writer.ts';
import * as ReplicaPair from '../support/replica-pair.ts';
import * as SqlFlaw from '../support/sql-flaw.ts';
import * as Waits from '../support/waits.ts';
import {
  confirmedReads,
  type Flaw,
  foundation,
  otherWrites,
  type RepeatedWrite,
  repeatedWrites,
} from './repeated-writes.ts';

const pollMs = 10;
/** Longer than any step on a busy machine. */
const waitMsMax = 30_000;
const cutPools: Connection.Connection[] = [];
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
  await pair?.resume();
  await Promise.all(cutPools.map((sql) => sql.end({ timeout: 5 })));
  await local?.end({ timeout: 1 });
  await pair?.close();
});

/** Runs a write while the standby is paused. `waits`: its commit waits for the standby. Its connection is cut then. */
async function outcome(write: RepeatedWrite['write']): Promise<string> {
  const sql = Connection.openConnection(pair.url, 1, waitMsMax);
  const [backend] = await sql<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`;
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
      await local`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid = ${backend.pid}`;
    if (cut.length > 0) state = 'waits';
  }
  // A pool whose connection was cut may be connecting again, which ends when the standby runs.
  if (state === 'waits') cutPools.push(sql);
  else await sql.end({ timeout: 5 });
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

  test.each(confirmedReads.map((each) => [each.item, each] as const))(
    '%s is not reported',
    async (_, { write }) => {
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
    for (const { item, write } of [
      ...repeatedWrites.filter(({ item }) => items.includes(item)),
      ...confirmedReads,
    ])
      expect(`${item} ${await outcome(write)}`).toBe(`${item} answered`);
    await local.unsafe(before.text);
  });
});

describe.runIf(ReplicaPair.isInstalled)('while the synchronous standby confirms after 20 ms', () => {
  beforeAll(async () => {
    await pair.resume();
    pair.relay.delayMs = 10;
  });

  test('writes that notify commit at the same time', async () => {
    const after = await grantsPerSecond();
    const [before] = await local<
      [{ text: string }]
    >`SELECT pg_get_functiondef('ledger.announce'::regproc) AS text`;
    await local.unsafe(
      SqlFlaw.replacing(
        'ledger.announce',
        'INSERT INTO ledger.notice (channel, payload) VALUES (p_channel, p_payload)',
        'SELECT pg_notify(p_channel, p_payload)',
      ),
    );
    const oneByOne = await grantsPerSecond();
    await local.unsafe(before.text);
    expect(oneByOne).toBeLessThan(60);
    expect(after).toBeGreaterThan(4 * oneByOne);
  });

  test('a notice of a process that died before it sent it arrives with the heartbeat of another', async () => {
    const [dead, alive] = [Connection.openConnection(pair.url, 1), Connection.openConnection(pair.url, 2)];
    const heard = Promise.withResolvers<string>();
    const listener = new Listener(pair.url);
    await listener.listen('ledger', heard.resolve);
    await dead`SELECT ledger.grant_lot('orphan', 'acc_orphan', 'purchase', 'processor', 'credit', 'usd', 'credit', 1000000, NULL)`;
    await dead.end({ timeout: 0 });
    const nothing = () => undefined;
    await Revocations.openRevocations(alive, listener, {
      revoked: nothing,
      joined: nothing,
      frozen: nothing,
      froze: nothing,
      sinceMs: () => 0,
    });
    expect(await heard.promise).toBe('granted:acc_orphan');
    await listener.end();
    await alive.end({ timeout: 1 });
  });
});

describe.runIf(ReplicaPair.isInstalled)('a standby', () => {
  beforeAll(async () => {
    await pair.resume();
    pair.relay.delayMs = 0;
  });

  test('is enough to verify the ledger and to list the value of accounts', async () => {
    const caughtUp = async () => {
      const sql = postgres(pair.standbyUrl, { max: 1, onnotice: () => {} });
      const rows = await sql`SELECT 1 FROM ledger.posting WHERE key = 'seed'`.catch(() => []);
      await sql.end();
      return rows.length;
    };
    await expect.poll(caughtUp).toBe(1);
    const { counts } = await LedgerAudit.read(pair.standbyUrl);
    expect(counts.lots).toBeGreaterThan(0);
    await LedgerAudit.values(pair.standbyUrl, null, 10);
  });

  test('and its primary are reported by the check', async () => {
    const said = async (url: string) =>
      (await checkDatabase(url, Date.now)).map(({ state, says }) => `${state}: ${says}`);
    expect(await said(pair.url)).toContainEqual(
      'ok: commits wait for a synchronous standby; 1 standby connected',
    );
    expect(await said(pair.standbyUrl)).toContainEqual(
      'problem: it is a standby, which cannot be written to',
    );
  });
});

describe.runIf(ReplicaPair.isInstalled)(
  'a ledger writer on both servers (DATABASE_URL with two hosts)',
  () => {
    let writer: OpenWriter;
    let ticking: NodeJS.Timeout;
    const [account, lost] = [id('acc'), id('acc')];
    const bothUrl = () => pair.url.replace(/\/postgres$/, `,${new URL(pair.standbyUrl).host}/postgres`);
    beforeAll(async () => {
      await pair.resume();
      pair.relay.delayMs = 0;
      for (const each of [account, lost])
        await local`SELECT ledger.grant_lot(${`two:${each}`}, ${each}, 'grant', 'seller:test', 'grant', 'usd', 'p', 1000000, NULL)`;
      writer = await openWriter(bothUrl(), 'two-hosts', Date.now);
      ticking = setInterval(() => writer.writer.tick(), 50);
    });
    afterAll(async () => {
      clearInterval(ticking);
      await writer?.end();
    });
    const hold = async (of: string): Promise<Hold> => {
      const answer = await writer.writer.hold({
        callId: uuidv7(Date.now()),
        account: of,
        plans: ['p'],
        price: ofMicro(1_000),
        units: 10,
      });
      if (answer.kind !== 'held') throw new Error(answer.kind);
      return answer.hold;
    };
    const settle = (held: Hold) =>
      writer.writer.settle(held, { units: 10, status: 200, service: 's', operation: 'o' });
    const charged = async (url: string, of: string) => {
      const sql = postgres(url, { max: 1, onnotice: () => {} });
      const rows =
        await sql`SELECT u.amount, (SELECT count(*) FROM ledger.posting p WHERE p.key = 'undelivered:' || u.call_id || ':0') AS credited
      FROM ledger.usage u WHERE u.account_id = ${of}`;
      await sql.end();
      return rows.map(({ amount, credited }) => [Number(amount), Number(credited)]);
    };

    test('a batch without an answer is in doubt after a limited time, and what it charged is credited back', async () => {
      const held = await hold(lost);
      await pair.pause();
      const startMs = performance.now();
      const settled = settle(held);
      expect(await settled).toEqual({ kind: 'refused', inDoubt: true });
      // The statement timeout of 2 s does not end the wait of a commit; the limit of a settlement (5 s) does.
      expect(performance.now() - startMs).toBeLessThan(Waits.busyFactor * 5_000);
      await pair.resume();
      await expect.poll(() => charged(pair.url, lost)).toEqual([[10_000, 1]]);
    });

    test('an answered charge is on the promoted standby, and the writer continues there', async () => {
      expect(await settle(await hold(account))).toMatchObject({ kind: 'settled' });
      await pair.failOver();
      await expect
        .poll(async () => {
          const held = await hold(account).catch(() => null);
          return held && (await settle(held)).kind;
        })
        .toBe('settled');
      expect(await charged(pair.standbyUrl, account)).toEqual([
        [10_000, 0],
        [10_000, 0],
      ]);
      const sql = postgres(pair.standbyUrl, { max: 1, onnotice: () => {} });
      const faults = await sql<{ subject: string }[]>`SELECT subject FROM ledger.verify_sums()`;
      expect(faults.filter(({ subject }) => subject.includes(account) || subject.includes(lost))).toEqual([]);
      await sql.end();
    });
  },
);

const writers = 16;
const measuredMs = 2_000;
let keys = 0;

/** Grants lots on several connections at once. */
async function grantsPerSecond(): Promise<number> {
  const sql = Connection.openConnection(pair.url, writers + 2, waitMsMax);
  let count = 0;
  const end = Date.now() + measuredMs;
  const grant = async () => {
    while (Date.now() < end) {
      keys += 1;
      const lot = sql`SELECT ledger.grant_lot(${`rate:${keys}`}, ${`acc_${keys}`}, 'purchase', 'processor', 'credit', 'usd', 'credit', 1000000, NULL)`;
      await announced(sql, lot);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, grant));
  await sql.end({ timeout: 1 });
  return (count * 1_000) / measuredMs;
}
