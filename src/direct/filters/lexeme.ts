import { sha256Hex } from '../../kernel/digest.ts';

/**
 * What a record can be found by, as lexemes of one search vector: `t.engineer` (the title has that word),
 * `t=data engineer` (that is the whole title), `c=PT` (the country). Records and filters are both written in them by the
 * functions below, so the two cannot drift apart and the database needs no text search configuration of its own.
 */
export type Lexeme = string;
/** A lexeme at one place of its record, counted from 1, for filters that ask for some at the same place. */
export type Placed = { lexeme: Lexeme; place: number };

/** Every record of a search that may only exclude holds this one, so that an index can list them all. */
export const every: Lexeme = '*';

/** PostgreSQL ends a lexeme at 2,046 bytes; what is longer than this goes in as its digest. */
const lexemeBytesMax = 200;

/** Lower case, without accents or control characters, single spaces: how values are compared. */
export function fold(text: string): string {
  if (isPlain(text)) return text.toLowerCase().replace(/ {2,}/g, ' ').trim();
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
}

/** The words of a text: folded, split at whatever is neither letter nor digit, each once. */
export function words(text: string): string[] {
  const found = isPlain(text) ? text.toLowerCase().match(/[a-z0-9]+/g) : fold(text).match(/[\p{L}\p{N}]+/gu);
  return [...new Set(found)];
}

/** One word of the field `space`. */
export function word(space: string, folded: string): Lexeme {
  return `${space}.${short(folded)}`;
}

/** The whole of the field `space`, after folding. */
export function whole(space: string, text: string): Lexeme {
  return `${space}=${short(fold(text))}`;
}

/** A value of a fixed list in the field `space`, to the letter. */
export function exact(space: string, text: string): Lexeme {
  return `${space}=${short(text.replace(/\p{Cc}/gu, ' '))}`;
}

/** Every word of the field `space`. */
export function wordsOf(space: string, text: string | null): readonly Lexeme[] {
  if (text === null) return [];
  const kept = keptOf(space);
  const known = kept.get(text);
  if (known) return known;
  const lexemes = words(text).map((found) => word(space, found));
  if (text.length > textKeptCharactersMax) return lexemes;
  if (kept.size >= textsKeptMax) kept.clear();
  kept.set(text, lexemes);
  return lexemes;
}

/** Titles, cities and tags recur, and one company stands behind many records: most texts are met more than once. */
const keptBySpace = new Map<string, Map<string, readonly Lexeme[]>>();
const textsKeptMax = 2_000;
const textKeptCharactersMax = 500;

function keptOf(space: string): Map<string, readonly Lexeme[]> {
  const kept = keptBySpace.get(space) ?? new Map();
  keptBySpace.set(space, kept);
  return kept;
}

/** The lexemes as the text of a PostgreSQL tsvector, which keeps each once. */
export function vector(lexemes: Iterable<Lexeme | Placed>): string {
  let text = '';
  for (const found of lexemes) {
    text += typeof found === 'string' ? `${quoted(found)} ` : `${quoted(found.lexeme)}:${found.place} `;
  }
  return text.slice(0, -1);
}

/** A lexeme as it stands in the text of a tsvector or tsquery. */
export function quoted(lexeme: Lexeme): string {
  return special.test(lexeme) ? `'${lexeme.replace(/['\\]/g, '$&$&')}'` : `'${lexeme}'`;
}

const special = /['\\]/;

function short(text: string): string {
  return text.length * 3 > lexemeBytesMax && Buffer.byteLength(text) > lexemeBytesMax
    ? sha256Hex(text)
    : text;
}

/** Whether a text is printable ASCII, as most are: the shorter way gives the same there. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code > 126) return false;
  }
  return true;
}
