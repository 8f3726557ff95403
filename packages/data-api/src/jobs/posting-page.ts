import type * as Cursor from '../filters/cursor.ts';
import type { Page } from '../paging.ts';
import type { FoundJob, JobKeys } from './jobs.ts';

/** Maximum number of postings over all pages of a query. Postings beyond it are not returned. */
export const jobsPerQueryMax = 5_000;

/** Sort keys of the last posting of the page before; null on the first page. */
export function after({ after: [postedMs, id] }: Cursor.Place): JobKeys | null {
  return postedMs === undefined || id === undefined ? null : { postedMs, id };
}

/** Cuts `found`, read with a limit of `granted + 1`, to a page. The extra posting shows that there is a next page. */
export function pageOf(total: number, found: readonly FoundJob[], granted: number): Page {
  const shown = found.slice(0, granted);
  const last = shown.at(-1)?.keys;
  const hasMore = found.length > shown.length;
  return {
    results: shown.map(({ job }) => job),
    total,
    resumeAfter: hasMore && last ? [last.postedMs, last.id] : null,
  };
}
