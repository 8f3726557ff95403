import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { id, uuidv7 } from '@sluice/kernel/id';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import { openCluster } from '../../src/cli/embedded/cluster.ts';
import type { Usage } from '../../src/ledger/usage.ts';
import * as BuiltPrograms from '../support/built-programs.ts';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';

type Ended = { code: number | null; out: string; err: string };

async function ledger(args: string[], env: Record<string, string>): Promise<Ended> {
  const command = await BuiltPrograms.pathOf('src/cli/sluice.ts');
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [command, 'ledger', ...args],
      { env: { PATH, NODE_COMPILE_CACHE, ...env } },
      (_, out, err) => resolve({ code: child.exitCode, out, err }),
    );
  });
}

let books: OpenLedgerStore;
/** A small database that is copied and then corrupted, and one that also has every kind of lot, key, order and join. */
let template: string;
let terms: string;
let admin: postgres.Sql;

beforeAll(async () => {
  admin = postgres(inject('databaseUrl'), { max: 2, onnotice: () => {} });
  books = await openLedgerStore();
  template = new URL(books.url).pathname.slice(1);
  await fill(books);
  await books.sql.end();
  terms = id('terms');
  await admin.unsafe(`CREATE DATABASE ${terms} TEMPLATE ${template}`);
  const sql = postgres(at(terms), { max: 1, onnotice: () => {} });
  await fillTerms(sql);
  await sql.end();
});
afterAll(async () => {
  await admin.unsafe(`DROP DATABASE ${terms} WITH (FORCE)`);
  await admin.end();
  await books.end();
});

function at(name: string): string {
  const url = new URL(books.url);
  url.pathname = `/${name}`;
  return url.href;
}

