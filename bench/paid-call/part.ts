import type { Aim } from './aim.ts';
import type { Stage } from './stage.ts';

/** How long to measure, for every part. */
export type Effort = {
  rounds: number;
  seconds: number;
  snapshotSeconds: number;
  /** Another checkout, whose storefront is measured too. */
  against: string | null;
};

/** What a part of the bench found: lines for the reader, and the aims that it judges. */
export type Findings = { lines: string[]; aims: Aim[] };

export type Part = (stage: Stage, effort: Effort) => Promise<Findings>;

/** Rows with aligned columns, the first to the left. */
export function table(rows: readonly string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  );
}
