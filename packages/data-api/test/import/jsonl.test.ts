import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Lines from '../../src/import/lines.ts';
import { rowsOf, told } from './read-rows.ts';

const jsonl = async (content: string | Uint8Array, size?: number) =>
  told(await rowsOf('jsonl', content, size));

describe('JSONL', () => {
  it('gives each line its number, with a byte order mark, CRLF, blank lines and no end at the end', async () => {
    expect(await jsonl('\ufeff{"name":"a"}\r\n\r\n{"name":"b"}\n  \n{"name":"c"}')).toEqual([
      '1: a',
      '3: b',
      '5: c',
    ]);
  });

  it('reports what is wrong by line and field and reads on', async () => {
    const lines = [
      '{"name":"a"}',
      '{"name":',
      '{"name":"b","count":-1,"sise":"small"}',
      '[1]',
      '7',
      '{"name":"c"}',
    ];
    expect(await jsonl(lines.join('\n'))).toEqual([
      '1: a',
      expect.stringMatching(/^2! row: Not JSON: /),
      '3! count: Must be between 0 and 1000; row: Unknown field "sise". Did you mean "size"?',
      '4! row: Expected object',
      '5! row: Expected object',
      '6: c',
    ]);
  });

  it('reports bytes that are not UTF-8 for their line alone', async () => {
    const broken = Buffer.concat([
      Buffer.from('{"name":"a"}\n{"name":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}\n{"name":"é"}\n'),
    ]);
    for (const size of [1, 3, 1_000])
      expect(await jsonl(broken, size)).toEqual(['1: a', '2! row: Not UTF-8', '3: é']);
  });

  it('reports a line that is too long and holds none of it beyond the limit', async () => {
    const long = `{"name":"${'x'.repeat(Lines.lineBytesMax)}"}`;
    const found = await rowsOf('jsonl', `{"name":"a"}\n${long}\n{"name":"b"}\n`, 65_536);
    expect(told(found)).toEqual(['1: a', '2! row: Longer than 1048576 bytes', '3: b']);
    expect(found[1]?.kind === 'bad' && found[1].raw.length).toBeLessThan(5_000);
  });

  it('says what to do with a JSON array, UTF-16 and a spreadsheet', async () => {
    await expect(jsonl('[\n{"name":"a"}\n]')).rejects.toThrow('The file is one JSON array');
    await expect(jsonl(Buffer.from('\ufeff{"name":"a"}', 'utf16le'))).rejects.toThrow('The file is UTF-16');
    await expect(jsonl('PK\u0003\u0004....')).rejects.toThrow('a spreadsheet. Save the sheet as CSV');
  });

  it('gives every line that is not blank once, in order, wherever the chunks are cut', async () => {
    const line = fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replace(/[\r\n]/g, '')),
      fc.constantFrom(
        '',
        '{"name":"x"}',
        '{"name":"\\ud800"}',
        '{"__proto__":{"name":"x"}}',
        `${'['.repeat(5_000)}`,
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 12 }),
        fc.integer({ min: 1, max: 64 }),
        async (lines, size) => {
          const content = ['{"name":"first"}', ...lines].join('\n');
          const found = await rowsOf('jsonl', content, size);
          const expected = content.split('\n').flatMap((text, at) => (text.trim() === '' ? [] : [at + 1]));
          expect(found.map((row) => row.line)).toEqual(expected);
          expect(await rowsOf('jsonl', content, 100_000)).toEqual(found);
        },
      ),
    );
  });

  it('never fails on bytes of any kind', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.integer({ min: 1, max: 9 }),
        async (bytes, size) => {
          const content = Buffer.concat([Buffer.from('{"name":"first"}\n'), bytes]);
          const lines = content.toString('latin1').split('\n').length;
          const found = await rowsOf('jsonl', content, size);
          expect(found.every((row) => row.line <= lines)).toBe(true);
          expect(new Set(found.map((row) => row.line)).size).toBe(found.length);
        },
      ),
    );
  });
});
