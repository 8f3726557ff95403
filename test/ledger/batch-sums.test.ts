import { id, uuidv7 } from '@sluice/kernel/id';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Usage } from '../../src/ledger/usage.ts';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';

let real: OpenLedgerStore;

beforeAll(async () => {
  real = await openLedgerStore(1);
});
afterAll(() => real.end());

/** Rows that differ in one column, in all of them or in none, with few different values. */
const row = fc.record({
  account: fc.constantFrom('acc_a', 'acc_b'),
  lot: fc.constantFrom(1, 2, null),
  amount: fc.constantFrom(5, 7, 0),
});
const batch = fc
  .tuple(row, fc.constantFrom('account', 'lot', 'amount', 'all', 'none'), fc.array(row, { maxLength: 4 }))
  .map(([one, varied, rows]) =>
    rows.map((other) =>
      varied === 'all' ? other : varied === 'none' ? one : { ...one, [varied]: other[varied] },
    ),
  );
const batches = fc.array(batch, { minLength: 1, maxLength: 12 });

function usage({ account, lot, amount }: { account: string; lot: number | null; amount: number }): Usage {
  const drawn = lot === null ? 0 : amount;
  const call = { callId: uuidv7(Date.now()), draw: 0, status: 200, service: 's', operation: 'o', key: null };
  return { ...call, account, lot, plan: 'p', units: drawn, price: 1, amount: drawn };
}

test('a batch states the sum of its rows for each lot and every charged call, also if a part of it was booked before', async () => {
  await fc.assert(
    fc.asyncProperty(batches, fc.boolean(), async (list, repeats) => {
      const writer = id('writer');
      const epoch = await real.books.openWriter(writer);
      const frame = { writer, epoch, deliveredSeq: 0, checkpoint: false };
      const nothing = { storedResponses: [], returns: [], wants: [] };
      let before: Usage[] = [];
      for (const [at, rows] of list.entries()) {
        const own = rows.map(usage);
        const result = await real.books.batch({
          ...frame,
          ...nothing,
          seq: at + 1,
          usage: repeats ? [...before.slice(0, 1), ...own] : own,
        });
        expect(result).toEqual({ state: 'ok' });
        before = own;
      }
      const claimed = await real.sql`SELECT b.seq, s.account, s.lot, s.amount
        FROM ledger.batch b, LATERAL unnest(b.account_ids, b.lot_ids, b.spent) AS s (account, lot, amount)
        WHERE b.writer_id = ${writer} ORDER BY 1, 2, 3`;
      const booked =
        await real.sql`SELECT seq, account_id AS account, lot_id AS lot, sum(amount)::bigint AS amount
        FROM ledger.usage WHERE writer_id = ${writer} AND amount > 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;
      expect([...claimed]).toEqual([...booked]);
      const named =
        await real.sql`SELECT b.seq, c.call FROM ledger.batch b, LATERAL unnest(b.call_ids) AS c (call)
        WHERE b.writer_id = ${writer} ORDER BY 1, 2`;
      const charged = await real.sql`SELECT seq, call_id AS call FROM ledger.usage
        WHERE writer_id = ${writer} AND amount > 0 ORDER BY 1, 2`;
      expect([...named]).toEqual([...charged]);
    }),
    { numRuns: 40 },
  );
});
