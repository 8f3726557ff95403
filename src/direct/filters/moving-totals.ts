import { sha256Hex } from '../../kernel/digest.ts';

/**
 * Exact totals of questions since a moment, where the moment moves on with the clock: the last one of each question and day. Of the
 * next one only what lies between the two moments is counted. Those asked least recently are forgotten.
 */
export type MovingTotals = Map<string, { sinceMs: number; total: Promise<number> }>;

export type Count = {
  /** How many there are since `sinceMs`. */
  since(sinceMs: number): Promise<number>;
  /** How many there are from `fromMs`, and before `toMs`. */
  between(fromMs: number, toMs: number): Promise<number>;
};

const totalsMax = 10_000;
const dayMs = 86_400_000;

export function create(): MovingTotals {
  return new Map();
}

/** The total of `question` since `sinceMs`; those who ask while it is being counted wait for the same count. */
export function of(totals: MovingTotals, question: unknown, sinceMs: number, count: Count): Promise<number> {
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
  // What failed may work the next time.
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
