import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonFault } from '../src/json-fault.ts';

describe('the place of a fault in JSON', () => {
  test.each([
    ['{"a": 1,}', 1, 9],
    ['{\n  "a": [1, 2\n  "b": 3\n}', 3, 3],
    ['{"a": tru}', 1, 7],
    ['{"a": 01}', 1, 7],
    ['{"a" 1}', 1, 6],
    ['{\n"a": "open', 2, 6],
    ['[1] x', 1, 5],
    ['{"a": [1, 2}', 1, 12],
    ['', 1, 1],
    ['{"a":', 1, 6],
  ])('%j', (text, line, column) => {
    expect(jsonFault(text)).toEqual({ line, column });
  });

  test('is where a valid text was cut, or a character was put that no JSON has', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, seed) => {
        expect(jsonFault(json)).toBeNull();
        const at = seed % (json.length + 1);
        const broken = `${json.slice(0, at)}\u0001${json.slice(at)}`;
        const place = jsonFault(broken);
        expect(place).not.toBeNull();
        // The fault is at the token that the character is in, never after it.
        expect(place?.column).toBeLessThanOrEqual(at + 1);
      }),
    );
  });
});
