import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import * as CardAttempts from '../../src/adapters/postgres/card-attempts.ts';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import * as CardAttempt from '../../src/payment/card-attempt.ts';
import * as Database from '../support/database.ts';

const limits = { declinesMax: 3, waitSeconds: 60, stopSeconds: 3_600, pagesPerHour: 2 };

let database: Database.Database;
/** Two processes on one database. */
let processes: [Connection.Connection, Connection.Connection];
let attempts: [CardAttempt.CardAttempts, CardAttempt.CardAttempts];

beforeAll(async () => {
  database = await Database.createMigrated();
  processes = [Connection.openConnection(database.url, 8), Connection.openConnection(database.url, 8)];
  attempts = [CardAttempts.openCardAttempts(processes[0]), CardAttempts.openCardAttempts(processes[1])];
});
afterAll(async () => {
  await Promise.all(processes.map((sql) => sql.end()));
  await database.drop();
});
beforeEach(
  () => processes[0]`TRUNCATE shop.card_attempt, shop.block_use, shop.purchase, shop.account CASCADE`,
);

const payer = (given: Partial<CardAttempt.Payer> = {}): CardAttempt.Payer => ({
  account: 'acc_1',
  address: '192.0.2.1',
  card: null,
  ...given,
});

let made = 0;
/** Attempts to pay, and has the attempt declined if it may be made. Returns its delay. */
async function decline(who: CardAttempt.Payer, at: 0 | 1 = 0): Promise<CardAttempt.Delay | null> {
  made += 1;
  const delay = await attempts[at].start(`chal_${made}`, who, limits);
  if (delay === null) await attempts[at].declined(`chal_${made}`, who, limits);
  return delay;
}

/** Makes everything older. */
const pass = (seconds: number) =>
  processes[0]`UPDATE shop.card_attempt SET at = at - ${seconds} * interval '1 second'`;

test('after the last free decline an account waits, twice as long each time, and is then stopped', async () => {
  for (let n = 0; n < 3; n += 1) expect(await decline(payer())).toBeNull();
  const waits: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const delay = await decline(payer());
    expect(delay).toMatchObject({ subject: 'account', isStopped: false });
    waits.push(Math.round((delay?.waitMs ?? 0) / 1_000));
    await pass((delay?.waitMs ?? 0) / 1_000 + 1);
    expect(await decline(payer())).toBeNull();
  }
  expect(waits).toEqual([60, 120, 240]);
  const stopped = await decline(payer());
  expect(stopped).toMatchObject({ isStopped: true });
  expect(stopped?.waitMs).toBeGreaterThan(3_500_000);
  await pass(3_601);
  expect(await decline(payer())).toBeNull();
});

test('a refused attempt is not stored, so a flood of them neither grows the table nor extends the wait', async () => {
  for (let n = 0; n < 3; n += 1) await decline(payer());
  const before = await processes[0]`SELECT count(*)::int AS n FROM shop.card_attempt`;
  await Promise.all(Array.from({ length: 50 }, (_, n) => decline(payer(), n % 2 === 0 ? 0 : 1)));
  expect(await processes[0]`SELECT count(*)::int AS n FROM shop.card_attempt`).toEqual(before);
});

test('concurrent attempts in two processes pass a limit together exactly', async () => {
  const all = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      attempts[n % 2 === 0 ? 0 : 1].start(
        `chal_concurrent_${n}`,
        payer({ account: null, card: 'c1' }),
        limits,
      ),
    ),
  );
  expect(all.filter((delay) => delay === null)).toHaveLength(3);
});

test('an attempt that succeeds does not count, and a repeated one counts once', async () => {
  for (let n = 0; n < 10; n += 1) {
    expect(await attempts[0].start(`chal_paid_${n}`, payer(), limits)).toBeNull();
    expect(await attempts[1].start(`chal_paid_${n}`, payer(), limits)).toBeNull();
    await attempts[0].end(`chal_paid_${n}`);
  }
  for (let n = 0; n < 5; n += 1) await attempts[0].declined('chal_twice', payer(), limits);
  expect(await decline(payer())).toBeNull();
});

