import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { id, uuidv7 } from '../../src/kernel/id.ts';
import { ofMicro } from '../../src/kernel/money.ts';
import { type Books, BooksBroken } from '../../src/ledger/books.ts';
import type { Hold } from '../../src/ledger/hold.ts';
import type { Usage } from '../../src/ledger/usage.ts';
import { type OpenBooks, openBooks } from './open-books.ts';
import { type OpenLane, openLane } from './open-lane.ts';

let real: OpenBooks;
const lanes: OpenLane[] = [];
let nowMs = Date.now();

beforeAll(async () => {
  real = await openBooks();
});
afterEach(async () => {
  expect(await real.prove()).toEqual([]);
  for (const { end } of lanes.splice(0)) await end();
});
afterAll(() => real.end());

/** A lane and an account with a dollar. */
async function open(meddle?: (books: Books) => Books): Promise<{ process: OpenLane; account: string }> {
  const process = await openLane(real.url, id('lane'), () => nowMs, meddle);
  lanes.push(process);
  const account = id('acc');
  await real.grant({ account, asset: 'usd', kind: 'grant', plan: 'p', amount: 1_000_000, expiresMs: null });
  return { process, account };
}

async function hold({ lane }: OpenLane, account: string, units: number): Promise<Hold> {
  const answer = await lane.hold({
    callId: uuidv7(Date.now()),
    account,
    plans: ['p'],
    price: ofMicro(1_000),
    units,
  });
  if (answer.kind !== 'held') throw new Error(answer.kind);
  return answer.hold;
}

const outcome = (units: number) => ({ units, status: 200, service: 's', operation: 'o' });

/** A quarter of a second later: what was delivered is said with the fold. */
async function fold({ lane }: OpenLane, account: string): Promise<void> {
  nowMs += 250;
  lane.tick();
  // Its own question travels with the fold, or behind it.
  await lane
    .hold({ callId: uuidv7(Date.now()), account, plans: ['p'], price: ofMicro(1_000), units: 900 })
    .then((answer) => {
      if (answer.kind === 'held') lane.release(answer.hold);
    });
}

async function balance(account: string): Promise<number> {
  return (await real.statement(account)).reduce((sum, { remaining }) => sum + remaining, 0);
}

async function leased(account: string): Promise<number> {
  const [row] = await real.sql<
    [{ sum: number }]
  >`SELECT coalesce(sum(amount), 0)::bigint AS sum FROM ledger.lease WHERE account_id = ${account}`;
  return row.sum;
}

test('dies after the hold: nothing is charged, and the lease comes back with the reaper', async () => {
  const { process, account } = await open();
  await hold(process, account, 100);
  expect(await leased(account)).toBe(100_000);
  await real.sql`SELECT ledger.reap_silent('0 seconds')`;
  expect([await balance(account), await leased(account)]).toEqual([1_000_000, 0]);
});

test('dies after the upstream answered, before the commit: nothing is charged', async () => {
  const { process, account } = await open((books) => ({
    ...books,
    batch: async (batch) => (batch.usage.length > 0 ? new Promise(() => {}) : books.batch(batch)),
  }));
  void process.lane.settle(await hold(process, account, 100), outcome(60));
  await process.kill();
  expect([await balance(account), await leased(account)]).toEqual([1_000_000, 0]);
});

test('dies with the answer charged and not sent: it is given back, on the record', async () => {
  const { process, account } = await open();
  expect(await process.lane.settle(await hold(process, account, 100), outcome(60))).toMatchObject({
    kind: 'settled',
    cost: 60_000,
  });
  expect(await balance(account)).toBe(940_000);
  await process.kill();
  expect(await balance(account)).toBe(1_000_000);
  const posted =
    await real.sql`SELECT amount FROM ledger.posting WHERE account_id = ${account} AND kind = 'undelivered'`;
  expect(posted.map(({ amount }) => amount)).toEqual([60_000]);
  await process.kill();
  expect(await balance(account)).toBe(1_000_000);
});

test('dies after the answer was sent and said to be: it stays charged', async () => {
  const { process, account } = await open();
  const settled = await process.lane.settle(await hold(process, account, 100), outcome(60));
  if (settled.kind === 'settled') process.lane.delivered(settled.seq);
  await fold(process, account);
  await process.kill();
  expect(await balance(account)).toBe(940_000);
});

