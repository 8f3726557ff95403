import fc from 'fast-check';
import { batchOf, besideFor, type Does } from './shop-acts.ts';
import { live } from './shop-history.ts';
import * as World from './shop-world.ts';

/** Batches per world, because subscriptions and payments of earlier batches slow it down. */
const batchesMax = 12;

/** Fixed, so that every run has the same histories; VALUE_SEED can be `random`, or the seed of a failure to repeat. */
const { VALUE_SEED = '303' } = process.env;
const again = {
  ...(VALUE_SEED !== 'random' && { seed: Number(VALUE_SEED) }),
  ...(process.env.VALUE_PATH && { path: process.env.VALUE_PATH }),
};

export type Choice = { seed: number; flaw: World.Flaw; only: readonly Does[] };

/** Runs at least `histories` histories. Returns the breaches of the first batch that fails, and how to repeat it. */
export async function breaches(histories: number, choice?: Choice): Promise<string[]> {
  const beside = besideFor(choice?.only ?? null);
  for (let left = Math.ceil(histories / beside); left > 0; left -= batchesMax) {
    const world = await World.open(choice?.flaw);
    try {
      const found = await breachesIn(world, Math.min(left, batchesMax), choice);
      if (found.length > 0) return found;
    } finally {
      await world.close();
    }
  }
  return [];
}

async function breachesIn(world: World.World, numRuns: number, choice?: Choice): Promise<string[]> {
  let found: string[] = [];
  const property = fc.asyncProperty(batchOf(choice?.only ?? null), async (one) => {
    found = await live(world, one);
    return found.length === 0;
  });
  const given = choice === undefined ? again : { seed: choice.seed };
  const result = await fc.check(property, { numRuns, endOnFailure: true, ...given });
  if (!result.failed) return [];
  if (found.length === 0) throw result.errorInstance;
  return [...found, `VALUE_SEED=${result.seed} VALUE_PATH=${result.counterexamplePath}`];
}