async function fill({ sql, books }: OpenLedgerStore): Promise<void> {
  await sql`SELECT shop.register('ann', 'p', 25)`;
  await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at) VALUES ('o1', 'ann', 'p', 5000000, now() + '1 hour')`;
  await sql`SELECT shop.grant_purchase('o1', 'pi_1', 'ann')`;
  const [{ id: units }] = await sql<[{ id: number }]>`SELECT id FROM ledger.lot WHERE asset = 'unit'`;
  const epoch = await books.openWriter('a');
  const batch = { writer: 'a', epoch, deliveredSeq: 0, checkpoint: false, storedResponses: [], returns: [] };
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
  const [money] = await sql<[{ id: number }]>`SELECT id FROM ledger.lot WHERE asset = 'usd'`;
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
  await books.batch({ ...batch, seq: 2, usage, storedResponses: [kept], wants: [] });
  await books.batch({ ...batch, seq: 3, usage: [], wants: [] });
}

/** Adds a plan of included units, a replaced plan, a gift, a code, a key with a budget and its call, a join, a refund, an ended lot, an undelivered call and a free one. */
async function fillTerms(sql: postgres.Sql): Promise<void> {
  const period = { price: 99_000_000, units: 1_000, every: 'month', rollover: false, graceDays: 3 };
  await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, units, terms, expires_at)
    VALUES ('o2', 'ann', 'start', 99000000, 1000, ${sql.json(period)}, now() + '1 hour')`;
  await sql`SELECT shop.grant_purchase('o2', 'pi_2', 'ann')`;
  await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at) VALUES ('o3', 'ann', 'p', 1000000, now() + '1 hour')`;
  await sql`SELECT shop.grant_purchase('o3', 'pi_3', 'ann')`;
  const back = [
    { id: 're_1', kind: 'refund', amount: 400_000, status: 'succeeded', is_effective: true, reason: null },
  ];
  await sql`SELECT shop.apply_reversals('o3', shop.begin_reversal_sync('o3'), ${sql.json(back)})`;
  await sql`SELECT shop.grant_credit('gift', 'ann', 'p', 'usd', 700, NULL, 'sorry', 'test')`;
  await sql`SELECT shop.grant_credit('brief', 'ann', 'p', 'usd', 300, clock_timestamp() + interval '1 millisecond', 'sorry', 'test')`;
  await sql`SELECT pg_sleep(0.01)`;
  await sql`SELECT ledger.expire()`;
  await sql`SELECT shop.make_promotion('CODE', 'p', 'usd', 500, NULL, 30, NULL, false, 'test')`;
  await sql`SELECT shop.redeem('ann', 'CODE', '{}', 5, '10 minutes')`;
  await sql`SELECT shop.make_key('key_1', 'ann', 'digest', 'hint', 'name', 9000, NULL, NULL, 10)`;
  await sql`SELECT shop.register('bob', 'p', 10)`;
  await sql`SELECT shop.grant_credit('bobs', 'bob', 'p', 'usd', 200, NULL, 'sorry', 'test')`;
  // The join ends bob's trial, because ann has had one; the gift moves to ann.
  await sql`SELECT shop.join_accounts('bob', 'ann')`;
  await sql`SELECT shop.register('cat', 'p', 0)`;
  const small = { ...period, price: 10_000_000 };
  const large = {
    ...period,
    price: 40_000_000,
    units: 4_000,
    replaces: { order: 'o5', credit: 10_000_000 },
  };
  await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, units, terms, expires_at) VALUES
    ('o5', 'cat', 'small', 10000000, 1000, ${sql.json(small)}, now() + '1 hour'), ('o6', 'cat', 'large', 30000000, 4000, ${sql.json(large)}, now() + '1 hour')`;
  await sql`SELECT shop.grant_purchase('o5', 'pi_5', 'cat')`;
  await sql`SELECT shop.grant_purchase('o6', 'pi_6', 'cat')`;
  const [{ credit, budget }] = await sql<[{ credit: string; budget: string }]>`SELECT
    (SELECT lot_id FROM ledger.posting WHERE key = 'purchase:o1') AS credit, (SELECT lot_id FROM ledger.posting WHERE key = 'budget:key_1') AS budget`;
  const call = (lot: string | null, units: number, key: string | null) => ({
    id: uuidv7(Date.now()),
    lot,
    units,
    key,
  });
  const [capped, free, lost] = [call(credit, 2, 'key_1'), call(null, 0, null), call(credit, 4, null)];
  const write = async (seq: number, rows: (typeof capped & { account?: string })[]) => {
    for (const account of new Set(rows.map(({ account = 'ann' }) => account)))
      for (const lot of [credit, budget]) {
        const spent = rows.filter((row) => (row.account ?? 'ann') === account && row.lot === lot);
        const amount = spent.reduce((sum, { units }) => sum + units * 1_000, 0);
        if (amount > 0)
          await sql`WITH set_aside AS (UPDATE ledger.lot SET avail = avail - ${amount} WHERE account_id = ${account} AND id = ${lot})
            INSERT INTO ledger.lease AS l VALUES ('a', ${account}, ${lot}, ${amount}) ON CONFLICT (writer_id, account_id, lot_id) DO UPDATE SET amount = l.amount + excluded.amount`;
      }
    const list = (pick: (row: (typeof rows)[number], at: number) => unknown) =>
      `{${rows.map((row, at) => pick(row, at) ?? 'NULL').join()}}`;
    await sql`SELECT ledger.batch('a', 1, ${seq}, ${seq - 1}, true, ${list(({ id }) => id)}, ${list((row, at) => (row.id === rows[at - 1]?.id ? 1 : 0))},
      ${list(({ account }) => account ?? 'ann')}, ${list(({ lot }) => lot)}, ${list(({ lot }) => (lot === null ? null : lot === budget ? '"#budget"' : 'p'))},
      '{s}', '{o}', '{200}', ${list(({ units }) => units)}, '{1000}', ${list(({ units }) => units * 1_000)}, ${list(({ key }) => key)}, '{}')`;
  };
  await write(4, [capped, { ...capped, lot: budget, account: 'key_1' }, free]);
  await write(5, [lost]);
  await sql`SELECT ledger.credit_undelivered(ARRAY[${lost.id}]::uuid[])`;
}

/** Runs the command on a copy of a database in which a superuser, for whom no trigger fires, has run `spoil`. */
async function proveSpoilt(spoil: string, args = ['verify'], from = template): Promise<Ended> {
  const name = id('spoilt');
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${from}`);
  const sql = postgres(at(name), { max: 1, onnotice: () => {} });
  await sql.unsafe(`SET session_replication_role = replica; ${spoil}`);
  await sql.end();
  const ended = await ledger(args, { DATABASE_URL: at(name) });
  await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  return ended;
}

/** Opens a copy for the tests of the calling block, because a database with connections cannot be copied. */
function copyOf(from: () => string): () => postgres.Sql {
  const name = id('spoilt');
  let sql: postgres.Sql;
  beforeAll(async () => {
    await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${from()}`);
    sql = postgres(at(name), { max: 1, onnotice: () => {} });
  });
  afterAll(async () => {
    await sql.end();
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  });
  return () => sql;
}

