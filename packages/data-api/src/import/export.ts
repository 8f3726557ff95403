import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Entries, type Kind, kinds } from '../entries/kind.ts';
import * as Columns from './columns.ts';
import * as CsvWriter from './csv-writer.ts';
import * as KindSchema from './kind-schema.ts';
import type { Format } from './rows.ts';

export type Source = { [K in Kind]?: Iterable<Entries[K]> | AsyncIterable<Entries[K]> };
export type Written = { path: string; kind: Kind; rows: number };

const chunkCharacters = 256 * 1024;
const gzipLevel = 5;

/** Writes one file per kind to `folder`, creating it if necessary. Importing the files gives the same data. */
export async function write(
  source: Source,
  folder: string,
  { format, gzip }: { format: Format; gzip: boolean },
  onRow: () => void,
): Promise<Written[]> {
  await mkdir(folder, { recursive: true });
  const written: Written[] = [];
  for (const kind of kinds) {
    const entries = source[kind];
    if (entries === undefined) continue;
    const path = join(folder, `${kind}.${format}${gzip ? '.gz' : ''}`);
    let rows = 0;
    const count = () => {
      rows++;
      onRow();
    };
    const text = Readable.from(chunks(kind, entries, format, count));
    const file = createWriteStream(path);
    await (gzip ? pipeline(text, createGzip({ level: gzipLevel }), file) : pipeline(text, file));
    // An import refuses a file without rows, because it would delete all existing ones.
    if (rows === 0) await rm(path);
    else written.push({ path, kind, rows });
  }
  return written;
}

async function* chunks(
  kind: Kind,
  entries: Iterable<object> | AsyncIterable<object>,
  format: Format,
  onRow: () => void,
): AsyncGenerator<string> {
  const names = Columns.namesOf(KindSchema.schemaOf(kind));
  const line = format === 'csv' ? (entry: object) => CsvWriter.line(names, entry) : jsonLine;
  let chunk = format === 'csv' ? `${names.join(',')}\n` : '';
  for await (const entry of entries) {
    onRow();
    chunk += `${line(entry)}\n`;
    if (chunk.length < chunkCharacters) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

/** Formats an entry as JSON without null fields, which mean the same as missing ones. */
function jsonLine(entry: object): string {
  return JSON.stringify(entry, (_, value) => (value === null ? undefined : value));
}
