import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import { createDatabase } from '../support/database.ts';

const script = fileURLToPath(new URL('../../src/cli/ledger.ts', import.meta.url));
let database: Awaited<ReturnType<typeof createDatabase>>;
let sql: postgres.Sql;

beforeAll(async () => {
  database = await createDatabase();
  await migrate(database.url);
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
  await sql`SELECT shop.register('acc_1', 'trial', 25)`;
  await sql`INSERT INTO shop.purchase (id, plan_id, account_id, amount, expires_at) VALUES ('pur_1', 'credit', 'acc_1', 500000, now())`;
  await sql`SELECT shop.grant_purchase('pur_1', 'pi_1', 'acc_2')`;
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

function run(...args: string[]) {
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url };
  return spawnSync(process.execPath, [script, ...args], { env, encoding: 'utf8' });
}

it('says what the books add up to, and that they hold', () => {
  const { status, stdout } = run('prove');
  expect(stdout).toContain(
    '0.500000 paid in + 0.000000 granted - 0.000000 spent - 0.000000 expired = 0.500000 balance',
  );
  expect(stdout).toContain('The books hold.');
  expect(status).toBe(0);
});

it.each([
  [
    'postings = available + leased + used - not yet folded',
    'UPDATE ledger.bucket SET avail = avail + 1 WHERE asset = $$usd$$',
    'UPDATE ledger.bucket SET avail = avail - 1 WHERE asset = $$usd$$',
  ],
  [
    'a granted order has its one lot',
    "UPDATE shop.purchase SET amount = 600000 WHERE id = 'pur_1'",
    "UPDATE shop.purchase SET amount = 500000 WHERE id = 'pur_1'",
  ],
  [
    'a paid lot has its order',
    "UPDATE shop.purchase SET id = 'pur_2' WHERE id = 'pur_1'",
    "UPDATE shop.purchase SET id = 'pur_1' WHERE id = 'pur_2'",
  ],
  [
    'a call costs its units at its price',
    "INSERT INTO ledger.usage SELECT '01a1fda8-0000-7000-8000-000000000000', 0, 'acc_1', id, 'credit', 's', 'o', 200, 2, 1000, 1000, 'l', 1, 1 FROM ledger.bucket WHERE asset = 'usd'",
    'DELETE FROM ledger.usage',
  ],
  [
    'a closed lane holds nothing',
    "INSERT INTO ledger.lease SELECT 'gone', account_id, id, 1 FROM ledger.bucket WHERE asset = 'usd'",
    'DELETE FROM ledger.lease',
  ],
  [
    'what is given back was charged',
    "INSERT INTO ledger.posting SELECT 'undelivered:01a1fda8-0000-7000-8000-000000000000:0', account_id, id, 'undelivered', 'revenue', 1 FROM ledger.bucket WHERE asset = 'usd'",
    "DELETE FROM ledger.posting WHERE kind = 'undelivered'",
  ],
])('finds a planted breach of: %s', async (rule, what, undo) => {
  await sql.unsafe(what);
  const { status, stdout } = run('prove', '--json');
  await sql.unsafe(undo);
  expect(JSON.parse(stdout).breaches.map((breach: { rule: string }) => breach.rule)).toContain(rule);
  expect(status).toBe(1);
  expect(run('prove').status).toBe(0);
});

it('tells help from a mistake, and a mistake from books that cannot be read', () => {
  expect(run('--help').status).toBe(0);
  expect(run('porve')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('npm run ledger -- prove'),
  });
  const away = spawnSync(process.execPath, [script, 'prove'], {
    env: { PATH: process.env.PATH, DATABASE_URL: 'postgres://127.0.0.1:1/none' },
    encoding: 'utf8',
  });
  expect(away).toMatchObject({ status: 2, stderr: expect.stringContaining('could not be read') });
});
