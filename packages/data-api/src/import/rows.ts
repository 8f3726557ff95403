import * as Read from '../schema/read.ts';
import type { Schema } from '../schema/schema.ts';
import type { FieldError } from '../schema/wording.ts';
import * as Columns from './columns.ts';
import { Unidentified } from './complete.ts';
import { CsvReader, type CsvRow, delimiterOf } from './csv.ts';
import * as Lines from './lines.ts';

export type Format = 'jsonl' | 'csv';
/** A parsed row: an entry or its errors. `line` is the line it begins on, from 1. */
export type Row<T> = { kind: 'entry'; line: number; entry: T; raw: string } | BadRow;
export type BadRow = { kind: 'bad'; line: number; faults: readonly FieldError[]; raw: string };
/** A file that cannot be read at all. */
export class Unreadable extends Error {}

/** Conversion of rows that are not exactly in our form. */
export type Shape = {
  /** Columns of a CSV file by its header. */
  columns(header: readonly string[]): Columns.Columns;
  /** Completes the value of a row before validation. Null if the row contains no entry. */
  complete(value: unknown): unknown;
};
type Chunks = AsyncIterable<Uint8Array>;
const utf16Marks = ['fffe', 'feff'];

/**
 * Parses the rows of a file, in order and in batches. Every line except blank ones and the header belongs to exactly one
 * row. Throws `Unreadable` if the file has another format or its header does not fit the schema.
 */
export async function* rows<T>(
  schema: Schema<T>,
  format: Format,
  chunks: Chunks,
  shape: Shape | null = null,
): AsyncGenerator<Row<T>[]> {
  const lines = Lines.lines(assertUtf8Text(chunks));
  yield* format === 'csv' ? csvRows(schema, lines, shape) : jsonRows(schema, lines, shape);
}

/** Records of a CSV file, the header first, in batches. Throws `Unreadable` if the file or its header cannot be read. */
export async function* records(chunks: Chunks): AsyncGenerator<CsvRow[]> {
  let reader: CsvReader | null = null;
  let isFirst = true;
  for await (const lines of Lines.lines(assertUtf8Text(chunks))) {
    const found: CsvRow[] = [];
    for (const line of lines) {
      if (reader === null && line.text.trim() === '') continue;
      reader ??= new CsvReader(delimiterOf(line.text));
      found.push(...reader.take(line));
    }
    if (isFirst && found[0]) {
      assertHeader(found[0]);
      isFirst = false;
    }
    yield found;
  }
  yield reader?.end() ?? [];
}

async function* jsonRows<T>(
  schema: Schema<T>,
  batches: AsyncIterable<Lines.Line[]>,
  shape: Shape | null,
): AsyncGenerator<Row<T>[]> {
  let isFirst = true;
  for await (const lines of batches) {
    const found: Row<T>[] = [];
    for (const { number, text, fault } of lines) {
      if (fault === null && text.trim() === '') continue;
      if (isFirst && text.trimStart().startsWith('['))
        throw new Unreadable(
          'The file is one JSON array, but JSONL has one object per line. Convert it: jq -c ".[]"',
        );
      isFirst = false;
      const row = fault === null ? jsonRow(schema, number, text, shape) : bad(number, fault, text);
      if (row !== null) found.push(row);
    }
    yield found;
  }
}

function jsonRow<T>(schema: Schema<T>, line: number, text: string, shape: Shape | null): Row<T> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return bad(line, `Not JSON: ${(error as Error).message.slice(0, 200)}`, text);
  }
  return checked(schema, line, value, text, shape);
}

async function* csvRows<T>(
  schema: Schema<T>,
  batches: AsyncIterable<Lines.Line[]>,
  shape: Shape | null,
): AsyncGenerator<Row<T>[]> {
  let reader: CsvReader | null = null;
  let columns: Columns.Columns | null = null;
  const take = (row: CsvRow): Row<T>[] => {
    if (columns === null) {
      columns = shape ? shape.columns(assertHeader(row)) : header(schema, row);
      return [];
    }
    if (row.kind === 'bad') return [bad(row.line, row.reason, row.raw)];
    const { line, cells, raw } = row;
    if (cells.length === columns.names.length) {
      const found = checked(schema, line, columns.value(cells), raw, shape);
      return found === null ? [] : [found];
    }
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

function assertHeader(row: CsvRow): readonly string[] {
  if (row.kind === 'bad') throw new Unreadable(`The header in line ${row.line}: ${row.reason}`);
  if (row.raw.includes('\r'))
    throw new Unreadable('Lines end in CR only. Save the file with LF or CRLF line ends');
  return row.cells;
}

function header(schema: Schema, row: CsvRow): Columns.Columns {
  const header = Columns.columns(schema, assertHeader(row));
  if (header.kind === 'refused') throw new Unreadable(`The header in line ${row.line}: ${header.reason}`);
  return header.columns;
}

/** Throws if the first bytes show that the file is not UTF-8 text. */
async function* assertUtf8Text(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of chunks) {
    const start = Buffer.from(chunk.subarray(0, 4)).toString('hex');
    if (isFirst && utf16Marks.some((mark) => start.startsWith(mark)))
      throw new Unreadable('The file is UTF-16. Save it as UTF-8');
    if (isFirst && start === '504b0304')
      throw new Unreadable('The file is a ZIP archive or a spreadsheet. Save the sheet as CSV in UTF-8');
    isFirst = false;
    yield chunk;
  }
}

function checked<T>(
  schema: Schema<T>,
  line: number,
  given: unknown,
  raw: string,
  shape: Shape | null,
): Row<T> | null {
  const value = shape ? shape.complete(given) : given;
  if (value === null && given !== null) return null;
  if (value instanceof Unidentified) return bad(line, value.message, raw);
  const reading = Read.read(schema, value);
  return reading.kind === 'valid'
    ? { kind: 'entry', line, entry: reading.value, raw }
    : { kind: 'bad', line, faults: reading.faults.map(ofRow), raw };
}

/** Errors of the whole value refer to `body` in requests and to `row` in files. */
function ofRow({ field, message }: FieldError): FieldError {
  return { field: field === 'body' ? 'row' : field, message };
}

function bad(line: number, message: string, raw: string): BadRow {
  return { kind: 'bad', line, faults: [{ field: 'row', message }], raw };
}
