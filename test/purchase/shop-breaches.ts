import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { batchOf, besideFor, type Does } from './shop-acts.ts';
import { live } from './shop-history.ts';
import * as World from './shop-world.ts';

/** Batches per world, because subscriptions and payments of earlier batches slow it down. */
const batchesMax = 12;

/** Fixed, so that every run has the same histories; VALUE_SEED can be `random`, or the seed of a failure to repeat. */
const { VALUE_SEED = '303', VALUE_PATH: path } = process.env;

export type Choice = { seed: number; flaw: World.Flaw; only: readonly Does[] };

/** Runs at least `histories` histories. Returns the breaches of the first batch that fails, and how to repeat it. */
export async function breaches(histories: number, choice?: Choice): Promise<string[]> {
  const beside = besideFor(choice?.only ?? null);
  const first = choice?.seed ?? (VALUE_SEED === 'random' ? randomInt(2 ** 31) : Number(VALUE_SEED));
  const batches = Math.ceil(histories / beside);
  for (let done = 0; done < batches; done += batchesMax) {
    const world = await World.open(choice?.flaw);
    try {
      const numRuns = Math.min(batches - done, batchesMax);
      const found = await breachesIn(world, { numRuns, seed: first + done }, choice?.only);
      if (found.length > 0) return found;
    } finally {
      await world.close();
    }
  }
  return [];
}

async function breachesIn(
  world: World.World,
  runs: { numRuns: number; seed: number },
  only: readonly Does[] | null = null,
): Promise<string[]> {
  let found: string[] = [];
  const property = fc.asyncProperty(batchOf(only), async (one) => {
    found = await live(world, one);
    return found.length === 0;
  });
  const result = await fc.check(property, { ...runs, endOnFailure: true, ...(path && { path }) });
  if (!result.failed) return [];
  if (found.length === 0) throw result.errorInstance;
  return [...found, `VALUE_SEED=${result.seed} VALUE_PATH=${result.counterexamplePath}`];
}
