import { describe, expect, test } from 'vitest';
import { refusesKey, type WholeResponse } from '../../src/proxy/upstream-response.ts';

function answer(status: number, body = ''): WholeResponse {
  return { kind: 'whole', status, headers: [], body: Buffer.from(body) };
}
const unknownKey = '{"success": false, "message": "Not Found"}';

describe('an answer about the operator’s key', () => {
  test('is a 401, a 402, and the 404 of an unknown key on a path without parameters', () => {
    expect(refusesKey(answer(401), '/v2/jobs/company')).toBe(true);
    expect(refusesKey(answer(402, '{"success":false}'), '/v2/jobs/company')).toBe(true);
    expect(refusesKey(answer(404, unknownKey), '/v2/jobs/company')).toBe(true);
  });

  test('is no 404 that could be about a resource', () => {
    expect(refusesKey(answer(404, unknownKey), '/v2/jobs/{id}')).toBe(false);
    expect(refusesKey(answer(404, '{"success":false,"message":"No such company"}'), '/v2/jobs')).toBe(false);
    expect(refusesKey(answer(404, '{"success":false,"message":"Not Found","id":1}'), '/v2/jobs')).toBe(false);
    for (const body of ['', 'Not Found', 'null', '[]', '"Not Found"']) {
      expect(refusesKey(answer(404, body), '/v2/jobs')).toBe(false);
    }
  });

  test.each([200, 400, 403, 422, 429, 500, 503])('is not a %i', (status) => {
    expect(refusesKey(answer(status, unknownKey), '/v2/jobs')).toBe(false);
  });
});
