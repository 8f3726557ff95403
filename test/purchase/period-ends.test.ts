import { id } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import { openOrders } from '../../src/adapters/postgres/orders.ts';
import { openRevenueReport } from '../../src/adapters/postgres/revenue-report.ts';
import { ownAccount } from '../../src/payment/order.ts';
import { createMigrated } from '../support/database.ts';

/** Zones on both sides of the date line, and with a change of time in either half of the year. */
const zones = ['UTC', 'America/New_York', 'Europe/Berlin', 'Australia/Sydney', 'Pacific/Kiritimati'];

let database: Awaited<ReturnType<typeof createMigrated>>;
const sessions = new Map<string, postgres.Sql>();
beforeAll(async () => {
  database = await createMigrated();
  for (const zone of zones)
    sessions.set(
      zone,
      postgres(database.url, { max: 1, onnotice: () => {}, connection: { TimeZone: zone } }),
    );
});
afterAll(async () => {
  for (const sql of sessions.values()) await sql.end();
  await database.drop();
});

const inZone = (zone: string) => sessions.get(zone) as postgres.Sql;

/** Adds months to a date: the same day and time in UTC, or the last day of a month that is too short. */
function monthsAfter(anchor: Date, months: number): Date {
  const end = new Date(anchor);
  end.setUTCDate(1);
  end.setUTCMonth(anchor.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  end.setUTCDate(Math.min(anchor.getUTCDate(), lastDay));
  return end;
}

const anchors = [
  '2028-01-31T02:00:00Z',
  '2027-01-29T23:30:00Z',
  '2028-02-29T00:00:00Z',
  '2027-03-14T07:30:00Z',
  '2027-10-31T00:30:00Z',
  '2027-12-31T23:59:59Z',
  '2027-08-30T12:00:00Z',
];

describe.each(zones)('in a session of %s', (zone) => {
  test.each(anchors)('periods from %s keep its day, and lend it to no short month', async (text) => {
    const anchor = new Date(text);
    for (const [every, step] of [
      ['month', 1],
      ['year', 12],
    ] as const) {
      let start = anchor;
      for (let months = step; months <= 26 * step; months += step) {
        const [row] = await inZone(zone)`SELECT shop.period_end(${anchor}, ${start}, ${every}) AS end`;
        expect(row?.end).toEqual(monthsAfter(anchor, months));
        start = row?.end;
      }
    }
  });

  test('three prepaid months from 31 January end on 28 February, 31 March and 30 April', async () => {
    const sql = inZone(zone);
    const account = id('acc');
    await sql`SELECT shop.register(${account}, 'trial', 0)`;
    const first = await bought(sql, account);
    const anchor = new Date('2031-01-31T02:00:00Z');
    await sql`UPDATE shop.subscription SET period_start = ${anchor}, anchor = ${anchor}, period_end = shop.period_end(${anchor}, ${anchor}, 'month')
      WHERE id = ${`sub_${first}`}`;
    const ends = [await endOf(sql, await bought(sql, account)), await endOf(sql, await bought(sql, account))];
    expect(ends).toEqual([new Date('2031-03-31T02:00:00Z'), new Date('2031-04-30T02:00:00Z')]);
  });

  test('units that roll over live on for one period more, counted from the same day', async () => {
    const sql = inZone(zone);
    const account = id('acc');
    await sql`SELECT shop.register(${account}, 'trial', 0)`;
    const order = await bought(sql, account, true);
    const [start, end] = [new Date('2031-02-28T02:00:00Z'), new Date('2031-03-31T02:00:00Z')];
    await sql`UPDATE shop.subscription SET anchor = ${new Date('2031-01-31T02:00:00Z')} WHERE id = ${`sub_${order}`}`;
    await sql`UPDATE shop.purchase SET period_start = ${start}, period_end = ${end} WHERE id = ${order}`;
    await sql`SELECT shop.update_allowance_ends(${`sub_${order}`})`;
    const [lot] = await sql`SELECT expires_at FROM ledger.lot WHERE account_id = ${account}`;
    expect(lot?.expires_at).toEqual(new Date('2031-04-30T02:00:00Z'));
  });

  test('days of grace are days of UTC, over a change of time too', async () => {
    const sql = inZone(zone);
    const account = id('acc');
    await sql`SELECT shop.register(${account}, 'trial', 0)`;
    const order = await bought(sql, account);
    await sql`UPDATE shop.purchase SET period_end = '2031-03-08T12:00:00Z', terms = terms || '{"graceDays":3}' WHERE id = ${order}`;
    await sql`UPDATE shop.subscription SET processor_id = ${order} WHERE id = ${`sub_${order}`}`;
    await sql`SELECT shop.update_allowance_ends(${`sub_${order}`})`;
    const [lot] = await sql`SELECT expires_at FROM ledger.lot WHERE account_id = ${account}`;
    expect(lot?.expires_at).toEqual(new Date('2031-03-11T12:00:00Z'));
    await sql`UPDATE shop.subscription SET status = 'past_due' WHERE id = ${`sub_${order}`}`;
    const own = Connection.openConnection(database.url, 1);
    const unpaid = await openRevenueReport(own).pastDue(50);
    await own.end();
    expect(unpaid.find((one) => one.account === account)?.accessUntilMs).toBe(Date.UTC(2031, 2, 11, 12));
  });
});

test('every connection of the shop is in UTC, whatever the database is set to', async () => {
  const sql = Connection.openConnection(database.url, 1);
  await sql.unsafe(
    `ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET timezone TO 'America/New_York'`,
  );
  const fresh = Connection.openConnection(database.url, 1);
  const [row] = await fresh`SHOW TimeZone`;
  expect(row).toEqual({ TimeZone: 'UTC' });
  await sql.end();
  await fresh.end();
});

test('two periods that are bought at once follow one another', async () => {
  const sql = inZone('UTC');
  const account = id('acc');
  await sql`SELECT shop.register(${account}, 'trial', 0)`;
  const bookings = zones.map((zone) => bought(inZone(zone), account));
  const orders = await Promise.all(bookings);
  const rows =
    await sql`SELECT period_start, period_end FROM shop.purchase WHERE id = ANY (${orders}) ORDER BY period_start`;
  for (const [at, row] of rows.entries())
    if (at > 0) expect(row.period_start).toEqual(rows[at - 1]?.period_end);
});

/** Pays for a prepaid month. Returns its order. */
async function bought(sql: postgres.Sql, account: string, rollover = false): Promise<string> {
  const order = id('pur');
  const price = Money.ofCents(1_000);
  await openOrders(sql as unknown as Connection.Connection, 'nobody').offer({
    id: order,
    account,
    plan: 'small',
    amount: price,
    period: { units: 100, terms: { every: 'month', price, units: 100, rollover, graceDays: 0 } },
    rail: 'card',
    returnUrl: null,
    expiresMs: Date.now() + 60_000,
  });
  await sql`SELECT shop.grant_purchase(${order}, ${`pi_${order}`}, ${ownAccount({ id: order })})`;
  return order;
}

async function endOf(sql: postgres.Sql, order: string): Promise<Date> {
  const [row] = await sql<[{ period_end: Date }]>`SELECT period_end FROM shop.purchase WHERE id = ${order}`;
  return row.period_end;
}
