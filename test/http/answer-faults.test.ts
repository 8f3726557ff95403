import { expect, test } from 'vitest';
import { faultsOf } from '../../src/http/pages/answer-faults.ts';
import { fieldAt, type RequestField } from '../../src/http/pages/try-fields.ts';

test.each([
  [
    'a list of fields',
    { message: 'no', errors: [{ field: 'a.b[0].c', message: 'Bad.' }] },
    [['a', 'b', 'c']],
    'Bad.',
  ],
  ['FastAPI', { detail: [{ loc: ['body', 'a', 0], msg: 'Bad.', type: 'x' }] }, [['body', 'a']], 'Bad.'],
  [
    'JSON:API',
    { errors: [{ title: 'x', detail: 'Bad.', source: { pointer: '/a/b' } }] },
    [['a', 'b']],
    'Bad.',
  ],
  ['problem details', { title: 'Bad Request', detail: 'Bad.', status: 400 }, [[]], 'Bad.'],
  ['faults by field', { errors: { email: ['Bad.', 'Other.'] } }, [['email']], 'Bad.'],
  ['OpenAI', { error: { message: 'Bad.', param: 'model', code: null } }, [['model']], 'Bad.'],
  ['a text', { error: 'Bad.' }, [[]], 'Bad.'],
])('reads the faults of %s', (_, body, keys, message) => {
  expect(faultsOf(JSON.stringify(body))).toEqual(keys.map((one) => ({ keys: one, message })));
});

test('reads nothing from a body without a text for people, and bounds what it reads', () => {
  for (const body of ['', 'Bad', 'null', '[]', '{"errors":[{}]}', '{"error":{"code":7}}', '{"message":""}'])
    expect(faultsOf(body)).toEqual([]);
  const long = faultsOf(JSON.stringify({ errors: Array(1_000).fill({ message: 'x'.repeat(5_000) }) }));
  expect(long.length).toBe(10);
  expect(long.every(({ message }) => message.length < 310)).toBe(true);
});

test('finds the field that a path leads to or through, also when the path begins with its place', () => {
  const fields = [['company'], ['company', 'hq'], ['max']].map(
    (keys) => ({ keys }) as unknown as RequestField,
  );
  expect(fieldAt(fields, ['company', 'hq', 'country'])?.keys).toEqual(['company', 'hq']);
  expect(fieldAt(fields, ['body', 'max'])?.keys).toEqual(['max']);
  expect(fieldAt(fields, ['other'])).toBeNull();
  expect(fieldAt(fields, [])).toBeNull();
});
