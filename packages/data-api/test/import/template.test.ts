import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Kind, kinds } from '../../src/entries/kind.ts';
import * as Columns from '../../src/import/columns.ts';
import * as CsvWriter from '../../src/import/csv-writer.ts';
import * as DataFile from '../../src/import/data-file.ts';
import * as KindSchema from '../../src/import/kind-schema.ts';
import * as Rows from '../../src/import/rows.ts';
import * as Template from '../../src/import/template.ts';
import { chunksOf, rowsOf, type Thing, thing } from './read-rows.ts';

async function only(kind: Kind, format: Rows.Format, content: string): Promise<Rows.Row<unknown>> {
  const found: Rows.Row<unknown>[] = [];
  for await (const rows of Rows.rows(KindSchema.schemaOf(kind), format, chunksOf(content, 100)))
    found.push(...rows);
  expect(found).toHaveLength(1);
  return found[0] as Rows.Row<unknown>;
}

describe('the templates', () => {
  for (const kind of kinds) {
    it(`of ${kind} are right and mean the same in JSONL and CSV`, async () => {
      const json = await only(kind, 'jsonl', Template.jsonl(kind));
      const csv = await only(kind, 'csv', Template.csv(kind));
      expect(json).toMatchObject({ kind: 'entry', line: 1 });
      expect(csv).toEqual({ ...json, line: 2, raw: Template.csv(kind).split('\n')[1] });
    });
  }

  it('name every field of the kind, and the columns of other kinds that CSV files may have', () => {
    expect(Template.moreColumns('people')).toEqual(
      expect.arrayContaining(['email', 'phone', 'company.name', 'company.hq.country_code']),
    );
    expect(Template.moreColumns('companies')).toEqual([]);
    const header = Template.csv('people').split('\n')[0]?.split(',');
    expect(header).toContain('experiences.1.job_location.country_code');
    expect(header).toContain('is_premium');
    expect(header).toContain('creator_hashtags');
    expect(header).toContain('experiences.1.skills_url');
    expect(header).toContain('education.1.school_network_url');
    for (const kind of kinds) {
      expect(
        Columns.columns(KindSchema.schemaOf(kind), Columns.namesOf(KindSchema.schemaOf(kind))),
      ).toMatchObject({
        kind: 'columns',
      });
    }
  });
});

describe('what is written as CSV', () => {
  it('is read back as it was', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'é', ',', '"', '\n', ' ', ';', '[', '😀', '\\'),
      maxLength: 9,
    });
    const written: fc.Arbitrary<Thing> = fc.record({
      name: text.map((given) => `n${given}`),
      size: fc.constantFrom('small', 'large', null),
      count: fc.option(fc.integer({ min: 0, max: 1_000 })),
      is_good: fc.option(fc.boolean()),
      hq: fc.constant(null),
      tags: fc.array(text, { maxLength: 5 }),
      steps: fc.array(fc.record({ title: text, year: fc.option(fc.integer({ min: 0, max: 9_999 })) }), {
        maxLength: 3,
      }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(written, { minLength: 1, maxLength: 4 }), async (things) => {
        const names = Columns.namesOf(thing);
        const lines = things.map((entry) => CsvWriter.line(names, entry));
        const found = await rowsOf('csv', [names.join(','), ...lines].join('\n'), 1_000);
        expect(found.map((row) => (row.kind === 'entry' ? row.entry : row))).toEqual(things);
      }),
    );
  });
});

describe('the name of a file', () => {
  it('says what it holds', () => {
    const said = (name: string) => DataFile.kindOf(name);
    expect(said('companies.jsonl')).toBe('companies');
    expect(said('people-2024_part1.csv.gz')).toBe('people');
    expect(said('Person.CSV')).toBe('people');
    expect(said('jobs.2.ndjson')).toBe('jobs');
    expect(said('emails.tsv')).toBe('emails');
    expect(said('phones.jsonl.gz')).toBe('phones');
    for (const name of ['contacts.csv', 'companies.xlsx', 'companies', 'mycompanies.csv', 'people.csv.zip'])
      expect(said(name), name).toBe(null);
  });
});
