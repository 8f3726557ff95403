import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvReader, type CsvRow, delimiterOf } from '../../src/import/csv.ts';
import { rowsOf, told } from './read-rows.ts';

const csv = async (content: string | Uint8Array, size?: number) => told(await rowsOf('csv', content, size));
const entries = async (content: string) =>
  (await rowsOf('csv', content)).map((row) => (row.kind === 'entry' ? row.entry : row.faults));

function records(content: string, delimiter = ','): CsvRow[] {
  const reader = new CsvReader(delimiter);
  const rows = content.split('\n').flatMap((text, at) => reader.take({ number: at + 1, text, fault: null }));
  return [...rows, ...reader.end()];
}
const cellsOf = (content: string) =>
  records(content).map((row) => (row.kind === 'cells' ? row.cells : row.line));

describe('CSV', () => {
  it('reads quotes, delimiters and line ends in cells, and tells where a row begins', async () => {
    const content = '\ufeffname,hq.city\r\n"a, b",Rome\r\n"two\r\nlines ""quoted""",\r\n\r\nlast,"Oslo"';
    for (const size of [1, 5, 1_000]) {
      expect(await csv(content, size)).toEqual(['2: a, b', '3: two\nlines "quoted"', '6: last']);
    }
  });

  it('types cells by the schema, and leaves out what is empty', async () => {
    const header = 'name,size,count,is_good,hq.city,tags,steps';
    const steps = '"[{""title"":""A"",""year"":2001}]"';
    expect(await entries(`${header}\na,large,12,TRUE,Rome,x; y ;,${steps}\nb,,,,,"[""p;q""]",\n`)).toEqual([
      {
        name: 'a',
        size: 'large',
        count: 12,
        is_good: true,
        hq: { city: 'Rome' },
        tags: ['x', 'y'],
        steps: [{ title: 'A', year: 2001 }],
      },
      { name: 'b', size: null, count: null, is_good: null, hq: null, tags: ['p;q'], steps: [] },
    ]);
  });

  it('takes objects of a list column by column, counted from 1, and drops those that no cell gave', async () => {
    const header = 'name,steps.1.title,steps.1.year,steps.3.title,hq';
    expect(await entries(`${header}\na,,,third,"{""city"":""Rome""}"\nb,first,1999,,\n`)).toMatchObject([
      { steps: [{ title: 'third', year: null }], hq: { city: 'Rome' } },
      { steps: [{ title: 'first', year: 1999 }], hq: null },
    ]);
  });

  it('reports what is wrong under the name of its column and reads on', async () => {
    const rows = ['name,count,tags', 'a,many,', ',1,', 'b,1', 'c,1,[1', 'd,1.5,x', 'e,7,x'];
    expect(await csv(rows.join('\n'))).toEqual([
      '2! count: Expected integer',
      '3! name: Required',
      '4! row: Has 2 cells where the header has 3',
      '5! tags: Expected array',
      '6! count: Expected integer',
      '7: e',
    ]);
  });

  it('loses one row to a stray quote, not the rest of the file', async () => {
    const broken =
      'This row has a quote inside a cell. Put the whole cell in quotes and double the quotes inside';
    expect(await csv('name\na\nb"c\n"d" e\n"f\ng\n"h"\ni\n')).toEqual([
      '2: a',
      `3! row: ${broken}`,
      `4! row: ${broken}`,
      `5! row: ${broken}`,
      '6: g',
      '7: h',
      '8: i',
    ]);
    expect(await csv('name\na\n"b\nc\nd')).toEqual([
      '2: a',
      '3! row: This row has an opening quote without a closing one. Close it, or double quotes inside cells',
      '4: c',
      '5: d',
    ]);
  });

  it('gives up on an open quote within bounds, and in a time that grows with the file alone', async () => {
    const lines = Array.from({ length: 60_000 }, (_, at) => `row ${at},"",""`);
    const content = ['name,size,hq.city', '"never closed', ...lines].join('\n');
    const found = await rowsOf('csv', content, 65_536);
    expect(found).toHaveLength(60_001);
    expect(found.filter((row) => row.kind === 'bad').map((row) => row.line)).toEqual([2]);
  });

  it('refuses a header that does not fit, naming what would', async () => {
    const refused = (header: string, reason: string) => expect(csv(`${header}\na\n`)).rejects.toThrow(reason);
    await refused('name,sise', 'Unknown column "sise". Did you mean "size"?');
    await refused('size,count', 'Column "name" is missing');
    await refused('name,hq,hq.city', 'Column "hq.city" appears twice, or next to a column that contains it');
    await refused('name,name', 'Column "name" appears twice');
    await refused('name,steps.9.title', 'Unknown column "steps.9.title"');
    await refused('name,__proto__', 'Unknown column "__proto__"');
    await refused('na"me', 'The header in line 1: This row has a quote inside a cell');
    await expect(csv('name\ra\rb')).rejects.toThrow('Lines end in CR only');
  });

  it('knows comma, semicolon and tab by the header', async () => {
    expect(delimiterOf('a;b;"c,d,e,f"')).toBe(';');
    expect(delimiterOf('name')).toBe(',');
    expect(await csv('name;hq.city\n"a;b";x')).toEqual(['2: a;b']);
    expect(await csv('name\thq.city\na\tx')).toEqual(['2: a']);
  });

  it('gives back any cells that were written by the rules', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', ',', '"', '\n', ' ', ';', '😀'), maxLength: 8 });
    const row = fc.array(cell, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), fc.boolean(), (rows, always) => {
        const quoted = (text: string) =>
          always || /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        const content = rows.map((cells) => cells.map(quoted).join(',')).join('\n');
        expect(cellsOf(content)).toEqual(rows);
      }),
    );
  });

  it('puts every line into one row, or into the bad rows, whatever stands in it', () => {
    const line = fc.string({ unit: fc.constantFrom('a', ',', '"', '""', ' '), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const found = records(lines.join('\n'));
        const seen = found.flatMap((row) => {
          const count = row.kind === 'cells' ? row.raw.split('\n').length : 1;
          return Array.from({ length: count }, (_, at) => row.line + at);
        });
        const met = new Set(seen);
        expect(seen).toEqual([...met].sort((one, other) => one - other));
        lines.forEach((text, at) => {
          if (text !== '') expect(met.has(at + 1), `line ${at + 1}`).toBe(true);
        });
      }),
      { numRuns: 2_000 },
    );
  });
});
