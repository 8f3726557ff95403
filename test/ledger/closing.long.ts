import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { id, uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folder } from '../../src/adapters/archive/folder.ts';
import { closeBooks } from '../../src/adapters/postgres/usage.ts';
import { openUsageClosings } from '../../src/adapters/postgres/usage-closings.ts';
import { readAccountUsage } from '../../src/adapters/postgres/usage-export.ts';
import * as KeyRing from '../../src/identity/key-ring.ts';
import * as SigningKey from '../../src/identity/signing-key.ts';
import * as CloseUsage from '../../src/journeys/close-usage.ts';
import * as VerifyClosings from '../../src/journeys/verify-closings.ts';
import type { MeteredCall } from '../../src/ledger/hold.ts';
import type { ArchiveStore } from '../../src/ledger/usage-archive.ts';
import type { ExportRow } from '../../src/payment/event-export.ts';
import * as Sluice from '../cli/sluice.ts';
import * as SqlFlaw from '../support/sql-flaw.ts';
import { unguarded } from '../support/unguarded.ts';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';
import { type OpenWriter, openWriter } from './open-writer.ts';

const dayMs = 86_400_000;
const dayOf = (ago: number) => new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10);
const [first, second, third] = [dayOf(12), dayOf(11), dayOf(10)];

let real: OpenLedgerStore;
let writer: OpenWriter;
let dir: string;
let context: CloseUsage.ClosingContext;
let buyer: string;

beforeEach(async () => {
  real = await openLedgerStore();
  writer = await openWriter(real.url, 'writer', Date.now);
  dir = await mkdtemp(join(tmpdir(), 'closing-'));
  const key = await SigningKey.load(await SigningKey.generate(0));
  const ring = KeyRing.keyRing('https://shop.example', [key]);
  context = { closings: openUsageClosings(real.sql), archive: folder(dir), ring, clock: Date.now };
  await fill();
});
afterEach(async () => {
  await writer.end();
  await real.end();
  await rm(dir, { recursive: true, force: true });
});

async function call(
  account: string,
  ago: number | null,
  outcome: Partial<MeteredCall> & { units: number },
  price = 1,
  key: string | null = null,
) {
  const callId = uuidv7(Date.now());
  const moneyOnly = outcome.quantities !== undefined;
  const held = await writer.writer.hold({
    ...(moneyOnly && { moneyOnly }),
    callId,
    account,
    plans: ['p'],
    price: ofMicro(price),
    units: outcome.units,
    key: key === null ? null : { id: key, capped: false },
  });
  if (held.kind !== 'held') throw new Error(held.kind);
  const settled = await writer.writer.settle(held.hold, {
    status: 200,
    service: 'chat',
    operation: 'POST /chat',
    ...outcome,
  });
  if (settled.kind !== 'settled') throw new Error(settled.kind);
  return ago === null ? callId : move(callId, ago);
}

/** Moves a call to an earlier day, as if it had been made then. Returns its id. A free call is written after its response. */
async function move(callId: string, ago: number): Promise<string> {
  await expect.poll(() => real.sql`SELECT 1 FROM ledger.usage WHERE call_id = ${callId}`).not.toHaveLength(0);
  const [row] = await real.sql<[{ id: string }]>`
    SELECT (left(ledger.uuid_at(ledger.time_of(${callId}) - make_interval(days => ${ago}))::text, 13) || substr(${callId}::text, 14))::uuid AS id`;
  await unguarded(
    real.sql,
    (sql) => sql`UPDATE ledger.usage SET call_id = ${row.id} WHERE call_id = ${callId}`,
  );
  return row.id;
}