test('loses the answer of a commit: the same batch again charges once, and the call is answered', async () => {
  let lost = 0;
  const { process, account } = await open((books) => ({
    ...books,
    async batch(batch) {
      const answer = await books.batch(batch);
      if (batch.usage.length > 0 && lost++ === 0) throw new Error('cut');
      return answer;
    },
  }));
  const settled = process.lane.settle(await hold(process, account, 100), outcome(60));
  while (process.events.every(({ kind }) => kind !== 'books_unreachable')) await new Promise(setImmediate);
  process.lane.tick();
  expect(await settled).toMatchObject({ kind: 'settled', cost: 60_000 });
  expect(lost).toBe(2);
  expect(await balance(account)).toBe(940_000);
});

test('is paused past its lease and wakes: the call is refused and not charged, and the next one is served', async () => {
  const { process, account } = await open();
  const held = await hold(process, account, 100);
  await real.sql`SELECT ledger.reap_silent('0 seconds')`;
  expect(await process.lane.settle(held, outcome(60))).toEqual({ kind: 'refused' });
  while (!process.lane.ready) await new Promise(setImmediate);
  expect(await balance(account)).toBe(1_000_000);
  expect(await process.lane.settle(await hold(process, account, 10), outcome(10))).toMatchObject({
    kind: 'settled',
  });
});

test('sells more than it has leased: the books stop it, and charge nothing', async () => {
  const { process, account } = await open();
  const { books } = real;
  await hold(process, account, 100);
  const [row] =
    await real.sql`SELECT epoch, (SELECT max(seq) FROM ledger.batch b WHERE b.lane_id = l.id AND b.epoch = l.epoch) AS seq FROM ledger.lane l WHERE id = ${process.name}`;
  const [lot] = await real.statement(account);
  const call = {
    callId: uuidv7(Date.now()),
    draw: 0,
    account,
    lot: lot?.lot ?? 0,
    plan: 'p',
    service: 's',
    operation: 'o',
    status: 200,
  };
  const usage: Usage[] = [{ ...call, units: 101, price: 1_000, amount: 101_000 }];
  const batch = {
    lane: process.name,
    epoch: row?.epoch,
    seq: row?.seq + 1,
    deliveredSeq: 0,
    fold: true,
    usage,
    returns: [],
    wants: [],
  };
  await expect(books.batch(batch)).rejects.toThrow(BooksBroken);
  expect(await balance(account)).toBe(1_000_000);
});

test('loses a batch that it was told of, as a standby might: it stops instead of going on', async () => {
  const { process, account } = await open();
  await process.lane.settle(await hold(process, account, 100), outcome(60));
  await real.sql`DELETE FROM ledger.batch WHERE lane_id = ${process.name}`;
  await real.sql`DELETE FROM ledger.usage WHERE lane_id = ${process.name}`;
  expect(await process.lane.settle(await hold(process, account, 40), outcome(40))).toEqual({
    kind: 'refused',
  });
  expect(process.events.map(({ kind }) => kind)).toContain('books_broken');
});

test('books a call once, though a second batch brings it again', async () => {
  const { process, account } = await open();
  const held = await hold(process, account, 100);
  await process.lane.settle(held, outcome(60));
  const [lot] = await real.statement(account);
  const [row] =
    await real.sql`SELECT epoch, (SELECT max(seq) FROM ledger.batch b WHERE b.lane_id = l.id AND b.epoch = l.epoch) AS seq FROM ledger.lane l WHERE id = ${process.name}`;
  const call = {
    callId: held.callId,
    draw: 0,
    account,
    lot: lot?.lot ?? 0,
    plan: 'p',
    service: 's',
    operation: 'o',
    status: 200,
  };
  const usage: Usage[] = [{ ...call, units: 60, price: 1_000, amount: 60_000 }];
  const batch = {
    lane: process.name,
    epoch: row?.epoch,
    seq: row?.seq + 1,
    deliveredSeq: 0,
    fold: true,
    usage,
    returns: [],
    wants: [],
  };
  expect(await real.books.batch(batch)).toEqual({ state: 'ok' });
  expect(await balance(account)).toBe(940_000);
});
