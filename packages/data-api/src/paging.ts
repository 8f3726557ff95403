import * as Cursor from './filters/cursor.ts';
import type { Call, Prepared } from './operation.ts';

/** A request for one page of an operation that is paged by a cursor. */
export type PageRequest = {
  operation: string;
  /** The filters of the request. A cursor is valid only with the same filters. */
  filters: unknown;
  cursor: string | null;
  maxResults: number;
  /** Maximum number of results over all pages of a query. Results beyond it are not returned. */
  perQueryMax: number;
};

export type Page = {
  results: readonly object[];
  /** All matches over all pages; null for operations that do not count them. */
  total: number | null;
  /** Sort keys after which the next page begins; null at the end. */
  resumeAfter: readonly number[] | null;
};

/** Checks the cursor and prepares the call. `read` reads at most `granted` results from `place` on. */
export function paged(
  call: Call,
  { operation, filters, cursor, maxResults, perQueryMax }: PageRequest,
  read: (place: Cursor.Place, granted: number) => Promise<Page>,
): Prepared {
  const { cursorSecret, version } = call.data;
  const scope = { operation, keyId: call.key.id, version, filters };
  const place = Cursor.placeOf(cursorSecret, scope, cursor, call.nowMs);
  if (place === null) return { kind: 'invalid', faults: [Cursor.fault] };
  const run = async (granted: number) => {
    const { results, total, resumeAfter } = await read(place, granted);
    const delivered = place.delivered + results.length;
    const hasMore = resumeAfter !== null && delivered < perQueryMax;
    const body = {
      ...(total !== null && { total_results: total }),
      results,
      results_length: results.length,
      max_results: maxResults,
      cursor: hasMore
        ? Cursor.seal(cursorSecret, scope, { ...place, total, delivered, after: resumeAfter })
        : null,
    };
    return { body, recordsUsed: results.length };
  };
  return { kind: 'ready', recordsMax: Math.min(maxResults, perQueryMax - place.delivered), run };
}