test('one card is stopped however many addresses and accounts it is tried from', async () => {
  const tried = [];
  for (let n = 0; n < 20; n += 1)
    tried.push(await decline(payer({ account: `acc_${n}`, address: `198.51.100.${n}`, card: 'stolen' })));
  expect(tried.filter((delay) => delay === null)).toHaveLength(3);
  expect(tried.at(-1)?.subject).toBe('card');
});

test('one address that tries many cards with new accounts is stopped; an IPv6 host cannot leave its /64', async () => {
  const tried = [];
  for (let n = 0; n < 30; n += 1)
    tried.push(
      await decline(payer({ account: `acc_${n}`, address: '2001:db8:0:1::/64', card: `card_${n}` })),
    );
  expect(tried.filter((delay) => delay === null)).toHaveLength(3 * CardAttempt.addressFactor);
  expect(tried.at(-1)?.subject).toBe('address');
});

test('an account that paid before yesterday pays from an address that is stopped, within its own limit', async () => {
  for (let n = 0; n < 12; n += 1) await decline(payer({ account: `acc_${n}` }));
  expect(await decline(payer({ account: 'acc_new' }))).toMatchObject({ subject: 'address' });
  await processes[0]`INSERT INTO shop.account (id, origin) VALUES ('acc_old', 'purchase')`;
  await processes[0]`INSERT INTO shop.purchase (id, state, account_id, plan_id, amount, expires_at, granted_at)
    VALUES ('pur_old', 'granted', 'acc_old', 'credit', 100, now(), now() - interval '2 days')`;
  for (let n = 0; n < 3; n += 1) expect(await decline(payer({ account: 'acc_old' }))).toBeNull();
  expect(await decline(payer({ account: 'acc_old' }))).toMatchObject({ subject: 'account' });
});

test('callers whose address is hidden by a proxy wait together and are never stopped together', async () => {
  for (let n = 0; n < 60; n += 1) {
    const delay = await decline(payer({ account: `acc_${n}`, address: 'unknown' }));
    expect(delay?.isStopped ?? false).toBe(false);
    expect(delay?.waitMs ?? 0).toBeLessThanOrEqual(16 * 60_000);
    if (delay !== null) await pass(delay.waitMs / 1_000 + 1);
  }
});

test('declines from before the clock was set back neither count nor stop anyone', async () => {
  for (let n = 0; n < 6; n += 1) await decline(payer());
  await pass(-7_200);
  expect(await decline(payer())).toBeNull();
});

test('hosted pages are counted by account and address, once for each page', async () => {
  await processes[0]`INSERT INTO shop.purchase (id, plan_id, amount, expires_at) VALUES ('pur_1', 'credit', 100, now())`;
  const open = (order: string, number: number, who: CardAttempt.Payer) =>
    attempts[0].startPage({ order, number }, who, limits);
  for (let n = 0; n < 5; n += 1) expect(await open('pur_1', 0, payer())).toBeNull();
  expect(await attempts[1].pageAddress('pur_1')).toBe('192.0.2.1');
  expect(await open('pur_1', 1, payer())).toBeNull();
  const limited = await open('pur_2', 0, payer());
  expect(limited?.waitMs).toBeGreaterThan(3_000_000);
  const others = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      open(`pur_x${n}`, 0, payer({ account: null, address: '192.0.2.9' })),
    ),
  );
  expect(others.filter((delay) => delay === null)).toHaveLength(2 * CardAttempt.addressFactor);
});

test('no page opens for a payer who has too many declines', async () => {
  for (let n = 0; n < 3; n += 1) await decline(payer());
  expect(await attempts[0].startPage({ order: 'pur_9', number: 0 }, payer(), limits)).toMatchObject({
    subject: 'account',
  });
  expect(await attempts[0].slowed(limits)).toBe(1);
});
