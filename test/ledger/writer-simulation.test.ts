import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LedgerWriter } from '../../src/ledger/ledger-writer.ts';
import { history, live } from './history.ts';
import { stories } from './stories.ts';

const runs = 5_000;

test('keeps every promise in a million events of random histories', async () => {
  let events = 0;
  const count = (more: number) => {
    events += more;
  };
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      expect(await live(LedgerWriter, steps, null, count)).toEqual([]);
    }),
    { numRuns: runs },
  );
  expect(events).toBeGreaterThan(1_000_000);
});

describe('in an unlikely interleaving', () => {
  test.each(Object.entries(stories))('%s', async (_, story) => {
    expect(await story(LedgerWriter)).toEqual([]);
  });
});
