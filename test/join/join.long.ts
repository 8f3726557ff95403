import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { firstBreaches } from '../support/random-histories.ts';
import * as SqlFlaw from '../support/sql-flaw.ts';
import { history, stories } from './history.ts';
import * as World from './world.ts';

const runs = 60;
const mutantRunsMax = 400;
/** Some mutants never end a statement. */
const mutantStatementMs = 8_000;
/** Fixed, so that every run tries the same histories: a mutant that is found once is always found. */
const seed = 1;

let world: World.World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.end());

test.each(Object.entries(stories))('%s', async (_, steps) => {
  expect(await world.live(steps)).toEqual([]);
});

test('whatever happens to accounts that join, not a micro-dollar is lost or doubled', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      expect(await world.live(steps)).toEqual([]);
    }),
    { numRuns: runs, endOnFailure: true },
  );
  const [row] = await world.books
    .sql`SELECT (SELECT count(*) FROM ledger.posting WHERE kind = 'moved') AS moved,
    (SELECT count(*) FROM ledger.posting WHERE kind = 'undelivered') AS undelivered, (SELECT count(*) FROM ledger.posting WHERE kind = 'reversed') AS reversed,
    (SELECT count(*) FROM ledger.lot a JOIN ledger.lot b ON b.account_id = a.moved_account AND b.id = a.moved_to WHERE b.moved_to IS NOT NULL) AS twice`;
  // If one of these never happened, the histories would prove too little.
  for (const count of Object.values(row ?? {})) expect(count).toBeGreaterThan(0);
});

describe('the histories find', () => {
  const mutants: [what: string, name: string, from: string, to: string][] = [
    [
      'a move that leaves behind what is owed',
      'ledger.move_lots',
      'clawback_due = clawback_due + v_lot.clawback_due',
      'clawback_due = clawback_due',
    ],
    ['a move that empties nothing', 'ledger.move_lots', 'SET avail = 0, clawback_due = 0,', 'SET'],
    ['a move of nothing', 'ledger.move_lots', 'AND avail > 0 ORDER', 'AND false ORDER'],
    [
      'a move that knows the last step only',
      'ledger.move_lots',
      'IF v_lot.moved_to IS NULL THEN',
      'v_lot.moved_account := p_to; IF v_lot.moved_to IS NULL THEN',
    ],
    [
      'a move that forgets where a lot went',
      'ledger.move_lots',
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
      'WHERE k.id = v_paid.lot_id FOR',
    ],
    [
      'refunds that are never collected',
      'ledger.collect_clawbacks',
      'clawback_due > 0 AND avail > 0',
      'false',
    ],
    ['a join of what is joined', 'shop.join_accounts', ' AND joined_to IS NULL', ''],
    ['a join in two steps', 'shop.join_accounts', ' OR joined_to = p_from', ''],
    [
      'a gift for each account of one person',
      'shop.join_accounts',
      'PERFORM shop.end_duplicate_grants(p_from, p_to);',
      '',
    ],
    [
      'a second gift of the account itself only, not of its parts',
      'shop.end_duplicate_grants',
      'coalesce(a.joined_to, a.id) = p_from AS is_from',
      'a.id = p_from AS is_from',
    ],
    ['a second trial that is kept', 'shop.end_duplicate_grants', "p.kind = 'trial' OR ", ''],
    [
      'a second code that is kept',
      'shop.end_duplicate_grants',
      " OR p.kind = 'grant' AND p.contra LIKE 'promotion:%'",
      '',
    ],
    [
      'orders that stay behind',
      'shop.join_accounts',
      'UPDATE shop.purchase SET account_id = p_to WHERE account_id = p_from;',
      '',
    ],
    [
      'an order that is granted to who is gone',
      'shop.grant_purchase',
      'v_order.account_id := shop.resolve_account(v_order.account_id);',
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
  test.each(mutants)('%s', async (_, name, from, to) => {
    const mutated = await World.open(mutantStatementMs);
    try {
      await mutated.books.sql.unsafe(SqlFlaw.replacing(name, from, to));
      const breaches = (steps: Parameters<World.World['live']>[0]) =>
        mutated.live(steps).catch(() => ['failed']);
      for (const steps of Object.values(stories)) if ((await breaches(steps)).length > 0) return;
      expect(await firstBreaches(history, breaches, { numRuns: mutantRunsMax, seed })).not.toEqual([]);
    } finally {
      await mutated.end();
    }
  });
});
