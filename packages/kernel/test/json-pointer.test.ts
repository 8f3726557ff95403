import { expect, it } from 'vitest';
import * as JsonPointer from '../src/json-pointer.ts';

/** The examples of RFC 6901, section 5. */
const document = { foo: ['bar', 'baz'], '': 0, 'a/b': 1, 'c%d': 2, 'k"l': 6, ' ': 7, 'm~n': 8 };

it.each([
  ['', document],
  ['/foo', ['bar', 'baz']],
  ['/foo/0', 'bar'],
  ['/', 0],
  ['/a~1b', 1],
  ['/c%d', 2],
  ['/k"l', 6],
  ['/ ', 7],
  ['/m~0n', 8],
])('finds what %j names', (text, value) => {
  const pointer = JsonPointer.parse(text);
  expect(pointer && JsonPointer.resolve(document, pointer)).toEqual(value);
});

it.each(['foo', '/~', '/~2', '/a~'])('knows that %j is no pointer', (text) =>
  expect(JsonPointer.parse(text)).toBeNull(),
);

it.each(['/foo/2', '/foo/-1', '/foo/00', '/foo/length', '/constructor', '/__proto__', '/foo/bar/x'])(
  'finds nothing at %s',
  (text) => expect(JsonPointer.resolve(document, JsonPointer.parse(text) ?? [])).toBeUndefined(),
);
