import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Authorization from '../../src/payment/authorization.ts';

describe('credentials of one field', () => {
  test.each([
    ['Bearer x, Payment y', ['bearer:x', 'payment:y']],
    ['payment   y ,  BEARER x', ['payment:y', 'bearer:x']],
    ['Payment y==', ['payment:y==']],
    ['Payment', ['payment:']],
    [',, ,Payment y,', ['payment:y']],
    ['Digest username="a, Payment b", realm="r", Payment y', ['digest:username="a, Payment b"', 'payment:y']],
    ['Digest a="\\", Payment b", c   = "d", Payment y', ['digest:a="\\", Payment b"', 'payment:y']],
    ['Digest a="never closed, Payment b', ['digest:a="never closed, Payment b']],
    ['', []],
  ])('%s', (line, expected) => {
    expect(Authorization.parse([line]).map(({ scheme, value }) => `${scheme}:${value}`)).toEqual(expected);
  });

  test('never throws and reads one line of several as it reads several lines', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (line) => void Authorization.parse([line])));
    const lines = fc.array(fc.constantFrom('Bearer x', 'Payment y', 'Basic eDp5', 'Digest a="b, c", d=e'));
    fc.assert(
      fc.property(lines, (several) => {
        expect(Authorization.parse([several.join(', ')])).toEqual(Authorization.parse(several));
      }),
    );
  });

  test('reads a hostile line in time that grows with its length only', () => {
    const line = `Payment ${'"\\'.repeat(4000)}${',"'.repeat(4000)}`;
    const started = performance.now();
    Authorization.parse([line]);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('the bearer token', () => {
  test.each([
    [['Bearer abc.def-g_h~i/j+k=='], { kind: 'token', token: 'abc.def-g_h~i/j+k==' }],
    [['Payment y, bearer x'], { kind: 'token', token: 'x' }],
    [['Payment y', 'Bearer x'], { kind: 'token', token: 'x' }],
    [['Payment y'], { kind: 'none' }],
    [[], { kind: 'none' }],
    [['Bearer x, Bearer z'], { kind: 'malformed' }],
    [['Bearer'], { kind: 'malformed' }],
    [['Bearer a b'], { kind: 'malformed' }],
    [['Bearer "x"'], { kind: 'malformed' }],
  ])('%j', (lines, expected) => {
    expect(Authorization.bearer(lines)).toEqual(expected);
  });
});
