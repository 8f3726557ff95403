import { id } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Accounts from '../../src/adapters/postgres/accounts.ts';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import * as Operator from '../../src/adapters/postgres/operator.ts';
import type { CreditGrants } from '../../src/payment/credit-grant.ts';
import * as Promotion from '../../src/payment/promotion.ts';
import { createMigrated } from '../support/database.ts';
import * as Books from './books.ts';

let database: Awaited<ReturnType<typeof createMigrated>>;
/** The connections of two processes. */
let pools: Connection.Connection[];
let sql: Connection.Connection;
let promotions: Promotion.Promotions[];
let creditGrants: CreditGrants[];
beforeAll(async () => {
  database = await createMigrated();
  pools = [Connection.openConnection(database.url, 8), Connection.openConnection(database.url, 8)];
  // The driver knows no array types before its first connection.
  await Promise.all(pools.map((pool) => pool`SELECT 1`));
  sql = pools[0] as Connection.Connection;
  promotions = pools.map(Operator.openPromotions);
  creditGrants = pools.map(Operator.openGifts);
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});

const one = {
  plan: 'credit',
  asset: 'usd' as const,
  amount: Money.ofCents(500),
  expiresMs: null,
  lotDays: 30,
  redemptionsMax: null,
  claimedOnly: false,
};
let codes = 0;

async function made(draft: Partial<Promotion.PromotionDraft> = {}): Promise<string> {
  codes += 1;
  const code = `CODE-${codes}`;
  expect(await promotions[0]?.make({ ...one, code, ...draft }, 'test')).toBe(true);
  return code;
}

async function account(): Promise<string> {
  const name = id('acc');
  await sql`INSERT INTO shop.account (id, origin) VALUES (${name}, 'anonymous')`;
  return name;
}

async function redeem(at: number, who: string, code: string, address = who): Promise<Promotion.RedeemResult> {
  const answer = await promotions[at % 2]?.redeem(who, code, Promotion.subjectsOf(who, address));
  if (!answer) throw new Error('no process');
  return answer;
}

async function given(who: string): Promise<number> {
  const [row] = await sql<
    [{ given: number }]
  >`SELECT coalesce(sum(amount), 0)::bigint AS given FROM ledger.posting
    WHERE account_id = ${who} AND kind = 'grant'`;
  return row.given;
}

