import { describe, expect, test } from 'vitest';
import { ambiguous, parse } from '../../src/catalog/path-template.ts';

function template(path: string) {
  const parsed = parse(path);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.template;
}

describe('a parameter with a verb', () => {
  test('is a segment of its own kind', () => {
    expect(template('/v1/models/{model}:generate')).toEqual(['v1', 'models', '{}:generate']);
  });

  test.each([
    '/v1/{a}x',
    '/v1/{a}.json',
    '/v1/{a}:',
    '/v1/{a}:x:y',
    '/v1/x{a}:y',
    '/v1/{a}{b}',
    '/v1/{a}:{b}',
  ])('is refused in another form: %s', (path) => {
    expect(parse(path).ok).toBe(false);
  });

  test.each([
    ['/m/{a}:one', '/m/{a}:two', false],
    ['/m/{a}:one', '/m/{b}', false],
    ['/m/{a}:one', '/m/x:one', false],
    ['/m/{a}:one', '/m/x', false],
    ['/m/{a}:one/{b}', '/m/{a}/x', true],
    ['/m/{a}:one/x', '/m/{a}/x', false],
    ['/m/{a}:one/{b}', '/m/x:one/{b}', false],
    ['/m/{a}:one/x', '/m/y:one/{b}', true],
  ])('of %s and %s: ambiguous is %s', (a, b, expected) => {
    expect(ambiguous(template(a), template(b))).toBe(expected);
    expect(ambiguous(template(b), template(a))).toBe(expected);
  });
});
