import { expect, test } from 'vitest';
import { limited, StatementLate, withinBudget, withoutBudget } from '../src/statement-deadline.ts';

/** A driver whose statements take `ms`. */
function driver(ms: () => number) {
  const send = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, ms(), 'done'));
  const limits = { deadlineMs: 5_000, concurrentMax: 9, stalledMs: 10_000, onStalled: () => {} };
  return limited(() => send, limits);
}

test('a request that has waited for its whole budget gets no more from a slow database, except to record moved money', async () => {
  const ms = { statement: 60_000 };
  const sql = driver(() => ms.statement);
  const late = () => sql().catch((error: unknown) => error);
  const results = await withinBudget(20, async () => {
    const before = [await late(), await late()];
    const recorded = await withoutBudget(() => {
      ms.statement = 50;
      return sql();
    });
    ms.statement = 60_000;
    return [...before, recorded, await late()];
  });
  expect(results.map((result) => (result instanceof StatementLate ? 'late' : result))).toEqual([
    'late',
    'late',
    'done',
    'late',
  ]);
});
