import { id, uuidv7 } from '@sluice/kernel/id';
import { type Money, ofMicro, zero } from '@sluice/kernel/money';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openUsage } from '../../src/adapters/postgres/usage.ts';
import type { Hold, MeteredCall, Settlement } from '../../src/ledger/hold.ts';
import type { Batch, LedgerStore } from '../../src/ledger/ledger-store.ts';
import { unguarded } from '../support/unguarded.ts';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';
import { type OpenWriter, openWriter } from './open-writer.ts';

let real: OpenLedgerStore;
const writers: OpenWriter[] = [];
const nowMs = Date.now();

beforeAll(async () => {
  real = await openLedgerStore();
});
afterEach(async () => {
  for (const { end } of writers.splice(0)) await end();
});
afterAll(() => real.end());

/** The faults of single calls, without those of test accounts that exist only as names. */
async function faults(): Promise<string[]> {
  const rows = await real.sql<{ rule: string }[]>`SELECT rule FROM ledger.verify_calls()`;
  return [...new Set([...rows.map(({ rule }) => rule), ...(await real.prove())])];
}

/** Opens a writer and an account with dollars in as many lots as there are amounts. */
async function open(
  amounts: readonly number[] = [1_000_000],
  meddle?: (books: LedgerStore) => LedgerStore,
): Promise<{ process: OpenWriter; account: string }> {
  const process = await openWriter(real.url, id('writer'), () => nowMs, meddle);
  writers.push(process);
  const account = id('acc');
  await real.sql`INSERT INTO shop.account (id, origin) VALUES (${account}, 'anonymous')`;
  for (const amount of amounts)
    await real.grant({ account, asset: 'usd', kind: 'grant', plan: 'p', amount, expiresMs: null });
  return { process, account };
}

async function hold({ writer }: OpenWriter, account: string, units: number, price: Money): Promise<Hold> {
  const request = { callId: uuidv7(Date.now()), account, plans: ['p'], price, units };
  const answer = await writer.hold(request);
  if (answer.kind !== 'held') throw new Error(answer.kind);
  return answer.hold;
}

const micro = ofMicro(1);
const quantities = { input: 1_200, 'cached input': 200, output: 34.5 };
const plain = { status: 200, service: 's', operation: 'o' };
const chat = { ...plain, quantities, priceKey: 'small-1', upstreamCost: ofMicro(700) };

async function settle(
  { writer }: OpenWriter,
  account: string,
  outcome: MeteredCall,
  price = micro,
): Promise<{ callId: string; settlement: Settlement }> {
  const held = await hold({ writer } as OpenWriter, account, outcome.units, price);
  return { callId: held.callId, settlement: await writer.settle(held, outcome) };
}

async function rows(callId: string) {
  return [
    ...(await real.sql`SELECT draw, units, price, amount, quantities, price_key, upstream_cost FROM ledger.usage
      WHERE call_id = ${callId} ORDER BY draw`),
  ];
}

async function balance(account: string): Promise<number> {
  return (await real.statement(account)).reduce((sum, { remaining }) => sum + remaining, 0);
}

