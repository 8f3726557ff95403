import { uuidv7 } from '@sluice/kernel/id';
import type postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Batch, LeaseRequest } from '../../src/ledger/ledger-store.ts';
import type { Usage } from '../../src/ledger/usage.ts';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';

let real: OpenLedgerStore;
beforeAll(async () => {
  real = await openLedgerStore(8);
});
afterAll(() => real.end());

/** Opens a writer that has leased 10 units of its own lot and spent one without a checkpoint, so its next checkpoint has work to do. */
async function openWriter(writer: string): Promise<{ epoch: number; next(batch: Partial<Batch>): Batch }> {
  const { books } = real;
  const epoch = await books.openWriter(writer);
  const account = `own ${writer}`;
  const lot = await real.grant({
    account,
    asset: 'unit',
    kind: 'grant',
    plan: 'p',
    amount: 10,
    expiresMs: null,
  });
  let seq = 0;
  const next = (batch: Partial<Batch>): Batch => {
    seq += 1;
    return {
      writer,
      epoch,
      seq,
      deliveredSeq: seq - 1,
      checkpoint: false,
      usage: [],
      storedResponses: [],
      returns: [],
      wants: [],
      ...batch,
    };
  };
  await books.batch(next({ wants: [want(account, 10)] }));
  await books.batch(next({ usage: [usage(account, lot, 1)] }));
  return { epoch, next };
}

function want(account: string, units: number): LeaseRequest {
  return { account, plans: ['p'], price: 1, units, headroomUnits: 0, recall: false };
}

function usage(account: string, lot: number, units: number): Usage {
  const call = {
    callId: uuidv7(Date.now()),
    draw: 0,
    account,
    lot,
    plan: 'p',
    service: 's',
    operation: 'o',
    status: 200,
    key: null,
  };
  return { ...call, units, price: 1, amount: units };
}

/** Blocks every checkpoint of the writer until the returned function is called. */
async function hold(writer: string): Promise<() => Promise<void>> {
  const session = await real.sql.reserve();
  await session`BEGIN`;
  await session`SELECT 1 FROM ledger.lease WHERE writer_id = ${writer} FOR UPDATE`;
  return async () => {
    await session`COMMIT`;
    session.release();
  };
}

/** Resolves once `count` statements of the ledger wait for a lock, or when `isOver` returns true. */
async function untilWaiting(count: number, isOver = () => false): Promise<void> {
  while (!isOver()) {
    const waiting: postgres.RowList<postgres.Row[]> =
      await real.sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    if (waiting.length >= count) return;
  }
}

test('a repeated batch waits for its cut-off copy, and both get one answer', async () => {
  const { books } = real;
  const writer = await openWriter('copies');
  const lot = await real.grant({
    account: 'copies',
    asset: 'unit',
    kind: 'grant',
    plan: 'p',
    amount: 10,
    expiresMs: null,
  });
  const batch = writer.next({ checkpoint: true, wants: [want('copies', 4)] });
  const goOn = await hold('copies');
  const first = books.batch(batch);
  await untilWaiting(1);
  const second = books.batch(batch);
  await untilWaiting(2);
  await goOn();
  expect(await first).toMatchObject({ state: 'ok', granted: [{ account: 'copies', lot, amount: 4 }] });
  expect(await second).toEqual(await first);
  expect(await real.prove()).toEqual([]);
});

test('of two batches that book the same call at once, one is charged for it', async () => {
  const { books } = real;
  const [one, other] = [await openWriter('one'), await openWriter('other')];
  const lot = await real.grant({
    account: 'shared',
    asset: 'unit',
    kind: 'grant',
    plan: 'p',
    amount: 20,
    expiresMs: null,
  });
  for (const writer of [one, other]) await books.batch(writer.next({ wants: [want('shared', 5)] }));
  const call = usage('shared', lot, 3);
  const goOn = await hold('one');
  const first = books.batch(one.next({ checkpoint: true, usage: [call] }));
  await untilWaiting(1);
  const second = books.batch(other.next({ usage: [usage('shared', lot, 1), call] }));
  await untilWaiting(2);
  await goOn();
  expect([await first, await second]).toEqual([{ state: 'ok' }, { state: 'ok' }]);
  expect(await real.statement('shared')).toEqual([{ lot, remaining: 20 - 3 - 1 }]);
  expect(await real.prove()).toEqual([]);
});

