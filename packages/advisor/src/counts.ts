import type { Sample } from './sample.ts';

/** Counts of samples that have each operation, one operation before another, and each whole chain. */
export type Counts = {
  one: readonly number[];
  pairs: ReadonlyMap<string, number>;
  chains: ReadonlyMap<string, number>;
};

/** Counts samples. @param one those that have each operation */
export function of(samples: readonly Sample[], one: readonly number[]): Counts {
  const [pairs, chains] = [new Map<string, number>(), new Map<string, number>()];
  const add = (to: Map<string, number>, ...calls: number[]) =>
    to.set(calls.join(' '), (to.get(calls.join(' ')) ?? 0) + 1);
  for (const { calls } of samples) {
    if (calls.length > 0) add(chains, ...calls);
    for (const [index, from] of calls.entries())
      for (const to of calls.slice(index + 1)) add(pairs, from, to);
  }
  return { one, pairs, chains };
}
