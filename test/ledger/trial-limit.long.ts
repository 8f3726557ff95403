import { uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Waits from '../support/waits.ts';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';
import { type OpenWriter, openWriter } from './open-writer.ts';

const price = ofMicro(1_000);
const perHour = 30;
let real: OpenLedgerStore;
let writers: [OpenWriter, OpenWriter];
let ticking: NodeJS.Timeout;

beforeAll(async () => {
  real = await openLedgerStore();
  writers = [await openWriter(real.url, 'one', Date.now), await openWriter(real.url, 'two', Date.now)];
  ticking = setInterval(() => {
    for (const { writer } of writers) writer.tick();
  }, 50);
  await real.sql`SELECT ledger.limit_trial('trial', ${perHour})`;
});
afterAll(async () => {
  clearInterval(ticking);
  await Promise.all(writers.map((one) => one.end()));
  expect(await real.prove()).toEqual([]);
  await real.end();
});

const give = (account: string, kind: 'trial' | 'credit' = 'trial', amount = 25) =>
  real.grant({
    account,
    asset: kind === 'trial' ? 'unit' : 'usd',
    kind,
    plan: kind,
    amount,
    expiresMs: null,
  });

const hold = (account: string, units: number, at: 0 | 1) =>
  writers[at].writer.hold({ callId: uuidv7(Date.now()), account, plans: ['trial', 'credit'], price, units });

/** Calls once. Returns the result of the hold. */
async function call(account: string, units: number, at: 0 | 1 = 0, used = units): Promise<string> {
  const held = await hold(account, units, at);
  if (held.kind !== 'held') return held.kind;
  const done = { units: used, status: 200, service: 's', operation: 'o' };
  const settled = await writers[at].writer.settle(held.hold, done);
  if (settled.kind === 'settled') writers[at].writer.delivered(settled.seq);
  return settled.kind;
}

/** Units that trials have paid for. */
async function spent(): Promise<number> {
  const [row] = await real.sql<
    [{ spent: number }]
  >`SELECT coalesce(sum(amount), 0)::int AS spent FROM ledger.usage WHERE plan_id = 'trial'`;
  return row.spent;
}

const nextHour = () => real.sql`UPDATE ledger.trial_limit SET hour = hour - interval '1 hour'`;

test('many new accounts at two processes use exactly what all trials may use in an hour', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, n) => give(`many_${n}`)));
  const all = await Promise.all(
    Array.from({ length: 40 }, (_, n) => call(`many_${n % 20}`, 3, (n % 2) as 0 | 1)),
  );
  expect(await spent()).toBe(perHour);
  expect(all.filter((kind) => kind === 'settled')).toHaveLength(perHour / 3);
  expect(new Set(all)).toEqual(new Set(['settled', 'trial_paused']));
});

test('a refusal names the next hour, and comes at once', async () => {
  await give('late');
  let refused = await hold('late', 1, 0);
  // Below the time that a hold waits for leases of other writers.
  await Waits.takesLess(450, async () => {
    refused = await hold('late', 1, 0);
  });
  if (refused.kind !== 'trial_paused') throw new Error(refused.kind);
  expect(refused.retryAfterSeconds).toBeGreaterThan(0);
  expect(refused.retryAfterSeconds).toBeLessThanOrEqual(3_600);
});

test('an account with credit pays from it, and its trial stays', async () => {
  await give('payer');
  await give('payer', 'credit', 50_000);
  expect(await call('payer', 2)).toBe('settled');
  expect(await spent()).toBe(perHour);
});

/** Runs `work` while another transaction locks the row of the limit. */
async function whileLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  const other = await real.sql.reserve();
  try {
    await other`BEGIN`;
    await other`SELECT FROM ledger.trial_limit FOR UPDATE`;
    return await work();
  } finally {
    await other`ROLLBACK`;
    other.release();
  }
}

test('accounts without a trial lease, pay and return leases while the row of the limit is locked', async () => {
  await give('paying', 'credit', 50_000);
  await whileLocked(async () => {
    expect(await call('paying', 3, 0)).toBe('settled');
    expect(await call('paying', 3, 1)).toBe('settled');
    // All credit that was leased and not spent comes back.
    const free = async () => {
      const [row] = await real.sql`SELECT avail::int FROM ledger.lot WHERE account_id = 'paying'`;
      return row?.avail;
    };
    await expect.poll(free).toBe(50_000 - 6 * 1_000);
  });
});

test('a trial without anything left of its hour, and the credit next to it, wait for no lock either', async () => {
  await give('mixed');
  await give('mixed', 'credit', 50_000);
  await give('refused');
  await whileLocked(async () => {
    expect(await call('mixed', 2, 0)).toBe('settled');
    expect(await call('refused', 2, 0)).toBe('trial_paused');
  });
  expect(await spent()).toBe(perHour);
});

test('the next hour gives as much again; what is held counts in it', async () => {
  await nextHour();
  await give('fresh');
  const held = await hold('fresh', 20, 0);
  expect(held.kind).toBe('held');
  await nextHour();
  await give('fresher');
  expect(await call('fresher', 11, 1)).toBe('trial_paused');
  expect(await call('fresher', 10, 1)).toBe('settled');
});

test('what a call held and did not use returns to the hour', async () => {
  await nextHour();
  await real.sql`UPDATE ledger.trial_limit SET used = 0, hour = date_trunc('hour', now(), 'UTC')`;
  await give('thrifty');
  await give('waiting');
  expect(await call('thrifty', 25, 0, 0)).toBe('settled');
  expect(await call('waiting', 20, 1)).toBe('trial_paused');
  await expect.poll(() => call('waiting', 20, 1), { timeout: 15_000, interval: 300 }).toBe('settled');
});

test('without a limit nothing is paused', async () => {
  await real.sql`SELECT ledger.limit_trial('', NULL)`;
  await give('free');
  expect(await call('free', 25)).toBe('settled');
});
