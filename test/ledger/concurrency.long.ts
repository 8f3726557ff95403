import { uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HoldResult } from '../../src/ledger/hold.ts';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';
import { type OpenWriter, openWriter } from './open-writer.ts';

const price = ofMicro(1_000);
const callers = 64;
const worstUnits = 20;
const tickEveryMs = 50;

let real: OpenLedgerStore;
let writers: OpenWriter[];
let ticking: NodeJS.Timeout;

beforeAll(async () => {
  real = await openLedgerStore();
  writers = await Promise.all(['a', 'b'].map((name) => openWriter(real.url, name, Date.now)));
  ticking = setInterval(() => {
    for (const { writer } of writers) writer.tick();
  }, tickEveryMs);
});
afterAll(async () => {
  clearInterval(ticking);
  for (const { end } of writers) await end();
  await real.end();
});

/** Makes one call. Returns its charge, or the reason of its refusal. */
async function buy(
  { writer }: OpenWriter,
  account: string,
  worst: number,
  used: number,
): Promise<number | HoldResult['kind']> {
  const answer = await writer.hold({
    callId: uuidv7(Date.now()),
    account,
    plans: ['p'],
    price,
    units: worst,
  });
  if (answer.kind !== 'held') return answer.kind;
  const settled = await writer.settle(answer.hold, {
    units: used,
    status: 200,
    service: 's',
    operation: 'o',
  });
  if (settled.kind === 'refused') return 'unavailable';
  writer.delivered(settled.seq);
  return settled.cost;
}

async function balance(account: string): Promise<number> {
  return (await real.statement(account)).reduce((sum, { remaining }) => sum + remaining, 0);
}

/** Buys alternately at both writers until a call is refused. */
async function buyOut(account: string, units: number): Promise<{ spent: number; end: HoldResult['kind'] }> {
  for (let spent = 0, i = 0; ; i++) {
    const bought = await buy(writers[i % 2] as OpenWriter, account, units, units);
    if (typeof bought === 'string') return { spent, end: bought };
    spent += bought;
  }
}

test('64 callers over two writers never draw more than an account has, and all of it can be drawn', async () => {
  const given = 500_000;
  await real.grant({
    account: 'ann',
    asset: 'usd',
    kind: 'grant',
    plan: 'p',
    amount: given,
    expiresMs: null,
  });
  let drawn = 0;
  const refused = new Set<string>();
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let i = 0; i < 4; i++) {
        const worst = 1 + ((caller * 7 + i * 5) % worstUnits);
        const bought = await buy(writers[caller % 2] as OpenWriter, 'ann', worst, (caller + i) % (worst + 1));
        if (typeof bought === 'string') refused.add(bought);
        else drawn += bought;
      }
    }),
  );
  expect([...refused].filter((kind) => kind !== 'in_flight' && kind !== 'exhausted')).toEqual([]);
  expect(await balance('ann')).toBe(given - drawn);

  // No call is under way: what is out of reach is less than one worst case, and finally nothing.
  const large = await buyOut('ann', worstUnits);
  expect(large.end).toBe('exhausted');
  expect(given - drawn - large.spent).toBeLessThan(worstUnits * price);
  const small = await buyOut('ann', 1);
  expect(small.end).toBe('exhausted');
  expect(drawn + large.spent + small.spent).toBe(given);
  expect(await balance('ann')).toBe(0);
});

test('an account that is left alone has nothing set aside any more', async () => {
  await real.grant({
    account: 'bob',
    asset: 'usd',
    kind: 'grant',
    plan: 'p',
    amount: 100_000,
    expiresMs: null,
  });
  await Promise.all(writers.map((writer) => buy(writer, 'bob', 10, 3)));
  for (;;) {
    const [row] = await real.sql<[{ avail: number }]>`SELECT avail FROM ledger.lot WHERE account_id = 'bob'`;
    if (row.avail === 94_000) break;
  }
  expect(await balance('bob')).toBe(94_000);
});

test('after all have left in good order nothing is leased, and the books prove right', async () => {
  await Promise.all(writers.map(({ writer }) => writer.drain()));
  expect(await real.sql`SELECT * FROM ledger.lease`).toHaveLength(0);
  expect(await real.sql`SELECT * FROM ledger.writer WHERE open`).toHaveLength(0);
  expect(writers.flatMap(({ events }) => events.map(({ kind }) => kind))).toEqual(['opened', 'opened']);
  expect(await real.prove()).toEqual([]);
});
