import { id, uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeBooks } from '../../src/adapters/postgres/usage.ts';
import { openUsageReport } from '../../src/adapters/postgres/usage-report.ts';
import type { MeteredCall } from '../../src/ledger/hold.ts';
import * as UsageReport from '../../src/ledger/usage-report.ts';
import * as Sluice from '../cli/sluice.ts';
import * as SqlFlaw from '../support/sql-flaw.ts';
import { unguarded } from '../support/unguarded.ts';
import type { Given } from './model-ledger-store.ts';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';
import { type OpenWriter, openWriter } from './open-writer.ts';

const hourMs = 3_600_000;
let real: OpenLedgerStore;
let process: OpenWriter;

beforeEach(async () => {
  real = await openLedgerStore();
  process = await openWriter(real.url, 'writer', Date.now);
});
afterEach(async () => {
  await process.end();
  await real.end();
});

type Kind = Pick<Given, 'kind' | 'amount'> & { asset?: Given['asset'] };

async function account(...lots: Kind[]): Promise<string> {
  const name = id('acc');
  for (const lot of lots)
    await real.grant({ account: name, asset: 'usd', plan: 'p', expiresMs: null, ...lot });
  return name;
}

async function call(
  name: string,
  outcome: Partial<MeteredCall> & { units: number },
  price = 1,
): Promise<string> {
  const callId = uuidv7(Date.now());
  const { units } = outcome;
  const request = { callId, account: name, plans: ['p'], price: ofMicro(price), units };
  const held = await process.writer.hold(request);
  if (held.kind !== 'held') throw new Error(held.kind);
  const whole = { status: 200, service: 'chat', operation: 'POST /chat', ...outcome };
  const settled = await process.writer.settle(held.hold, whole);
  if (settled.kind !== 'settled') throw new Error(settled.kind);
  return callId;
}

const small = (units: number, upstreamCost?: number) => ({
  units,
  quantities: { input: units * 2, output: 1 },
  priceKey: 'small-1',
  ...(upstreamCost !== undefined && { upstreamCost: ofMicro(upstreamCost) }),
});

/** Moves all calls but one to hours that have ended. */
async function age(lost: string): Promise<void> {
  await unguarded(real.sql, async (sql) => {
    await sql`UPDATE ledger.usage SET call_id = (left(ledger.uuid_at(ledger.time_of(call_id) - interval '3 hours')::text, 13) || substr(call_id::text, 14))::uuid
        WHERE call_id <> ${lost}`;
  });
}

const report = () => openUsageReport(real.sql).byModel(Date.now() - 24 * hourMs);

test('is revenue less upstream cost, by model and by service', async () => {
  const buyer = await account({ kind: 'credit', amount: 10_000 });
  await call(buyer, small(900, 700));
  await call(buyer, small(100, 50));
  await call(buyer, { ...small(500, 600), priceKey: 'large-1' });
  const models = await report();
  expect(models.map(({ model, margin }) => [model, margin])).toEqual([
    ['small-1', { calls: 2, unknownCalls: 0, revenue: 1_000, upstreamCost: 750 }],
    ['large-1', { calls: 1, unknownCalls: 0, revenue: 500, upstreamCost: 600 }],
  ]);
  expect(models.map(({ margin }) => UsageReport.marginOf(margin))).toEqual([250, -100]);
  expect(models.map(({ margin }) => UsageReport.marginPercent(margin))).toEqual([25, -20]);
  const [service, ...others] = UsageReport.byService(models);
  expect(others).toEqual([]);
  expect(service).toMatchObject({
    ...{ service: 'chat', calls: 3, units: 0, charged: 1_500, quantities: { input: 3_000, output: 3 } },
    margin: { calls: 3, unknownCalls: 0, revenue: 1_500, upstreamCost: 1_350 },
  });
});

test('is unknown for calls without an upstream cost, and never all of their revenue', async () => {
  const buyer = await account({ kind: 'credit', amount: 10_000 });
  await call(buyer, small(900, 700));
  await call(buyer, small(4_000));
  await call(buyer, { ...small(300), priceKey: 'large-1' });
  await call(buyer, { units: 2, service: 'plain' }, 100);
  const models = await report();
  expect(models.map(({ service, model, margin }) => [service, model, margin])).toEqual([
    ['chat', 'small-1', { calls: 1, unknownCalls: 1, revenue: 900, upstreamCost: 700 }],
    ['chat', 'large-1', { calls: 0, unknownCalls: 1, revenue: 0, upstreamCost: 0 }],
    ['plain', null, { calls: 0, unknownCalls: 1, revenue: 0, upstreamCost: 0 }],
  ]);
  expect(models.map(({ margin }) => UsageReport.marginOf(margin))).toEqual([200, null, null]);
});

