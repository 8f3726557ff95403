/** The interval of a recurring price. */
export type Recurring = { interval: 'day' | 'week' | 'month' | 'year'; interval_count: number };

/** From `start` to just before `end`, in seconds since the epoch. */
export type Period = { start: number; end: number };

const daySeconds = 86_400;

/**
 * `count` intervals after `anchor`, in UTC. A month that is too short for the anchor's day ends on its last day; the
 * next long one goes back to the anchor's day, as every period is counted from the anchor.
 */
function after(anchor: number, { interval, interval_count }: Recurring, count: number): number {
  const steps = count * interval_count;
  if (interval === 'day') return anchor + steps * daySeconds;
  if (interval === 'week') return anchor + steps * 7 * daySeconds;
  const from = new Date(anchor * 1_000);
  const months = from.getUTCMonth() + steps * (interval === 'year' ? 12 : 1);
  const year = from.getUTCFullYear();
  const daysInMonth = new Date(Date.UTC(year, months + 1, 0)).getUTCDate();
  const midnight = Date.UTC(year, months, Math.min(from.getUTCDate(), daysInMonth)) / 1_000;
  return midnight + (anchor % daySeconds);
}

/** The period that begins at `start`: it ends with the first interval counted from `anchor` that lies after it. */
export function beginningAt(start: number, anchor: number, recurring: Recurring): Period {
  const longestSeconds = after(anchor, recurring, 1) - anchor;
  // Intervals differ in length by three days in a month at most: from a little too early, a few steps are enough.
  let count = Math.max(1, Math.floor((start - anchor) / (longestSeconds * 1.2)));
  while (after(anchor, recurring, count) <= start) count += 1;
  return { start, end: after(anchor, recurring, count) };
}

/** Returns the share of `amount`, the price of the whole `period`, for the time left at `now`, rounded to minor units. */
export function remainder(amount: number, { start, end }: Period, now: number): number {
  return Math.round((amount * Math.max(0, end - now)) / (end - start));
}
