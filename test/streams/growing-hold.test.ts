import { uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaidCall } from '../../src/journeys/call-request.ts';
import { GrowingHold } from '../../src/journeys/growing-hold.ts';
import { budgetPlan } from '../../src/ledger/hold.ts';
import type { LedgerContext } from '../../src/ledger/ledger-context.ts';
import { type OpenLedgerStore, openLedgerStore } from '../ledger/open-ledger-store.ts';
import { type OpenWriter, openWriter } from '../ledger/open-writer.ts';

const price = ofMicro(100);
let real: OpenLedgerStore;
let process: OpenWriter;
let ticking: NodeJS.Timeout;
let shop: Pick<LedgerContext, 'statements' | 'writer'>;

beforeAll(async () => {
  real = await openLedgerStore();
  process = await openWriter(real.url, 'growing', Date.now);
  ticking = setInterval(() => process.writer.tick(), 20);
  shop = { writer: process.writer } as unknown as typeof shop;
});
afterAll(async () => {
  clearInterval(ticking);
  await process?.end();
  await real?.end();
});

/** An account with credit for 30 units, of which a call holds 10. */
async function held(account: string): Promise<GrowingHold> {
  await real.grant({ asset: 'usd', kind: 'grant', plan: 'p', amount: 3_000, expiresMs: null, account });
  const callId = uuidv7(Date.now());
  const result = await process.writer.hold({ callId, account, plans: ['p'], price, units: 10 });
  if (result.kind !== 'held') throw new Error(result.kind);
  return new GrowingHold(
    shop,
    { account, ceiling: null, callerKey: null } as unknown as PaidCall,
    result.hold,
  );
}

test('a hold grows by whole steps, then by what is needed, and never beyond the balance', async () => {
  const holding = await held('ann');
  expect(await holding.extend(11, 20)).toBe(20);
  expect(await holding.extend(29, 40)).toBe(29);
  expect(await holding.extend(31, 40)).toBeNull();
  expect(holding.refusal).toMatchObject({ kind: 'exhausted', required: 3_100, available: 3_000 });
  expect(process.writer.held('ann')).toEqual({ usd: 2_900, unit: 0 });
});

test('a hold that is released while it grows returns all of its credit', async () => {
  const holding = await held('bob');
  const growing = holding.extend(15, 20);
  process.writer.release(await holding.current());
  await growing;
  expect(process.writer.held('bob')).toEqual({ usd: 0, unit: 0 });
});

test('a hold grows within the budget of its key, and no further', async () => {
  const account = 'cleo';
  await real.grant({ asset: 'usd', kind: 'grant', plan: 'p', amount: 9_000, expiresMs: null, account });
  const budget = { asset: 'usd', kind: 'grant', plan: budgetPlan, expiresMs: null } as const;
  await real.grant({ ...budget, amount: 2_000, account: 'key' });
  const key = { id: 'key', capped: true };
  const callId = uuidv7(Date.now());
  const result = await process.writer.hold({ callId, account, plans: ['p'], price, units: 10, key });
  if (result.kind !== 'held') throw new Error(result.kind);
  const statements = { of: async () => [] };
  const call = { account, ceiling: null, callerKey: { id: 'key', budget: 2_000 } } as unknown as PaidCall;
  const holding = new GrowingHold({ ...shop, statements } as unknown as typeof shop, call, result.hold);
  expect(await holding.extend(15, 20)).toBe(20);
  expect(await holding.extend(21, 30)).toBeNull();
  expect(holding.refusal).toMatchObject({ kind: 'budget_exhausted' });
  process.writer.release(await holding.current());
  expect(process.writer.held(account).usd + process.writer.held('key').usd).toBe(0);
});

test('included units pay for the first steps of a hold, and credit for the rest', async () => {
  const account = 'dora';
  await real.grant({ asset: 'unit', kind: 'trial', plan: 'p', amount: 12, expiresMs: null, account });
  await real.grant({ asset: 'usd', kind: 'grant', plan: 'p', amount: 800, expiresMs: null, account });
  const callId = uuidv7(Date.now());
  const result = await process.writer.hold({ callId, account, plans: ['p'], price, units: 10 });
  if (result.kind !== 'held') throw new Error(result.kind);
  const call = { account, ceiling: null, callerKey: null } as unknown as PaidCall;
  const holding = new GrowingHold(shop, call, result.hold);
  expect(await holding.extend(15, 20)).toBe(20);
  expect(process.writer.held(account)).toEqual({ usd: 800, unit: 12 });
  const outcome = { units: 15, status: 200, service: 's', operation: 'o' };
  const settled = await process.writer.settle(await holding.current(), outcome);
  expect(settled).toMatchObject({ kind: 'settled', cost: 300, balance: 500, includedRemaining: 0 });
});
