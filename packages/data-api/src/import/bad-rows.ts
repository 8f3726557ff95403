import type { Kind } from '../entries/kind.ts';
import type { FieldError } from '../schema/wording.ts';

/** A row that was skipped, with the line it begins on and the reasons. */
export type BadRow = { file: string; line: number; kind: Kind; faults: readonly FieldError[]; raw: string };

/** Maximum number or share of bad rows in one file. Above it nothing is imported. */
export type Limit = { kind: 'share'; percent: number } | { kind: 'rows'; rows: number };

/** A file with more bad than good rows is probably the wrong file. */
export const limitDefault: Limit = { kind: 'share', percent: 50 };

const rawCharactersMax = 10_000;
const reasonCharactersMax = 500;

/** Parses `5%` (a share of rows) or `100` (a number of rows); null for anything else. */
export function parseLimit(text: string): Limit | null {
  const [, number, percent] = /^(\d{1,9}(?:\.\d{1,4})?)(%?)$/.exec(text) ?? [];
  if (number === undefined || (percent === '' && number.includes('.'))) return null;
  if (percent === '') return { kind: 'rows', rows: Number(number) };
  return Number(number) <= 100 ? { kind: 'share', percent: Number(number) } : null;
}

export function limitText(limit: Limit): string {
  return limit.kind === 'share' ? `${limit.percent}%` : String(limit.rows);
}

export function exceeds(limit: Limit, bad: number, rows: number): boolean {
  return limit.kind === 'share' ? bad * 100 > rows * limit.percent : bad > limit.rows;
}

/** Formats a bad row: `people.csv:17: connections_count: Must be between 0 and 500`. */
export function format({ file, line, faults }: BadRow): string {
  return `${file}:${line}: ${reason(faults)}`;
}

/** Formats a bad row as a line of JSON, without line break. */
export function toJson({ file, line, kind, faults, raw }: BadRow): string {
  const row = raw.length > rawCharactersMax ? `${raw.slice(0, rawCharactersMax)}...` : raw;
  return JSON.stringify({ file, line, kind, reason: reason(faults), faults, row });
}

function reason(faults: readonly FieldError[]): string {
  const text = faults
    .map(({ field, message }) => (field === 'row' ? message : `${field}: ${message}`))
    .join('; ');
  return text.length > reasonCharactersMax ? `${text.slice(0, reasonCharactersMax)}...` : text;
}
