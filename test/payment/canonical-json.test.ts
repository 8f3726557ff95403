import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/payment/canonical-json.ts';
import * as CanonicalJson from '../../src/payment/canonical-json.ts';

describe('the one spelling (RFC 8785)', () => {
  test('writes numbers, strings and literals as the appendix of the RFC does', () => {
    const value = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0],
      string: '\u20ac$\u000f\nA\'B"\\\\"/',
      literals: [null, true, false],
    };
    expect(CanonicalJson.canonicalize(value)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  test('sorts members by UTF-16 code units, not by code points', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
    const sorted = Object.keys(
      JSON.parse(
        CanonicalJson.canonicalize(Object.fromEntries(names.map((name) => [`k${name}`, 0]))),
      ) as object,
    );
    expect(sorted).toEqual(
      ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33'].map((n) => `k${n}`),
    );
  });

  test('is the same for every order of members, and means what the value meant', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const json = value as Json;
        fc.pre(isWellFormed(json));
        const spelled = CanonicalJson.canonicalize(json);
        expect(CanonicalJson.canonicalize(reversed(json))).toBe(spelled);
        expect(CanonicalJson.canonicalize(JSON.parse(spelled) as Json)).toBe(spelled);
      }),
    );
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, '\ud800', { '\udc00': 1 }])('refuses %s', (value) => {
    expect(() => CanonicalJson.canonicalize(value)).toThrow(TypeError);
  });
});

describe('base64url', () => {
  test('is unpadded out, and read padded, unpadded and in the standard alphabet', () => {
    const value = { amount: '50', note: '??>>~~ü' };
    const encoded = CanonicalJson.encode(value);
    expect(encoded).toMatch(/^[A-Za-z0-9_-]+$/);
    const bytes = Buffer.from(encoded, 'base64url');
    for (const spelling of [encoded, bytes.toString('base64'), bytes.toString('base64').replace(/=+$/, '')]) {
      expect(CanonicalJson.decode(spelling)).toEqual(value);
    }
  });

  test('gives undefined, and never throws, for what encodes no JSON', () => {
    const invalidUtf8 = Buffer.from([0x22, 0xff, 0x22]).toString('base64url');
    const byteOrderMark = Buffer.from('\ufeff{}').toString('base64url');
    for (const text of ['', '=', 'e30=e30', 'e', 'e30===', ' e30', invalidUtf8, byteOrderMark]) {
      expect(CanonicalJson.decode(text)).toBeUndefined();
    }
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void CanonicalJson.decode(text)));
    fc.assert(fc.property(fc.base64String(), (text) => void CanonicalJson.decode(text)));
  });
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, member]) => [name, reversed(member)]));
}

function isWellFormed(value: Json): boolean {
  return !/\\ud[89a-f]/.test(JSON.stringify(value));
}
