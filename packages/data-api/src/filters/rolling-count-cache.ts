import { sha256Hex } from '@sluice/kernel/digest';

/**
 * LRU cache of exact totals since a moment that moves with the clock ("the last 30 days"). Keeps the latest total per
 * question and day, and updates it by counting only what lies between the two moments.
 */
export type MovingTotals = Map<string, { sinceMs: number; total: Promise<number> }>;

export type Count = {
  /** Counts matches since `sinceMs`. */
  since(sinceMs: number): Promise<number>;
  /** Counts matches from `fromMs` up to, but not including, `toMs`. */
  between(fromMs: number, toMs: number): Promise<number>;
};

const totalsMax = 10_000;
const dayMs = 86_400_000;

export function create(): MovingTotals {
  return new Map();
}

/** Returns the total of `question` since `sinceMs`. Concurrent callers share one count. */
export function getOrCount(
  totals: MovingTotals,
  question: unknown,
  sinceMs: number,
  count: Count,
): Promise<number> {
  const key = sha256Hex(JSON.stringify([question, Math.floor(sinceMs / dayMs)]));
  const last = totals.get(key);
  const total =
    last === undefined
      ? count.since(sinceMs)
      : last.sinceMs === sinceMs
        ? last.total
        : moved(last.sinceMs, last.total, sinceMs, count);
  const counted = { sinceMs, total };
  totals.delete(key);
  totals.set(key, counted);
  if (totals.size > totalsMax) totals.delete(totals.keys().next().value ?? key);
  // Do not cache failures.
  total.catch(() => {
    if (totals.get(key) === counted) totals.delete(key);
  });
  return total;
}

async function moved(
  lastMs: number,
  total: Promise<number>,
  sinceMs: number,
  { between }: Count,
): Promise<number> {
  return sinceMs > lastMs
    ? (await total) - (await between(lastMs, sinceMs))
    : (await total) + (await between(sinceMs, lastMs));
}
