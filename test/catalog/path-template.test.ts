import { describe, expect, test } from 'vitest';
import { ambiguous, parse } from '../../src/catalog/path-template.ts';

function template(path: string) {
  const parsed = parse(path);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.template;
}

describe('a parameter beside text', () => {
  test.each([
    ['/v1/models/{model}:generate', '{}:generate'],
    ['/v1/models/{id}.json', '{}.json'],
    ['/v1/models/at-{lat},{lng}', 'at-{},{}'],
  ])('is a segment of its own kind: %s', (path, segment) => {
    expect(template(path)).toEqual(['v1', 'models', segment]);
  });

  test.each(['/v1/{a}{b}', '/v1/{a};{b}', '/v1/{a', '/v1/{a}}', '/v1/{}.json', '/v1/{a b}'])(
    'is refused in another form: %s',
    (path) => {
      expect(parse(path).ok).toBe(false);
    },
  );

  test.each([
    ['/m/{a}:one', '/m/{a}:two', false],
    ['/m/{a}:one', '/m/{b}', false],
    ['/m/{a}:one', '/m/x:one', false],
    ['/m/{a}:one', '/m/x', false],
    ['/m/{a}:one/{b}', '/m/{a}/x', true],
    ['/m/{a}:one/x', '/m/{a}/x', false],
    ['/m/{a}:one/{b}', '/m/x:one/{b}', false],
    ['/m/{a}:one/x', '/m/y:one/{b}', true],
    ['/m/{a}.json', '/m/{a}.xml', false],
    ['/m/{a}.json', '/m/{a}', false],
    ['/m/{a}.json', '/m/x.json', false],
    ['/m/{a}.json', '/m/{b}.{format}', true],
    ['/m/a-{x}', '/m/b-{x}', false],
    ['/m/a-{x}', '/m/{x}.json', true],
  ])('of %s and %s: ambiguous is %s', (a, b, expected) => {
    expect(ambiguous(template(a), template(b))).toBe(expected);
    expect(ambiguous(template(b), template(a))).toBe(expected);
  });
});
