/** Returns `items` in a random order that depends on the seed only (insertion at places from a mulberry32 stream). */
export function deliveryOrder<T>(items: readonly T[], seed: number): T[] {
  const shuffled: T[] = [];
  let state = seed >>> 0;
  for (const item of items) {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    const place = ((mixed ^ (mixed >>> 14)) >>> 0) % (shuffled.length + 1);
    shuffled.splice(place, 0, item);
  }
  return shuffled;
}