test('a code gives its lot once to an account, for so many days', async () => {
  const code = await made();
  const buyer = await account();
  const all = await Promise.all(Array.from({ length: 10 }, (_, at) => redeem(at, buyer, code)));
  expect(all.filter(({ kind }) => kind === 'given')).toHaveLength(1);
  expect(all.filter(({ kind }) => kind === 'had')).toHaveLength(9);
  expect(await given(buyer)).toBe(Money.ofCents(500));
  const [lot] = await Accounts.openStatements(sql).of(buyer);
  expect(lot).toMatchObject({ kind: 'grant', plan: 'credit', source: `promotion:${code}` });
  const days = ((lot?.expiresMs ?? 0) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(29.9);
  expect(days).toBeLessThan(30.1);
});

test('it is never given more often than it may, in two processes at once', async () => {
  const code = await made({ redemptionsMax: 7 });
  const buyers = await Promise.all(Array.from({ length: 25 }, account));
  const answers = await Promise.all(buyers.map((buyer, at) => redeem(at, buyer, code)));
  expect(answers.filter(({ kind }) => kind === 'given')).toHaveLength(7);
  expect(answers.filter(({ kind }) => kind === 'unknown')).toHaveLength(18);
  await Books.proves(sql);
});

test('nobody learns of a code that has ended more than of one that there never was', async () => {
  const ended = await made();
  await promotions[1]?.end(ended, 'test');
  const past = await made({ expiresMs: Date.now() - 1_000 });
  const used = await made({ redemptionsMax: 1 });
  await redeem(0, await account(), used);
  for (const code of [ended, past, used, 'NEVER-THERE'])
    expect(await redeem(0, await account(), code)).toEqual({ kind: 'unknown' });
  expect(await promotions[0]?.make({ ...one, code: ended }, 'test')).toBe(false);
});

test('codes are tried in vain five times, by an account or from an address, and then none is', async () => {
  const code = await made();
  const guesser = await account();
  const tries = await Promise.all(
    Array.from({ length: 12 }, (_, at) => redeem(at, guesser, `GUESS-${at}`, 'there')),
  );
  expect(tries.filter(({ kind }) => kind === 'unknown')).toHaveLength(5);
  expect(await redeem(0, guesser, code, 'elsewhere')).toMatchObject({ kind: 'limited' });
  expect(await redeem(0, await account(), code, 'there')).toMatchObject({ kind: 'limited' });
  expect(await redeem(0, await account(), code, 'elsewhere')).toMatchObject({ kind: 'given' });
});

test('codes that many accounts try at once from one address are no more than five', async () => {
  for (let round = 0; round < 6; round++) {
    const people = await Promise.all(Array.from({ length: 40 }, account));
    const answers = await Promise.all(
      people.map((who, at) => redeem(at, who, 'NO-SUCH-CODE', `office ${round}`)),
    );
    expect(answers.filter(({ kind }) => kind === 'unknown')).toHaveLength(Promotion.triesMax);
  }
});

test('one that is for claimed accounts waits for a person', async () => {
  const code = await made({ claimedOnly: true });
  const buyer = await account();
  expect(await redeem(0, buyer, code)).toEqual({ kind: 'claim_first' });
  await sql`UPDATE shop.account SET email = ${`${buyer}@example.com`}, claimed_at = now() WHERE id = ${buyer}`;
  expect(await redeem(0, buyer, code)).toMatchObject({ kind: 'given' });
});

test('what an account had before it joined another one is had there too, and says where it is from', async () => {
  const code = await made();
  const [from, to] = [await account(), await account()];
  await redeem(0, from, code);
  await sql`SELECT shop.join_accounts(${from}, ${to})`;
  expect(await redeem(1, to, code)).toEqual({ kind: 'had' });
  const [lot] = await Accounts.openStatements(sql).of(to);
  expect(lot).toMatchObject({ source: `promotion:${code}`, remaining: Money.ofCents(500) });
});

test('a gift is given once for its key, and is in the audit log', async () => {
  const buyer = await account();
  const creditGrant = { ...one, account: buyer, key: id('key'), expiresMs: null, reason: 'a late answer' };
  const all = await Promise.all([0, 1, 0, 1].map((at) => creditGrants[at]?.give(creditGrant, 'the seller')));
  expect(all).toEqual(Array.from({ length: 4 }, () => ({ kind: 'given', account: buyer })));
  expect(await given(buyer)).toBe(creditGrant.amount);
  expect(await creditGrants[0]?.give({ ...creditGrant, amount: 1 }, 'the seller')).toEqual({
    kind: 'mismatch',
  });
  const most = { ...creditGrant, key: id('key'), amount: 1_000_000_000_000_000 };
  expect(await creditGrants[0]?.give(most, 'the seller')).toEqual({ kind: 'too_much' });
  expect(await creditGrants[0]?.give({ ...creditGrant, account: 'acc_none', key: id('key') }, 'x')).toEqual({
    kind: 'unknown_account',
  });
  const log =
    await sql`SELECT who, act, after ->> 'reason' AS reason FROM shop.audit WHERE subject = ${buyer}`;
  expect([...log]).toEqual([{ who: 'the seller', act: 'grant', reason: 'a late answer' }]);
});

test('the proof finds a promotion that gave more often than it says, and a gift that nobody wrote down', async () => {
  const code = await made({ redemptionsMax: 5 });
  await redeem(0, await account(), code);
  await sql`UPDATE shop.promotion SET redemptions = 2 WHERE code = ${code}`;
  const rule = async () =>
    (await sql<{ rule: string }[]>`SELECT rule FROM ledger.verify()`).map((row) => row.rule);
  expect(await rule()).toEqual(['a promotion gives what it says, and not more often than it may']);
  await sql`UPDATE shop.promotion SET redemptions = 1 WHERE code = ${code}`;
  const secretly = await account();
  await sql`SELECT ledger.grant_lot(${`grant:${secretly}`}, ${secretly}, 'grant', 'seller', 'grant', 'usd', 'credit', 5, NULL)`;
  expect(await rule()).toEqual(['what the seller gave is in the audit log']);
  await sql`INSERT INTO shop.audit (who, act, subject, after) VALUES ('test', 'grant', ${secretly}, ${sql.json({ key: `grant:${secretly}`, asset: 'usd', amount: 5, plan: 'credit', expires_at: null })})`;
  expect(await rule()).toEqual([]);
});

test('whatever is sent, ended and joined at once, a code gives no more than it may, and each account once', async () => {
  const step = fc.record({
    does: fc.constantFrom('redeem', 'redeem', 'redeem', 'redeem', 'end', 'join'),
    at: fc.nat(1),
    who: fc.nat(5),
    other: fc.nat(5),
    code: fc.nat(1),
  });
  const life = fc.record({
    max: fc.integer({ min: 1, max: 4 }),
    steps: fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(life, { minLength: 4, maxLength: 4 }),
      async (lives) => void (await Promise.all(lives.map(play))),
    ),
    {
      numRuns: 15,
      endOnFailure: true,
    },
  );
  await Books.proves(sql);

  async function play({
    max,
    steps,
  }: {
    max: number;
    steps: { does: string; at: number; who: number; other: number; code: number }[][];
  }) {
    const tried = [
      await made({ redemptionsMax: max }),
      await made({ redemptionsMax: max, asset: 'unit', amount: 10 }),
    ];
    const people = await Promise.all(Array.from({ length: 6 }, account));
    let had = 0;
    for (const together of steps)
      await Promise.all(
        together.map(async ({ does, at, who, other, code }) => {
          const [person = '', second = '', wanted = ''] = [people[who], people[other], tried[code]];
          if (does === 'end') await promotions[at]?.end(wanted, 'test');
          else if (does === 'join') await sql`SELECT shop.join_accounts(${person}, ${second})`;
          else if ((await redeem(at, person, wanted, id('address'))).kind === 'given') had += 1;
        }),
      );
    const [row] = await sql<
      [{ count: number; most: number }]
    >`SELECT coalesce(sum(redemptions), 0)::integer AS count, max(redemptions) AS most
      FROM shop.promotion WHERE code IN ${sql(tried)}`;
    expect(row.count).toBe(had);
    expect(row.most).toBeLessThanOrEqual(max);
  }
});
