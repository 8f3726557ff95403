import type { Destination } from './answer.ts';

/**
 * What a process holds of answers: gathered until they can be counted, or counted and not yet read by their callers. One answer
 * may be long, and many may come at once: together they have a bound too.
 */
export type HeldBytes = { bytes: number; readonly max: number };

/** 256 MiB. */
const heldBytesMax = 256 * 1024 * 1024;

export function create(max: number = heldBytesMax): HeldBytes {
  return { bytes: 0, max };
}

export function isFull(held: HeldBytes): boolean {
  return held.bytes >= held.max;
}

/** Holds so many more, also where that is too many: they are there. */
export function hold(held: HeldBytes, bytes: number): void {
  held.bytes += bytes;
}

/** Holds what a reader has not taken yet, for as long as there is one. */
export function holdUntilClosed(
  held: HeldBytes,
  bytes: number,
  outgoing: Pick<Destination, 'closed' | 'once'>,
): void {
  if (outgoing.closed) return;
  hold(held, bytes);
  outgoing.once('close', () => letGo(held, bytes));
}

export function letGo(held: HeldBytes, bytes: number): void {
  held.bytes -= bytes;
}
