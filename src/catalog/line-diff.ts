/** A line of a difference: unchanged, removed or added, or a number of unchanged lines that are left out. */
export type DiffLine = ChangedLine | { kind: 'gap'; lines: number };
/** A line of a whole difference. */
export type ChangedLine = { kind: 'same' | 'removed' | 'added'; text: string };

/** Unchanged lines that are shown around a change. */
const contextLines = 2;
/** Larger differences are shown as one block: the comparison takes the square of the lines. */
const linesMax = 2_000;

/** Compares two texts line by line. */
export function lineDiff(before: string, after: string): DiffLine[] {
  return folded(changed(before.split('\n'), after.split('\n')));
}

/** Compares two lists of lines, and returns every line. */
export function changed(a: readonly string[], b: readonly string[]): ChangedLine[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const middle = byCommonLines(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (text: string) => line('same', text);
  return [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)];
}

/** Compares two lists of lines by their longest common subsequence. */
function byCommonLines(a: readonly string[], b: readonly string[]): ChangedLine[] {
  if (a.length > linesMax || b.length > linesMax)
    return [...a.map((text) => line('removed', text)), ...b.map((text) => line('added', text))];
  const common = commonLengths(a, b);
  const lines: ChangedLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const isSame = i < a.length && j < b.length && a[i] === b[j];
    // Past the end of a list, `common` is below every other length.
    const taken = isSame ? 'same' : common(i + 1, j) >= common(i, j + 1) ? 'removed' : 'added';
    lines.push(line(taken, (taken === 'added' ? b[j] : a[i]) ?? ''));
    if (taken !== 'added') i += 1;
    if (taken !== 'removed') j += 1;
  }
  return lines;
}

function line(kind: ChangedLine['kind'], text: string): ChangedLine {
  return { kind, text };
}

/** Returns a function for the number of lines that the rests of two lists have in common, from the lines `i` and `j` on. */
function commonLengths(a: readonly string[], b: readonly string[]): (i: number, j: number) => number {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => (i > a.length || j > b.length ? -1 : (lengths[i * width + j] ?? 0));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  return at;
}

/** Leaves out unchanged lines that are far from a change. */
function folded(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(({ kind }) => kind !== 'same'),
  );
  const shown: DiffLine[] = [];
  for (const [at, line] of lines.entries()) {
    const last = shown.at(-1);
    if (isNear[at]) shown.push(line);
    else if (last?.kind === 'gap') last.lines += 1;
    else shown.push({ kind: 'gap', lines: 1 });
  }
  return shown;
}
