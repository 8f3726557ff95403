import * as Read from '../schema/read.ts';
import type { Schema } from '../schema/schema.ts';
import type { Fault } from '../schema/wording.ts';
import * as Columns from './columns.ts';
import { CsvReader, type CsvRow, delimiterOf } from './csv.ts';
import * as Lines from './lines.ts';

export type Format = 'jsonl' | 'csv';
/** A row that was read: an entry, or what is wrong with it. `line` is where it begins, from 1. */
export type Row<T> = { kind: 'entry'; line: number; entry: T; raw: string } | BadRow;
export type BadRow = { kind: 'bad'; line: number; faults: readonly Fault[]; raw: string };
/** A file that is wrong as a whole. */
export class Unreadable extends Error {}

type Chunks = AsyncIterable<Uint8Array>;
const utf16Marks = ['fffe', 'feff'];

/**
 * The rows of a file, in order, some at a time. Every line that is not blank (nor the header) is in exactly one of
 * them. Throws `Unreadable` where the file is none of this format or its header does not fit the schema.
 */
export async function* rows<T>(schema: Schema<T>, format: Format, chunks: Chunks): AsyncGenerator<Row<T>[]> {
  const lines = Lines.lines(recognised(chunks));
  yield* format === 'csv' ? csvRows(schema, lines) : jsonRows(schema, lines);
}

async function* jsonRows<T>(
  schema: Schema<T>,
  batches: AsyncIterable<Lines.Line[]>,
): AsyncGenerator<Row<T>[]> {
  let isFirst = true;
  for await (const lines of batches) {
    const found: Row<T>[] = [];
    for (const { number, text, fault } of lines) {
      if (fault === null && text.trim() === '') continue;
      if (isFirst && text.trimStart().startsWith('['))
        throw new Unreadable('It is one JSON array; JSONL has one object a line: jq -c ".[]" makes it so');
      isFirst = false;
      found.push(fault === null ? jsonRow(schema, number, text) : bad(number, fault, text));
    }
    yield found;
  }
}

function jsonRow<T>(schema: Schema<T>, line: number, text: string): Row<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return bad(line, `Not JSON: ${(error as Error).message.slice(0, 200)}`, text);
  }
  return checked(schema, line, value, text);
}

async function* csvRows<T>(
  schema: Schema<T>,
  batches: AsyncIterable<Lines.Line[]>,
): AsyncGenerator<Row<T>[]> {
  let reader: CsvReader | null = null;
  let columns: Columns.Columns | null = null;
  const take = (row: CsvRow): Row<T>[] => {
    if (columns === null) {
      columns = header(schema, row);
      return [];
    }
    if (row.kind === 'bad') return [bad(row.line, row.reason, row.raw)];
    const { line, cells, raw } = row;
    if (cells.length === columns.names.length) return [checked(schema, line, columns.value(cells), raw)];
    return [bad(line, `Has ${cells.length} cells where the header has ${columns.names.length}`, raw)];
  };
  for await (const lines of batches) {
    const found: Row<T>[] = [];
    for (const line of lines) {
      if (reader === null && line.text.trim() === '') continue;
      reader ??= new CsvReader(delimiterOf(line.text));
      for (const row of reader.take(line)) found.push(...take(row));
    }
    yield found;
  }
  yield (reader?.end() ?? []).flatMap(take);
}

function header(schema: Schema, row: CsvRow): Columns.Columns {
  if (row.kind === 'bad') throw new Unreadable(`The header in line ${row.line}: ${row.reason}`);
  if (row.raw.includes('\r')) throw new Unreadable('Lines end in CR alone: save it with LF or CRLF');
  const header = Columns.columns(schema, row.cells);
  if (header.kind === 'refused') throw new Unreadable(`The header in line ${row.line}: ${header.reason}`);
  return header.columns;
}

/** Ends early where the first bytes say that these are no lines of text in UTF-8. */
async function* recognised(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of chunks) {
    const start = Buffer.from(chunk.subarray(0, 4)).toString('hex');
    if (isFirst && utf16Marks.some((mark) => start.startsWith(mark)))
      throw new Unreadable('It is UTF-16: save it as UTF-8');
    if (isFirst && start === '504b0304')
      throw new Unreadable('It is a ZIP file or a spreadsheet: save the sheet as CSV in UTF-8');
    isFirst = false;
    yield chunk;
  }
}

function checked<T>(schema: Schema<T>, line: number, value: unknown, raw: string): Row<T> {
  const reading = Read.read(schema, value);
  return reading.kind === 'valid'
    ? { kind: 'entry', line, entry: reading.value, raw }
    : { kind: 'bad', line, faults: reading.faults.map(ofRow), raw };
}

/** The schema speaks of a request's body where the value as a whole is wrong. */
function ofRow({ field, message }: Fault): Fault {
  return { field: field === 'body' ? 'row' : field, message };
}

function bad(line: number, message: string, raw: string): BadRow {
  return { kind: 'bad', line, faults: [{ field: 'row', message }], raw };
}
