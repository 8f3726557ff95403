/** Numbers that look random and are the same for the same seed on every machine (mulberry32). */
export type Prng = () => number;

/** A generator of numbers from 0 up to, but without, 1. `stream` gives independent ones for one seed. */
export function create(seed: number, stream: number): Prng {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A whole number from `min` to `max`, both inside. */
export function between(prng: Prng, min: number, max: number): number {
  return min + Math.floor(prng() * (max - min + 1));
}

export function chance(prng: Prng, probability: number): boolean {
  return prng() < probability;
}

/** One of `items`, which are at least one. */
export function pick<T>(prng: Prng, items: readonly T[]): T {
  const item = items[Math.floor(prng() * items.length)];
  if (item === undefined) throw new RangeError('nothing to pick from');
  return item;
}

/** `count` different ones of `items`, or all of them where there are fewer, in a random order. */
export function sample<T>(prng: Prng, items: readonly T[], count: number): T[] {
  const pool = [...items];
  const taken: T[] = [];
  while (taken.length < count && pool.length > 0) {
    taken.push(...pool.splice(Math.floor(prng() * pool.length), 1));
  }
  return taken;
}

/** Picks by weight, in logarithmic time: for tables that are drawn from many thousand times. */
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
