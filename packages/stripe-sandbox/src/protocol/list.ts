import { z } from 'zod';
import { integer, text, timestamp } from './params.ts';
import { missing, type Refusal } from './refusal.ts';

/** The parameters that every list takes. */
export const pageParams = {
  limit: integer.refine((count) => count >= 1 && count <= 100, 'limit must be between 1 and 100.').optional(),
  starting_after: text().optional(),
  ending_before: text().optional(),
};

const range = z.strictObject({
  gt: timestamp.optional(),
  gte: timestamp.optional(),
  lt: timestamp.optional(),
  lte: timestamp.optional(),
});

/** `created=<second>` or `created[gte]=<second>` and its kin. */
export const created = z
  .preprocess((value) => (typeof value === 'string' ? { gte: value, lte: value } : value), range)
  .optional();

export function isCreatedWithin(second: number, bounds: z.infer<typeof created>): boolean {
  if (bounds === undefined) return true;
  const { gt, gte, lt, lte } = bounds;
  return (
    (gt === undefined || second > gt) &&
    (gte === undefined || second >= gte) &&
    (lt === undefined || second < lt) &&
    (lte === undefined || second <= lte)
  );
}

export type Page<T> = { object: 'list'; url: string; has_more: boolean; data: T[] };

const limitDefault = 10;

/** One page of `rows`, which come oldest first and are listed newest first; a cursor names the row next to the page. */
export function page<T extends { id: string }>(
  rows: readonly T[],
  url: string,
  params: {
    limit?: number | undefined;
    starting_after?: string | undefined;
    ending_before?: string | undefined;
  },
): Page<T> | Refusal {
  const newestFirst = [...rows].reverse();
  const limit = params.limit ?? limitDefault;
  const cursor = params.starting_after ?? params.ending_before;
  const found = newestFirst.findIndex(({ id }) => id === cursor);
  if (cursor !== undefined && found < 0) {
    return missing(
      'object',
      cursor,
      params.starting_after === undefined ? 'ending_before' : 'starting_after',
    );
  }
  if (cursor !== undefined && params.starting_after === undefined) {
    const data = newestFirst.slice(Math.max(0, found - limit), found);
    return { object: 'list', url, has_more: found > limit, data };
  }
  const data = newestFirst.slice(found + 1, found + 1 + limit);
  return { object: 'list', url, has_more: found + 1 + limit < newestFirst.length, data };
}
