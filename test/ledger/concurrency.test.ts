import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidv7 } from '../../src/kernel/id.ts';
import { ofMicro } from '../../src/kernel/money.ts';
import type { HoldAnswer } from '../../src/ledger/hold.ts';
import { type OpenBooks, openBooks } from './open-books.ts';
import { type OpenLane, openLane } from './open-lane.ts';

const price = ofMicro(1_000);
const callers = 64;
const worstUnits = 20;
const tickEveryMs = 50;

let real: OpenBooks;
let lanes: OpenLane[];
let ticking: NodeJS.Timeout;

beforeAll(async () => {
  real = await openBooks();
  lanes = await Promise.all(['a', 'b'].map((name) => openLane(real.url, name, Date.now)));
  ticking = setInterval(() => {
    for (const { lane } of lanes) lane.tick();
  }, tickEveryMs);
});
afterAll(async () => {
  clearInterval(ticking);
  for (const { end } of lanes) await end();
  await real.end();
});

/** One call; what it was charged, or why it was refused. */
async function buy(
  { lane }: OpenLane,
  account: string,
  worst: number,
  used: number,
): Promise<number | HoldAnswer['kind']> {
  const answer = await lane.hold({ callId: uuidv7(Date.now()), account, plans: ['p'], price, units: worst });
  if (answer.kind !== 'held') return answer.kind;
  const settled = await lane.settle(answer.hold, { units: used, status: 200, service: 's', operation: 'o' });
  if (settled.kind === 'refused') return 'unavailable';
  lane.delivered(settled.seq);
  return settled.cost;
}

async function balance(account: string): Promise<number> {
  return (await real.statement(account)).reduce((sum, { remaining }) => sum + remaining, 0);
}

/** Buys in turn on both lanes until that is refused. */
async function buyOut(account: string, units: number): Promise<{ spent: number; end: HoldAnswer['kind'] }> {
  for (let spent = 0, i = 0; ; i++) {
    const bought = await buy(lanes[i % 2] as OpenLane, account, units, units);
    if (typeof bought === 'string') return { spent, end: bought };
    spent += bought;
  }
}

test('64 callers over two lanes never draw more than an account has, and all of it can be drawn', async () => {
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
        const bought = await buy(lanes[caller % 2] as OpenLane, 'ann', worst, (caller + i) % (worst + 1));
        if (typeof bought === 'string') refused.add(bought);
        else drawn += bought;
      }
    }),
  );
  expect([...refused].filter((kind) => kind !== 'in_flight' && kind !== 'exhausted')).toEqual([]);
  expect(await balance('ann')).toBe(given - drawn);

  // Nobody is under way: less than one worst case is out of reach, and then nothing.
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
  await Promise.all(lanes.map((lane) => buy(lane, 'bob', 10, 3)));
  for (;;) {
    const [row] = await real.sql<
      [{ avail: number }]
    >`SELECT avail FROM ledger.bucket WHERE account_id = 'bob'`;
    if (row.avail === 94_000) break;
  }
  expect(await balance('bob')).toBe(94_000);
});

test('after all have left in good order nothing is leased, and the books prove right', async () => {
  await Promise.all(lanes.map(({ lane }) => lane.drain()));
  expect(await real.sql`SELECT * FROM ledger.lease`).toHaveLength(0);
  expect(await real.sql`SELECT * FROM ledger.lane WHERE open`).toHaveLength(0);
  expect(lanes.flatMap(({ events }) => events.map(({ kind }) => kind))).toEqual(['opened', 'opened']);
  expect(await real.prove()).toEqual([]);
});
