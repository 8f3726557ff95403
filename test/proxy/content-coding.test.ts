import * as Zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import * as ContentCoding from '../../src/proxy/content-coding.ts';

const body = Buffer.from(JSON.stringify({ rows: Array.from({ length: 2_000 }, (_, id) => ({ id })) }));
const coded = {
  gzip: Zlib.gzipSync(body),
  deflate: Zlib.deflateSync(body),
  br: Zlib.brotliCompressSync(body),
  zstd: Zlib.zstdCompressSync(body),
} as const;
const codings = Object.keys(coded) as ContentCoding.Coding[];

describe('a content coding', () => {
  test.each([
    [[], []],
    [['content-encoding', 'identity'], []],
    [['content-encoding', ''], []],
    [['Content-Encoding', 'GZIP'], ['gzip']],
    [['content-encoding', 'x-gzip'], ['gzip']],
    [['content-encoding', 'br'], ['br']],
    [['content-encoding', 'zstd'], ['zstd']],
    [['content-encoding', 'compress'], 'unknown'],
    [['content-encoding', 'gzip, compress'], 'unknown'],
    [
      ['content-encoding', 'gzip, br'],
      ['gzip', 'br'],
    ],
    [
      ['content-encoding', 'gzip', 'content-encoding', 'gzip'],
      ['gzip', 'gzip'],
    ],
    [['content-encoding', 'identity', 'content-encoding', 'br'], ['br']],
    [['content-encoding', 'gzip, gzip, gzip'], 'unknown'],
    [['content-encoding', 'gzip, br', 'content-encoding', 'gzip'], 'unknown'],
  ])('of %j is %j', (headers, applied) => {
    expect(ContentCoding.parse(headers)).toEqual(applied);
  });

  test('after another is decoded first, and bounded like the other', async () => {
    const pieces: Buffer[] = [];
    const read = (bytesMax: number) =>
      ContentCoding.eachPiece(twice, ['gzip', 'br'], bytesMax, (piece) => pieces.push(piece) > 0);
    const twice = Zlib.brotliCompressSync(coded.gzip);
    expect(await read(body.length)).toBe('whole');
    expect(Buffer.concat(pieces).equals(body)).toBe(true);
    expect(await read(coded.gzip.length - 1)).toBe('too_large');
    expect(await read(body.length - 1)).toBe('too_large');
  });

  test.each(codings)('%s is decoded, and refused where it is cut, spoilt or too large', async (coding) => {
    const bytes = coded[coding];
    const pieces: Buffer[] = [];
    const read = (from: Buffer, bytesMax: number) =>
      ContentCoding.eachPiece(from, [coding], bytesMax, (piece) => pieces.push(Buffer.from(piece)) > 0);
    expect(await read(bytes, body.length)).toBe('whole');
    expect(Buffer.concat(pieces).equals(body)).toBe(true);
    expect(await read(bytes, body.length - 1)).toBe('too_large');
    expect(await read(bytes.subarray(0, -6), body.length)).toBe('malformed');
    expect(await read(Buffer.from('plain text'), body.length)).toBe('malformed');
  });

  test('stops a bomb at the bound, and does not hold up the event loop', async () => {
    const bomb = Zlib.brotliCompressSync(Buffer.alloc(256 * 1024 * 1024), {
      params: { [Zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
    });
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    const decoded = ContentCoding.eachPiece(bomb, ['br'], 32 * 1024 * 1024, () => true);
    expect(await decoded).toBe('too_large');
    clearInterval(turning);
    expect(turns).toBeGreaterThan(0);
  });
});
