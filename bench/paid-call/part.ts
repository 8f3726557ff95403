import type { Aim } from './aim.ts';
import type { Stage } from './stage.ts';

/** The duration of the measurements, for every part. */
export type Effort = {
  rounds: number;
  seconds: number;
  snapshotSeconds: number;
  /** Another checkout, whose storefront is measured too. */
  against: string | null;
};

/** The results of one part of the bench: lines for the reader, and the targets that it checked. */
export type Findings = { lines: string[]; aims: Aim[] };

export type Part = (stage: Stage, effort: Effort) => Promise<Findings>;

/** Returns rows with aligned columns, the first aligned to the left. */
export function table(rows: readonly string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  );
}
