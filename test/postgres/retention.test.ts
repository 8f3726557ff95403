import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import * as Retention from '../../src/adapters/postgres/retention.ts';
import * as AbuseSettings from '../../src/process/abuse-settings.ts';
import * as Database from '../support/database.ts';

let database: Database.Database;
let sql: Connection.Connection;

beforeAll(async () => {
  database = await Database.createMigrated();
  sql = Connection.openConnection(database.url, 2);
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

/** The tables of docs/privacy.md, with what their rows say about the end of the data. */
const documented = readFileSync('docs/privacy.md', 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, , where = '', until = ''] = line.split('|');
    return [...where.matchAll(/`((?:shop|ledger)\.\w+)`/g)].map(([, table = '']) => ({ table, until }));
  });

/** The words of the page for a number of hours or a setting. */
function words({ keeps }: Retention.Rule): string {
  if (typeof keeps !== 'number')
    return {
      cardAttemptsHours: '`CARD_DECLINE_STOP_HOURS`',
      cardChargesHours: '`CARD_CHARGES_KEEP_DAYS`',
      webhookEventsHours: '`WEBHOOK_EVENTS_KEEP_DAYS`',
      trialProofsHours: '`TRIAL_PROOFS_KEEP_DAYS`',
      accountEventsHours: '`ACCOUNT_EVENTS_KEEP_DAYS`',
      sellerEventsHours: '`EVENTS_KEEP_DAYS`',
    }[keeps];
  if (keeps === 0) return 'expire';
  return keeps === 24 ? 'a day' : keeps % 24 === 0 ? `${keeps / 24} days` : `${keeps} hours`;
}

test('docs/privacy.md says of each table that is cleaned up how long its rows are kept', () => {
  for (const rule of Retention.rules) {
    const said = documented.filter(({ table }) => table === rule.table).map(({ until }) => until);
    expect(said.join(' '), rule.table).toContain(words(rule));
  }
});

test('each table with a time limit in docs/privacy.md is cleaned up', () => {
  const cleaned = new Set([
    ...Retention.rules.map(({ table }) => table),
    'ledger.stored_response',
    'shop.purchase',
  ]);
  const limited = documented.filter(({ until }) => /\d+ (days|hours)|a day|_DAYS|_HOURS|expire/.test(until));
  expect(limited.length).toBeGreaterThan(15);
  expect(limited.filter(({ table }) => !cleaned.has(table))).toEqual([]);
});

test('the defaults of the settings are those of the maintenance', () => {
  const read = (name: keyof typeof AbuseSettings.abuseSettings) =>
    Number(AbuseSettings.abuseSettings[name].default);
  expect(AbuseSettings.readRetention(read)).toEqual(Retention.usual);
});

test('what has ended is deleted in bounded steps, and what has not is kept', async () => {
  await sql`INSERT INTO shop.card_attempt (attempt, subject, declined, at)
    SELECT 'old ' || n, 'account:acc_1', true, now() - interval '3 hours' FROM generate_series(1, 12000) n`;
  await sql`INSERT INTO shop.card_attempt (attempt, subject, declined) VALUES ('young', 'account:acc_1', true)`;
  await sql`INSERT INTO shop.charge (id, payment, succeeded, at) VALUES ('ch_paid', 'pi_1', true, '2020-01-01'),
    ('ch_declined', 'pi_2', false, '2020-01-01'), ('ch_young', 'pi_3', false, now())`;
  await sql`INSERT INTO shop.trial_proof (kind, digest, at) VALUES ('email', 'old', '2020-01-01'), ('email', 'young', now() - interval '31 days'),
    ('address', 'month', now() - interval '31 days'), ('address', 'week', now() - interval '7 days')`;
  await sql`INSERT INTO shop.processor_event (id, type, received_at, done_at) VALUES ('evt_old', 't', '2020-01-01', '2020-01-01'), ('evt_open', 't', '2020-01-01', NULL)`;
  await Retention.sweep(sql, { ...Retention.usual, cardAttemptsHours: 2 });
  const keys = async (table: string, key: string) =>
    (await sql.unsafe(`SELECT ${key} AS key FROM ${table} ORDER BY 1`)).map((row) => row.key);
  expect(await keys('shop.card_attempt', 'attempt')).toEqual(['young']);
  expect(await keys('shop.charge', 'id')).toEqual(['ch_paid', 'ch_young']);
  expect(await keys('shop.trial_proof', 'digest')).toEqual(['week', 'young']);
  expect(await keys('shop.processor_event', 'id')).toEqual(['evt_open']);
});
