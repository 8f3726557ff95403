import type { Line } from './lines.ts';

/** A record of a CSV file: its cells, or the reason why it is malformed. `line` is the line it begins on. */
export type CsvRow =
  | { kind: 'cells'; line: number; cells: string[]; raw: string }
  | { kind: 'bad'; line: number; reason: string; raw: string };

const quote = '"';
/** Maximum size of a record, so that an unclosed quote does not read to the end of the file. */
const rowCharactersMax = 1024 * 1024;
const delimiters = [',', ';', '\t'];

/**
 * Reads CSV (RFC 4180) line by line. Quoted cells can contain delimiters, doubled quotes and line breaks. A malformed
 * record spoils only its first line: reading continues on the next line, so a stray quote does not cost the rest of the
 * file.
 *
 * Lines are rarely read more than twice: those inside an unclosed quote have an even number of quotes each, so none of
 * them starts another unclosed quote.
 */
export class CsvReader {
  readonly #delimiter: string;
  #pending: Line[] = [];
  #pendingCharacters = 0;
  #record: PendingRecord = { cells: [], open: null };

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /** Adds the next line and returns the records that it completes. Skips empty lines between records. */
  take(line: Line): CsvRow[] {
    if (this.#pending.length === 0 && line.fault === null && !line.text.includes(quote)) {
      if (line.text === '') return [];
      const { number, text } = line;
      return [{ kind: 'cells', line: number, cells: text.split(this.#delimiter), raw: text }];
    }
    return this.#work([line], false);
  }

  end(): CsvRow[] {
    return this.#work([], true);
  }

  #work(coming: Line[], isEnd: boolean): CsvRow[] {
    const found: CsvRow[] = [];
    // A stack, the next line last, so that lines to read again can be pushed.
    const todo = coming.reverse();
    for (;;) {
      const line = todo.pop();
      if (line === undefined && !(isEnd && this.#pending.length > 0)) return found;
      if (line?.fault && this.#pending.length === 0) {
        found.push({ kind: 'bad', line: line.number, reason: line.fault, raw: line.text });
        continue;
      }
      const fault = line === undefined || line.fault ? unclosed : this.#read(line, found);
      if (fault === null) continue;
      const [first, ...again] = this.#pending;
      this.#reset();
      if (!first) continue;
      found.push({ kind: 'bad', line: first.number, reason: fault, raw: first.text });
      // A readable line is among the pending ones already; an unreadable one is not.
      if (line?.fault) todo.push(line);
      for (const next of again.reverse()) todo.push(next);
    }
  }

  /** Adds `line` to the record. Returns an error message, or null. */
  #read(line: Line, found: CsvRow[]): string | null {
    if (this.#pending.length === 0 && line.text === '') return null;
    this.#pending.push(line);
    this.#pendingCharacters += line.text.length + 1;
    const fault = addLine(this.#record, line.text, this.#delimiter);
    if (fault !== null) return fault;
    if (this.#record.open !== null) return this.#pendingCharacters > rowCharactersMax ? unclosed : null;
    const raw = this.#pending.map(({ text }) => text).join('\n');
    const number = this.#pending[0]?.number ?? line.number;
    found.push({ kind: 'cells', line: number, cells: this.#record.cells, raw });
    this.#reset();
    return null;
  }

  #reset(): void {
    this.#pending = [];
    this.#pendingCharacters = 0;
    this.#record = { cells: [], open: null };
  }
}

/** Guesses the delimiter from the header: the most frequent one of comma, semicolon and tab. */
export function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '');
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** The cells read so far, and the parts of a quoted cell that continues on the next line. */
type PendingRecord = { cells: string[]; open: string[] | null };

const unclosed =
  'This row has an opening quote without a closing one. Close it, or double quotes inside cells';
const stray = 'This row has a quote inside a cell. Put the whole cell in quotes and double the quotes inside';

/** Adds the cells of one line to `record`. Returns an error message, or null. */
function addLine(record: PendingRecord, text: string, delimiter: string): string | null {
  for (let at = 0; ; ) {
    const isQuoted = record.open !== null || text[at] === quote;
    const end = isQuoted ? addQuotedCell(record, text, at) : addPlainCell(record, text, at, delimiter);
    if (record.open !== null || end >= text.length) return null;
    if (text[end] !== delimiter) return stray;
    at = end + 1;
  }
}

/** Adds a cell and returns its end: the next delimiter, a stray quote, or the end of the line. */
function addPlainCell({ cells }: PendingRecord, text: string, at: number, delimiter: string): number {
  const next = text.indexOf(delimiter, at);
  const cell = text.slice(at, next === -1 ? text.length : next);
  cells.push(cell);
  const strayAt = cell.indexOf(quote);
  return at + (strayAt === -1 ? cell.length : strayAt);
}

/** Adds a quoted cell and returns its end, or -1 if it continues on the next line. */
function addQuotedCell(record: PendingRecord, text: string, at: number): number {
  const parts = record.open ?? [];
  const end = readQuoted(text, record.open === null ? at + 1 : 0, parts);
  record.open = end === -1 ? parts : null;
  if (end !== -1) record.cells.push(parts.join(''));
  return end;
}

/** Collects the content of a quoted cell, starting at `from`. Returns its end, or -1 if the line ends first. */
function readQuoted(text: string, from: number, parts: string[]): number {
  for (let at = from; ; ) {
    const end = text.indexOf(quote, at);
    if (end === -1) {
      parts.push(text.slice(at), '\n');
      return -1;
    }
    if (text[end + 1] !== quote) {
      parts.push(text.slice(at, end));
      return end + 1;
    }
    parts.push(text.slice(at, end + 1));
    at = end + 2;
  }
}
