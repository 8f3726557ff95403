import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import * as Cluster from '../../src/adapters/embedded/cluster.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import { id, uuidv7 } from '../../src/kernel/id.ts';
import type { Usage } from '../../src/ledger/usage.ts';
import { type OpenBooks, openBooks } from './open-books.ts';

const command = fileURLToPath(new URL('../../src/cli/sluice.ts', import.meta.url));

type Ended = { code: number | null; out: string; err: string };

function ledger(args: string[], env: Record<string, string>): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [command, 'ledger', ...args],
      { env: { PATH: process.env.PATH ?? '', ...env } },
      (_, out, err) => resolve({ code: child.exitCode, out, err }),
    );
  });
}

let books: OpenBooks;
/** A database that holds a bit of everything, to be copied and spoilt. */
let template: string;
let admin: postgres.Sql;

beforeAll(async () => {
  admin = postgres(inject('databaseUrl'), { max: 2, onnotice: () => {} });
  books = await openBooks();
  template = new URL(books.url).pathname.slice(1);
  await fill(books);
  await books.sql.end();
});
afterAll(async () => {
  await admin.end();
  await books.end();
});

async function fill({ sql, grant, books }: OpenBooks): Promise<void> {
  await sql`INSERT INTO shop.purchase (id, plan_id, amount, expires_at) VALUES ('o1', 'p', 5000000, now() + '1 hour')`;
  await sql`SELECT shop.grant_purchase('o1', 'pi_1', 'ann')`;
  const units = await grant({
    account: 'ann',
    asset: 'unit',
    kind: 'trial',
    plan: 'p',
    amount: 25,
    expiresMs: null,
  });
  const epoch = await books.openLane('a');
  const batch = { lane: 'a', epoch, deliveredSeq: 0, fold: false, answers: [], returns: [] };
  const want = { account: 'ann', plans: ['p'], price: 1_000, units: 40, headroomUnits: 0, recall: false };
  await books.batch({ ...batch, seq: 1, usage: [], wants: [want] });
  const call = {
    callId: uuidv7(Date.now()),
    account: 'ann',
    plan: 'p',
    service: 's',
    operation: 'o',
    status: 200,
    key: null,
    price: 1_000,
  };
  const [money] = await sql<[{ id: number }]>`SELECT id FROM ledger.bucket WHERE asset = 'usd'`;
  const usage: Usage[] = [
    { ...call, draw: 0, lot: units, units: 25, amount: 25 },
    { ...call, draw: 1, lot: money.id, units: 3, amount: 3_000 },
  ];
  const kept = {
    callId: call.callId,
    account: 'ann',
    key: '00',
    status: 200,
    headers: [],
    body: Buffer.alloc(1),
  };
  await books.batch({ ...batch, seq: 2, usage, answers: [kept], wants: [] });
  await books.batch({ ...batch, seq: 3, usage: [], wants: [] });
}

/** The command on a copy of the database in which `spoil` was done by hand. */
async function proveSpoilt(spoil: string, args = ['prove']): Promise<Ended> {
  const name = id('spoilt');
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(books.url);
  url.pathname = `/${name}`;
  const sql = postgres(url.href, { max: 1, onnotice: () => {} });
  await sql.unsafe(spoil);
  await sql.end();
  const ended = await ledger(args, { DATABASE_URL: url.href });
  await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  return ended;
}

test('says that the books hold, and what it has checked', async () => {
  const { code, out } = await proveSpoilt('SELECT 1');
  expect(out).toContain('2 lots, 2 postings, 1 calls, 3 recent batches');
  expect(out).toMatch(
    /USD +5.000000 paid in \+ 0.000000 granted - 0.003000 spent - 0.000000 paid back - 0.000000 expired = 4.997000 balance, of it 0.012000 set aside/,
  );
  expect(out).toMatch(
    /units +0 paid in \+ 25 granted - 25 spent - 0 paid back - 0 expired = 0 balance, of it 0 set aside/,
  );
  expect(out).toContain('The books hold.');
  expect(code).toBe(0);
});

