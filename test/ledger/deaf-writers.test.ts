import { uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HoldResult } from '../../src/ledger/hold.ts';
import { LedgerWriter } from '../../src/ledger/ledger-writer.ts';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';

const price = ofMicro(1_000);
const tickMs = 20;
let real: OpenLedgerStore;
let ticking: NodeJS.Timeout;
const writers: LedgerWriter[] = [];

beforeAll(async () => {
  real = await openLedgerStore(4);
  for (const name of ['a', 'b', 'c']) {
    const writer = new LedgerWriter(real.books, name, Date.now, () => undefined);
    await writer.open();
    writers.push(writer);
  }
  ticking = setInterval(() => {
    for (const writer of writers) writer.tick();
  }, tickMs);
});
afterAll(async () => {
  clearInterval(ticking);
  await real.end();
});

function hold(at: number, account: string, units: number): Promise<HoldResult> {
  const request = { callId: uuidv7(Date.now()), account, plans: ['p'], price, units };
  return (writers[at] as LedgerWriter).hold(request);
}

/** Leaves idle leases of `units` in a writer. */
async function leave(at: number, account: string, units: number): Promise<void> {
  const held = await hold(at, account, units);
  if (held.kind !== 'held') throw new Error(held.kind);
  (writers[at] as LedgerWriter).release(held.hold);
}

test('credit that is spread over writers that receive no notification can be spent after one refusal of each', async () => {
  const account = 'spread';
  await real.grant({ account, asset: 'usd', kind: 'grant', plan: 'p', amount: 10_000, expiresMs: null });
  await leave(0, account, 4);
  await leave(1, account, 4);
  const attempts: string[] = [];
  for (const at of [0, 1, 2]) attempts.push((await hold(at, account, 7)).kind);
  expect(attempts[0]).toBe('in_flight');
  expect(attempts).toContain('held');
  expect(await real.prove()).toEqual([]);
});

test('a writer that may have missed a recall returns its idle leases', async () => {
  const account = 'missed';
  await real.grant({ account, asset: 'usd', kind: 'grant', plan: 'p', amount: 10_000, expiresMs: null });
  await leave(0, account, 4);
  (writers[0] as LedgerWriter).resynchronize();
  expect((await hold(1, account, 10)).kind).toBe('held');
});

test('a writer that may have missed a grant reads the account again before its next call', async () => {
  const account = 'granted';
  await real.grant({ account, asset: 'usd', kind: 'grant', plan: 'p', amount: 4_000, expiresMs: null });
  await leave(0, account, 4);
  await real.grant({ account, asset: 'unit', kind: 'grant', plan: 'p', amount: 5, expiresMs: null });
  (writers[0] as LedgerWriter).resynchronize();
  const held = await hold(0, account, 4);
  // Units are used before money.
  expect(held.kind === 'held' && held.hold.draws.map(({ lot }) => lot.asset)).toEqual(['unit']);
});

test('a call that other running calls stop does not cost them what they hold', async () => {
  const account = 'running';
  await real.grant({ account, asset: 'usd', kind: 'grant', plan: 'p', amount: 10_000, expiresMs: null });
  const running = await hold(0, account, 6);
  if (running.kind !== 'held') throw new Error(running.kind);
  expect((await hold(1, account, 7)).kind).toBe('in_flight');
  const settled = await (writers[0] as LedgerWriter).settle(running.hold, {
    units: 6,
    status: 200,
    service: 's',
    operation: 'o',
  });
  expect(settled.kind).toBe('settled');
  expect((await hold(1, account, 4)).kind).toBe('held');
  expect(await real.prove()).toEqual([]);
});
