import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as JsonEdit from '../src/json-edit.ts';
import type { JsonPointer } from '../src/json-pointer.ts';

function edited(text: string, edits: readonly JsonEdit.Edit[]): string | null {
  return JsonEdit.edit(Buffer.from(text), 0, edits)?.toString() ?? null;
}

/** The same change of parsed values. */
function changed(value: unknown, { pointer: [token, ...rest], json }: JsonEdit.Edit): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (name !== token) return [[name, member]];
    if (rest.length > 0) return [[name, changed(member, { pointer: rest, json })]];
    return json === null ? [] : [[name, JSON.parse(json)]];
  });
  return Object.fromEntries(members);
}

it.each([
  ['{"a":1, "b":2}', '{"a":1}'],
  ['{"b":2,"a":1}', '{"a":1}'],
  ['{"b":2 , "b":3}', '{}'],
  ['{"x":{"b":1},"b":[{}],"c":0}', '{"x":{"b":1},"c":0}'],
  ['[{"b":1}]', '[{"b":1}]'],
  ['"b"', '"b"'],
])('removes a member of %s', (text, expected) => {
  expect(edited(text, [{ pointer: ['b'], json: null }])).toBe(expected);
});

it('replaces every occurrence of a name, however it is written, and nothing else', () => {
  const text = '{"u":{"left": 10e9 ,"\\u006ceft":[1]},"left":7,"big":12345678901234567890}';
  expect(edited(text, [{ pointer: ['u', 'left'], json: '5' }])).toBe(
    '{"u":{"left": 5 ,"\\u006ceft":5},"left":7,"big":12345678901234567890}',
  );
});

it('returns the same bytes where no pointer leads anywhere, and null for what is not JSON', () => {
  const bytes = Buffer.from('{"a":{"b":1}}');
  expect(JsonEdit.edit(bytes, 0, [{ pointer: ['a', 'c'], json: '1' }])).toBe(bytes);
  for (const text of ['', '{"a":1', '{"a":1}x', "{'a':1}", '{"a":1,}'])
    expect(edited(text, [{ pointer: ['a'], json: null }]), text).toBeNull();
});

it('changes a text as parsed values are changed', () => {
  const name = fc.constantFrom('a', 'b', 'é', '"', '__proto__');
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.integer(),
      fc.string({ unit: 'binary' }),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(name, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  const pointer: fc.Arbitrary<JsonPointer> = fc.array(name, { minLength: 1, maxLength: 3 });
  const json = fc.constantFrom(null, '0', '{"n":[1]}', '"é"');
  const indent = fc.constantFrom(0, 1);
  fc.assert(
    fc.property(tree, fc.record({ pointer, json }), indent, (value, edit, spaces) => {
      const text = JSON.stringify(value, null, spaces);
      const result = edited(text, [edit]);
      expect(result && JSON.parse(result)).toEqual(changed(JSON.parse(text), edit));
    }),
    { numRuns: 3_000 },
  );
});

it('removes any members of an object and keeps the others', () => {
  const names = ['a', 'b', 'c', 'd'];
  fc.assert(
    fc.property(fc.subarray(names), fc.subarray(names), (present, removed) => {
      const value = Object.fromEntries(present.map((name) => [name, 1]));
      const edits = removed.map((name) => ({ pointer: [name], json: null }));
      const kept = present.filter((name) => !removed.includes(name));
      expect(JSON.parse(edited(JSON.stringify(value, null, 2), edits) ?? '')).toEqual(
        Object.fromEntries(kept.map((name) => [name, 1])),
      );
    }),
  );
});
