import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { history, stories } from './history.ts';
import * as World from './world.ts';

const runs = 100;
const mutantRunsMax = 400;
/** The same histories in each run: a mutant that dies once dies always. */
const seed = 1;

let world: World.World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.end());

test.each(Object.entries(stories))('%s', async (_, steps) => {
  expect(await world.live(steps)).toEqual([]);
});

test('whatever happens to accounts that join, not a micro-dollar is lost or doubled', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      expect(await world.live(steps)).toEqual([]);
    }),
    { numRuns: runs, endOnFailure: true },
  );
  const [row] = await world.books
    .sql`SELECT (SELECT count(*) FROM ledger.posting WHERE kind = 'moved') AS moved,
    (SELECT count(*) FROM ledger.posting WHERE kind = 'undelivered') AS undelivered, (SELECT count(*) FROM ledger.posting WHERE kind = 'reversed') AS reversed,
    (SELECT count(*) FROM ledger.bucket a JOIN ledger.bucket b ON b.account_id = a.moved_account AND b.id = a.moved_to WHERE b.moved_to IS NOT NULL) AS twice`;
  // Each of these has happened, or the histories are too tame.
  for (const count of Object.values(row ?? {})) expect(count).toBeGreaterThan(0);
});

describe('the histories find', () => {
  const mutants: [what: string, name: string, from: string, to: string][] = [
    ['a move that leaves behind what is owed', 'ledger.move', 'owed = owed + v_lot.owed', 'owed = owed'],
    ['a move that empties nothing', 'ledger.move', 'SET avail = 0, owed = 0,', 'SET'],
    ['a move of nothing', 'ledger.move', 'AND avail > 0 ORDER', 'AND false ORDER'],
    [
      'a move that knows the last step only',
      'ledger.move',
      'IF v_lot.moved_to IS NULL THEN',
      'v_lot.moved_account := p_to; IF v_lot.moved_to IS NULL THEN',
    ],
    [
      'a move that forgets where a lot went',
      'ledger.move',
      'moved_account = v_lot.moved_account, moved_to = v_lot.moved_to',
      'moved_account = NULL',
    ],
    [
      'a refund that does not follow',
      'ledger.lot_chain',
      'ON k.account_id = c.moved_account',
      'ON false AND k.account_id = c.moved_account',
    ],
    [
      'a refund that looks at the first lot only',
      'ledger.reverse',
      'WHERE k.moved_to IS NULL FOR',
      'WHERE k.id = v_paid.bucket_id FOR',
    ],
    ['refunds that are never collected', 'ledger.collect', 'owed > 0 AND avail > 0', 'false'],
    ['a join of what is joined', 'shop.join_accounts', ' AND joined_to IS NULL', ''],
    ['a join in two steps', 'shop.join_accounts', ' OR joined_to = p_from', ''],
    [
      'orders that stay behind',
      'shop.join_accounts',
      'UPDATE shop.purchase SET account_id = p_to WHERE account_id = p_from;',
      '',
    ],
    [
      'an order that is granted to who is gone',
      'shop.grant_purchase',
      'v_order.account_id := shop.standing(v_order.account_id);',
      '',
    ],
    [
      'a gift to each account of one person',
      'shop.complete_claim',
      "'claimed:' || v_claim.mailbox",
      "'claimed:' || v_claim.id",
    ],
    [
      'a claim that joins nobody',
      'shop.complete_claim',
      'joined := shop.join_accounts(remaining, v_owner);',
      'joined := true;',
    ],
  ];
  test.each(mutants)('%s', { timeout: 120_000 }, async (_, name, from, to) => {
    const { sql } = world.books;
    const [row] = await sql`SELECT pg_get_functiondef(${name}::regproc) AS source`;
    expect(row?.source.split(from)).toHaveLength(2);
    const mutated = await World.open();
    try {
      await mutated.books.sql.unsafe(row?.source.replace(from, () => to));
      const breaks = async (steps: Parameters<World.World['live']>[0]) =>
        (await mutated.live(steps).catch(() => ['failed'])).length > 0;
      for (const steps of Object.values(stories)) if (await breaks(steps)) return;
      const property = fc.asyncProperty(history, async (steps) => !(await breaks(steps)));
      const found = await fc.check(property, { numRuns: mutantRunsMax, seed, endOnFailure: true });
      expect(found.failed).toBe(true);
    } finally {
      await mutated.end();
    }
  });
});
