import { changed } from './line-diff.ts';

/** Lines that two edits of one text replaced, each in its own way. */
export type MergeConflict = { before: string[]; theirs: string[]; ours: string[] };
/** A range of lines of the common text, and the lines in its place. */
type Hunk = { start: number; end: number; lines: string[] };

/**
 * Merges two edits of one text by lines. If both replaced the same lines differently, the text contains those of `ours`, and the place is
 * listed as a conflict.
 */
export function mergeLines(
  base: string,
  theirs: string,
  ours: string,
): { text: string; conflicts: MergeConflict[] } {
  const lines = base.split('\n');
  const all = [
    ...hunksOf(lines, theirs.split('\n')).map((hunk) => ({ hunk, isOurs: false })),
    ...hunksOf(lines, ours.split('\n')).map((hunk) => ({ hunk, isOurs: true })),
  ].sort((one, other) => one.hunk.start - other.hunk.start || one.hunk.end - other.hunk.end);
  const groups: (typeof all)[] = [];
  for (const one of all) {
    const last = groups.at(-1);
    if (last?.some(({ hunk, isOurs }) => isOurs !== one.isOurs && meet(hunk, one.hunk))) last.push(one);
    else if (last?.some(({ hunk }) => one.hunk.start < hunk.end)) last.push(one);
    else groups.push([one]);
  }
  const merged: string[] = [];
  const conflicts: MergeConflict[] = [];
  let at = 0;
  for (const group of groups) {
    const start = Math.min(...group.map(({ hunk }) => hunk.start));
    const end = Math.max(...group.map(({ hunk }) => hunk.end));
    const side = (isOurs: boolean) =>
      applied(
        lines,
        group.filter((one) => one.isOurs === isOurs).map(({ hunk }) => hunk),
        start,
        end,
      );
    const sides = [...new Set(group.map(({ isOurs }) => isOurs))];
    const [their, our] = [side(false), side(true)];
    const isSame = JSON.stringify(their) === JSON.stringify(our);
    if (sides.length === 2 && !isSame)
      conflicts.push({ before: lines.slice(start, end), theirs: their, ours: our });
    merged.push(...lines.slice(at, start), ...(sides.length === 1 && !sides[0] ? their : our));
    at = end;
  }
  return { text: [...merged, ...lines.slice(at)].join('\n'), conflicts };
}

/** Two edits meet when they replace a common line, or one inserts lines where the other begins or ends. */
function meet(one: Hunk, other: Hunk): boolean {
  const isInsertion = one.start === one.end || other.start === other.end;
  const [from, to] = [Math.max(one.start, other.start), Math.min(one.end, other.end)];
  return isInsertion ? from <= to : from < to;
}

/** The lines from `start` to `end` with the hunks in them. */
function applied(lines: readonly string[], hunks: readonly Hunk[], start: number, end: number): string[] {
  const parts: string[] = [];
  let at = start;
  for (const hunk of hunks) {
    parts.push(...lines.slice(at, hunk.start), ...hunk.lines);
    at = hunk.end;
  }
  return [...parts, ...lines.slice(at, end)];
}

function hunksOf(before: readonly string[], after: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [at, isWithin] = [0, false];
  for (const { kind, text } of changed(before, after)) {
    if (kind === 'same') at += 1;
    else {
      if (!isWithin) hunks.push({ start: at, end: at, lines: [] });
      const hunk = hunks.at(-1) as Hunk;
      if (kind === 'added') hunk.lines.push(text);
      else {
        at += 1;
        hunk.end = at;
      }
    }
    isWithin = kind !== 'same';
  }
  return hunks;
}
