/** The time as a value: milliseconds since the epoch. Rooms take `now` as an argument; only edges hold a Clock. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Whole seconds since the epoch, the unit of JWT claims. */
export function seconds(nowMs: number): number {
  return Math.floor(nowMs / 1000);
}
