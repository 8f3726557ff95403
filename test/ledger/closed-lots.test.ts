import { uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';
import { type OpenWriter, openWriter } from './open-writer.ts';

const price = ofMicro(1_000);
let real: OpenLedgerStore;
let open: OpenWriter;
let ticking: NodeJS.Timeout;

beforeAll(async () => {
  real = await openLedgerStore();
  open = await openWriter(real.url, 'one', Date.now);
  ticking = setInterval(() => open.writer.tick(), 50);
});
afterAll(async () => {
  clearInterval(ticking);
  await open.end();
  expect(await real.prove()).toEqual([]);
  await real.end();
});

const buy = (account: string, plan = 'p') =>
  real.grant({ account, asset: 'usd', kind: 'credit', plan, amount: 5_000, expiresMs: null });

/** Uses units in one call. Returns the call and the remaining balance. */
async function use(account: string, units: number): Promise<{ callId: string; balance: number }> {
  const callId = uuidv7(Date.now());
  const answer = await open.writer.hold({ callId, account, plans: ['p', 'q'], price, units });
  if (answer.kind !== 'held') throw new Error(answer.kind);
  const settled = await open.writer.settle(answer.hold, { units, status: 200, service: 's', operation: 'o' });
  if (settled.kind === 'refused') throw new Error('refused');
  open.writer.delivered(settled.seq);
  return { callId, balance: settled.balance };
}

/** Waits until the writer has returned the leases of all used-up lots. */
async function settled(account: string): Promise<void> {
  await expect
    .poll(
      async () =>
        [...(await real.sql`SELECT FROM ledger.lease WHERE account_id = ${account} AND amount > 0`)].length,
    )
    .toBe(0);
}

async function openLots(account: string): Promise<number[]> {
  const rows = await real.sql<
    { id: number }[]
  >`SELECT id FROM ledger.lot WHERE account_id = ${account} AND NOT closed ORDER BY id`;
  return rows.map(({ id }) => id);
}

test('what was bought and used up before is looked at no more, however often', async () => {
  const bought: number[] = [];
  for (let purchase = 0; purchase < 4; purchase++) {
    bought.push(await buy('often'));
    expect((await use('often', 5)).balance).toBe(0);
    await settled('often');
  }
  // The last lot remains although it is used up, because it shows the account's plan.
  expect(await openLots('often')).toEqual(bought.slice(-1));
  const last = await buy('often');
  expect(await openLots('often')).toEqual([last]);
  expect((await use('often', 2)).balance).toBe(3_000);
});

test('a lot of another plan, or with something left of it, stays', async () => {
  const other = await buy('both', 'q');
  await use('both', 5);
  await settled('both');
  const begun = await buy('both');
  await use('both', 2);
  const next = await buy('both');
  expect(await openLots('both')).toEqual([other, begun, next]);
});

test('what comes back to one, or is owed of it, opens it again, and can be used', async () => {
  const first = await buy('back');
  const { callId } = await use('back', 5);
  await settled('back');
  const second = await buy('back');
  expect(await openLots('back')).toEqual([second]);
  await real.books.undeliver([callId]);
  expect(await openLots('back')).toEqual([first, second]);
  open.writer.touch('back');
  expect((await use('back', 10)).balance).toBe(0);
  await settled('back');
  const third = await buy('back');
  expect(await openLots('back')).toEqual([third]);
  const [paid] = await real.sql<
    [{ key: string }]
  >`SELECT key FROM ledger.posting WHERE lot_id = ${second} AND amount > 0 AND kind <> 'undelivered'`;
  await real.sql`SELECT ledger.reverse(${paid.key}, 5000)`;
  expect(await openLots('back')).toEqual([second, third]);
  await real.sql`SELECT ledger.reverse(${paid.key}, 0)`;
  expect((await use('back', 5)).balance).toBe(0);
});

test('closed is what nothing is left of: the books refuse it of any other', async () => {
  const lot = await buy('full');
  await expect(real.sql`UPDATE ledger.lot SET closed = true WHERE id = ${lot}`).rejects.toThrow('lot_check');
});
