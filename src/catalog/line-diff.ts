/** A line of a difference: unchanged, removed or added, or a number of unchanged lines that are left out. */
export type DiffLine = { kind: 'same' | 'removed' | 'added'; text: string } | { kind: 'gap'; lines: number };

/** Unchanged lines that are shown around a change. */
const contextLines = 2;
/** Larger differences are shown as one block: the comparison takes the square of the lines. */
const linesMax = 2_000;

/** Compares two texts line by line. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const middle = changed(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return folded([...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)]);
}

/** The longest common subsequence of two lists of lines, as a difference. */
function changed(a: readonly string[], b: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (a.length > linesMax || b.length > linesMax) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        a[i] === b[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const isSame = i < a.length && j < b.length && a[i] === b[j];
    const takesA = (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0);
    if (isSame) lines.push({ kind: 'same', text: a[i] ?? '' });
    else lines.push(j >= b.length || (i < a.length && takesA) ? removed(a[i] ?? '') : added(b[j] ?? ''));
    const last = lines.at(-1)?.kind;
    if (last !== 'added') i += 1;
    if (last !== 'removed') j += 1;
  }
  return lines;
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