/**
 * Returns the rules that the command finds broken, once a superuser, for whom no trigger fires, has run `spoil`, which is then undone. The tests
 * that run the command itself prove that it prints each of them.
 */
async function brokenBy(spoil: string, sql: postgres.Sql): Promise<string[]> {
  const undone = new Error('undone');
  let rules: string[] = [];
  const spoilt = sql.begin(async (tx) => {
    await tx.unsafe(`SET LOCAL session_replication_role = replica; ${spoil}`);
    await tx`SET LOCAL session_replication_role = origin`;
    rules = (await tx<{ rule: string }[]>`SELECT rule FROM ledger.verify()`).map(({ rule }) => rule);
    throw undone;
  });
  await expect(spoilt).rejects.toBe(undone);
  return rules;
}

const plain = copyOf(() => template);

test('names each rule that is broken, and what breaks it', async () => {
  const spoil = "UPDATE ledger.lot SET avail = avail + 1; UPDATE shop.purchase SET state = 'offered'";
  const { code, out } = await proveSpoilt(spoil);
  for (const rule of await brokenBy(spoil, plain())) expect(out).toContain(`  ${rule}\n`);
  expect(out).toMatch(/^ {2}postings = available [^\n]*\n {4}ann\S*: \S/m);
  expect(out).toContain('  a granted order has its one lot\n');
  expect(out).not.toContain('The ledger is consistent.');
  expect(code).toBe(1);
});

test('says that the books hold, and what it has checked', async () => {
  const { code, out } = await proveSpoilt('SELECT 1');
  expect(out).toContain('2 lots, 2 postings, 1 calls, 3 recent batches');
  expect(out).toMatch(
    /USD +5.000000 paid in \+ 0.000000 granted - 0.003000 spent - 0.000000 refunded - 0.000000 expired = 4.997000 balance, of which 0.012000 is leased/,
  );
  expect(out).toMatch(
    /units +0 paid in \+ 25 granted - 25 spent - 0 refunded - 0 expired = 0 balance, of which 0 is leased/,
  );
  expect(out).toContain('The ledger is consistent.');
  expect(code).toBe(0);
});

