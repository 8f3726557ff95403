import * as Schema from '../schema/schema.ts';

/** Number of employees with one label. */
export type Headcount = { label: string; count: number };

export const count = Schema.integer(0, Number.MAX_SAFE_INTEGER);
export const share = Schema.about(
  'Share of all employees in percent, with two decimals.',
  Schema.number(0, 100),
);

export function total(headcounts: readonly Headcount[]): number {
  return headcounts.reduce((sum, headcount) => sum + headcount.count, 0);
}

/** Share of `part` in `whole` in percent, rounded to two decimals. */
export function percentage(part: number, whole: number): number {
  return Math.round((part * 10_000) / whole) / 100;
}
