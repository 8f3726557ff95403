import { sha256Hex } from '@sluice/kernel/digest';

/** Maximum number of ids cached for one question. Results with more are read in id order instead. */
export const idsMax = 20_000;
/** Maximum number of ids of all questions (16 MB). */
const allMax = 4_000_000;

/**
 * LRU cache of result ids by question, in order, so that an expensive query runs once for all its pages. A data-set
 * version never changes, so the ids stay valid.
 */
export type CachedIds = { readonly byQuestion: Map<string, Int32Array>; count: number };

export function create(): CachedIds {
  return { byQuestion: new Map(), count: 0 };
}

/** Returns the ids of `question`, calling `find` if they are not cached. */
export async function getOrFind(
  cache: CachedIds,
  question: unknown,
  find: () => Promise<readonly number[]>,
): Promise<Int32Array> {
  const key = keyOf(question);
  const known = cache.byQuestion.get(key);
  if (known === undefined) return put(cache, question, await find());
  cache.byQuestion.delete(key);
  cache.byQuestion.set(key, known);
  return known;
}

/** Caches the ids of `question`: at most `idsMax`, in any order. */
export function put(cache: CachedIds, question: unknown, found: readonly number[]): Int32Array {
  const key = keyOf(question);
  const ids = Int32Array.from(found).sort();
  cache.count += ids.length - (cache.byQuestion.get(key)?.length ?? 0);
  cache.byQuestion.delete(key);
  cache.byQuestion.set(key, ids);
  for (const [oldest, { length }] of cache.byQuestion) {
    if (cache.count <= allMax) break;
    cache.byQuestion.delete(oldest);
    cache.count -= length;
  }
  return ids;
}

/** First `limit` ids greater than `after`. */
export function page(ids: Int32Array, after: number, limit: number): Int32Array {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] as number) > after) high = middle;
    else low = middle + 1;
  }
  return ids.subarray(low, low + limit);
}

function keyOf(question: unknown): string {
  return sha256Hex(JSON.stringify(question));
}