describe('names the rule that is broken by', () => {
  const row = `(call_id, draw, account_id, service, operation, status, units, price, amount, lane_id, epoch, seq)`;
  const breaches: [rule: string, spoil: string][] = [
    ['postings = available + leased + used - not yet folded', 'UPDATE ledger.bucket SET avail = avail + 1'],
    ['postings = available + leased + used - not yet folded', 'UPDATE ledger.lease SET amount = amount + 1'],
    ['postings = available + leased + used - not yet folded', 'DELETE FROM ledger.usage WHERE draw = 1'],
    ['postings = available + leased + used - not yet folded', 'UPDATE ledger.lane SET folded_seq = 2'],
    [
      'postings = available + leased + used - not yet folded',
      "UPDATE ledger.posting SET amount = amount - 1 WHERE kind = 'trial'",
    ],
    [
      'nothing is used, posted or leased without its lot',
      "INSERT INTO ledger.posting (key, account_id, bucket_id, kind, contra, amount) VALUES ('x', 'ann', 999, 'grant', 'x', 1)",
    ],
    [
      'nothing is used, posted or leased without its lot',
      "INSERT INTO ledger.lease VALUES ('a', 'ann', 999, 1)",
    ],
    [
      'nothing is negative',
      'ALTER TABLE ledger.bucket DROP CONSTRAINT bucket_avail_check; UPDATE ledger.bucket SET avail = -1',
    ],
    [
      'nothing is negative',
      'ALTER TABLE ledger.lease DROP CONSTRAINT lease_amount_check; UPDATE ledger.lease SET amount = -1',
    ],
    ['a call costs its units at its price', 'UPDATE ledger.usage SET units = units + 1 WHERE draw = 1'],
    [
      'a unit of an allowance is a unit of a result',
      'UPDATE ledger.usage SET units = units + 1 WHERE draw = 0',
    ],
    [
      'a call belongs to one account',
      `INSERT INTO ledger.usage ${row} SELECT call_id, 9, 'bob', service, operation, status, 0, price, 0, lane_id, epoch, seq FROM ledger.usage WHERE draw = 0`,
    ],
    [
      'a budget bears all that its call is worth',
      `INSERT INTO ledger.usage (call_id, draw, account_id, plan_id, service, operation, status, units, price, amount, lane_id, epoch, seq)
        SELECT call_id, 9, 'key_1', '#budget', service, operation, status, 1, price, 0, lane_id, epoch, seq FROM ledger.usage WHERE draw = 0`,
    ],
    ['a batch is the sum of its rows', 'UPDATE ledger.batch SET spent = ARRAY[1, 2]::bigint[] WHERE seq = 2'],
    ['batches have no gap', 'DELETE FROM ledger.batch WHERE seq = 2'],
    [
      'nothing is written under an epoch that has not begun',
      'UPDATE ledger.batch SET epoch = epoch + 5 WHERE seq = 3',
    ],
    ['a closed lane holds nothing', 'UPDATE ledger.lane SET open = false'],
    [
      'what is given back was charged',
      `INSERT INTO ledger.posting (key, account_id, bucket_id, kind, contra, amount)
        SELECT 'undelivered:' || gen_random_uuid() || ':0', account_id, id, 'undelivered', 'revenue', 1 FROM ledger.bucket LIMIT 1`,
    ],
    ['a kept answer has its charge', "UPDATE ledger.kept_answer SET account_id = 'bob'"],
    ['a kept answer has its charge', 'UPDATE ledger.kept_answer SET call_id = gen_random_uuid()'],
    [
      'what is given again is not given back',
      `INSERT INTO ledger.posting (key, account_id, bucket_id, kind, contra, amount)
        SELECT 'undelivered:' || call_id || ':' || draw, account_id, bucket_id, 'undelivered', 'revenue', amount FROM ledger.usage`,
    ],
    [
      'a key is charged once a day',
      'INSERT INTO ledger.kept_answer SELECT ledger.uuid_at(clock_timestamp()), account_id, key, status, headers, body FROM ledger.kept_answer',
    ],
    ['a granted order has its one lot', "UPDATE shop.purchase SET state = 'offered'"],
    ['a granted order has its one lot', 'UPDATE shop.purchase SET amount = amount + 1'],
    ['a granted order has its one lot', "UPDATE shop.purchase SET account_id = 'bob'"],
    ['a paid lot has its order', 'DELETE FROM shop.purchase'],
  ];
  test.each(breaches)('%s: %s', async (rule, spoil) => {
    const { code, out } = await proveSpoilt(spoil);
    expect(out).toContain(`  ${rule}\n`);
    expect(out).not.toContain('The books hold.');
    expect(code).toBe(1);
  });
});

test('answers in JSON', async () => {
  const { code, out } = await proveSpoilt("UPDATE ledger.bucket SET avail = avail + 1 WHERE asset = 'unit'", [
    'prove',
    '--json',
  ]);
  expect(JSON.parse(out)).toMatchObject({
    holds: false,
    counts: { lots: 2, postings: 2, calls: 1, batches: 3 },
    totals: [
      { asset: 'unit', balance: 1 },
      { asset: 'usd', paid_in: 5_000_000, spent: 3_000, balance: 4_997_000 },
    ],
    breaches: [{ rule: 'postings = available + leased + used - not yet folded' }],
  });
  expect(code).toBe(1);
});

test('totals asks nothing else of the books', async () => {
  const { code, out } = await proveSpoilt('UPDATE ledger.batch SET epoch = epoch + 5', ['totals']);
  expect(out).toMatch(/^units .*\nUSD .*\n$/);
  expect(code).toBe(0);
});

test('finds the database that npm start keeps, running or not', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-kept-'));
  await mkdir(join(folder, 'logs'));
  const cluster = await Cluster.open({
    dir: join(folder, 'postgres'),
    database: 'sluice',
    durable: false,
    logFile: join(folder, 'logs', 'postgres.log'),
  });
  try {
    await migrate(cluster.url);
    expect(await ledger(['prove'], { DATA_DIR: folder })).toMatchObject({ code: 0, err: '' });
  } finally {
    await cluster.stop();
  }
  expect(await ledger(['prove'], { DATA_DIR: folder })).toMatchObject({ code: 0, err: '' });
  await rm(folder, { recursive: true });
});

describe('ends with 2', () => {
  test('when it is asked for nothing, or for what there is not', async () => {
    for (const args of [[], ['mend'], ['prove', 'twice'], ['prove', '--loudly']])
      expect(await ledger(args, {})).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining('sluice help ledger'),
      });
  });

  test('when the database is out of reach', async () => {
    const url = 'postgres://nobody@127.0.0.1:9/nothing';
    expect(await ledger(['prove'], { DATABASE_URL: url })).toMatchObject({
      code: 2,
      err: expect.stringContaining('could not be read'),
    });
  });

  test('when there is no ledger in it', async () => {
    expect(await proveSpoilt('DROP SCHEMA ledger CASCADE')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no ledger'),
    });
  });

  test('when no shop was ever opened', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-none-'));
    expect(await ledger(['prove'], { DATA_DIR: folder })).toMatchObject({
      code: 2,
      err: expect.stringContaining('sluice start'),
    });
    await rm(folder, { recursive: true });
  });
});

test('explains itself', async () => {
  expect(await ledger(['--help'], {})).toMatchObject({
    code: 0,
    out: expect.stringContaining('sluice ledger prove'),
  });
});
