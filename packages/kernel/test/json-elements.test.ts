import { describe, expect, test } from 'vitest';
import * as JsonElements from '../src/json-elements.ts';

function filtered(text: string, pointer: readonly string[], keeps: (json: unknown) => boolean): string {
  const bytes = Buffer.from(text);
  const found = JsonElements.find(bytes, 0, pointer);
  if (found.kind !== 'array') return found.kind;
  const json = found.elements.map(({ from, to }) => JSON.parse(bytes.toString('utf8', from, to)));
  return JsonElements.filter(bytes, found.elements, (_, at) => keeps(json[at])).toString();
}

describe('elements of an array', () => {
  test.each([
    ['[1,2,3,4]', [], '[2,4]'],
    ['[1]', [], '[]'],
    ['[ ]', [], '[ ]'],
    ['[2 , 4]', [], '[2 , 4]'],
    [' { "a" : [ 1 , 2 ,3, 4 ] } ', ['a'], ' { "a" : [ 2, 4 ] } '],
    ['{"b":[1],"a":{"c":[2,1]},"d":"[1]"}', ['a', 'c'], '{"b":[1],"a":{"c":[2]},"d":"[1]"}'],
    ['{"\\u0061":[1,2]}', ['a'], '{"\\u0061":[2]}'],
    ['{"a":[{"x":"]"},[1,[2]],"\\"",2]}', ['a'], '{"a":[2]}'],
  ])('are filtered, and all other bytes stay: %s', (text, pointer, expected) => {
    expect(filtered(text, pointer, (json) => json === 2 || json === 4)).toBe(expected);
  });

  test.each([
    ['{"a":[1],"a":[2]}', ['a'], 'ambiguous'],
    ['{"a":[1],"a":1}', ['a'], 'ambiguous'],
    ['{"a":{"b":[1]},"a":{}}', ['a', 'b'], 'ambiguous'],
    ['{"a":{"b":[1],"b":[]}}', ['a', 'b'], 'ambiguous'],
    ['{"a":{}}', ['a'], 'none'],
    ['{"b":[]}', ['a'], 'none'],
    ['[[1]]', ['0'], 'none'],
    ['{"a":[1,]}', ['a'], 'not_json'],
    ['{"a":[1]', ['a'], 'not_json'],
    ['{"a":[1]} x', ['a'], 'not_json'],
    ['', [], 'not_json'],
  ])('are not found where parsers may disagree or there is no array: %s', (text, pointer, expected) => {
    expect(filtered(text, pointer, () => true)).toBe(expected);
  });

  test('agree with JSON.parse over random arrays and choices', () => {
    let seed = 7;
    const random = (n: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % n;
    };
    const blank = () => ['', ' ', '\n\t'][random(3)];
    const values = ['1', '"a,]"', '{"id":[1,2]}', '[]', 'null', '-0.5e3', '"\\u005d"'];
    for (let time = 0; time < 500; time++) {
      const items = Array.from({ length: random(6) }, () => values[random(values.length)] ?? '1');
      const keeps = items.map(() => random(2) === 0);
      const list = items.map((item) => blank() + item + blank()).join(',');
      const bytes = Buffer.from(`{"x":[9],${blank()}"l":[${list}],"y":{"l":[1]}}`);
      const found = JsonElements.find(bytes, 0, ['l']);
      if (found.kind !== 'array') throw new Error(found.kind);
      const text = JsonElements.filter(bytes, found.elements, (_, at) => keeps[at] === true).toString();
      const kept = items.filter((_, at) => keeps[at]).map((item) => JSON.parse(item));
      expect(JSON.parse(text)).toEqual({ x: [9], l: kept, y: { l: [1] } });
    }
  });
});
