/** A stretch of time, in milliseconds since the epoch. */
export type Span = { startMs: number; endMs: number };

export function lengthMs({ startMs, endMs }: Span): number {
  return Math.max(0, endMs - startMs);
}

/** Returns how long two spans overlap, in milliseconds. */
export function overlapMs(one: Span, other: Span): number {
  return Math.max(0, Math.min(one.endMs, other.endMs) - Math.max(one.startMs, other.startMs));
}

/** Returns the current time, in fractions of a millisecond since the epoch. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
