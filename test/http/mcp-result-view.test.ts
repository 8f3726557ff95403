import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as ResultView from '../../src/http/mcp/result-view.ts';

const view = (own: Partial<ResultView.View>): ResultView.View => ({
  fields: [],
  from: 0,
  bytesMax: ResultView.leastBytes,
  ...own,
});
const people = {
  total: 2,
  cursor: 'c',
  results: [
    { name: 'Ada', employer: { name: 'Analytical', city: 'London' }, skills: [{ name: 'a', level: 1 }] },
    { name: 'Max', employer: null, skills: [] },
  ],
};
const shown = (fields: string[]) =>
  JSON.parse(ResultView.part(people, view({ fields, bytesMax: 10_000 }), true).text);

test('fields are names of the items, paths below them or pointers, and the cursor stays', () => {
  const beside = { total: 2, cursor: 'c' };
  expect(shown(['name'])).toEqual({ ...beside, results: [{ name: 'Ada' }, { name: 'Max' }] });
  expect(shown(['employer.city', 'skills.level'])).toEqual({
    ...beside,
    results: [
      { employer: { city: 'London' }, skills: [{ level: 1 }] },
      { employer: null, skills: [] },
    ],
  });
  expect(shown(['/results/0/name'])).toEqual(shown(['name']));
  expect(shown(['/results/name', '/cursor'])).toEqual(shown(['name']));
});

test('an unknown field is named with the nearest one, and never hides what was paid for', () => {
  const part = ResultView.part(people, view({ fields: ['nam'] }), true);
  expect(part.unknown).toEqual(['nam (Did you mean "name"?)']);
  expect(JSON.parse(part.text)).toEqual(people);
});

test('nothing is cut that could not be read later', () => {
  const long = { results: ['x'.repeat(5_000), 'y'.repeat(5_000)] };
  expect(JSON.parse(ResultView.part(long, view({ from: 1 }), false).text)).toEqual(long);
});

test('the parts of any list are as small as asked for, and together are the list', () => {
  const item = fc.jsonValue({ maxDepth: 2 });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 60 }), fc.string({ maxLength: 100 }), (items, cursor) => {
      const body = { cursor, results: items };
      const seen: unknown[] = [];
      for (let from: number | null = 0; from !== null; ) {
        const part: ResultView.ShownPart = ResultView.part(body, view({ from }), true);
        expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(ResultView.leastBytes);
        const isWholeItem = part.text.startsWith('{"cursor"');
        if (isWholeItem) seen.push(...JSON.parse(part.text).results);
        else seen.push(items[from]);
        from = part.nextFrom;
      }
      expect(JSON.stringify(seen)).toBe(JSON.stringify(items));
    }),
  );
});

test('own names of objects are not read from their prototype', () => {
  const part = ResultView.part({ a: 1 }, view({ fields: ['constructor', '__proto__.x', 'a'] }), true);
  expect(JSON.parse(part.text)).toEqual({ a: 1 });
  expect(part.unknown).toHaveLength(2);
});