/** Fills three old days: units and money, metered calls, calls over two lots, free ones, and ones that were credited back. The second has no partition. */
async function fill(): Promise<void> {
  for (const day of [first, third])
    await real.sql.unsafe(`DO $$ BEGIN EXECUTE format('CREATE TABLE ledger.usage_${day.replaceAll('-', '')} PARTITION OF ledger.usage FOR VALUES FROM (%L) TO (%L)',
      ledger.uuid_at('${day}Z'), ledger.uuid_at('${day}Z'::timestamptz + interval '1 day')); END $$`);
  buyer = id('acc');
  await real.sql`SELECT shop.register(${buyer}, 'p', 25)`;
  await real.sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at) VALUES ('o1', ${buyer}, 'p', 500000, now() + '1 hour')`;
  await real.sql`SELECT shop.grant_purchase('o1', 'pi_1', ${buyer})`;
  const metered = { quantities: { input: 7, output: 3 }, priceKey: 'small-1', upstreamCost: ofMicro(400) };
  const returned: string[] = [];
  for (const ago of [12, 11, 10]) {
    await call(buyer, ago, { units: 10 }, 1_000);
    if (ago === 12) returned.push(await call(buyer, ago, { units: 3 }, 1_000));
    await call(buyer, ago, { units: 900, ...metered });
    await call(buyer, ago, { units: 0, service: 'plain' });
    returned.push(await call(buyer, ago, { units: 800, ...metered }));
  }
  await real.sql`SELECT ledger.credit_undelivered(${returned}::uuid[])`;
  await forgetBatches();
  await call(buyer, null, { units: 4 }, 1_000);
  await closeBooks(real.sql);
}

/** Ends the writer, removes its batches as an hour later, and opens it again. */
async function forgetBatches(): Promise<void> {
  await writer.writer.drain();
  await writer.end();
  writer = await openWriter(real.url, 'writer', Date.now);
  await unguarded(real.sql, (sql) => sql`UPDATE ledger.batch SET at = at - interval '2 hours'`);
  await real.sql`SELECT ledger.prune('1 hour', 1000)`;
}

const state = () => stateOf(real.sql);

/** Returns everything that must not change when a day is closed. */
async function stateOf(sql: OpenLedgerStore['sql']): Promise<unknown> {
  const groups = ['service', 'operation', 'plan', 'key', 'model', 'day'];
  const usage = groups.map(
    (group) =>
      sql`SELECT * FROM ledger.account_usage_by(${buyer}, ${new Date(`${first}Z`)}, now() + interval '1 day', ${group}, NULL, NULL, NULL)`,
  );
  const [exported, verify, totals, models, ...sums] = await Promise.all([
    sql`SELECT d.day, u.* FROM unnest(${[first, second, third]}::date[]) d (day), ledger.account_day(d.day) u
      ORDER BY 1, u.account_id, u.service, u.operation, u.plan_id, u.key_id, u.price_key`,
    sql`SELECT * FROM ledger.verify()`,
    sql`SELECT * FROM ledger.totals()`,
    sql`SELECT * FROM ledger.usage_by_model(${new Date(`${first}Z`)})`,
    ...usage,
  ]);
  return JSON.parse(JSON.stringify({ exported, verify, totals, models, sums }));
}

/** Exports the usage of accounts from a day on: the rows, and the cursor. */
async function exportFrom(sql: OpenLedgerStore['sql'], day: string) {
  const { pages, cursor } = await readAccountUsage(sql, Date.parse(day));
  const rows: ExportRow[] = [];
  for await (const page of pages) rows.push(...page);
  return { rows, cursor };
}

const close = (day: string) => CloseUsage.closeDay(context, day);
const faults = async () => {
  const days = await context.closings.days();
  const breaches = await real.sql<VerifyClosings.ClosingFault[]>`SELECT * FROM ledger.verify()`;
  return [
    ...breaches,
    ...(await VerifyClosings.verifyRecords(days)),
    ...(await VerifyClosings.verifyArchives(context.archive, days)),
  ];
};

test('leaves balances, sums and reports as they were, and archives every row', async () => {
  const before = await state();
  expect(before).toMatchObject({ verify: [] });
  const rows = await real.sql<
    { line: string }[]
  >`SELECT line FROM ledger.usage_lines(${first}::date) ORDER BY call_id, draw`;
  for (const day of [first, second, third]) {
    expect(await close(day)).toMatchObject({ kind: 'closed', day: { day, calls: day === first ? 5 : 4 } });
    expect(await state()).toEqual(before);
  }
  expect(await faults()).toEqual([]);
  const [{ archive } = { archive: '' }] = await context.closings.days();
  const text = zstdDecompressSync(await readFile(join(dir, archive))).toString();
  expect(text.trimEnd().split('\n')).toEqual(rows.map(({ line }) => line));
  expect(await real.sql`SELECT DISTINCT call_id FROM ledger.usage`).toHaveLength(1);
});

test('the exported usage of an account is what its books say was spent, over refunds, returned calls, days and closings', async () => {
  const reversal = {
    id: 're_1',
    kind: 'refund',
    amount: 100_000,
    tax: 0,
    status: 'succeeded',
    is_effective: true,
  };
  await real.sql`SELECT shop.apply_reversals('o1', 1, ${real.sql.json([reversal])})`;
  const other = id('acc');
  await real.sql`SELECT shop.register(${other}, 'p', 50)`;
  await call(other, 12, { units: 5, operation: 'GET /a' }, 1, 'key_1');
  await call(other, 10, { units: 6, operation: 'GET /a' }, 1, 'key_2');
  await forgetBatches();
  await closeBooks(real.sql);
  const spent = (rows: readonly ExportRow[], account: string) => ({
    usd: sum(rows.filter((row) => row.account === account).map((row) => Number(row.cost_micro_usd))),
    unit: sum(rows.filter((row) => row.account === account).map((row) => Number(row.included))),
  });
  const parts: string[] = [];
  for (const day of [null, first, second, third]) {
    if (day !== null) await close(day);
    // Two runs, the second of which continues at the cursor of the first.
    const { rows, cursor } = await exportFrom(real.sql, '2000-01-01');
    expect(cursor).toBe(dayOf(2));
    expect(await exportFrom(real.sql, cursor ?? '')).toEqual({ rows: [], cursor });
    const later = rows.filter((row) => String(row.day) >= second);
    expect((await exportFrom(real.sql, second)).rows).toEqual(later);
    for (const account of [buyer, other]) expect(spent(rows, account)).toEqual(await booked(account));
    expect(sum(rows.filter((row) => row.account === other).map((row) => Number(row.calls)))).toBe(2);
    expect(
      new Set(rows.filter((row) => row.account === other).map((row) => `${row.key} ${row.operation}`)).size,
    ).toBe(2);
    parts.push(JSON.stringify(rows));
  }
  expect(new Set(parts).size).toBe(1);
});

test('a day that is closed while it is exported is exported whole', async () => {
  const before = (await exportFrom(real.sql, first)).rows;
  const { pages } = await readAccountUsage(real.sql, Date.parse(first));
  const rows: ExportRow[] = [];
  let closing: ReturnType<typeof close> | null = null;
  for await (const page of pages) {
    closing ??= close(first);
    rows.push(...page);
  }
  expect(rows).toEqual(before);
  expect(await closing).toMatchObject({ kind: 'closed' });
  expect((await exportFrom(real.sql, first)).rows).toEqual(before);
});

const sum = (list: readonly number[]) => list.reduce((total, one) => total + one, 0);

/** The sum that an account has spent by its lots, until the days that are not final: grants, less reversals and the rest. */
async function booked(account: string): Promise<{ usd: number; unit: number }> {
  const rows = await real.sql<{ asset: 'usd' | 'unit'; amount: number }[]>`SELECT k.asset,
      (sum((SELECT coalesce(sum(p.amount), 0) FROM ledger.posting p WHERE p.account_id = k.account_id AND p.lot_id = k.id AND p.kind <> 'undelivered'))
        - sum(k.avail) - sum((SELECT coalesce(sum(l.amount), 0) FROM ledger.lease l WHERE l.account_id = k.account_id AND l.lot_id = k.id))
        - sum((SELECT coalesce(sum(u.amount), 0) FROM ledger.usage u WHERE u.account_id = k.account_id AND u.lot_id = k.id
            AND u.call_id >= ledger.uuid_at(now() - interval '1 day'))))::bigint AS amount
    FROM ledger.lot k WHERE k.account_id = ${account} AND k.kind <> 'budget' GROUP BY 1`;
  const of = (asset: string) => rows.find((row) => row.asset === asset)?.amount ?? 0;
  return { usd: of('usd'), unit: of('unit') };
}

test('happens once, also in two processes at the same time', async () => {
  const results = await Promise.allSettled([close(first), close(first)]);
  const kinds = results.map((result) =>
    result.status === 'fulfilled' ? result.value.kind : String(result.reason),
  );
  expect(kinds.toSorted()).toEqual(['closed', 'done']);
  expect(await close(first)).toEqual({ kind: 'done' });
  expect(await faults()).toEqual([]);
});

test('is refused out of order, for young days, while a job is open, and while hours are not summed up', async () => {
  expect(await close(second)).toEqual({ kind: 'open', reason: `days are closed in order: ${first} is next` });
  await real.sql`INSERT INTO ledger.job (call_id, account_id, operation, id, expires_at) SELECT call_id, account_id, operation, 'j', now() + interval '1 day'
    FROM ledger.usage ORDER BY call_id LIMIT 1`;
  expect(await close(first)).toEqual({
    kind: 'open',
    reason: `a job that began on or before ${first} is still open`,
  });
  await real.sql`DELETE FROM ledger.job`;
  for (const day of [first, second, third]) await close(day);
  const today = dayOf(0);
  expect(await close(today)).toMatchObject({
    kind: 'open',
    reason: expect.stringContaining('two days after its end'),
  });
});

/** An archive that stores something else than it was given. */
function lying(change: (lines: string[]) => string[]): ArchiveStore {
  return {
    place: dir,
    async put(name, path) {
      const lines = zstdDecompressSync(await readFile(path))
        .toString()
        .trimEnd()
        .split('\n');
      await writeFile(join(dir, name), zstdCompressSync(`${change(lines).join('\n')}\n`));
    },
    get: async (name) => createReadStream(join(dir, name)),
  };
}

test('removes nothing unless the archive holds every row', async () => {
  const before = await state();
  const loses = lying((lines) => lines.slice(1));
  await expect(CloseUsage.closeDay({ ...context, archive: loses }, first)).rejects.toThrow(
    'does not hold the usage of',
  );
  const fails: ArchiveStore = { ...context.archive, put: () => Promise.reject(new Error('disk full')) };
  await expect(CloseUsage.closeDay({ ...context, archive: fails }, first)).rejects.toThrow('disk full');
  const forgets: ArchiveStore = { ...context.archive, get: async () => null };
  await expect(CloseUsage.closeDay({ ...context, archive: forgets }, first)).rejects.toThrow('is not in');
  expect(await state()).toEqual(before);
  expect(await context.closings.days()).toEqual([]);
});

test('never replaces an archive, even if the usage disappears while it is read', async () => {
  const { closings } = context;
  const lines = async function* (day: string) {
    await close(day);
    yield* closings.lines(day);
  };
  expect(await CloseUsage.closeDay({ ...context, closings: { ...closings, lines } }, first)).toEqual({
    kind: 'done',
  });
  expect(await faults()).toEqual([]);
});

test('removes nothing when a row changes between the archive and the end', async () => {
  const { archive } = context;
  const put: ArchiveStore['put'] = async (name, path) => {
    await archive.put(name, path);
    await unguarded(
      real.sql,
      (sql) =>
        sql`UPDATE ledger.usage SET status = 201 WHERE call_id < ledger.uuid_at(${new Date(`${second}Z`)})`,
    );
  };
  await expect(CloseUsage.closeDay({ ...context, archive: { ...archive, put } }, first)).rejects.toThrow(
    'is not equal to',
  );
  expect(await real.sql`SELECT 1 FROM ledger.usage WHERE status = 201`).not.toHaveLength(0);
});

test('waits for a report without holding up calls', async () => {
  const reader = await real.sql.reserve();
  await reader`BEGIN`;
  await reader`SELECT count(*) FROM ledger.usage`;
  const closing = close(first);
  // The closing waits for the reader. Calls made meanwhile end.
  for (let made = 0; made < 5; made++) await call(buyer, null, { units: 1 });
  expect(await real.sql`SELECT 1 FROM ledger.closed_day`).toEqual([]);
  await reader`COMMIT`;
  reader.release();
  expect((await closing).kind).toBe('closed');
  expect(await faults()).toEqual([]);
});

test('every change of an archive, a sum or a record is found', async () => {
  for (const day of [first, second, third]) await close(day);
  const [{ archive } = { archive: '' }] = await context.closings.days();
  const path = join(dir, archive);
  const whole = await readFile(path);
  const lines = zstdDecompressSync(whole).toString().trimEnd().split('\n');
  const changed = (lines[0] as string).replace('"units":10', '"units":11');
  const archives: Record<string, string[]> = {
    changed: [changed, ...lines.slice(1)],
    missing: lines.slice(1),
    repeated: [lines[0] as string, ...lines],
    swapped: [lines[1] as string, lines[0] as string, ...lines.slice(2)],
  };
  for (const [what, content] of Object.entries(archives)) {
    await writeFile(path, zstdCompressSync(`${content.join('\n')}\n`));
    expect([what, (await faults()).length]).toEqual([what, 1]);
  }
  await writeFile(path, whole.subarray(0, whole.length / 2));
  expect(await faults()).toMatchObject([{ detail: expect.stringContaining('cannot be read') }]);
  await rm(path);
  expect(await faults()).toMatchObject([{ detail: `is not in ${dir}` }]);
  await writeFile(path, whole);
  const changes = [
    'UPDATE ledger.closing SET amount = amount + 1 WHERE (day, lot_id) = (SELECT day, lot_id FROM ledger.closing LIMIT 1)',
    'UPDATE ledger.closed_usage SET calls = calls + 1',
    `DELETE FROM ledger.closing WHERE day = '${second}'`,
    `DELETE FROM ledger.closed_day WHERE day = '${second}'`,
    `UPDATE ledger.closed_day SET calls = calls + 1 WHERE day = '${third}'`,
    `UPDATE ledger.closed_day SET record = replace(record, '.', '.A') WHERE day = '${third}'`,
    `INSERT INTO ledger.usage SELECT ledger.uuid_at('${second}T12:00Z'), 0, status, account_id, NULL, 0, 0, 0, NULL, service, operation, NULL, NULL, NULL, NULL, writer_id, epoch, seq
      FROM ledger.usage LIMIT 1`,
    `INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount) SELECT 'undelivered:' || ledger.uuid_at('${first}T12:00Z') || ':0', account_id, lot_id, 'undelivered', 'revenue', 1
      FROM ledger.closing LIMIT 1; UPDATE ledger.lot SET avail = avail + 1 WHERE id = (SELECT lot_id FROM ledger.closing LIMIT 1)`,
  ];
  const missed: string[] = [];
  for (const change of changes) {
    const found = await withRolledBack(change);
    if (found === 0) missed.push(change);
  }
  expect(missed).toEqual([]);
  expect(await faults()).toEqual([]);
});

/** Returns the number of faults after a change that is rolled back. */
async function withRolledBack(change: string): Promise<number> {
  const sql = await real.sql.reserve();
  try {
    await sql`BEGIN`;
    await sql`SET LOCAL session_replication_role = replica`;
    await sql.unsafe(change);
    const breaches = await sql`SELECT * FROM ledger.verify()`;
    return breaches.length + (await VerifyClosings.verifyRecords(await openUsageClosings(sql).days())).length;
  } finally {
    await sql`ROLLBACK`;
    sql.release();
  }
}

const flaws: [string, string, string, string][] = [
  ['forgets what was credited back', 'ledger.day_by_lot', 'coalesce(sum(p.amount), 0)::bigint', '0::bigint'],
  ['sums free rows only', 'ledger.day_by_lot', 'u.amount > 0', 'u.amount = 1'],
  [
    'counts returned units',
    'ledger.day_by_account',
    'WHERE NOT is_returned AND quantities IS NULL',
    'WHERE quantities IS NULL',
  ],
  [
    'charges returned calls',
    'ledger.day_by_account',
    "WHERE NOT is_returned AND asset = 'usd'",
    "WHERE asset = 'usd'",
  ],
  [
    'adds quantities of returned calls',
    'ledger.day_by_account',
    'u.quantities IS NOT NULL AND NOT u.is_returned',
    'u.quantities IS NOT NULL',
  ],
  [
    'counts a call for each of its lots',
    'ledger.day_by_account',
    'count(*) FILTER (WHERE draw = 0)',
    'count(*)',
  ],
  ['exports open days only', 'ledger.account_day', 'WHERE c.day = p_day', 'WHERE false'],
  ['keeps hours gross', 'ledger.close_day', 'PERFORM ledger.net_hours(p_day);', ''],
  [
    'keeps revenue of returned calls',
    'ledger.net_hours',
    'revenue = h.revenue - s.revenue',
    'revenue = h.revenue',
  ],
  ['keeps the rows', 'ledger.close_day', "EXECUTE format('DROP TABLE ledger.%I', v_name)", 'NULL'],
  [
    'keeps rows without a partition',
    'ledger.close_day',
    'DELETE FROM ledger.usage_other o WHERE o.call_id >= v_from AND o.call_id < v_to',
    'NULL',
  ],
];

test('every flaw planted in the functions is found', async () => {
  const before = JSON.stringify(await state());
  const missed: string[] = [];
  for (const [what, ...flaw] of flaws) {
    const sql = await real.sql.reserve();
    try {
      await sql`BEGIN`;
      await sql.unsafe(SqlFlaw.replacing(...flaw));
      const flawed = { ...context, closings: openUsageClosings(sql) };
      const isFound = await CloseUsage.closeDay(flawed, first)
        .then(() => CloseUsage.closeDay(flawed, second))
        .then(() => CloseUsage.closeDay(flawed, third))
        .then(
          async () => JSON.stringify(await stateOf(sql)) !== before,
          () => true,
        );
      if (!isFound) missed.push(what);
    } finally {
      await sql`ROLLBACK`;
      sql.release();
    }
  }
  expect(missed).toEqual([]);
});

test('the command closes, lists and verifies, and ledger verify reads the records', async () => {
  const stored = await SigningKey.generate(0);
  await real.sql`INSERT INTO shop.signing_key (kid, private_jwk, created_at) VALUES (${stored.kid}, ${real.sql.json({ ...stored.jwk })}, to_timestamp(0))`;
  const env = { DATABASE_URL: real.url, USAGE_ARCHIVE: dir };
  expect(await Sluice.here(['usage', 'close', third], env)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`${first} is next`),
  });
  expect(await Sluice.here(['usage', 'close'], env)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${first}  5 calls`),
  });
  const rest = await Sluice.here(['usage', 'close', '--keep-days', '5'], env);
  expect(rest.out.trimEnd().split('\n')).toHaveLength(2);
  expect((await Sluice.here(['usage', 'list'], env)).out).toContain(third);
  expect(await Sluice.here(['usage', 'verify'], env)).toMatchObject({
    code: 0,
    out: expect.stringContaining('3 archives'),
  });
  expect(await Sluice.here(['ledger', 'verify'], env)).toMatchObject({
    code: 0,
    out: expect.stringContaining('14 calls'),
  });
  await unguarded(real.sql, (sql) => sql`UPDATE ledger.closed_day SET calls = 6 WHERE day = ${second}`);
  expect(await Sluice.here(['ledger', 'verify'], env)).toMatchObject({
    code: 1,
    out: expect.stringContaining('the record states something else'),
  });
});