test('counts granted credit as no revenue, and its upstream cost in full', async () => {
  await call(await account({ kind: 'grant', amount: 10_000 }), small(900, 700));
  const [model] = await report();
  expect(model).toMatchObject({ charged: 900, margin: { calls: 1, revenue: 0, upstreamCost: 700 } });
  expect(model && UsageReport.marginOf(model.margin)).toBe(-700);
});

test('counts a call that is drawn from paid and granted credit once, with the part that was paid', async () => {
  const both = await account({ kind: 'credit', amount: 400 }, { kind: 'grant', amount: 10_000 });
  await call(both, small(900, 700));
  const [model] = await report();
  expect(model).toMatchObject({
    ...{ calls: 1, charged: 900, quantities: { input: 1_800, output: 1 } },
    margin: { calls: 1, unknownCalls: 0, revenue: 400, upstreamCost: 700 },
  });
});

test('leaves out calls that included units of a plan paid for, in part or in full', async () => {
  const both = await account(
    { kind: 'allowance', asset: 'unit', amount: 5 },
    { kind: 'credit', amount: 10_000 },
  );
  const cost = { upstreamCost: ofMicro(30) };
  await call(both, { units: 3, ...cost }, 100);
  await call(both, { units: 4, ...cost }, 100);
  await call(both, { units: 1, ...cost }, 100);
  const [model] = await report();
  expect(model).toMatchObject({
    ...{ calls: 3, units: 8, included: 5, charged: 300 },
    margin: { calls: 1, unknownCalls: 2, revenue: 100, upstreamCost: 30 },
  });
});

test('loses the revenue of a call that was credited back, and keeps its upstream cost', async () => {
  const buyer = await account({ kind: 'credit', amount: 10_000 });
  const lost = await call(buyer, small(900, 700));
  await call(buyer, small(100, 50));
  await real.sql`SELECT ledger.credit_undelivered(ARRAY[${lost}]::uuid[])`;
  const [model] = await report();
  expect(model).toMatchObject({
    ...{ calls: 2, charged: 100, quantities: { input: 200, output: 1 } },
    margin: { calls: 2, revenue: 100, upstreamCost: 750 },
  });
});

test('is the same after its hours are summed up, and no hour adds micro-dollars to units', async () => {
  const buyer = await account({ kind: 'credit', amount: 20_000 }, { kind: 'grant', amount: 20_000 });
  const lost = await call(buyer, small(900, 700));
  await call(buyer, small(19_500));
  await call(buyer, small(300, 0));
  await call(buyer, { units: 7, service: 'plain' }, 100);
  await real.sql`SELECT ledger.credit_undelivered(ARRAY[${lost}]::uuid[])`;
  const live = await report();
  await age(lost);
  await closeBooks(real.sql);
  const [row] =
    await real.sql`SELECT sum(units)::int AS units, sum(calls)::int AS calls FROM ledger.usage_hour`;
  expect(row).toEqual({ units: 7, calls: 3 });
  expect(await report()).toEqual(live);
  await unguarded(real.sql, async (sql) => {
    await sql`DELETE FROM ledger.usage WHERE call_id <> ${lost}`;
  });
  expect(await report()).toEqual(live);
});

