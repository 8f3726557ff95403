import { describe, expect, test } from 'vitest';
import * as MeterCost from '../../src/catalog/meter-cost.ts';
import { costPlaces } from '../../src/catalog/meter-prices.ts';

/** A small generator, so that a failure can be repeated by its seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Case = { outer: number; usd: string; per: number; quantity: number; max: number };

function randomCase(random: (below: number) => number): Case[] {
  return Array.from({ length: 1 + random(5) }, (_, at) => {
    const max = random(4) === 0 ? random(3) : random(2_000_000);
    return {
      // A meter is a part of an earlier one, at any depth.
      outer: at > 0 && random(2) === 0 ? random(at) : -1,
      usd: `${random(3)}.${String(random(1_000_000_000_000))
        .padStart(12, '0')
        .slice(0, 1 + random(12))}`,
      per: [1, 1000, 1_000_000][random(3)] ?? 1,
      max,
      quantity: random(max + 1),
    };
  });
}

/** Fractions of whole numbers, in lowest terms where it matters: another way of calculating than the scaled amounts of the module. */
type Fraction = { over: bigint; under: bigint };
const plus = (a: Fraction, b: Fraction): Fraction => ({
  over: a.over * b.under + b.over * a.under,
  under: a.under * b.under,
});

function reference(meters: readonly Case[], quantities: readonly number[]): number {
  let sum: Fraction = { over: 0n, under: 1n };
  meters.forEach(({ usd, per }, at) => {
    const parts = meters.reduce(
      (all, { outer }, part) => (outer === at ? all + (quantities[part] ?? 0) : all),
      0,
    );
    const billed = Math.max(0, (quantities[at] ?? 0) - parts);
    const [whole = '', fraction = ''] = usd.split('.');
    const price = {
      over: BigInt(`${whole}${fraction}`),
      under: 10n ** BigInt(fraction.length) * BigInt(per),
    };
    sum = plus(sum, { over: price.over * BigInt(billed), under: price.under });
  });
  const micro = sum.over * 1_000_000n;
  return Number(micro / sum.under + (micro % sum.under === 0n ? 0n : 1n));
}

const ratesOf = (meters: readonly Case[]) => meters.map(({ usd, per }) => MeterCost.rateOf(usd, per));
const exact = (quantities: readonly number[]) => quantities.map(BigInt);

describe('the cost of a call', () => {
  test('is the exact sum, rounded up once, as a calculation with fractions finds it', () => {
    for (let seed = 1; seed <= 3000; seed++) {
      const meters = randomCase(randomOf(seed));
      const quantities = meters.map(({ quantity }) => quantity);
      const cost = MeterCost.costOf(meters, ratesOf(meters), exact(quantities));
      expect([seed, cost]).toEqual([seed, reference(meters, quantities)]);
    }
  });

  test('is never above the worst case, however quantities are split, and the worst case is reached', () => {
    for (let seed = 1; seed <= 3000; seed++) {
      const meters = randomCase(randomOf(seed));
      const maxima = meters.map(({ max }) => max);
      const rates = ratesOf(meters);
      const worst = MeterCost.worstCost(meters, rates, exact(maxima));
      const quantities = meters.map(({ quantity }) => quantity);
      expect([seed, MeterCost.costOf(meters, rates, exact(quantities)) ?? 0]).toSatisfy(
        ([, cost]) => cost <= (worst ?? 0),
      );
      // The highest of all combinations of nothing and everything.
      let highest = 0;
      for (let bits = 0; bits < 2 ** meters.length; bits++) {
        const corner = maxima.map((max, at) => ((bits >> at) % 2 === 1 ? max : 0));
        highest = Math.max(highest, reference(meters, corner));
      }
      expect([seed, worst]).toEqual([seed, highest]);
    }
  });

  test('holds a cached token that costs more than the token around it', () => {
    const meters = [{ outer: -1 }, { outer: 0 }];
    const rates = [MeterCost.rateOf('2.50', 1_000_000), MeterCost.rateOf('3.125', 1_000_000)];
    expect(MeterCost.worstCost(meters, rates, [1000n, 1000n])).toBe(3125);
    expect(MeterCost.costOf(meters, rates, [1000n, 1000n])).toBe(3125);
    expect(MeterCost.costOf(meters, rates, [1000n, 2000n])).toBe(6250);
  });

  test('above the highest amount of money is refused, not wrapped or rounded', () => {
    const meters = [{ outer: -1 }];
    expect(MeterCost.costOf(meters, [MeterCost.rateOf('1', 1)], [1_000_000_000n])).toBe(1e15);
    expect(MeterCost.costOf(meters, [MeterCost.rateOf('1', 1)], [1_000_000_001n])).toBeNull();
    expect(MeterCost.worstCost(meters, [MeterCost.rateOf('1', 1)], [10n ** 30n])).toBeNull();
  });
});

describe("an upstream's own price", () => {
  test.each([
    ['0.000123', 123n * 10n ** 18n],
    ['1.23e-4', 123n * 10n ** 18n],
    ['0', 0n],
    ['2E0', 2n * 10n ** 24n],
    ['0.0000000000000000000000001', 1n],
    ['1e-999', 1n],
  ])('%s is read exactly', (number, cost) => {
    expect(MeterCost.exactUsd(number)).toBe(cost);
  });

  test.each(['-0.1', '1e400', '1e9999', 'NaN', '', '1.', '0x1'])('%s is refused', (number) => {
    expect(MeterCost.exactUsd(number)).toBeNull();
  });

  test('with a markup is exact', () => {
    const rate = MeterCost.rateOfCost(3000);
    expect(MeterCost.costOf([{ outer: -1 }], [rate], [10n ** BigInt(costPlaces - 5)])).toBe(13);
  });
});
