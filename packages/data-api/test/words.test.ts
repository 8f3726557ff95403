import { readdir, readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../../test/support/database.ts';
import * as Database from '../src/adapters/database.ts';
import * as Cascade from '../src/filters/cascade.ts';
import { fold, isPlain } from '../src/filters/fold.ts';
import * as Lexeme from '../src/filters/lexeme.ts';
import * as Tsquery from '../src/filters/tsquery.ts';
import * as Words from '../src/filters/words.ts';

const finds = (value: string, text: string) => Cascade.isFound(value, text);

function* codePoints(): Generator<string> {
  for (let code = 0; code <= 0x1ffff; code++) {
    if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code);
  }
}

describe('folding', () => {
  it.each([
    ['Wroclaw', 'Wrocław'],
    ['Lodz', 'ŁÓDŹ'],
    ['Malmo', 'Malmø'],
    ['Koln', 'Köln'],
    ['Strasse', 'Straße'],
    ['STRASSE', 'STRAẞE'],
    ['Istanbul', 'İstanbul'],
    ['istanbul', 'ISTANBUL'],
    ['Diyarbakir', 'Diyarbakır'],
    ['Dakovo', 'Đakovo'],
    ['Reykjavik', 'Reykjavík'],
    ['Thorlakshofn', 'Þorlákshöfn'],
    ['Seydisfjordur', 'Seyðisfjörður'],
    ['Aeroskobing', 'Ærøskøbing'],
    ['Oeuvre', 'Œuvre'],
    ['Hal Ghaxaq', 'Ħal Għaxaq'],
    ['ΟΔΟΣ', 'οδός'],
  ])('makes %s and %s the same', (typed, stored) => {
    expect(fold(typed)).toBe(fold(stored));
    expect(finds(typed, stored)).toBe(true);
    expect(finds(stored, typed)).toBe(true);
  });

  it('leaves no letter of the European languages behind, and changes nothing that is folded already', () => {
    const letters =
      'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßĀĂĄĆĈĊČĎĐĒĖĘĚĜĞĠĢĤĦĨĪĮİıĲĴĶĸĹĻĽŁŃŅŇŊŌŐŒŔŖŘŚŜŞŠŢŤŦŨŪŮŰŲŴŶŸŹŻŽȘȚẞ';
    expect(fold(letters + letters.toLowerCase())).toMatch(/^[a-z]+$/);
    for (const each of codePoints()) {
      const folded = fold(each);
      if (fold(folded) !== folded) expect(fold(folded), each).toBe(folded);
    }
  });

  it('gives plain text the same result on its fast path', () => {
    for (const each of codePoints()) {
      // A combining mark keeps the text off the fast path, and folding removes it.
      if (isPlain(each) && fold(each) !== fold(`${each}\u0301`))
        expect(fold(each), each).toBe(fold(`${each}\u0301`));
    }
  });

  it('happens in one place: no statement folds text in the database', async () => {
    const folder = new URL('../src/adapters/', import.meta.url);
    for (const name of await readdir(folder)) {
      const text = await readFile(new URL(name, folder), 'utf8');
      expect(text, name).not.toMatch(
        /\b(lower|upper|unaccent|translate|normalize|ilike|to_tsvector|to_tsquery)\b\(/i,
      );
    }
  });
});

describe('names with symbols', () => {
  const skills = [
    'C',
    'C++',
    'C#',
    '.NET',
    'F#',
    'R',
    'R&D',
    'D',
    'Node.js',
    'Objective-C',
    'A/B',
    'UI',
    'UX',
    'C-level',
  ];

  it.each(skills)('%s finds itself and none of the others', (value) => {
    expect(skills.filter((text) => finds(value, text))).toEqual([value]);
    const text = `We need ${value}, and more.`;
    expect(finds(value, text)).toBe(true);
    expect(finds(value.toLowerCase(), `(${value.toUpperCase()})`)).toBe(true);
  });

  it.each([
    ['C', 'C/C++ Developer', true],
    ['C++', 'C/C++ Developer', true],
    ['C', 'C++/C# Developer', false],
    ['C#', 'C#.NET Developer', true],
    ['.NET', 'C#.NET Developer', true],
    ['.NET', 'ASP.NET Developer', true],
    ['.NET', 'Net revenue', false],
    ['net', '.NET', true],
    ['C++', 'C++17', true],
    ['C', 'Vitamin C++', false],
    ['C#', 'C♯', true],
    ['C++', 'Ｃ＋＋', true],
    ['Notepad', 'Notepad++', true],
    ['R&D', 'R & D Manager', true],
    ['R & D', 'R&D Manager', true],
    ['R&D', 'R programmer, D programmer', false],
    ['R', 'R & D Manager', false],
    ['FP&A', 'FP&A Analyst', true],
    ['Data & Analytics', 'Analytics and Data', true],
    ['Node.js', 'Senior Node JS Engineer', true],
    ['Node.js', 'NodeJS', true],
    ['NodeJS', 'Node.js', true],
    ['Node', 'Node.js', true],
    ['Node.js', 'a tree node, drawn in js', false],
    ['Senior JS', 'JS Engineer, senior', true],
    ['UI/UX', 'UX/UI Designer', true],
    ['UI', 'UI/UX Designer', true],
    ['A/B', 'A and B', false],
    ['Objective C', 'Objective-C', true],
    ['Objective-C', 'Objective C', true],
    ['e-commerce', 'E commerce', true],
    ['T-Mobile', 'T Mobile', true],
    ['back-end', 'Backend', false],
    ['back-end', 'end to back', true],
    ['10 years', '10+ years', true],
    ['Engineer', 'team.Engineer', true],
    ['LGBTQ', 'LGBTQ+', true],
    ['Chief Officer', 'Officer (Chief)', true],
  ])('%s in "%s": %s', (value, text, expected) => {
    expect(finds(value, text)).toBe(expected);
  });

  it('every text is found by itself and by each of its plain words of more than one letter', () => {
    const piece = fc.constantFrom(
      'c',
      'C++',
      '#',
      '+',
      '.',
      '-',
      '/',
      '&',
      ' & ',
      ' ',
      'js',
      'Node',
      '.NET',
      'é',
      'ł',
      '7',
      'ж',
      'Straße',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 12 }).map((parts) => parts.join('')),
        (text) => {
          const words = Words.ofText(text);
          for (const wanted of Words.ofValue(text)) expect(Words.has(words, wanted), wanted.word).toBe(true);
          for (const word of fold(text).match(/[\p{L}\p{N}]{2,}/gu) ?? []) expect(words).toContain(word);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

describe('PostgreSQL and the program agree', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let sql: Database.Sql;
  beforeAll(async () => {
    database = await createDatabase();
    sql = Database.openPool(database.url, { connectionsMax: 1, statementTimeoutMs: 60_000 });
  });
  afterAll(async () => {
    await sql.end();
    await database.drop();
  });

  /** Answers of the stored search vector of `text` to the query for `value`. */
  async function found(pairs: readonly (readonly [value: string, text: string])[]): Promise<boolean[]> {
    const vectors = pairs.map(([, text]) => Lexeme.vector(Lexeme.wordsOf('t', text)));
    const queries = pairs.map(([value]) => Tsquery.keyword('t')(value));
    const rows = await sql<{ found: boolean }[]>`
      select v::tsvector @@ q::tsquery as found
      from unnest(${vectors}::text[], ${queries as string[]}::text[]) with ordinality as pairs (v, q, place) order by place`;
    return rows.map((row) => row.found);
  }

  it('on every letter and digit, alone and in its other case', async () => {
    const letters = [...codePoints()].filter((each) => /[\p{L}\p{N}]/u.test(each) && each < '\u{3000}');
    const pairs = letters.flatMap((each) => [
      [each, `x ${each} y`] as const,
      [fold(each), `a${each}b`] as const,
      [`a${each.toUpperCase()}b`, `a${each}b`] as const,
    ]);
    expect(pairs.length).toBeGreaterThan(10_000);
    expect(await found(pairs)).toEqual(pairs.map(([value, text]) => finds(value, text)));
  });

  it('on every pair of names with symbols', async () => {
    const names = [
      'C',
      'C++',
      'C#',
      'C/C++',
      '.NET',
      'ASP.NET',
      'F#',
      'R',
      'R&D',
      'R & D',
      'Node.js',
      'NodeJS',
      'Node JS',
      'A/B',
      'UI/UX',
      'Objective-C',
      'Objective C',
      'C-level',
      "O'Neil",
      'a\\b',
      'Straße 7',
    ];
    const pairs = names.flatMap((value) => names.map((text) => [value, text] as const));
    expect(await found(pairs)).toEqual(pairs.map(([value, text]) => finds(value, text)));
  });
});