describe('names the rule that is broken by', () => {
  const row = `(call_id, draw, account_id, service, operation, status, units, price, amount, writer_id, epoch, seq)`;
  const breaches: [rule: string, spoil: string][] = [
    [
      'postings = available + leased + used - not yet checkpointed',
      'UPDATE ledger.lot SET avail = avail + 1',
    ],
    [
      'postings = available + leased + used - not yet checkpointed',
      'UPDATE ledger.lease SET amount = amount + 1',
    ],
    [
      'postings = available + leased + used - not yet checkpointed',
      'DELETE FROM ledger.usage WHERE draw = 1',
    ],
    [
      'postings = available + leased + used - not yet checkpointed',
      'UPDATE ledger.writer SET checkpointed_seq = 2',
    ],
    [
      'postings = available + leased + used - not yet checkpointed',
      "UPDATE ledger.posting SET amount = amount - 1 WHERE kind = 'trial'",
    ],
    [
      'nothing is used, posted or leased without its lot',
      "INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount) VALUES ('x', 'ann', 999, 'grant', 'x', 1)",
    ],
    [
      'nothing is used, posted or leased without its lot',
      "INSERT INTO ledger.lease VALUES ('a', 'ann', 999, 1)",
    ],
    [
      'nothing is negative',
      'ALTER TABLE ledger.lot DROP CONSTRAINT lot_avail_check; UPDATE ledger.lot SET avail = -1',
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
      `INSERT INTO ledger.usage ${row} SELECT call_id, 9, 'bob', service, operation, status, 0, price, 0, writer_id, epoch, seq FROM ledger.usage WHERE draw = 0`,
    ],
    [
      'a budget bears all that its call is worth',
      `INSERT INTO ledger.usage (call_id, draw, account_id, plan_id, service, operation, status, units, price, amount, writer_id, epoch, seq)
        SELECT call_id, 9, 'key_1', '#budget', service, operation, status, 1, price, 0, writer_id, epoch, seq FROM ledger.usage WHERE draw = 0`,
    ],
    ['a batch is the sum of its rows', 'UPDATE ledger.batch SET spent = ARRAY[1, 2]::bigint[] WHERE seq = 2'],
    ['batches have no gap', 'DELETE FROM ledger.batch WHERE seq = 2'],
    [
      'nothing is written under an epoch that has not begun',
      'UPDATE ledger.batch SET epoch = epoch + 5 WHERE seq = 3',
    ],
    ['a closed writer holds nothing', 'UPDATE ledger.writer SET open = false'],
    [
      'what is given back was charged',
      `INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount)
        SELECT 'undelivered:' || gen_random_uuid() || ':0', account_id, id, 'undelivered', 'revenue', 1 FROM ledger.lot LIMIT 1`,
    ],
    ['a kept answer has its charge', "UPDATE ledger.stored_response SET account_id = 'bob'"],
    ['a kept answer has its charge', 'UPDATE ledger.stored_response SET call_id = gen_random_uuid()'],
    [
      'what is given again is not given back',
      `INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount)
        SELECT 'undelivered:' || call_id || ':' || draw, account_id, lot_id, 'undelivered', 'revenue', amount FROM ledger.usage`,
    ],
    [
      'a key is charged once a day',
      'INSERT INTO ledger.stored_response SELECT ledger.uuid_at(clock_timestamp()), account_id, key, status, headers, body FROM ledger.stored_response',
    ],
    ['a granted order has its one lot', "UPDATE shop.purchase SET state = 'offered'"],
    ['a granted order has its one lot', 'UPDATE shop.purchase SET amount = amount + 1'],
    ['a granted order has its one lot', "UPDATE shop.purchase SET account_id = 'bob'"],
    ['a paid lot has its order', 'DELETE FROM shop.purchase'],
  ];
  test.each(breaches)('%s: %s', async (rule, spoil) => {
    expect(await brokenBy(spoil, plain())).toContain(rule);
  });
});

