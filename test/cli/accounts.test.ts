import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMigrated } from '../support/database.ts';
import * as Sluice from './sluice.ts';

let database: Awaited<ReturnType<typeof createMigrated>>;
beforeAll(async () => {
  database = await createMigrated();
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  await sql`SELECT shop.register('acc_ann', 'trial', 25)`;
  await sql`SELECT shop.register('acc_bob', 'trial', 0)`;
  await sql`UPDATE shop.account SET email = 'ann@example.com', claimed_at = now() WHERE id = 'acc_ann'`;
  await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at)
    VALUES ('pur_1', 'acc_ann', 'credit', 5000000, now()), ('pur_2', 'acc_bob', 'credit', 500000, now())`;
  await sql`SELECT shop.grant_purchase('pur_1', 'pi_1', 'acc_ann')`;
  await sql.end();
});
afterAll(() => database.drop());

const accounts = (...args: string[]) => Sluice.here(['accounts', ...args], { DATABASE_URL: database.url });
// biome-ignore lint/suspicious/noExplicitAny: what a program would read of it
const json = async (...args: string[]): Promise<any> => JSON.parse((await accounts(...args, '--json')).out);
const ids = (found: { account: string }[]) => found.map(({ account }) => account);

test('lists accounts, the newest first, and goes on behind one', async () => {
  expect(ids(await json('list'))).toEqual(['acc_bob', 'acc_ann']);
  expect(ids(await json('list', '--after', 'acc_bob'))).toEqual(['acc_ann']);
});

test.each(['acc_ann', 'pur_1', 'pi_1', 'ann@EXAMPLE', ' Ann@example.com '])(
  'finds one by %s',
  async (text) => {
    expect(ids(await json('find', text))).toEqual(['acc_ann']);
  },
);

test('shows one: what is left, of what, and the purchases', async () => {
  expect(await json('show', 'pur_1')).toMatchObject({
    account: 'acc_ann',
    email: 'ann@example.com',
    paid_usd: '5.00',
    balance_usd: '5.00',
    units: 25,
    lots: [
      { plan: 'trial', given_units: 25, left_units: 25 },
      { plan: 'credit', given_usd: '5.00', left_usd: '5.00' },
    ],
    purchases: [{ id: 'pur_1', state: 'granted', amount_usd: '5.00', payment: 'pi_1' }],
  });
  expect((await accounts('show', 'acc_ann')).out).toContain('5.00 USD and 25 units are left');
});

test('exports, erases and freezes by a whole address only: the start of one finds the account of another person', async () => {
  expect(ids(await json('find', 'ann@example.co'))).toEqual(['acc_ann']);
  for (const [verb = '', ...more] of [
    ['export'],
    ['erase', '--yes', '--forfeit'],
    ['freeze'],
    ['unfreeze'],
  ]) {
    const refused = await accounts(verb, 'ann@example.co', ...more);
    expect([refused.code, refused.out], verb).toEqual([1, '']);
  }
  const hex = `acc_${'ab'.repeat(16)}`;
  const sql = postgres(database.url, { max: 1 });
  await sql`INSERT INTO shop.account (id, origin) VALUES (${hex}, 'anonymous')`;
  await sql.end();
  expect(ids(await json('find', hex.slice(0, 12)))).toEqual([hex]);
  for (const verb of ['export', 'freeze'])
    expect((await accounts(verb, hex.slice(0, 12))).code, verb).toBe(1);
  expect((await json('show', 'acc_ann')).email).toBe('ann@example.com');
  expect(JSON.parse((await accounts('export', 'Ann@example.com')).out).accounts).toMatchObject([
    { id: 'acc_ann' },
  ]);
});

test('freezes one and lets it go on, on the record; nobody, or several, are neither', async () => {
  expect((await accounts('freeze', 'acc_ann', '--reason', 'stolen card')).out).toBe('acc_ann is frozen.\n');
  expect((await json('show', 'acc_ann')).frozen_at).toMatch(/Z$/);
  expect((await accounts('freeze', 'acc_ann')).out).toBe('acc_ann is already frozen.\n');
  expect((await accounts('unfreeze', 'acc_ann')).out).toBe('acc_ann is active.\n');
  const sql = postgres(database.url, { max: 1 });
  const acts = await sql`SELECT act, after->>'reason' AS reason FROM shop.audit ORDER BY id`;
  await sql.end();
  expect([...acts]).toEqual([
    { act: 'frozen', reason: 'stolen card' },
    { act: 'unfrozen', reason: null },
  ]);
  expect((await accounts('freeze', 'acc_nobody')).code).toBe(1);
});
