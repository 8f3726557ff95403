import * as Schema from '../schema/schema.ts';

/** How many employees fall under one label. */
export type Headcount = { label: string; count: number };

export const count = Schema.integer(0, Number.MAX_SAFE_INTEGER);
export const share = Schema.about('Share of all employees in per cent, two decimals.', Schema.number(0, 100));

export function total(headcounts: readonly Headcount[]): number {
  return headcounts.reduce((sum, headcount) => sum + headcount.count, 0);
}

/** The share of `part` in `whole` in per cent, rounded to two decimals. */
export function percentage(part: number, whole: number): number {
  return Math.round((part * 10_000) / whole) / 100;
}
