import fc from 'fast-check';

/**
 * Runs `live` on random histories until one has breaches. Returns these with the seed and path that repeat the history, or an empty list when
 * every history keeps the rules. `examples` run first.
 */
export async function firstBreaches<History>(
  histories: fc.Arbitrary<History>,
  live: (history: History) => Promise<readonly string[]>,
  options: { numRuns: number; seed?: number; examples?: [History][] },
): Promise<string[]> {
  let found: readonly string[] = [];
  const property = fc.asyncProperty(histories, async (history) => {
    found = await live(history);
    return found.length === 0;
  });
  const result = await fc.check(property, { ...options, endOnFailure: true });
  if (!result.failed) return [];
  if (found.length === 0) throw result.errorInstance;
  return [
    ...found,
    `seed ${result.seed}, path ${result.counterexamplePath}`,
    JSON.stringify(result.counterexample),
  ];
}
