import { expect, test } from 'vitest';
import { breaches } from './shop-breaches.ts';

/** shop-value.slow.ts shows that such histories find planted flaws. */
const histories = Number(process.env.VALUE_RUNS ?? 96);
const historyMs = 5_000;

test(
  'a whole shop of two processes delivers what was paid for, no more and no less',
  async () => {
    expect(await breaches(histories)).toEqual([]);
  },
  60_000 + histories * historyMs,
);
