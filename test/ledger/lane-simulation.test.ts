import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Lane } from '../../src/ledger/lane.ts';
import { history, live } from './history.ts';
import { stories } from './stories.ts';

const runs = 5_000;

test('keeps every promise in thousands of random histories', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      expect(await live(Lane, steps)).toEqual([]);
    }),
    { numRuns: runs },
  );
});

describe('in an unlikely interleaving', () => {
  test.each(Object.entries(stories))('%s', async (_, story) => {
    expect(await story(Lane)).toEqual([]);
  });
});
