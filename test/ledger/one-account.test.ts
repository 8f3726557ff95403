import { uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Settlement } from '../../src/ledger/hold.ts';
import { type Batch, BatchFailed, type LedgerStore } from '../../src/ledger/ledger-store.ts';
import { unguarded } from '../support/unguarded.ts';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';
import { type OpenWriter, openWriter } from './open-writer.ts';

const price = ofMicro(1_000);
const given = { asset: 'usd', kind: 'grant', plan: 'p', amount: 100_000, expiresMs: null } as const;

let real: OpenLedgerStore;
let opened: { process: OpenWriter; ticking: NodeJS.Timeout } | null = null;
let skewMs = 0;

beforeAll(async () => {
  real = await openLedgerStore();
});
afterEach(async () => {
  clearInterval(opened?.ticking);
  await opened?.process.end();
  opened = null;
  skewMs = 0;
});
afterAll(async () => {
  await real.end();
});

async function open(name: string, meddle?: (books: LedgerStore) => LedgerStore): Promise<OpenWriter> {
  const process = await openWriter(real.url, name, () => Date.now() + skewMs, meddle);
  opened = { process, ticking: setInterval(() => process.writer.tick(), 20) };
  return process;
}

async function call({ writer }: OpenWriter, account: string): Promise<Settlement['kind'] | string> {
  const callId = uuidv7(Date.now());
  const answer = await writer.hold({ callId, account, plans: ['p'], price, units: 5 });
  if (answer.kind !== 'held') return answer.kind;
  const settled = await writer.settle(answer.hold, { units: 5, status: 200, service: 's', operation: 'o' });
  if (settled.kind === 'settled') writer.delivered(settled.seq);
  return settled.kind;
}

/** Gives an account more of an asset than a number can represent exactly, which no grant does. */
async function overfill(account: string): Promise<void> {
  for (let lot = 0; lot < 10; lot++) await real.grant({ ...given, account, amount: lot === 0 ? 100_000 : 1 });
  await unguarded(
    real.sql,
    (sql) => sql`UPDATE ledger.posting SET amount = 1000000000000000 WHERE account_id = ${account}`,
  );
  await real.sql`UPDATE ledger.lot SET avail = 1000000000000000 WHERE account_id = ${account}`;
}

test('an account with more than can be counted fails its own calls, and no other', async () => {
  const process = await open('rich');
  await overfill('rich');
  await real.grant({ ...given, account: 'ann' });
  const outcomes = await Promise.all(['rich', 'ann', 'rich', 'ann'].map((account) => call(process, account)));
  expect(outcomes).toEqual(['unavailable', 'settled', 'unavailable', 'settled']);
  expect(process.writer.ready).toBe(true);
  expect(process.events).toContainEqual(expect.objectContaining({ kind: 'account_failed', account: 'rich' }));
  expect(await call(process, 'ann')).toBe('settled');
});

test('a call that is on the books and cannot be answered for is given back', async () => {
  const process = await open('late');
  await real.grant({ ...given, account: 'eve' });
  expect(await call(process, 'eve')).toBe('settled');
  const callId = uuidv7(Date.now());
  const answer = await process.writer.hold({ callId, account: 'eve', plans: ['p'], price, units: 5 });
  if (answer.kind !== 'held') throw new Error(answer.kind);
  // The writer's view of the account exceeds the limit while the call is under way.
  for (const { lot } of answer.hold.draws) lot.avail = Number.MAX_SAFE_INTEGER;
  const beside = call(process, 'ann');
  const settled = await process.writer.settle(answer.hold, {
    units: 5,
    status: 200,
    service: 's',
    operation: 'o',
  });
  expect(settled).toEqual({ kind: 'refused', inDoubt: true });
  expect(await beside).toBe('settled');
  for (;;) {
    const rows = await real.sql`SELECT 1 FROM ledger.posting WHERE key = ${`undelivered:${callId}:0`}`;
    if (rows.length === 1) break;
  }
  expect(process.writer.ready).toBe(true);
});

test('a batch that always fails is given up in the end, and the process sells again', async () => {
  const failing = (books: LedgerStore): LedgerStore => ({
    ...books,
    batch: (batch: Batch) =>
      batch.usage.some(({ account }) => account === 'bad')
        ? Promise.reject(new BatchFailed('canceling statement due to statement timeout'))
        : books.batch(batch),
  });
  const process = await open('poison', failing);
  for (const account of ['bad', 'bob']) await real.grant({ ...given, account });
  const bad = call(process, 'bad');
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!process.writer.ready) break;
  }
  expect(await call(process, 'bob')).toBe('unavailable');
  skewMs = 6_000;
  expect(await bad).toBe('refused');
  const isOpenAgain = () => process.events.filter(({ kind }) => kind === 'opened').length === 2;
  while (!isOpenAgain()) {
    skewMs += 10;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const kinds = process.events.map(({ kind }) => kind);
  expect(kinds).toContain('batch_given_up');
  expect(kinds).not.toContain('ledger_inconsistent');
  expect(await call(process, 'bob')).toBe('settled');
});

test('no account is given more than may be counted', async () => {
  await real.grant({ ...given, account: 'max', amount: 900_000_000_000_000 });
  const more = (amount: number) => real.grant({ ...given, account: 'max', amount });
  await expect(more(100_000_000_000_001)).rejects.toThrow('would hold more than');
  await more(100_000_000_000_000);
  await expect(more(1)).rejects.toThrow('would hold more than');
});
