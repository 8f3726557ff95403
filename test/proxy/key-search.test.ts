import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as KeySearch from '../../src/proxy/key-search.ts';

const key = 'sk_live-9vQ+/x4Zt=Kp';
const search = KeySearch.create(key, '{key}') as KeySearch.KeySearch;
const noise = fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes));

describe('the search for the operator’s key', () => {
  test.each([
    ['as it is', key],
    ['percent-encoded', encodeURIComponent(key)],
    [
      'percent-encoded in lower case',
      encodeURIComponent(key).replace(/%\w\w/g, (octet) => octet.toLowerCase()),
    ],
    ['with slashes escaped, as PHP writes JSON', key.replaceAll('/', '\\/')],
    ['in UTF-16, little-endian', Buffer.from(key, 'utf16le')],
    ['in UTF-16, big-endian', Buffer.from(key, 'utf16le').swap16()],
    ['in base64', Buffer.from(key).toString('base64')],
    ['in base64url', Buffer.from(key).toString('base64url')],
    ['as the password of a Basic pair', Buffer.from(`me:${key}`).toString('base64')],
    ['as the user of a Basic pair', Buffer.from(`${key}:`).toString('base64')],
    ['in base64, as a part of JSON', Buffer.from(`{"a":"${key}","b":1}`).toString('base64')],
  ])('finds it %s', (_, spelled) => {
    expect(search.whole.areIn(Buffer.concat([Buffer.from('{"echo":"'), Buffer.from(spelled)]))).toBe(true);
    expect(search.whole.areIn(Buffer.from('{"echo":"nothing of it"}'))).toBe(false);
  });

  test('finds it wherever it is, in any neighbourhood, in plain and in each alignment of base64', () => {
    const one = fc.constantFrom(
      (before: Buffer, after: Buffer) => Buffer.concat([before, Buffer.from(key), after]),
      (before: Buffer, after: Buffer) =>
        Buffer.from(Buffer.concat([before, Buffer.from(key), after]).toString('base64')),
      (before: Buffer, after: Buffer) =>
        Buffer.from(Buffer.concat([before, Buffer.from(key), after]).toString('base64url')),
    );
    fc.assert(
      fc.property(one, noise, noise, noise, (echo, before, inner, after) => {
        const bytes = Buffer.concat([before, echo(inner, after), after]);
        expect(search.whole.areIn(bytes)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('agrees with a plain search on any bytes', () => {
    const letters = fc.array(fc.constantFrom(...'abc'), { maxLength: 200 }).map((list) => list.join(''));
    const needle = fc
      .array(fc.constantFrom(...'abc'), { minLength: 4, maxLength: 7 })
      .map((list) => list.join(''));
    fc.assert(
      fc.property(letters, fc.array(needle, { minLength: 1, maxLength: 4 }), (text, needles) => {
        const found = new KeySearch.Needles(needles.map((one) => Buffer.from(one))).areIn(Buffer.from(text));
        expect(found).toBe(needles.some((one) => text.includes(one)));
      }),
      { numRuns: 5_000 },
    );
  });

  test('finds both halves of a Basic pair, plain and encoded again', () => {
    const basic = Buffer.from('shop:a long password').toString('base64');
    const { whole } = KeySearch.create(basic, 'Basic {key}') as KeySearch.KeySearch;
    for (const spelled of [basic, 'shop:a long password', '"password": "a long password"'])
      expect(whole.areIn(Buffer.from(spelled))).toBe(true);
    expect(whole.areIn(Buffer.from(Buffer.from('x:a long password').toString('base64')))).toBe(true);
    expect(whole.areIn(Buffer.from('shop: a short password'))).toBe(false);
  });

  test('of a short key finds it as it is, and no encoding that is in any text', () => {
    const { whole } = KeySearch.create('k', '{key}') as KeySearch.KeySearch;
    expect([whole.areIn(Buffer.from('a key')), whole.areIn(Buffer.from('aw'))]).toEqual([true, false]);
    expect(KeySearch.create('', '{key}')).toBeNull();
  });
});

describe('the search of a stream', () => {
  const inPieces = (bytes: Buffer, cuts: readonly number[]) => {
    const stream = new KeySearch.StreamSearch(search.whole);
    const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
    let left = '';
    let from = 0;
    for (const end of [...ends, bytes.length]) {
      // The memory of a piece is used again as soon as the piece has left.
      const piece = Buffer.from(bytes.subarray(from, end));
      const safe = stream.push(piece);
      if (safe === null) return { left, isFound: true };
      left += safe.toString('latin1');
      piece.fill('!');
      from = end;
    }
    return { left: left + stream.rest().toString('latin1'), isFound: false };
  };

  test('finds the key across any cuts, and no byte of it has left before', () => {
    const cuts = fc.array(fc.nat(200), { maxLength: 40 });
    fc.assert(
      fc.property(noise, noise, cuts, (before, after, places) => {
        const bytes = Buffer.concat([before, Buffer.from(key), after]);
        const { left, isFound } = inPieces(bytes, places);
        expect(isFound).toBe(true);
        expect(before.toString('latin1').startsWith(left)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('passes everything else byte for byte, and at once what cannot begin the key', () => {
    const text = fc.array(fc.constantFrom('sk_', 'sk_live-9vQ', 's', 'x', '\n', 'c2tf'), { maxLength: 40 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 40 }), (list, cuts) => {
        const bytes = Buffer.from(list.join(''));
        expect(inPieces(bytes, cuts)).toEqual({ left: bytes.toString('latin1'), isFound: false });
      }),
      { numRuns: 2_000 },
    );
    const stream = new KeySearch.StreamSearch(search.whole);
    const event = Buffer.from('data: {"n":1}\n\n');
    expect(stream.push(event)).toBe(event);
  });
});

test('a part of a body shows at most a third of the key at either end', () => {
  const body = Buffer.from(`${'x'.repeat(50)}${key}${'y'.repeat(50)}`);
  const third = Math.ceil(key.length / 3);
  for (let cut = 50; cut <= 50 + key.length; cut++) {
    const inKey = cut - 50;
    expect(search.parts.areIn(body.subarray(0, cut)) || inKey < third, `first ${inKey}`).toBe(true);
    expect(search.parts.areIn(body.subarray(cut)) || key.length - inKey < third, `last of ${inKey}`).toBe(
      true,
    );
  }
});
