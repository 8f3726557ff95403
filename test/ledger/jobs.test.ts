import { id, uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openJobs } from '../../src/adapters/postgres/jobs.ts';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';
import { type OpenWriter, openWriter } from './open-writer.ts';

const price = ofMicro(7);
const worst = 12;

let real: OpenLedgerStore;
let process: OpenWriter;

beforeAll(async () => {
  real = await openLedgerStore();
  process = await openWriter(real.url, 'jobs', Date.now);
});
afterEach(async () => {
  expect(await real.prove()).toEqual([]);
});
afterAll(async () => {
  await process?.end();
  await real?.end();
});

/** Starts a job on three units, a lot of 20 micro-dollars and one of 1,000, under a key with a budget. Returns it, charged and not delivered. */
async function start() {
  const [account, key] = [id('acc'), id('key')];
  await real.sql`INSERT INTO shop.account (id, origin) VALUES (${account}, 'anonymous')`;
  const grant = { account, kind: 'grant', plan: 'p', expiresMs: null } as const;
  await real.grant({ ...grant, asset: 'unit', amount: 3 });
  for (const amount of [20, 1_000]) await real.grant({ ...grant, asset: 'usd', amount });
  const callId = uuidv7(Date.now());
  const request = { callId, account, plans: ['p'], price, units: worst, key: { id: key, capped: false } };
  const held = await process.writer.hold(request);
  if (held.kind !== 'held') throw new Error(held.kind);
  await openJobs(real.sql).open({ callId, account, operation: 'o', id: callId, hours: 1, prices: null });
  const settled = await process.writer.settle(held.hold, {
    ...{ units: worst, status: 202, service: 's', operation: 'o' },
  });
  if (settled.kind !== 'settled') throw new Error(settled.kind);
  return { account, callId, seq: settled.seq };
}

async function delivered(seq: number): Promise<void> {
  process.writer.delivered(seq);
  await expect
    .poll(async () => {
      process.writer.tick();
      const [row] = await real.sql<
        { seq: string }[]
      >`SELECT delivered_seq AS seq FROM ledger.writer WHERE id = 'jobs'`;
      return Number(row?.seq);
    })
    .toBeGreaterThanOrEqual(seq);
}

const left = async (account: string) => (await real.statement(account)).map(({ remaining }) => remaining);
const end = (callId: string, units: number) =>
  openJobs(real.sql).end(callId, uuidv7(Date.now()), units, 'ended');

test('a job costs its units from the lots of its start, in their order, whatever their number is', async () => {
  const before = [3, 20, 1_000];
  for (let units = 0; units <= worst + 1; units += 1) {
    const { account, callId, seq } = await start();
    await delivered(seq);
    expect(await end(callId, units)).toBe('ended');
    const counted = Math.min(units, worst);
    const money = Math.max(0, counted - 3) * price;
    const cost = [Math.min(3, counted), Math.min(20, money), Math.max(0, money - 20)];
    expect(await left(account)).toEqual(before.map((amount, at) => amount - (cost[at] ?? 0)));
  }
});

test('a job is settled once, by however many processes at the same time', async () => {
  const { account, callId, seq } = await start();
  await delivered(seq);
  const ends = await Promise.all([5, 0, 12, 7].map((units) => end(callId, units)));
  expect(ends.toSorted()).toEqual(['ended', 'repeated', 'repeated', 'repeated']);
  const [row] = await real.sql<{ units: string }[]>`
    SELECT coalesce(sum(u.units), 0) AS units FROM ledger.usage u JOIN ledger.job j ON j.end_call_id = u.call_id WHERE j.call_id = ${callId}`;
  const sum = (amounts: readonly number[]) => amounts.reduce((all, amount) => all + amount, 0);
  const money = Math.max(0, Number(row?.units) - 3) * price + Math.min(3, Number(row?.units));
  expect(1_023 - sum(await left(account))).toBe(money);
});

test('a job is not settled before its start is known to be delivered', async () => {
  const { callId, seq } = await start();
  expect(await end(callId, 5)).toBe('waits');
  await delivered(seq);
  expect(await end(callId, 5)).toBe('ended');
});

test('a job whose start was never delivered costs nothing', async () => {
  const { account, callId } = await start();
  await process.kill();
  expect(await end(callId, 5)).toBe('void');
  expect(await left(account)).toEqual([3, 20, 1_000]);
});

test('a job whose start was never charged ends with its time', async () => {
  const callId = uuidv7(Date.now());
  await openJobs(real.sql).open({
    callId,
    account: id('acc'),
    operation: 'o',
    id: callId,
    hours: 1,
    prices: null,
  });
  expect(await end(callId, 5)).toBe('waits');
  await real.sql`UPDATE ledger.job SET expires_at = now() WHERE call_id = ${callId}`;
  expect(await end(callId, 5)).toBe('void');
});
