import { describe, expect, test } from 'vitest';
import * as Readings from './readings.ts';
import * as Vectors from './vectors.ts';

describe('requests of other implementations’ test suites', () => {
  const node = Readings.of({ httpFastPath: false, client: 'built-in' }, Vectors.requests);
  test('are read by Node’s server without a desynchronisation, a foreign response or a fault', async () => {
    expect((await node).size).toBe(new Set(Vectors.requests.map(({ src }) => src)).size);
  });

  test.each([
    { httpFastPath: true, client: 'built-in' },
    { httpFastPath: true, client: 'undici' },
    { httpFastPath: false, client: 'undici' },
  ] as const)('are read the same with %j', async (combination) => {
    const read = await Readings.of(combination, Vectors.requests);
    for (const [src, reading] of await node) expect(read.get(src), src).toBe(reading);
  });

  test('and so are the ways to hide a transfer coding from one of two readers', async () => {
    // Runs every fifth vector; requests.slow.ts runs all of them.
    const some = Vectors.families.filter((_, at) => at % 5 === 0);
    const byNode = await Readings.of({ httpFastPath: false, client: 'built-in' }, some);
    const read = await Readings.of({ httpFastPath: true, client: 'built-in' }, some);
    for (const [src, reading] of byNode) expect(read.get(src), src).toBe(reading);
  });
});
