import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as JsonPointer from '../src/json-pointer.ts';
import * as JsonScan from '../src/json-scan.ts';

/** Finds the value by parsing the whole text. */
function expected(bytes: Uint8Array, pointer: JsonPointer.JsonPointer): JsonScan.Found | null {
  let root: unknown;
  try {
    root = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
  const value = JsonPointer.resolve(root, pointer);
  if (value === undefined) return { kind: 'nothing' };
  if (typeof value === 'number') return { kind: 'number', value };
  if (Array.isArray(value)) return { kind: 'array', length: value.length };
  if (value === null) return { kind: 'null' };
  if (typeof value === 'boolean') return { kind: value ? 'true' : 'false' };
  return { kind: typeof value === 'string' ? 'string' : 'object' };
}

function agrees(bytes: Uint8Array, pointer: JsonPointer.JsonPointer): void {
  expect(JsonScan.find(bytes, 0, pointer)).toEqual(expected(bytes, pointer));
}

/**
 * Few names, so that pointers often lead somewhere; some need escapes. None is a backslash alone: where V8 has met such a name,
 * its JSON.parse takes the next escaped name in its place for it (Node 24.21).
 */
const name = fc.constantFrom('a', 'b', 'ab', '0', '1', '', 'é', '"', 'a/b', '~', '__proto__', '\u0000', '😀');
const pointer = fc.array(name, { maxLength: 4 });
const leaf = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.boolean(),
  fc.constant(null),
);

/** A JSON text as others write it: blanks, escapes, names that occur twice. */
const { document } = fc.letrec<{ document: string; array: string; object: string }>((tie) => {
  const blank = fc.constantFrom('', '', '', ' ', '\n', '\t\r ');
  const string = fc.tuple(name, fc.boolean()).map(([text, isEscaped]) => {
    const escaped = [...text]
      .flatMap((it) => it.split(''))
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    return isEscaped ? `"${escaped.join('')}"` : JSON.stringify(text);
  });
  const number = fc.constantFrom(
    '0',
    '-0',
    '7',
    '12',
    '1.0',
    '1.50',
    '2e2',
    '2E+1',
    '1e-1',
    '9007199254740993',
    '1e400',
  );
  const member = fc
    .tuple(blank, string, blank, tie('document'), blank)
    .map(([before, key, between, value, after]) => `${before}${key}${between}:${value}${after}`);
  return {
    document: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      number,
      string,
      fc.constantFrom('true', 'false', 'null'),
      tie('array'),
      tie('object'),
    ),
    array: fc
      .tuple(fc.array(fc.tuple(blank, tie('document'), blank), { maxLength: 5 }), blank)
      .map(
        ([items, inside]) => `[${items.length > 0 ? items.map((item) => item.join('')).join(',') : inside}]`,
      ),
    object: fc
      .tuple(fc.array(member, { maxLength: 5 }), blank)
      .map(([members, inside]) => `{${members.length > 0 ? members.join(',') : inside}}`),
  };
});

describe('a JSON text of which one place is wanted', () => {
  it('is read as JSON.parse reads it, names that occur twice and escapes included', () => {
    fc.assert(
      fc.property(document, pointer, (text, where) => agrees(Buffer.from(text), where)),
      { numRuns: 20_000 },
    );
  });

  it('is read as JSON.parse reads whatever JSON.stringify wrote', () => {
    const value = fc.object({ key: name, values: [leaf], withBigInt: false, maxDepth: 4 });
    fc.assert(
      fc.property(value, pointer, fc.constantFrom(0, 2), (it, where, indent) =>
        agrees(Buffer.from(JSON.stringify(it, null, indent)), where),
      ),
      { numRuns: 5_000 },
    );
  });

  it('is none where JSON.parse takes it for none: any byte of it changed, left out or put in', () => {
    const change = fc.tuple(
      fc.constantFrom('set', 'cut', 'put'),
      fc.nat(),
      fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"\\{}[]:,-+.eE0 \u0001tn'))),
    );
    fc.assert(
      fc.property(
        document,
        fc.array(change, { minLength: 1, maxLength: 3 }),
        pointer,
        (text, changes, where) => {
          const bytes = [...Buffer.from(text)];
          for (const [kind, place, byte] of changes) {
            const at = place % (bytes.length + 1);
            if (kind === 'set') bytes[at] = byte;
            else if (kind === 'cut') bytes.length = at;
            else bytes.splice(at, 0, byte);
          }
          agrees(Buffer.from(bytes), where);
        },
      ),
      { numRuns: 30_000 },
    );
  });

  it('is read the same wherever in a string something stands that is not for itself', () => {
    const stops = [
      '"',
      '\\',
      '\\"',
      '\\n',
      '\\x',
      '\\u00e9',
      '\\u00eg',
      '\\u00',
      '\u0000',
      '\u001f',
      '\u007f',
      'é',
      '😀',
    ];
    const ends = ['', ',"count":7', '],"count":7', '","count":7}', '],"count":7}', '"],"count":7}', '"]} ,'];
    for (let length = 0; length <= 36; length++)
      for (let place = 0; place <= length; place++)
        for (const stop of stops) {
          const string = `${'a'.repeat(place)}${stop}${'b'.repeat(length - place)}`;
          agrees(Buffer.from(`{"rows":["${string}"],"count":7}`), ['count']);
          agrees(Buffer.from(`{"${string}":0,"count":7}`), ['count']);
          for (const end of ends) agrees(Buffer.from(`{"rows":["${string}${end}`), ['count']);
        }
  });

  it('has nothing to do with what was read before it', () => {
    const long = Buffer.from(`{"rows":["${'a'.repeat(100_000)}"],"count":1}`);
    for (let length = 10; length < 200; length++) {
      expect(JsonScan.find(long, 0, ['count'])).toEqual({ kind: 'number', value: 1 });
      expect(JsonScan.find(long.subarray(0, length), 0, ['count'])).toBeNull();
    }
  });

  it('may be larger than any before it', () => {
    const rows = `"${'a'.repeat(1_000)}",`.repeat(9_000);
    for (const count of [1, 2])
      expect(JsonScan.find(Buffer.from(`{"rows":[${rows}0],"count":${count}}`), 0, ['count'])).toEqual({
        kind: 'number',
        value: count,
      });
    expect(JsonScan.find(Buffer.from('[1'), 0, [])).toBeNull();
  });

  it('is none while it is not there to its end', () => {
    const whole = Buffer.from('{"items":[{"a":"b\\u00e9"},-1.5e+3,true,null],"count":2}');
    for (let length = 0; length < whole.length; length++)
      expect(JsonScan.find(whole.subarray(0, length), 0, ['count'])).toBeNull();
    expect(JsonScan.find(whole, 0, ['count'])).toEqual({ kind: 'number', value: 2 });
    expect(JsonScan.find(whole, 0, ['items'])).toEqual({ kind: 'array', length: 4 });
  });

  it('may nest as deep as its length allows', () => {
    const depth = 200_000;
    const text = Buffer.from(`{"a":${'['.repeat(depth)}${']'.repeat(depth)},"b":[1,2]}`);
    expect(JsonScan.find(text, 0, ['b'])).toEqual({ kind: 'array', length: 2 });
  });
});
