import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UnitsMax } from '../../src/catalog/operation.ts';
import * as Meter from '../../src/proxy/meter.ts';
import type { WholeResponse } from '../../src/proxy/upstream-response.ts';
import * as WorstCase from '../../src/proxy/worst-case.ts';

const unitsMax: UnitsMax = { kind: 'pointer', pointer: ['max_results'], default: 10, ceiling: 50 };
const nested: UnitsMax = { kind: 'pointer', pointer: ['page', 'limit'], default: 10, ceiling: 50 };

function held(body: string | Buffer, contentType = 'application/json', query = '', max = unitsMax): number {
  return worstCase(body, contentType, query, max).units;
}

function worstCase(
  body: string | Buffer,
  contentType = 'application/json',
  query = '',
  max = unitsMax,
): WorstCase.WorstCase {
  const rawHeaders = ['Content-Type', contentType];
  return WorstCase.worstCase(max, { rawHeaders, body: Buffer.from(body as string), query });
}

describe('the worst case of a JSON request', () => {
  test.each([
    ['{"max_results":3}', 3],
    ['{ "company" : "x", "max_results" : 50 }', 50],
    ['{"max_results":1e1}', 10],
    ['{"max_results":7.0}', 7],
    ['{}', 10],
    ['[]', 10],
    ['{"note":"max results"}', 10],
    ['{"max_results":null}', 10],
    ['{"city":"K\\u00f6ln","max_results":4}', 4],
    ['\ufeff{"max_results":4}', 4],
  ])('of %s is what is asked for, or the default', (body, units) => {
    expect(held(body)).toBe(units);
  });

  test.each([
    '{"max_results":51}',
    '{"max_results":1e99}',
    '{"max_results":0}',
    '{"max_results":-1}',
    '{"max_results":2.5}',
    '{"max_results":"3"}',
    '{"max_results":[3]}',
    '{"max_results":true}',
    '{"max_results":3',
    'max_results=3',
    '{"max_results":3,"max_results":50}',
    '{"max_results":50,"max_results":3}',
    '{"max\\u005fresults":50,"max_results":3}',
    '{"\\u006Dax_results":50,"max_results":3}',
    '{"Max_Results":50,"max_results":3}',
    '{"MAX_RESULTS":50}',
    '[{"max_results":50},{"max_results":50}]',
    '{"job":{"max_results":50}}',
    '{"__proto__":{"max_results":50}}',
  ])('of %s is the ceiling: another parser may read it otherwise', (body) => {
    expect(worstCase(body)).toEqual({ units: 50, isClear: false });
  });

  test('is the ceiling where the bytes are coded, not UTF-8, or said to be in another charset', () => {
    expect(held(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBe(50);
    expect(held('{"+AG0-ax_results":50}', 'application/json; charset=utf-7')).toBe(50);
    expect(held('{}', 'application/json;charset="UTF-8"')).toBe(10);
    const rawHeaders = ['content-type', 'application/json', 'Content-Encoding', 'br'];
    const coded = { rawHeaders, body: Buffer.from('{"max_results":1}'), query: '' };
    expect(WorstCase.worstCase(unitsMax, coded)).toEqual({ units: 50, isClear: false });
  });

  test('is found below a nested pointer, and doubted when any part of the way is there twice', () => {
    expect(held('{"page":{"limit":5}}', undefined, undefined, nested)).toBe(5);
    expect(held('{"page":{}}', undefined, undefined, nested)).toBe(10);
    expect(held('{"page":{"limit":50},"page":{"limit":5}}', undefined, undefined, nested)).toBe(50);
    expect(held('{"page":{"limit":50},"page":{}}', undefined, undefined, nested)).toBe(50);
    expect(held('{"page":{},"page":{"limit":5}}', undefined, undefined, nested)).toBe(50);
    expect(held('{"Page":{},"page":{"limit":5}}', undefined, undefined, nested)).toBe(50);
  });

  test('is the fixed number where the catalogue names one', () => {
    expect(held('not even JSON', 'x', '?max_results=9', { kind: 'fixed', units: 1 })).toBe(1);
  });

  test('never lies below what a parser that takes the first, the last or the largest value would read', () => {
    const key = fc.constantFrom(
      'max_results',
      'max\\u005fresults',
      'MAX_results',
      'other',
      'm\\u0061x_results',
    );
    const value = fc.oneof(
      fc.integer({ min: -2, max: 60 }).map(String),
      fc.constantFrom('null', '"9"', '1.5', '{}'),
    );
    const member = fc.tuple(key, value);
    fc.assert(
      fc.property(fc.array(member, { maxLength: 4 }), (members) => {
        const body = `{${members.map(([name, text]) => `"${name}":${text}`).join(',')}}`;
        const readings = members
          .filter(([name]) => JSON.parse(`"${name}"`).toLowerCase() === 'max_results')
          .map(([, text]) => (text === 'null' ? 10 : Number(JSON.parse(text))))
          .map((read) => (Number.isInteger(read) && read > 0 ? Math.min(read, 50) : 50));
        expect(held(body)).toBeGreaterThanOrEqual(readings.length === 0 ? 10 : Math.max(...readings));
        const [only] = members;
        if (members.length === 1 && only?.[0] === 'max_results' && /^-?\d+$/.test(only[1])) {
          expect(held(body)).toBe(readings[0]);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  test('is a whole number from 1 to the ceiling for any bytes, type and query', () => {
    const types = fc.constantFrom(
      ...[
        'application/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=b',
        '',
        'text/x',
      ],
    );
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('max_results', 'max_results=', '{"max_results":'),
    );
    fc.assert(
      fc.property(fc.oneof(text, fc.uint8Array()), types, text, (body, contentType, query) => {
        const units = held(Buffer.from(body as string), contentType, query);
        expect(Number.isInteger(units) && units >= 1 && units <= 50).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('the worst case of a form', () => {
  const form = 'application/x-www-form-urlencoded';

  test('is the field of the pointer’s last token', () => {
    expect(held('company=x&max_results=3', form)).toBe(3);
    expect(held('max%5Fresults=3', `${form}; charset=UTF-8`)).toBe(3);
    expect(held('company=x', form)).toBe(10);
  });

  test.each([
    'max_results=3&max_results=50',
    'max_results=3&MAX_RESULTS=50',
    'max_results[]=50',
    'max_results=',
    'max_results=+3',
    'max_results=0',
    'max_results=99',
    'company=x;max_results=50',
    `max_results=3&company=${'x'.repeat(70_000)}`,
    '{"max_results":50}',
    '{"max\\u005fresults":50}',
    ' \r\n{"max\\u005fresults":50}',
    '\ufeff[{"max\\u005fresults":50}]',
    'company=x&filter={"max\\u005fresults":50}',
    'max.results=50',
    'max results=50',
    'max+results=50',
    'max%20results=50',
    'max[results=50',
    'max-results=50',
    '+max_results=50',
    'max%255fresults=50',
    'max%25255fresults=50',
    '%ef%bd%8d%ef%bd%81%ef%bd%98_results=50',
    'max\uff3fresults=50',
    'q=1%26max%255fresults%3d50',
    'page[max_results]=50',
  ])('of %.40s is the ceiling', (body) => {
    expect(worstCase(body, form)).toEqual({ units: 50, isClear: false });
  });

  test('in parts is the one plain part, and the ceiling otherwise', () => {
    const part = (head: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
    const type = 'multipart/form-data; boundary=b';
    expect(held(`${part('name="company"', 'x')}${part('name="max_results"', '3')}--b--\r\n`, type)).toBe(3);
    const doubtful = [
      part('name="company"', 'x'),
      part('name=max_results', '3'),
      part('name="max_results"', '50') + part('name="max_results"', '3'),
      part("name*=utf-8''max%5Fresults", '50'),
      part('name="max_results"', '3') + part("name*=utf-8''max%5Fresults", '50'),
      part('name="company"', `x\r\n--c\r\nContent-Disposition: form-data; name="max_results"\r\n\r\n3`),
      `${part('name="company"', 'x')}--b--\r\n${part('name="max_results"', '3')}`,
    ];
    for (const parts of doubtful) expect(held(`${parts}--b--\r\n`, type)).toBe(50);
  });
});

describe('the worst case of a query', () => {
  function asked(query: string): number {
    return WorstCase.worstCase(unitsMax, { rawHeaders: [], body: null, query }).units;
  }

  test('counts where there is no body', () => {
    expect(asked('')).toBe(10);
    expect(asked('?')).toBe(10);
    expect(asked('?q=x')).toBe(10);
    expect(asked('?max_results=3')).toBe(3);
    expect(asked('max_results=3')).toBe(3);
    expect(asked('?max_results=3&max_results=4')).toBe(50);
    for (const name of ['max.results', 'max+results', 'max[results', 'max%5bresults', 'max%255fresults'])
      expect(asked(`?max_results=3&${name}=50`)).toBe(50);
  });

  test('beside a body makes the hold larger, never smaller', () => {
    expect(held('{"max_results":3}', undefined, '?max_results=20')).toBe(20);
    expect(held('{"max_results":20}', undefined, '?max_results=3')).toBe(20);
    expect(held('{}', undefined, '?max_results=3')).toBe(10);
  });
});

describe('the count of an response', () => {
  const pointed = { kind: 'pointer', pointer: ['n'] } as const;
  function counted(
    body: string | Buffer,
    status = 200,
    headers: string[] = [],
  ): Meter.Count | Promise<Meter.Count> {
    const response: WholeResponse = { kind: 'whole', status, headers, body: Buffer.from(body as string) };
    return Meter.count(pointed, response);
  }
  const units = (n: number) => ({ kind: 'counted', units: n });

  test.each([
    ['{"n":12}', 12],
    ['{"n":[1,2,3]}', 3],
    ['{"n":[]}', 0],
    ['{"n":true}', 1],
    ['{"n":false}', 0],
    ['{"n":null}', 0],
    ['', 0],
    ['\ufeff{"n":2}', 2],
  ])('of %s is %i', (body, n) => {
    expect(counted(body)).toEqual(units(n));
  });

  test('of one that there is no memory for is none, and no fault: the call has something on hold', () => {
    const body = { length: 2 ** 33 } as Buffer;
    expect(Meter.count(pointed, { kind: 'whole', status: 200, headers: [], body })).toEqual({
      kind: 'uncountable',
      reason: 'no_memory',
    });
    expect(counted('{"n":3}')).toEqual(units(3));
  });

  test.each(['{}', '[]', '{"m":{"n":3}}', '"n"', '{"fields":"results","results":[1,2,3]}'])(
    'of %s is none, as nothing is at the pointer',
    (body) => {
      expect(counted(body)).toEqual({ kind: 'uncountable', reason: 'missing' });
    },
  );

  test.each(['{"n":1.5}', '{"n":-1}', '{"n":"3"}', '{"n":{}}', '{"n":1e300}'])(
    'of %s is no count',
    (body) => {
      expect(counted(body)).toEqual({ kind: 'uncountable', reason: 'not_a_count' });
    },
  );

  test.each(['{"n":1', '<html>', '{"n":1}{"n":2}'])('of %s is no JSON', (body) => {
    expect(counted(body)).toEqual({ kind: 'uncountable', reason: 'not_json' });
  });

  test.each([101, 301, 304, 400, 404, 422, 429, 500, 503])('is nothing at status %i', (status) => {
    expect(counted('{"n":12}', status)).toEqual(units(0));
    const response: WholeResponse = { kind: 'whole', status, headers: [], body: Buffer.alloc(0) };
    expect(Meter.count({ kind: 'fixed', units: 1 }, response)).toEqual(units(0));
  });

  test('is the fixed number for every success', () => {
    const response: WholeResponse = { kind: 'whole', status: 201, headers: [], body: Buffer.from('plain') };
    expect(Meter.count({ kind: 'fixed', units: 2 }, response)).toEqual(units(2));
  });

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['Deflate', deflateRawSync],
    ['BR', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['gzip, br', (json: Buffer) => brotliCompressSync(gzipSync(json))],
    ['identity', (json: Buffer) => json],
  ])('reads a body in the coding %s', async (coding, compress) => {
    const json = Buffer.from('{"n":12}');
    expect(await counted(compress(json), 200, ['content-encoding', coding])).toEqual(units(12));
  });

  test('gives up on a coding that is unknown, broken, cut, nested too often or a bomb', async () => {
    const undecodable = { kind: 'uncountable', reason: 'undecodable' };
    const json = Buffer.from('{"n":12}');
    const coded = (body: Buffer, coding: string) => counted(body, 200, ['content-encoding', coding]);
    expect(await coded(json, 'zip')).toEqual(undecodable);
    for (const [coding, compress] of [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ] as const) {
      expect(await coded(json, coding)).toEqual(undecodable);
      expect(await coded(compress(json).subarray(0, -3), coding)).toEqual(undecodable);
      const bomb = compress(Buffer.alloc(Meter.responseBytesMax + 1, 0x20));
      expect(await coded(bomb, coding)).toEqual(undecodable);
    }
    const thrice = gzipSync(gzipSync(gzipSync(json)));
    expect(await coded(thrice, 'gzip, gzip, gzip')).toEqual(undecodable);
  });

  test('is the length of any array, wherever JSON.parse finds it', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 8 }), fc.jsonValue(), (list, other) => {
        expect(counted(JSON.stringify({ other, n: list, more: { n: other } }))).toEqual(units(list.length));
      }),
    );
  });

  test('of any bytes in any coding is a value, never a throw', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array(),
        fc.constantFrom('identity', 'gzip', 'br', 'deflate', 'zstd'),
        async (bytes, coding) => {
          const { kind } = await counted(Buffer.from(bytes), 200, ['content-encoding', coding]);
          expect(['counted', 'uncountable']).toContain(kind);
        },
      ),
    );
  });
});