describe('names the rule of terms that is broken by', () => {
  const ofTerms = copyOf(() => terms);
  const lot = (key: string) =>
    `(account_id, id) IN (SELECT account_id, lot_id FROM ledger.posting WHERE key = '${key}')`;
  const posting = 'INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount)';
  const breaches: [rule: string, what: string, spoil: string][] = [
    [
      'a lot is burned in the order of its kind',
      'money that became units',
      `UPDATE ledger.lot SET asset = 'unit' WHERE ${lot('purchase:o1')}`,
    ],
    [
      'a paid lot is what its order bought',
      'money that became units, priority and all',
      `UPDATE ledger.lot SET asset = 'unit', priority = 2 WHERE ${lot('purchase:o1')}`,
    ],
    [
      'a lot is what its posting gave',
      'a gift that became credit',
      `UPDATE ledger.lot SET kind = 'credit' WHERE ${lot('grant:gift')}`,
    ],
    [
      'a paid lot is what its order bought',
      'credit that became an allowance',
      `UPDATE ledger.lot SET kind = 'allowance', priority = 11 WHERE ${lot('purchase:o1')}`,
    ],
    [
      'a paid lot is what its order bought',
      'another plan',
      `UPDATE ledger.lot SET plan_id = 'scale' WHERE ${lot('purchase:o2')}`,
    ],
    [
      'a gift is what the audit log says',
      'a gift for another plan',
      `UPDATE ledger.lot SET plan_id = 'scale' WHERE ${lot('grant:gift')}`,
    ],
    [
      'what a code gave is what its promotion says, once an account',
      'a code for another plan',
      `UPDATE ledger.lot SET plan_id = 'scale' WHERE ${lot('promotion:CODE:ann')}`,
    ],
    [
      'a lot is burned in the order of its kind',
      'priority',
      `UPDATE ledger.lot SET priority = 0 WHERE ${lot('purchase:o1')}`,
    ],
    [
      'an allowance ends by the terms of its order',
      'units that never end',
      `UPDATE ledger.lot SET expires_at = NULL WHERE ${lot('purchase:o2')}`,
    ],
    [
      'an allowance ends by the terms of its order',
      'units that end tomorrow',
      `UPDATE ledger.lot SET expires_at = now() + interval '1 day' WHERE ${lot('purchase:o2')}`,
    ],
    [
      'credit and trials do not end',
      'credit that ends',
      `UPDATE ledger.lot SET expires_at = now() + interval '1 day' WHERE ${lot('purchase:o1')}`,
    ],
    [
      'credit and trials do not end',
      'a trial that ends',
      `UPDATE ledger.lot SET expires_at = now() WHERE ${lot('trial:ann')}`,
    ],
    [
      'credit and trials do not end',
      'a trial that ends after its account was joined',
      `UPDATE ledger.lot SET expires_at = now() + interval '1 day' WHERE ${lot('trial:bob')}`,
    ],
    [
      'an order has no more units than its money bought',
      'more units than were paid for and credited, with their posting and their lot',
      `UPDATE shop.purchase SET units = units + 5 WHERE id = 'o6';
      UPDATE ledger.posting SET amount = amount + 5 WHERE key = 'purchase:o6'; UPDATE ledger.lot SET avail = avail + 5 WHERE ${lot('purchase:o6')}`,
    ],
    [
      'an order has no more units than its money bought',
      'a replaced period that is forgotten',
      'DELETE FROM shop.replacement',
    ],
    [
      'what was credited was left of the replaced period',
      'more than was left',
      'UPDATE shop.replacement SET units_credited = units_credited + 5',
    ],
    [
      'what was credited was left of the replaced period',
      'more than was taken from it',
      'UPDATE shop.replacement SET units_left = units_left + 5',
    ],
    [
      'what was credited was left of the replaced period',
      'a period of another order',
      `UPDATE shop.replacement SET replaced_id = 'o2'`,
    ],
    [
      'a gift is what the audit log says',
      'a gift that ends',
      `UPDATE ledger.lot SET expires_at = now() + interval '1 day' WHERE ${lot('grant:gift')}`,
    ],
    [
      'what a code gave is what its promotion says, once an account',
      'a code that never ends',
      `UPDATE ledger.lot SET expires_at = NULL WHERE ${lot('promotion:CODE:ann')}`,
    ],
    [
      'a paid lot is what its order bought',
      'units that renew earlier',
      `UPDATE ledger.lot SET resets_at = now() WHERE ${lot('purchase:o2')}`,
    ],
    [
      'a lot that moved keeps its terms',
      'a moved lot that ends',
      `UPDATE ledger.lot SET expires_at = now() WHERE account_id = 'ann' AND id IN (SELECT moved_to FROM ledger.lot)`,
    ],
    ['a key has the budget that it says', 'the budget of a key', 'UPDATE shop.key SET budget = budget * 2'],
    [
      'a key has the budget that it says',
      'a larger budget, in its posting and its lot',
      `UPDATE ledger.posting SET amount = amount + 5 WHERE kind = 'budget'; UPDATE ledger.lot SET avail = avail + 5 WHERE kind = 'budget'`,
    ],
    ['a key has the budget that it says', 'a key without its budget', 'UPDATE shop.key SET budget = NULL'],
    [
      'a key has the budget that it says',
      'a budget that ends',
      `UPDATE ledger.lot SET expires_at = now() WHERE kind = 'budget'`,
    ],
    ['a budget belongs to a key', 'a key that is gone', 'DELETE FROM shop.key'],
    [
      'a subscription is in the last period that was paid',
      'a longer period',
      `UPDATE shop.subscription SET period_end = period_end + interval '1 month'`,
    ],
    [
      'a period is no longer than its plan says',
      'a longer period, in its order, subscription and lot',
      `UPDATE shop.purchase SET period_end = period_end + interval '1 month' WHERE id = 'o2';
      UPDATE shop.subscription SET period_end = period_end + interval '1 month'; UPDATE ledger.lot SET resets_at = resets_at + interval '1 month', expires_at = expires_at + interval '1 month' WHERE ${lot('purchase:o2')}`,
    ],
    [
      'an allowance belongs to a subscription',
      'a subscription that is gone',
      'DELETE FROM shop.subscription',
    ],
    [
      'an order has its payment',
      'another payment',
      `UPDATE shop.purchase SET payment = 'pi_9' WHERE id = 'o1'`,
    ],
    [
      'an order has its payment',
      'another transaction',
      `UPDATE shop.purchase SET transaction = '0x9' WHERE id = 'o1'`,
    ],
    ['an order has its payment', 'no payment', `UPDATE shop.purchase SET payment = NULL WHERE id = 'o1'`],
    [
      'an order has its payment',
      'a larger order, with its posting and its lot',
      `UPDATE shop.purchase SET amount = amount + 5 WHERE id = 'o1';
      UPDATE ledger.posting SET amount = amount + 5 WHERE key = 'purchase:o1'; UPDATE ledger.lot SET avail = avail + 5 WHERE ${lot('purchase:o1')}`,
    ],
    [
      'an order has its payment',
      'an order of nothing, with its posting and its lot',
      `INSERT INTO shop.purchase (id, state, account_id, plan_id, amount, payment, expires_at) VALUES ('o9', 'granted', 'ann', 'p', 5, 'pi_9', now());
      SELECT ledger.grant_lot('purchase:o9', 'ann', 'purchase', 'processor', 'credit', 'usd', 'p', 5, NULL)`,
    ],
    [
      'a payment has its order',
      'an order that is gone, with its posting and its lot',
      `DELETE FROM shop.purchase WHERE id = 'o3'; DELETE FROM shop.reversal;
      DELETE FROM ledger.lot WHERE ${lot('purchase:o3')}; DELETE FROM ledger.posting p WHERE NOT EXISTS (SELECT FROM ledger.lot k WHERE k.account_id = p.account_id AND k.id = p.lot_id)`,
    ],
    [
      'what belongs to an account has it',
      'an account that is gone',
      `DELETE FROM shop.account WHERE id = 'ann'`,
    ],
    [
      'a key calls for its own account',
      'a call with the key of another account',
      `INSERT INTO shop.account (id, origin) VALUES ('eve', 'anonymous');
      INSERT INTO shop.key (id, account_id, digest, hint, name) VALUES ('key_2', 'eve', 'd', 'h', 'n'); UPDATE ledger.usage SET key_id = 'key_2' WHERE draw = 1 AND key_id IS NULL`,
    ],
    [
      'a key calls for its own account',
      'a call with a key that there is not',
      `UPDATE ledger.usage SET key_id = 'key_9' WHERE key_id IS NULL AND lot_id IS NOT NULL`,
    ],
    [
      'the rows of a call are one story',
      'a call with two keys',
      `UPDATE ledger.usage SET key_id = NULL WHERE account_id = 'ann'`,
    ],
    [
      'a key with a budget bears all of its calls',
      'a call that its budget does not bear',
      `UPDATE ledger.usage SET key_id = 'key_1' WHERE account_id = 'ann'`,
    ],
    [
      'a call that nothing was drawn for has no units',
      'a free call of many units',
      'UPDATE ledger.usage SET units = 5 WHERE lot_id IS NULL',
    ],
    [
      'a call that nothing was drawn for has no units',
      'a call that became free',
      `UPDATE ledger.usage SET lot_id = NULL, amount = 0 WHERE draw = 1 AND plan_id = 'p'`,
    ],
    [
      'a call was written by a process that there was',
      'a free call of no process',
      `INSERT INTO ledger.usage (call_id, draw, account_id, service, operation, status, units, price, amount, writer_id, epoch, seq)
      VALUES (ledger.uuid_at(now()), 0, 'ann', 's', 'o', 200, 0, 1000, 0, 'elsewhere', 1, 1)`,
    ],
    [
      'a call is drawn from lots of its plans',
      'a call under another plan',
      `UPDATE ledger.usage SET plan_id = 'other' WHERE draw = 1 AND plan_id = 'p'`,
    ],
    [
      'the rows of a call are one story',
      'a status that differs',
      `UPDATE ledger.usage SET status = 500 WHERE draw = 1 AND plan_id = 'p'`,
    ],
    [
      'an account has one trial, and one more for its person',
      'a second trial',
      `SELECT ledger.grant_lot('trial:again', 'ann', 'trial', 'seller:trial', 'trial', 'unit', 'p', 25, NULL)`,
    ],
    [
      'an account has one trial, and one more for its person',
      'a trial of a person that there is not',
      `SELECT ledger.grant_lot('claimed:someone', 'ann', 'trial', 'seller:claimed', 'trial', 'unit', 'p', 25, NULL)`,
    ],
    [
      'what was delivered is not given back',
      'a delivered call that is given back',
      `SELECT ledger.credit_undelivered(ARRAY(SELECT call_id FROM ledger.usage WHERE seq = 4))`,
    ],
    [
      'nothing expires before its time',
      'an end before its time',
      `${posting} SELECT 'expiry:' || id || ':0', account_id, id, 'expiry', 'expired', -5 FROM ledger.lot WHERE ${lot('promotion:CODE:ann')};
      UPDATE ledger.lot SET avail = avail - 5 WHERE ${lot('promotion:CODE:ann')}`,
    ],
    [
      'nothing expires before its time',
      'an end of what has none',
      `${posting} SELECT 'expiry:' || id || ':0', account_id, id, 'expiry', 'expired', -5 FROM ledger.lot WHERE ${lot('grant:gift')};
      UPDATE ledger.lot SET avail = avail - 5 WHERE ${lot('grant:gift')}`,
    ],
    [
      'only what was paid goes back',
      'a gift that was taken back',
      `${posting} SELECT 'reversed:' || id || ':0', account_id, id, 'reversed', 'processor', -5 FROM ledger.lot WHERE ${lot('grant:gift')};
      UPDATE ledger.lot SET avail = avail - 5 WHERE ${lot('grant:gift')}`,
    ],
    [
      'only what was paid goes back',
      'money that comes back to a gift',
      `${posting} SELECT 'reinstated:' || id || ':0', account_id, id, 'reinstated', 'processor', 5 FROM ledger.lot WHERE ${lot('grant:gift')};
      UPDATE ledger.lot SET avail = avail + 5 WHERE ${lot('grant:gift')}`,
    ],
    [
      'only what was paid is owed',
      'a gift that is owed',
      `UPDATE ledger.lot SET clawback_due = 5 WHERE ${lot('grant:gift')}`,
    ],
    [
      'lots move between joined accounts only',
      'a move between strangers',
      `INSERT INTO shop.account (id, origin) VALUES ('eve', 'anonymous'); SELECT ledger.move_lots('ann', 'eve')`,
    ],
    [
      'lots move between joined accounts only',
      'a join that was undone',
      `UPDATE shop.account SET joined_to = NULL WHERE id = 'bob'`,
    ],
    [
      'a posting of a move has its lots',
      'a move that goes elsewhere',
      `UPDATE ledger.lot SET moved_account = NULL, moved_to = NULL`,
    ],
    [
      'a lot was given once, or moved here',
      'two rows that agree: a lot by a posting of no origin',
      `INSERT INTO ledger.lot (account_id, asset, kind, plan_id, priority, avail) VALUES ('ann', 'usd', 'grant', 'p', 12, 5);
      ${posting} SELECT 'undelivered:' || (SELECT call_id FROM ledger.usage WHERE seq = 2 LIMIT 1) || ':9', account_id, id, 'undelivered', 'revenue', 5 FROM ledger.lot WHERE avail = 5`,
    ],
    [
      'a lot was given once, or moved here',
      'a lot that was given twice',
      `${posting} SELECT 'grant:more', account_id, id, 'grant', 'seller', 5 FROM ledger.lot WHERE ${lot('grant:gift')}; UPDATE ledger.lot SET avail = avail + 5 WHERE ${lot('grant:gift')}`,
    ],
    [
      'a lot is what its posting gave',
      'a gift of nobody',
      `SELECT ledger.grant_lot('grant:x', 'ann', 'grant', 'friend', 'grant', 'usd', 'p', 5, NULL)`,
    ],
    [
      'a gift is what the audit log says',
      'a larger gift',
      `UPDATE ledger.posting SET amount = amount + 5 WHERE key = 'grant:gift'; UPDATE ledger.lot SET avail = avail + 5 WHERE ${lot('grant:gift')}`,
    ],
    [
      'what the seller gave is in the audit log',
      'an entry of the audit log that is gone',
      `DELETE FROM shop.audit WHERE act = 'grant'`,
    ],
    [
      'an account joins one that has joined none',
      'an account that joined nobody',
      `INSERT INTO shop.account (id, origin, joined_to) VALUES ('eve', 'anonymous', 'nobody')`,
    ],
    [
      'an account receives no more than it paid for',
      'a discounted invoice that grants a whole period',
      `INSERT INTO shop.purchase (id, state, account_id, plan_id, amount, units, terms, rail, payment, expires_at, granted_at)
      SELECT 'o2:pi_8', 'granted', 'ann', plan_id, 600000, units, terms, 'invoice', 'pi_8', expires_at, now() FROM shop.purchase WHERE id = 'o2';
      INSERT INTO shop.payment_record (order_id, payment, amount, rail) VALUES ('o2:pi_8', 'pi_8', 600000, 'invoice'); SELECT shop.begin_period('o2:pi_8')`,
    ],
    [
      'what was reversed is taken back or owed',
      'a refund that is forgotten',
      'UPDATE shop.reversal SET is_effective = false',
    ],
  ];
  test.each(breaches)('%s: %s', async (rule, _, spoil) => {
    expect(await brokenBy(spoil, ofTerms())).toContain(rule);
  });

  test('value says what each account paid, bought, was given and has left', async () => {
    const { code, out } = await proveSpoilt('SELECT 1', ['value', 'bob', '--json'], terms);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual([
      {
        account_id: 'ann',
        paid: 105_000_000,
        reversed: 400_000,
        bought: 105_000_000,
        given: 1_700,
        given_units: 35,
        left_usd: 5_596_400,
        left_units: 1_000,
      },
    ]);
  });

  test('nothing, while nobody has spoilt it', async () => {
    const { code, out } = await proveSpoilt('SELECT 1', ['verify'], terms);
    expect(out).toContain('The ledger is consistent.');
    expect(code).toBe(0);
  });
});