/** A change of a function, which must change the report. */
const flaws: [what: string, name: string, from: string, to: string][] = [
  [
    'takes a missing upstream cost for none',
    'ledger.usage_between',
    'u.upstream_cost IS NOT NULL AND ledger.is_paid',
    'ledger.is_paid',
  ],
  ['counts the revenue of unknown calls', 'ledger.usage_between', 'c.is_costed AND k.asset', 'k.asset'],
  [
    'counts the upstream cost of unknown calls',
    'ledger.usage_between',
    'CASE WHEN c.is_costed THEN u.upstream_cost ELSE 0 END',
    'coalesce(u.upstream_cost, 0)',
  ],
  ['takes grants for revenue', 'ledger.usage_between', "AND k.kind = 'credit' THEN", 'THEN'],
  [
    'adds micro-dollars to units',
    'ledger.usage_between',
    'CASE WHEN u.quantities IS NULL THEN u.units ELSE 0 END',
    'u.units',
  ],
  [
    'counts the rest of a call that units paid in part',
    'ledger.is_paid_in_money',
    "WHEN p_draw = 0 AND p_kind IS DISTINCT FROM 'trial' THEN",
    'WHEN true THEN',
  ],
  ['keeps the revenue of returned calls', 'ledger.usage_by_model', '-r.revenue, 0 FROM', '0, 0 FROM'],
  ['adds the quantities of returned calls', 'ledger.usage_by_model', 'r.quantities, -1', 'r.quantities, 1'],
  [
    'subtracts the micro-dollars of returned calls from units',
    'ledger.usage_by_model',
    'CASE WHEN u.quantities IS NULL THEN u.units ELSE 0 END AS units',
    'u.units',
  ],
  ['sums up the cost as revenue', 'ledger.sum_usage', 'sum(revenue)', 'sum(cost)'],
  ['sums up unknown calls as known', 'ledger.sum_usage', 'is_call AND is_costed', 'is_call'],
  [
    'sums up no quantities',
    'ledger.sum_usage',
    'SELECT s.*, m.quantities FROM',
    'SELECT s.*, NULL::jsonb FROM',
  ],
];

test('is wrong with any of its planted flaws', async () => {
  const buyer = await account({ kind: 'credit', amount: 2_000 }, { kind: 'grant', amount: 20_000 });
  const lost = await call(buyer, small(900, 700));
  await call(buyer, small(1_300, 500));
  await call(buyer, small(600));
  const subscriber = await account(
    { kind: 'allowance', asset: 'unit', amount: 5 },
    { kind: 'credit', amount: 10_000 },
  );
  await call(subscriber, { units: 7, service: 'plain', upstreamCost: ofMicro(30) }, 100);
  await real.sql`SELECT ledger.credit_undelivered(ARRAY[${lost}]::uuid[])`;
  await call(await account({ kind: 'credit', amount: 10_000 }), small(800));
  await age(lost);
  /** The report after the hours are summed up, with a flaw that is rolled back. */
  const flawed = async (flaw: string): Promise<string> => {
    const sql = await real.sql.reserve();
    try {
      await sql`BEGIN`;
      await sql.unsafe(flaw);
      await sql`SELECT ledger.sum_usage()`;
      return JSON.stringify(await sql`SELECT * FROM ledger.usage_by_model(now() - interval '1 day')`);
    } finally {
      await sql`ROLLBACK`;
      sql.release();
    }
  };
  const right = await flawed('SELECT 1');
  expect(await flawed('SELECT 1')).toBe(right);
  const missed = [];
  for (const [what, ...flaw] of flaws)
    if ((await flawed(SqlFlaw.replacing(...flaw))) === right) missed.push(what);
  expect(missed).toEqual([]);
});

test('is printed by sluice report, which says which calls it does not know', async () => {
  const buyer = await account({ kind: 'credit', amount: 10_000 });
  await call(buyer, small(900, 700));
  await call(buyer, small(4_000));
  await call(buyer, { units: 2, service: 'plain' }, 100);
  const { code, out } = await Sluice.here(['report', '--days', '2'], { DATABASE_URL: real.url });
  expect(code).toBe(0);
  expect(out.split('\n').slice(1)).toEqual([
    'chat: 2 calls, 9800 input, 2 output, charged 0.0049; revenue 0.0009 - upstream 0.0007 = margin 0.0002 (22.2%), unknown for 1 calls',
    '  small-1: 2 calls, 9800 input, 2 output, charged 0.0049; revenue 0.0009 - upstream 0.0007 = margin 0.0002 (22.2%), unknown for 1 calls',
    'plain: 1 calls, 2 units, charged 0.0002; margin unknown',
    '',
  ]);
  const json = JSON.parse((await Sluice.here(['report', '--json'], { DATABASE_URL: real.url })).out);
  expect(json.models.map((one: { model: string }) => one.model)).toEqual(['small-1', null]);
  expect((await Sluice.here(['report', '--days', '0'], { DATABASE_URL: real.url })).code).toBe(2);
});
