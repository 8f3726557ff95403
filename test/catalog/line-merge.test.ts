import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeLines } from '../../src/catalog/line-merge.ts';

const text = (...lines: string[]) => lines.join('\n');

test('edits of different lines are both kept', () => {
  const merged = mergeLines(
    text('a', 'b', 'c', 'd'),
    text('a', 'B', 'c', 'd', 'e'),
    text('A', 'b', 'C', 'd'),
  );
  expect(merged).toEqual({ text: text('A', 'B', 'C', 'd', 'e'), conflicts: [] });
});

test('edits of the same line are a conflict, which names both, and the text has the own one', () => {
  const merged = mergeLines(text('a', 'b', 'c'), text('a', 'theirs', 'c'), text('a', 'ours', 'c'));
  expect(merged.text).toBe(text('a', 'ours', 'c'));
  expect(merged.conflicts).toEqual([{ before: ['b'], theirs: ['theirs'], ours: ['ours'] }]);
});

test('without a conflict, nothing that either person did is lost', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 10 }).map((all) => all.join('\n'));
  fc.assert(
    fc.property(lines, lines, lines, (base, theirs, ours) => {
      expect(mergeLines(base, theirs, base)).toEqual({ text: theirs, conflicts: [] });
      expect(mergeLines(base, base, ours)).toEqual({ text: ours, conflicts: [] });
      expect(mergeLines(base, ours, ours)).toEqual({ text: ours, conflicts: [] });
      const merged = mergeLines(base, theirs, ours);
      const counted = (one: string) => Map.groupBy(one.split('\n'), (line) => line);
      const number = (one: string, line: string) => counted(one).get(line)?.length ?? 0;
      // Each line occurs as often as both edits together made it, unless both made the same change.
      if (merged.conflicts.length === 0 && mergeLines(base, ours, theirs).text === merged.text)
        for (const line of ['a', 'b', 'c', '']) {
          const [of, their, our] = [number(base, line), number(theirs, line), number(ours, line)];
          const sums = [their + our - of, their, our];
          expect(number(merged.text, line)).toBeGreaterThanOrEqual(Math.min(...sums));
          expect(number(merged.text, line)).toBeLessThanOrEqual(Math.max(...sums));
        }
    }),
  );
});

test('the result of a merge without a conflict does not depend on whose edit comes first', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 10 }).map((all) => all.join('\n'));
  fc.assert(
    fc.property(lines, lines, lines, (base, theirs, ours) => {
      const merged = mergeLines(base, theirs, ours);
      const swapped = mergeLines(base, ours, theirs);
      expect(swapped.conflicts.length).toBe(merged.conflicts.length);
      if (merged.conflicts.length === 0) expect(swapped.text).toBe(merged.text);
    }),
  );
});
