import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff } from '../../src/catalog/line-diff.ts';

test('a difference contains every line that was removed or added, in order, and few others', () => {
  const line = fc.constantFrom('a', 'b', 'c', '');
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.array(line, { maxLength: 12 }), (before, after) => {
      const diff = lineDiff(before.join('\n'), after.join('\n'));
      const count = (kinds: readonly string[]) =>
        diff.reduce(
          (sum, one) => sum + (one.kind === 'gap' ? one.lines : kinds.includes(one.kind) ? 1 : 0),
          0,
        );
      expect(count(['same', 'removed'])).toBe(Math.max(1, before.length));
      expect(count(['same', 'added'])).toBe(Math.max(1, after.length));
      const isEqual = before.join('\n') === after.join('\n');
      expect(diff.some(({ kind }) => kind === 'removed' || kind === 'added')).toBe(!isEqual);
    }),
  );
  expect(lineDiff('a\nb\nc\nd\ne\nf', 'a\nb\nc\nX\ne\nf')).toEqual([
    { kind: 'gap', lines: 1 },
    ...['b', 'c'].map((text) => ({ kind: 'same', text })),
    { kind: 'removed', text: 'd' },
    { kind: 'added', text: 'X' },
    ...['e', 'f'].map((text) => ({ kind: 'same', text })),
  ]);
});
