import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../../../test/support/database.ts';
import * as DataSets from '../../src/commands/data-sets.ts';
import { type Kind, kinds } from '../../src/entries/kind.ts';
import * as BadRows from '../../src/import/bad-rows.ts';
import * as Columns from '../../src/import/columns.ts';
import * as CsvWriter from '../../src/import/csv-writer.ts';
import * as DataFile from '../../src/import/data-file.ts';
import * as Import from '../../src/import/import.ts';
import * as KindSchema from '../../src/import/kind-schema.ts';
import * as Template from '../../src/import/template.ts';
import type { Node } from '../../src/schema/schema.ts';

let database: Awaited<ReturnType<typeof createDatabase>>;
let opened: DataSets.Opened;
let folder: string;
beforeAll(async () => {
  database = await createDatabase();
  opened = await DataSets.at(database.url);
  folder = await mkdtemp(join(tmpdir(), 'sluice-import-fuzz-'));
});
afterAll(async () => {
  await opened.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Difficult text: special characters of COPY, arrays, jsonb and tsvector, and any Unicode. */
const nasty = fc.oneof(
  fc.string({
    unit: fc.constantFrom('\\', '\t', '\n', '\r', '"', "'", '{', '}', ',', '\\N', '\\.', ':', '&', '!', '%'),
  }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\0',
    '\ud800',
    '\udc00x',
    'NULL',
    '\\N',
    '\u202e',
    '',
    ' ',
    'İ',
    'ﷺ'.repeat(30),
    'x'.repeat(3_000),
  ),
);
const texts = fc.oneof(
  nasty,
  fc.constantFrom('2024-02-29', '0000-01-01', '2023-02-29', '9999-12-31', '0001-01-01T00:00:00Z'),
  fc.constantFrom(
    '0000-06-01T00:00:00Z',
    '2026-01-01T24:00:00+14:00',
    '2026-01-01T00:00-23:59',
    '2026-02-30T00:00Z',
  ),
  fc.constantFrom('PT', 'ana@one.example', "o'hara@one.example", '+12125550123', 'ACoAAx', 'ACwAAx'),
  fc
    .constantFrom('one', 'two', 'é', '%C3%A9', '7')
    .map((slug) => `https://www.network.example/company/${slug}`),
  fc.constantFrom('ana', 'bo', 'é', "o'hara").map((slug) => `https://www.network.example/in/${slug}`),
  fc.constantFrom('urn:nw:organization:7', 'urn:nw:member:9', 'https://network.example/sales/company/7'),
);

/** Mostly valid values of a schema, by structure only. */
function shaped(node: Node): fc.Arbitrary<unknown> {
  switch (node.kind) {
    case 'optional':
    case 'nullable':
      return fc.option(shaped(node.inner));
    case 'or_word':
      return shaped(node.inner);
    case 'text':
      return texts;
    case 'choice':
      return fc.constantFrom(...node.values);
    case 'number':
      return fc.oneof(
        fc.integer({ min: node.min, max: Math.min(node.max, Number.MAX_SAFE_INTEGER) }),
        fc.constant(node.max),
      );
    case 'flag':
      return fc.boolean();
    case 'list':
      return fc.array(shaped(node.item), { maxLength: 3 });
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(node.fields).map(([name, field]) => [name, shaped(field)])),
      );
  }
}

/** A valid row with a few changed fields, so that many rows are still valid. */
function rowOf(kind: Kind): fc.Arbitrary<object> {
  const right = JSON.parse(Template.jsonl(kind)) as Record<string, unknown>;
  const changes = shaped(KindSchema.schemaOf(kind)) as fc.Arbitrary<Record<string, unknown>>;
  const names = Object.keys(right);
  return fc
    .tuple(changes, fc.subarray(names, { maxLength: 3 }), fc.nat({ max: 9_999_999 }))
    .map(([change, changed, nth]) => ({
      ...right,
      ...keys[kind](nth),
      ...Object.fromEntries(changed.map((name) => [name, change[name]])),
    }));
}

/** Key of the entries of a kind. */
const keys: { [K in Kind]: (nth: number) => object } = {
  companies: (nth) => ({ network_url: `https://www.network.example/company/c${nth}`, network_id: nth + 1 }),
  people: (nth) => ({ network_url: `https://www.network.example/in/p${nth}` }),
  jobs: (nth) => ({ id: nth + 1 }),
  emails: (nth) => ({ email: `e${nth}@one.example` }),
  phones: (nth) => ({ phone: `+1212${String(nth).padStart(7, '0')}` }),
};

async function imported(contents: Partial<Record<Kind, string>>, format: 'jsonl' | 'csv') {
  const named: Partial<Record<Kind, string[]>> = {};
  for (const [kind, content] of Object.entries(contents)) {
    const path = join(folder, `${kind}.${format}`);
    await writeFile(path, content);
    named[kind as Kind] = [path];
  }
  const bad: BadRows.BadRow[] = [];
  const { files } = await DataFile.find([], named);
  const outcome = await Import.run({
    files,
    limit: { kind: 'share', percent: 100 },
    dataSets: opened.dataSets,
    signal: new AbortController().signal,
    stage: () => {},
    listener: { file: () => {}, read: () => {}, row: () => {}, bad: (row) => void bad.push(row) },
  });
  return { outcome, bad };
}

describe('whatever stands in the rows', () => {
  for (const format of ['jsonl', 'csv'] as const) {
    it(`of ${format}, each of them is loaded or reported, and none stops the load`, async () => {
      const contents: Partial<Record<Kind, string>> = {};
      const rows: Partial<Record<Kind, number>> = {};
      for (const kind of kinds) {
        const made = fc.sample(rowOf(kind), { numRuns: 300, seed: 11 });
        const right = JSON.parse(Template.jsonl(kind)) as object;
        const names = Columns.namesOf(KindSchema.schemaOf(kind));
        const line = (row: object) => (format === 'csv' ? CsvWriter.line(names, row) : JSON.stringify(row));
        contents[kind] =
          `${format === 'csv' ? `${names.join(',')}\n` : ''}${[right, ...made].map(line).join('\n')}\n`;
        rows[kind] = made.length + 1;
      }
      const { outcome, bad } = await imported(contents, format);
      if (outcome.kind !== 'loaded') throw new Error(JSON.stringify(outcome));
      for (const kind of kinds) {
        const reported = bad.filter((row) => row.kind === kind);
        expect((outcome.counts[kind] ?? 0) + reported.length, kind).toBe(rows[kind]);
        expect(new Set(reported.map((row) => row.line)).size, kind).toBe(reported.length);
        expect(outcome.counts[kind], kind).toBeGreaterThan(50);
      }
      expect(bad.every((row) => BadRows.format(row).length < 1_000)).toBe(true);
    });
  }
});
