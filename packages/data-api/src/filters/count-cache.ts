import { sha256Hex } from '@sluice/kernel/digest';

/**
 * LRU cache of exact totals by question. A data-set version never changes, so totals stay valid, as long as the question
 * does not depend on the current time.
 */
export type Totals = Map<string, Promise<number>>;

const totalsMax = 10_000;

export function create(): Totals {
  return new Map();
}

/** Returns the total of `question`, counting it if necessary. Concurrent callers share one count. */
export function getOrCount(totals: Totals, question: unknown, count: () => Promise<number>): Promise<number> {
  const key = sha256Hex(JSON.stringify(question));
  const total = totals.get(key) ?? count();
  totals.delete(key);
  totals.set(key, total);
  if (totals.size > totalsMax) totals.delete(totals.keys().next().value ?? key);
  // Do not cache failures.
  total.catch(() => totals.delete(key));
  return total;
}
