/** A deterministic random number generator (mulberry32): the same seed gives the same numbers on every machine. */
export type Prng = () => number;

/** Creates a generator of numbers from 0 (inclusive) to 1 (exclusive). Each `stream` of a seed is independent. */
export function create(seed: number, stream: number): Prng {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Draws a whole number from `min` to `max`, inclusive. */
export function between(prng: Prng, min: number, max: number): number {
  return min + Math.floor(prng() * (max - min + 1));
}

export function chance(prng: Prng, probability: number): boolean {
  return prng() < probability;
}

/** Draws one of `items`, which must not be empty. */
export function pick<T>(prng: Prng, items: readonly T[]): T {
  const item = items[Math.floor(prng() * items.length)];
  if (item === undefined) throw new RangeError('nothing to pick from');
  return item;
}

/** Draws up to `count` distinct items, in random order. */
export function sample<T>(prng: Prng, items: readonly T[], count: number): T[] {
  const pool = [...items];
  const taken: T[] = [];
  while (taken.length < count && pool.length > 0) {
    taken.push(...pool.splice(Math.floor(prng() * pool.length), 1));
  }
  return taken;
}

/** Returns a function that draws an item by weight, in logarithmic time. */
export function weighted<T>(items: readonly T[], weight: (item: T) => number): (prng: Prng) => T {
  let sum = 0;
  const sums = items.map((item) => {
    sum += weight(item);
    return sum;
  });
  return (prng) => {
    const wanted = prng() * sum;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) > wanted) high = middle;
      else low = middle + 1;
    }
    const item = items[low];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  };
}

/** Returns a function that draws a name by its weight. */
export function byWeight(weights: Readonly<Record<string, number>>): (prng: Prng) => string {
  return weighted(Object.keys(weights), (name) => weights[name] ?? 0);
}
