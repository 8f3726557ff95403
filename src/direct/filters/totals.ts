import { sha256Hex } from '../../kernel/digest.ts';

/**
 * Exact totals of questions that were counted before. A generation of the data never changes, so neither does a total
 * within it, as long as the question does not depend on the day. Those asked least recently are forgotten.
 */
export type Totals = Map<string, Promise<number>>;

const totalsMax = 10_000;

export function create(): Totals {
  return new Map();
}

/** The total of `question`, counted unless it is known; those who ask while it is being counted wait for the same count. */
export function of(totals: Totals, question: unknown, count: () => Promise<number>): Promise<number> {
  const key = sha256Hex(JSON.stringify(question));
  const total = totals.get(key) ?? count();
  totals.delete(key);
  totals.set(key, total);
  if (totals.size > totalsMax) totals.delete(totals.keys().next().value ?? key);
  // What failed may work the next time.
  total.catch(() => totals.delete(key));
  return total;
}