describe('a metered call', () => {
  test('is stored with the quantity of each meter, its price key and its upstream cost', async () => {
    const { process, account } = await open();
    const { callId, settlement } = await settle(process, account, { ...chat, units: 905 });
    expect(settlement).toMatchObject({ kind: 'settled', cost: 905 });
    expect(await rows(callId)).toEqual([
      {
        ...{ draw: 0, units: 905, price: 1, amount: 905 },
        ...{ quantities, price_key: 'small-1', upstream_cost: 700 },
      },
    ]);
    expect(await balance(account)).toBe(999_095);
    expect(await faults()).toEqual([]);
  });

  test('that is drawn from several lots counts its quantities and its upstream cost once', async () => {
    const { process, account } = await open([500, 1_000]);
    const { callId } = await settle(process, account, { ...chat, units: 905 });
    expect(await rows(callId)).toMatchObject([
      { draw: 0, amount: 500, quantities, price_key: 'small-1', upstream_cost: 700 },
      { draw: 1, amount: 405, quantities: null, price_key: 'small-1', upstream_cost: 0 },
    ]);
    const usage = openUsage(real.sql);
    expect(await usage.sums(account, nowMs - 60_000, nowMs + 60_000, 'model')).toEqual([
      { name: 'small-1', calls: 1, units: 0, included: 0, cost: 905, quantities },
    ]);
    expect(await faults()).toEqual([]);
  });

  test('is never paid with units of results, in the hold, its extension and the charge', async () => {
    const { process, account } = await open([2_000]);
    await real.grant({ account, asset: 'unit', kind: 'grant', plan: 'p', amount: 5_000, expiresMs: null });
    const request = { callId: uuidv7(Date.now()), account, plans: ['p'], price: micro, moneyOnly: true };
    const tooMuch = await process.writer.hold({ ...request, units: 2_001 });
    expect(tooMuch).toMatchObject({ kind: 'exhausted', required: 2_001, available: 2_000 });
    const first = await process.writer.hold({ ...request, units: 905 });
    if (first.kind !== 'held') throw new Error(first.kind);
    expect(await process.writer.extend(first.hold, 2_001)).toMatchObject({ kind: 'exhausted' });
    const more = await process.writer.extend(first.hold, 1_500);
    if (more.kind !== 'held') throw new Error(more.kind);
    await process.writer.settle(more.hold, { ...chat, units: 1_200 });
    const left = await real.statement(account);
    expect(left.map(({ remaining }) => remaining).sort()).toEqual([5_000, 800]);
  });

  test('shares a batch with plain calls, and each keeps its own', async () => {
    const { process, account } = await open();
    const price = ofMicro(1_000);
    const holds = await Promise.all([
      hold(process, account, 3, price),
      hold(process, account, 905, micro),
      hold(process, account, 4, price),
    ]);
    const [first, metered, last] = holds as [Hold, Hold, Hold];
    await Promise.all([
      process.writer.settle(first, { ...plain, units: 3 }),
      process.writer.settle(metered, { ...chat, units: 905 }),
      process.writer.settle(last, { ...plain, units: 4 }),
    ]);
    const none = { quantities: null, price_key: null, upstream_cost: null };
    expect(await rows(first.callId)).toMatchObject([{ units: 3, amount: 3_000, ...none }]);
    expect(await rows(metered.callId)).toMatchObject([{ units: 905, amount: 905, quantities }]);
    expect(await rows(last.callId)).toMatchObject([{ units: 4, amount: 4_000, ...none }]);
    expect(await balance(account)).toBe(1_000_000 - 7_905);
  });

  test('that is free by its price is stored with its quantities', async () => {
    const { process, account } = await open();
    const { callId } = await settle(process, account, { ...chat, units: 0 }, zero);
    await settle(process, account, { ...plain, units: 1 });
    expect(await rows(callId)).toMatchObject([
      { units: 0, price: 0, amount: 0, quantities, upstream_cost: 700 },
    ]);
    expect(await balance(account)).toBe(999_999);
    expect(await faults()).toEqual([]);
  });

  test('may cost more than 2147 dollars', async () => {
    const { process, account } = await open([5_000_000_000]);
    const { callId, settlement } = await settle(process, account, { ...chat, units: 4_000_000_000 });
    expect(settlement).toMatchObject({ kind: 'settled', cost: 4_000_000_000 });
    expect(await rows(callId)).toMatchObject([{ units: 4_000_000_000, amount: 4_000_000_000 }]);
    expect(await faults()).toEqual([]);
  });

  test.each([
    ['a NUL in the model', { priceKey: 'a\0b' }, { price_key: 'a\ufffdb' }],
    ['half a surrogate pair in the model', { priceKey: '\ud800"\\' }, { price_key: '\ufffd"\\' }],
    ['a model without end', { priceKey: 'm'.repeat(100_000) }, { price_key: 'm'.repeat(200) }],
    [
      'a quantity that is no number',
      { quantities: { input: Number.NaN, output: 2 } },
      { quantities: { output: 2 } },
    ],
    ['a negative quantity', { quantities: { input: -1, output: 2 } }, { quantities: { output: 2 } }],
    ['an upstream cost that is no amount', { upstreamCost: 1e30 as Money }, { upstream_cost: null }],
    ['a negative upstream cost', { upstreamCost: -5 as Money }, { upstream_cost: null }],
  ])('with %s does not fail the calls of its batch', async (_, measured, stored) => {
    const { process, account } = await open();
    const [odd, plainHold] = (await Promise.all([
      hold(process, account, 10, micro),
      hold(process, account, 3, ofMicro(1_000)),
    ])) as [Hold, Hold];
    const settled = await Promise.all([
      process.writer.settle(odd, { ...chat, ...measured, units: 10 }),
      process.writer.settle(plainHold, { ...plain, units: 3 }),
    ]);
    expect(settled.map(({ kind }) => kind)).toEqual(['settled', 'settled']);
    expect(await rows(odd.callId)).toMatchObject([stored]);
    expect(await balance(account)).toBe(1_000_000 - 3_010);
    expect(await faults()).toEqual([]);
  });
});