test('answers in JSON', async () => {
  const { code, out } = await proveSpoilt("UPDATE ledger.lot SET avail = avail + 1 WHERE asset = 'unit'", [
    'verify',
    '--json',
  ]);
  expect(JSON.parse(out)).toMatchObject({
    holds: false,
    counts: { lots: 2, postings: 2, calls: 1, batches: 3 },
    totals: [
      { asset: 'unit', balance: 1 },
      { asset: 'usd', paid_in: 5_000_000, spent: 3_000, balance: 4_997_000 },
    ],
    breaches: [{ rule: 'postings = available + leased + used - not yet checkpointed' }],
  });
  expect(code).toBe(1);
});

test('totals asks nothing else of the books', async () => {
  const { code, out } = await proveSpoilt('UPDATE ledger.batch SET epoch = epoch + 5', ['totals']);
  expect(out).toMatch(/^units .*\nUSD .*\n$/);
  expect(code).toBe(0);
});

test('finds the database that npm start keeps, running or not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-kept-'));
  await mkdir(join(folder, 'logs'));
  const cluster = await openCluster({
    dir: join(folder, 'postgres'),
    database: 'sluice',
    durable: false,
    logFile: join(folder, 'logs', 'postgres.log'),
  });
  try {
    await migrate(cluster.url);
    expect(await ledger(['verify'], { DATA_DIR: folder })).toMatchObject({ code: 0, err: '' });
  } finally {
    await cluster.stop();
  }
  expect(await ledger(['verify'], { DATA_DIR: folder })).toMatchObject({ code: 0, err: '' });
  await rm(folder, { recursive: true });
});

describe('ends with 2', () => {
  test('when it is asked for nothing, or for what there is not', async () => {
    for (const args of [[], ['mend'], ['prove'], ['verify', 'twice'], ['verify', '--loudly']])
      expect(await ledger(args, {})).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining('sluice help ledger'),
      });
  });

  test('when the database is out of reach', async () => {
    const url = 'postgres://nobody@127.0.0.1:9/nothing';
    expect(await ledger(['verify'], { DATABASE_URL: url })).toMatchObject({
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
    expect(await ledger(['verify'], { DATA_DIR: folder })).toMatchObject({
      code: 2,
      err: expect.stringContaining('sluice start'),
    });
    await rm(folder, { recursive: true });
  });
});

test('explains itself', async () => {
  expect(await ledger(['--help'], {})).toMatchObject({
    code: 0,
    out: expect.stringContaining('sluice ledger verify'),
  });
});
