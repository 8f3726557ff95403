import { sha256Hex } from '../../kernel/digest.ts';

/** Most ids that are kept of one question; of more, a page is found along the order. */
export const idsMax = 20_000;
/** And of all questions: 16 MB. */
const allMax = 4_000_000;

/**
 * Whom questions found, in order, for their further pages: what is dear to find is found once. It stays true as totals do
 * (`totals.ts`). What was asked least recently is forgotten.
 */
export type KeptIds = { readonly byQuestion: Map<string, Int32Array>; count: number };

export function create(): KeptIds {
  return { byQuestion: new Map(), count: 0 };
}

/** What `question` found; asked of `find` unless it is known. */
export async function of(
  kept: KeptIds,
  question: unknown,
  find: () => Promise<readonly number[]>,
): Promise<Int32Array> {
  const key = keyOf(question);
  const known = kept.byQuestion.get(key);
  if (known === undefined) return put(kept, question, await find());
  kept.byQuestion.delete(key);
  kept.byQuestion.set(key, known);
  return known;
}

/** Keeps what `question` found, at most `idsMax`, in any order. */
export function put(kept: KeptIds, question: unknown, found: readonly number[]): Int32Array {
  const key = keyOf(question);
  const ids = Int32Array.from(found).sort();
  kept.count += ids.length - (kept.byQuestion.get(key)?.length ?? 0);
  kept.byQuestion.delete(key);
  kept.byQuestion.set(key, ids);
  for (const [oldest, { length }] of kept.byQuestion) {
    if (kept.count <= allMax) break;
    kept.byQuestion.delete(oldest);
    kept.count -= length;
  }
  return ids;
}

/** The first `limit` of `ids` that are greater than `after`. */
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
