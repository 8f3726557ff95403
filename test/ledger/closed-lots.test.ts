import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidv7 } from '../../src/kernel/id.ts';
import { ofMicro } from '../../src/kernel/money.ts';
import { type OpenBooks, openBooks } from './open-books.ts';
import { type OpenLane, openLane } from './open-lane.ts';

const price = ofMicro(1_000);
let real: OpenBooks;
let open: OpenLane;
let ticking: NodeJS.Timeout;

beforeAll(async () => {
  real = await openBooks();
  open = await openLane(real.url, 'one', Date.now);
  ticking = setInterval(() => open.lane.tick(), 50);
});
afterAll(async () => {
  clearInterval(ticking);
  await open.end();
  expect(await real.prove()).toEqual([]);
  await real.end();
});

const buy = (account: string, plan = 'p') =>
  real.grant({ account, asset: 'usd', kind: 'credit', plan, amount: 5_000, expiresMs: null });

/** Uses so many units; the call and what is left. */
async function use(account: string, units: number): Promise<{ callId: string; balance: number }> {
  const callId = uuidv7(Date.now());
  const answer = await open.lane.hold({ callId, account, plans: ['p', 'q'], price, units });
  if (answer.kind !== 'held') throw new Error(answer.kind);
  const settled = await open.lane.settle(answer.hold, { units, status: 200, service: 's', operation: 'o' });
  if (settled.kind === 'refused') throw new Error('refused');
  open.lane.delivered(settled.seq);
  return { callId, balance: settled.balance };
}

/** The lane has let go of all that it has used up. */
async function settled(account: string): Promise<void> {
  await expect
    .poll(
      async () =>
        [...(await real.sql`SELECT FROM ledger.lease WHERE account_id = ${account} AND amount > 0`)].length,
      {
        timeout: 15_000,
      },
    )
    .toBe(0);
}

async function openLots(account: string): Promise<number[]> {
  const rows = await real.sql<
    { id: number }[]
  >`SELECT id FROM ledger.bucket WHERE account_id = ${account} AND NOT closed ORDER BY id`;
  return rows.map(({ id }) => id);
}

test('what was bought and used up before is looked at no more, however often', async () => {
  const bought: number[] = [];
  for (let purchase = 0; purchase < 4; purchase++) {
    bought.push(await buy('often'));
    expect((await use('often', 5)).balance).toBe(0);
    await settled('often');
  }
  // The last one stays, used up as it is: it says on which plan the account is.
  expect(await openLots('often')).toEqual(bought.slice(-1));
  const last = await buy('often');
  expect(await openLots('often')).toEqual([last]);
  expect((await use('often', 2)).balance).toBe(3_000);
}, 60_000);

test('a lot of another plan, or with something left of it, stays', async () => {
  const other = await buy('both', 'q');
  await use('both', 5);
  await settled('both');
  const begun = await buy('both');
  await use('both', 2);
  const next = await buy('both');
  expect(await openLots('both')).toEqual([other, begun, next]);
}, 60_000);

test('what comes back to one, or is owed of it, opens it again, and can be used', async () => {
  const first = await buy('back');
  const { callId } = await use('back', 5);
  await settled('back');
  const second = await buy('back');
  expect(await openLots('back')).toEqual([second]);
  await real.books.undeliver([callId]);
  expect(await openLots('back')).toEqual([first, second]);
  open.lane.touch('back');
  expect((await use('back', 10)).balance).toBe(0);
  await settled('back');
  const third = await buy('back');
  expect(await openLots('back')).toEqual([third]);
  const [paid] = await real.sql<
    [{ key: string }]
  >`SELECT key FROM ledger.posting WHERE bucket_id = ${second} AND amount > 0 AND kind <> 'undelivered'`;
  await real.sql`SELECT ledger.reverse(${paid.key}, 5000)`;
  expect(await openLots('back')).toEqual([second, third]);
  await real.sql`SELECT ledger.reverse(${paid.key}, 0)`;
  expect((await use('back', 5)).balance).toBe(0);
}, 60_000);

test('closed is what nothing is left of: the books refuse it of any other', async () => {
  const lot = await buy('full');
  await expect(real.sql`UPDATE ledger.bucket SET closed = true WHERE id = ${lot}`).rejects.toThrow(
    'bucket_check',
  );
});
