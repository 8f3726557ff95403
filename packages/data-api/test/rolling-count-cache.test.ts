import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as RollingCountCache from '../src/filters/rolling-count-cache.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 10, 21);

/** Counts these moments like a database table, and reports how many it had to read. */
function table(moments: readonly number[]) {
  let looked = 0;
  const among = (test: (ms: number) => boolean) => {
    const found = moments.filter(test).length;
    looked += found;
    return Promise.resolve(found);
  };
  return {
    looked: () => looked,
    since: (sinceMs: number) => among((ms) => ms >= sinceMs),
    between: (fromMs: number, toMs: number) => among((ms) => ms >= fromMs && ms < toMs),
  };
}

test('a total since a moment is exact whatever moments are asked for, in any order and at once', async () => {
  const moment = fc.integer({ min: 0, max: 3 * dayMs }).map((ms) => start + ms);
  await fc.assert(
    fc.asyncProperty(
      fc.array(moment, { maxLength: 40 }),
      fc.array(fc.tuple(moment, fc.boolean()), { maxLength: 20 }),
      async (moments, asked) => {
        const rows = table(moments);
        const totals = RollingCountCache.create();
        const answers: Promise<void>[] = [];
        for (const [sinceMs, isWaitedFor] of asked) {
          const right = moments.filter((ms) => ms >= sinceMs).length;
          const answer = RollingCountCache.getOrCount(totals, 'q', sinceMs, rows).then((total) =>
            expect(total).toBe(right),
          );
          if (isWaitedFor) await answer;
          else answers.push(answer);
        }
        await Promise.all(answers);
      },
    ),
  );
});

test('only what has left since is counted anew', async () => {
  const rows = table(Array.from({ length: 10_000 }, (_, at) => start + at * 1_000));
  const totals = RollingCountCache.create();
  expect(await RollingCountCache.getOrCount(totals, 'q', start, rows)).toBe(10_000);
  expect(await RollingCountCache.getOrCount(totals, 'q', start + 30_000, rows)).toBe(9_970);
  expect(rows.looked()).toBe(10_030);
});

test('what could not be counted is asked for again, and in the same way', async () => {
  const totals = RollingCountCache.create();
  const away = {
    since: () => Promise.reject(new Error('away')),
    between: () => Promise.reject(new Error('away')),
  };
  await expect(RollingCountCache.getOrCount(totals, 'q', start, away)).rejects.toThrow('away');
  const rows = table([start, start + 1]);
  expect(await RollingCountCache.getOrCount(totals, 'q', start, rows)).toBe(2);
  await expect(RollingCountCache.getOrCount(totals, 'q', start + 1, away)).rejects.toThrow('away');
  expect(await RollingCountCache.getOrCount(totals, 'q', start + 1, rows)).toBe(1);
});