test('a batch under way is on the books before its writer is ended', async () => {
  const { books, sql } = real;
  const writer = await openWriter('ended');
  const lot = await real.grant({
    account: 'ended',
    asset: 'unit',
    kind: 'grant',
    plan: 'p',
    amount: 10,
    expiresMs: null,
  });
  await books.batch(writer.next({ wants: [want('ended', 5)] }));
  const goOn = await hold('ended');
  const batch = books.batch(writer.next({ checkpoint: true, usage: [usage('ended', lot, 3)] }));
  await untilWaiting(1);
  const reaped = sql`SELECT ledger.reap('ended')`.execute();
  await untilWaiting(2);
  await goOn();
  expect(await batch).toEqual({ state: 'ok' });
  await reaped;
  // It was charged, and reversed because its delivery was not reported.
  expect(await real.statement('ended')).toEqual([{ lot, remaining: 10 }]);
  expect(await books.batch(writer.next({ usage: [usage('ended', lot, 1)] }))).toEqual({ state: 'fenced' });
  expect(await real.prove()).toEqual([]);
});

test('a lot that another writer empties while a batch asks breaks no batch', async () => {
  const { books } = real;
  const [slow, quick] = [await openWriter('slow'), await openWriter('quick')];
  const [slowGoesOn, quickGoesOn] = [await hold('slow'), await hold('quick')];
  // First the slow batch finds no row to lock. Then a row appears that the quick one has locked and is about to take.
  const slowly = books.batch(slow.next({ checkpoint: true, wants: [want('both', 10)] }));
  await untilWaiting(1);
  const lot = await real.grant({
    account: 'both',
    asset: 'unit',
    kind: 'grant',
    plan: 'p',
    amount: 10,
    expiresMs: null,
  });
  const quickly = books.batch(quick.next({ checkpoint: true, wants: [want('both', 10)] }));
  await untilWaiting(2);
  let over = false;
  slowly.then(
    () => (over = true),
    () => (over = true),
  );
  await slowGoesOn();
  await untilWaiting(2, () => over);
  await quickGoesOn();
  expect(await quickly).toMatchObject({ granted: [{ lot, amount: 10 }] });
  expect(await slowly).toMatchObject({ state: 'ok', granted: [] });
  expect(await real.prove()).toEqual([]);
});

test('writers that want the same accounts in opposite orders do not stop each other', async () => {
  const { books } = real;
  const accounts = ['x', 'y', 'z'];
  for (const account of accounts)
    await real.grant({ account, asset: 'unit', kind: 'grant', plan: 'p', amount: 1_000, expiresMs: null });
  const writers = [await openWriter('forth'), await openWriter('back')];
  await Promise.all(
    writers.map(async (writer, index) => {
      const wants = accounts.map((account) => want(account, 1));
      if (index === 1) wants.reverse();
      for (let i = 0; i < 50; i++)
        expect(await books.batch(writer.next({ checkpoint: true, wants }))).toMatchObject({ state: 'ok' });
    }),
  );
  expect(await real.prove()).toEqual([]);
});

test('two processes that grant the same order at once make one lot', async () => {
  const { sql } = real;
  await sql`INSERT INTO shop.purchase (id, plan_id, amount, expires_at) VALUES ('o1', 'credit', 5000000, now() + '1 hour')`;
  const grants = ['acc_1', 'acc_2', 'acc_3'].map(
    (fresh) => sql<[{ account: string }]>`SELECT shop.grant_purchase('o1', 'pi_1', ${fresh}) AS account`,
  );
  const accounts = (await Promise.all(grants)).map(([row]) => row.account);
  expect(new Set(accounts).size).toBe(1);
  expect((await real.statement(accounts[0] ?? '')).map(({ remaining }) => remaining)).toEqual([5_000_000]);
  expect(await real.prove()).toEqual([]);
});
