/** A company with its number of matches, and the id after which to continue; null at the end. */
type Page<E> = { employers: E[]; resumeAfter: number | null };

/** Counts matches by company over consecutive ranges of company ids. */
export type RangeCounter<E> = {
  /** Sizes of the ranges, in rows. Together they bound the work for one page. */
  rangeRows: readonly number[];
  /** Last company id of the range of `rows` rows after `after`; null if fewer rows are left. */
  endOfRange(after: number, rows: number): Promise<number | null>;
  /** Companies with ids above `after`, up to `upTo` (null: to the end), that have enough matches. */
  countRange(after: number, upTo: number | null): Promise<E[]>;
};

/**
 * Counts range by range until the page is full or the ranges are used up. A page can therefore be short although more
 * companies follow.
 */
export async function pageByRanges<E extends { companyId: number }>(
  counter: RangeCounter<E>,
  after: number,
  limit: number,
): Promise<Page<E>> {
  const found: E[] = [];
  let last: number | null = after;
  for (const rows of counter.rangeRows) {
    if (last === null || found.length > limit) break;
    const end = await counter.endOfRange(last, rows);
    found.push(...(await counter.countRange(last, end)));
    last = end;
  }
  return pageOf(found, limit, last);
}

/**
 * Cuts `found` to a page. `countedUpTo` is the last company id that was counted, null at the end. Companies beyond the
 * page are counted again for the next one.
 */
export function pageOf<E extends { companyId: number }>(
  found: readonly E[],
  limit: number,
  countedUpTo: number | null,
): Page<E> {
  const employers = found.slice(0, limit);
  const last = employers.at(-1);
  return { employers, resumeAfter: found.length > limit && last ? last.companyId : countedUpTo };
}
