import type { Line } from './lines.ts';

/** A record of a CSV file: its cells, or why they cannot be told apart. `line` is where it begins. */
export type CsvRow =
  | { kind: 'cells'; line: number; cells: string[]; raw: string }
  | { kind: 'bad'; line: number; reason: string; raw: string };

const quote = '"';
/** A quote that nobody closes ends here, and not at the end of the file. */
const rowCharactersMax = 1024 * 1024;
const delimiters = [',', ';', '\t'];

/**
 * Reads CSV (RFC 4180) line by line: cells in quotes may hold delimiters, doubled quotes and line ends. A record that
 * breaks the rules is bad by itself: reading goes on at the line after the one it began in, so a stray quote costs
 * one record and not the rest of the file.
 *
 * No line is read often: whatever an unclosed quote ran over has an even number of quotes, so it opens none of its own.
 */
export class CsvReader {
  readonly #delimiter: string;
  #pending: Line[] = [];
  #pendingCharacters = 0;
  #record: Open = { cells: [], open: null };

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /** Takes the next line and gives the records that end in it. Empty lines between records are passed over. */
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
    // What is to be read again goes in front, so the list is kept from its end.
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
      // A line that was read is among the pending ones; one that could not be is not.
      if (line?.fault) todo.push(line);
      for (const next of again.reverse()) todo.push(next);
    }
  }

  /** Adds `line` to the record; gives what is wrong with it. */
  #read(line: Line, found: CsvRow[]): string | null {
    if (this.#pending.length === 0 && line.text === '') return null;
    this.#pending.push(line);
    this.#pendingCharacters += line.text.length + 1;
    const fault = read(this.#record, line.text, this.#delimiter);
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

/** The delimiter of a file, by its first line: comma, semicolon or tab, whichever is there most often. */
export function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '');
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** The cells so far, and what a quoted cell holds that goes on in the next line. */
type Open = { cells: string[]; open: string[] | null };

const unclosed = 'A quote opens in this row and is not closed';
const stray = 'A quote inside a cell: put the whole cell in quotes and double those inside';

/** Reads one line into `record`; gives what is wrong, or null. */
function read(record: Open, text: string, delimiter: string): string | null {
  let at = 0;
  for (;;) {
    if (record.open !== null || text[at] === quote) {
      const parts: string[] = record.open ?? [];
      const end = quoted(text, record.open === null ? at + 1 : 0, parts);
      record.open = end === -1 ? parts : null;
      if (end === -1) return null;
      record.cells.push(parts.join(''));
      at = end;
      if (at < text.length && text[at] !== delimiter) return stray;
    } else {
      const next = text.indexOf(delimiter, at);
      const cell = text.slice(at, next === -1 ? text.length : next);
      if (cell.includes(quote)) return stray;
      record.cells.push(cell);
      at += cell.length;
    }
    if (at >= text.length) return null;
    at++;
  }
}

/** Collects the content of a quoted cell from `from` on; gives where the cell ends, or -1 where the line ends first. */
function quoted(text: string, from: number, parts: string[]): number {
  let at = from;
  for (;;) {
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
