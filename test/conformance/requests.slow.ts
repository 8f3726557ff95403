import { expect, test } from 'vitest';
import * as Readings from './readings.ts';
import * as Vectors from './vectors.ts';

test('every way to hide a transfer coding is read the same by all four combinations', async () => {
  const byNode = await Readings.of({ httpFastPath: false, client: 'built-in' }, Vectors.families);
  for (const combination of [
    { httpFastPath: true, client: 'built-in' },
    { httpFastPath: true, client: 'undici' },
    { httpFastPath: false, client: 'undici' },
  ] as const) {
    const read = await Readings.of(combination, Vectors.families);
    for (const [src, reading] of byNode) expect(read.get(src), src).toBe(reading);
  }
}, 600_000);
