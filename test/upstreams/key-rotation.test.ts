import { expect, test } from 'vitest';
import { KeyRotation } from '../../src/proxy/key-rotation.ts';

const wallMs = Date.parse('2026-11-23T08:00:00Z');

test.each([
  [429, undefined, 5_000],
  [401, undefined, 60_000],
  [402, undefined, 60_000],
  [429, '20', 20_000],
  [429, '0', 1_000],
  [429, '999999999', 900_000],
  [429, '-5', 5_000],
  [429, '1.5', 5_000],
  [429, 'soon', 5_000],
  [429, 'Mon, 23 Nov 2026 08:00:30 GMT', 30_000],
  [429, 'Mon, 23 Nov 2020 08:00:30 GMT', 1_000],
  [429, 'Mon, 23 Nov 2099 08:00:30 GMT', 900_000],
])('a key that was answered %i with Retry-After %s rests for %i ms', (status, retryAfter, restMs) => {
  const rotation = new KeyRotation(['a']);
  expect(rotation.take(0)).toBe('a');
  expect(rotation.answered('a', status, retryAfter, 0, wallMs)).toBe(restMs);
  expect(rotation.take(restMs - 1)).toBe(null);
  expect(rotation.restSeconds(0)).toBe(Math.ceil(restMs / 1_000));
  expect(rotation.take(restMs)).toBe('a');
});

test.each([200, 204, 400, 403, 404, 422, 500, 503])('no key rests after %i', (status) => {
  const rotation = new KeyRotation(['a']);
  expect(rotation.answered('a', status, '60', 0, wallMs)).toBe(null);
  expect(rotation.take(0)).toBe('a');
});

test('a late response to an earlier request does not shorten a rest', () => {
  const rotation = new KeyRotation(['a', 'b']);
  rotation.answered('a', 429, '60', 0, wallMs);
  rotation.answered('a', 429, '1', 1, wallMs);
  expect([rotation.take(30_000), rotation.take(30_000)]).toEqual(['b', 'b']);
  expect(rotation.restSeconds(30_000)).toBe(1);
});