describe('the quantities of a call are stored once', () => {
  test('when the result of its batch is lost and the batch is sent again', async () => {
    let lost = 0;
    const { process, account } = await open([1_000_000], (books) => ({
      ...books,
      async batch(batch) {
        const result = await books.batch(batch);
        if (batch.usage.length > 0 && lost++ === 0)
          throw Object.assign(new Error('lost'), { code: 'CONNECTION_CLOSED' });
        return result;
      },
    }));
    const held = await hold(process, account, 905, micro);
    const settling = process.writer.settle(held, { ...chat, units: 905 });
    while (lost === 0) await new Promise(setImmediate);
    process.writer.tick();
    expect(await settling).toMatchObject({ kind: 'settled', cost: 905 });
    expect(await rows(held.callId)).toMatchObject([{ amount: 905, quantities, upstream_cost: 700 }]);
    expect(await balance(account)).toBe(999_095);
  });

  test('when a later batch brings the call again with others', async () => {
    const sent: Batch[] = [];
    const { process, account } = await open([1_000_000], (books) => ({
      ...books,
      batch: (batch) => {
        sent.push(batch);
        return books.batch(batch);
      },
    }));
    const { callId } = await settle(process, account, { ...chat, units: 905 });
    const other = await hold(process, account, 95, micro);
    const last = sent.at(-1) as Batch;
    const [row] = sent.flatMap(({ usage }) => usage);
    if (row === undefined) throw new Error('no row was sent');
    const second = {
      ...row,
      callId: other.callId,
      units: 95,
      amount: 95,
      metered: { ...row.metered, priceKey: 'large-1' },
    };
    const again = {
      ...last,
      seq: last.seq + 1,
      checkpoint: false,
      usage: [row, second as typeof row],
      returns: [],
      wants: [],
    };
    expect(await real.books.batch(again)).toEqual({ state: 'ok' });
    expect(await rows(callId)).toMatchObject([{ amount: 905, quantities, price_key: 'small-1' }]);
    expect(await rows(other.callId)).toMatchObject([{ amount: 95, quantities, price_key: 'large-1' }]);
    expect(await balance(account)).toBe(999_000);
  });

  test('when the process dies before the response is sent: the charge goes back and the quantities count for nothing', async () => {
    const { process, account } = await open();
    const { callId } = await settle(process, account, { ...chat, units: 905 });
    await process.kill();
    expect(await balance(account)).toBe(1_000_000);
    const usage = openUsage(real.sql);
    const span = [nowMs - 60_000, nowMs + 60_000] as const;
    expect(await usage.sums(account, ...span, 'model')).toEqual([
      { name: 'small-1', calls: 1, units: 0, included: 0, cost: 0, quantities: null },
    ]);
    expect(await usage.call(account, callId)).toMatchObject({ isReturned: true, cost: 0, quantities });
    expect(await faults()).toEqual([]);
  });
});

describe('verification finds', () => {
  test.each([
    ['quantities without their charge', 'quantities have their charge', { units: 0 }, ''],
    [
      'quantities in a second row',
      'quantities have their charge',
      { units: 905 },
      "UPDATE ledger.usage SET quantities = '{}' WHERE draw = 1",
    ],
    [
      'a metered call at the price of a unit',
      'a metered call is charged in micro-dollars',
      { units: 905 },
      'UPDATE ledger.usage SET price = 2, amount = amount * 2',
    ],
    [
      'a metered call paid with included units',
      'a metered call is charged in micro-dollars',
      { units: 905 },
      "UPDATE ledger.lot SET asset = 'unit'",
    ],
    [
      'a negative quantity',
      'quantities and upstream costs are numbers of zero or more',
      { units: 905 },
      `UPDATE ledger.usage SET quantities = '{"input":-1}' WHERE draw = 0`,
    ],
    [
      'a quantity that is no number',
      'quantities and upstream costs are numbers of zero or more',
      { units: 905 },
      `UPDATE ledger.usage SET quantities = '{"input":"1"}' WHERE draw = 0`,
    ],
    [
      'an upstream cost that counts twice',
      'quantities and upstream costs are numbers of zero or more',
      { units: 905 },
      'UPDATE ledger.usage SET upstream_cost = 700',
    ],
    [
      'rows of one call with two models',
      'the rows of a call are one story',
      { units: 905 },
      "UPDATE ledger.usage SET price_key = 'large-1' WHERE draw = 1",
    ],
  ])('%s', async (_, rule, { units }, spoil) => {
    const { process, account } = await open([500, 1_000]);
    const held = await hold(process, account, 905, micro);
    await process.writer.settle(held, { ...chat, units });
    await settle(process, account, { ...plain, units: 1 });
    const found = async () =>
      (await real.sql`SELECT rule FROM ledger.verify_calls() WHERE subject = ${held.callId}`).map(
        (row) => row.rule,
      );
    if (spoil === '') return expect(await found()).toContain(rule);
    expect(await found()).toEqual([]);
    const which = spoil.includes('ledger.lot') ? `account_id = '${account}'` : `call_id = '${held.callId}'`;
    await unguarded(real.sql, async (sql) => {
      await sql.unsafe(`${spoil} ${spoil.includes('WHERE') ? 'AND' : 'WHERE'} ${which}`);
    });
    expect(await found()).toContain(rule);
  });
});
