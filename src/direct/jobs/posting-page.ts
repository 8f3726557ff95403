import * as Cursor from '../filters/cursor.ts';
import type { Call, Outcome } from '../operation.ts';
import type { FoundJob, JobKeys } from './jobs.ts';

/** How many postings one query can page through; the rest is cut without a word. */
export const jobsPerQueryMax = 5_000;

/** Where a page of postings stands in its query. */
export type Stand = {
  place: Cursor.Place;
  granted: number;
  call: Call;
  scope: Cursor.Scope;
  maxResults: number;
};

/** The last posting of the page before; null on the first one. */
export function after({ after: [postedMs, id] }: Cursor.Place): JobKeys | null {
  return postedMs === undefined || id === undefined ? null : { postedMs, id };
}

/** The answer from `found`, which is one posting longer than the page where there are more. */
export function outcome(total: number, found: readonly FoundJob[], stand: Stand): Outcome {
  const { place, granted, call, scope, maxResults } = stand;
  const shown = found.slice(0, granted);
  const delivered = place.delivered + shown.length;
  const last = shown.at(-1);
  const goesOn = found.length > shown.length && delivered < jobsPerQueryMax;
  return {
    body: {
      total_results: total,
      results: shown.map((item) => item.job),
      results_length: shown.length,
      max_results: maxResults,
      cursor:
        goesOn && last
          ? Cursor.seal(call.data.cursorSecret, scope, {
              ...place,
              total,
              delivered,
              after: [last.keys.postedMs, last.keys.id],
            })
          : null,
    },
    recordsUsed: shown.length,
  };
}
