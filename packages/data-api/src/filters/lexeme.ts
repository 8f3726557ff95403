import { sha256Hex } from '@sluice/kernel/digest';
import { fold } from './fold.ts';
import * as Words from './words.ts';

/**
 * An entry of a search vector: `t.engineer` (the title contains the word), `t=data engineer` (the whole title), `c=PT`
 * (the country). The functions below build the lexemes of both records and filters, so they always agree, and the
 * database needs no text search configuration.
 */
export type Lexeme = string;
/** A lexeme with its position in the record, from 1, for filters on several lexemes at the same position. */
export type Placed = { lexeme: Lexeme; place: number };

/** Contained in every record, so that queries that only exclude can use the index. */
export const every: Lexeme = '*';

/** Longer values are replaced by their digest. PostgreSQL's own limit is 2,046 bytes. */
const lexemeBytesMax = 200;

/** Lexeme of one word of the field `space`. */
export function word(space: string, folded: string): Lexeme {
  return `${space}.${short(folded)}`;
}

/** Lexeme of the whole field `space`, folded. */
export function exactField(space: string, text: string): Lexeme {
  return `${space}=${short(fold(text))}`;
}

/** Lexeme of an enum value in the field `space`, not folded. */
export function exact(space: string, text: string): Lexeme {
  return `${space}=${short(text.replace(/\p{Cc}/gu, ' '))}`;
}

/** Lexemes of all words of the field `space`. */
export function wordsOf(space: string, text: string | null): readonly Lexeme[] {
  if (text === null) return [];
  const cache = cacheOf(space);
  const known = cache.get(text);
  if (known) return known;
  const lexemes = Words.ofText(text).map((found) => word(space, found));
  if (text.length > cachedTextCharactersMax) return lexemes;
  if (cache.size >= textsCachedMax) cache.clear();
  cache.set(text, lexemes);
  return lexemes;
}

/** Cache: titles, cities and tags recur, and many records refer to the same company. */
const cacheBySpace = new Map<string, Map<string, readonly Lexeme[]>>();
const textsCachedMax = 2_000;
/** Longer texts rarely recur. */
const cachedTextCharactersMax = 60;

function cacheOf(space: string): Map<string, readonly Lexeme[]> {
  const cache = cacheBySpace.get(space) ?? new Map();
  cacheBySpace.set(space, cache);
  return cache;
}

/** Formats lexemes as the text of a PostgreSQL tsvector. */
export function vector(lexemes: Iterable<Lexeme | Placed>): string {
  let text = '';
  for (const found of lexemes) {
    text += typeof found === 'string' ? `${quoted(found)} ` : `${quoted(found.lexeme)}:${found.place} `;
  }
  return text.slice(0, -1);
}

/** Quotes a lexeme for the text of a tsvector or tsquery. */
export function quoted(lexeme: Lexeme): string {
  return special.test(lexeme) ? `'${lexeme.replace(/['\\]/g, '$&$&')}'` : `'${lexeme}'`;
}

const special = /['\\]/;

function short(text: string): string {
  return text.length * 3 > lexemeBytesMax && Buffer.byteLength(text) > lexemeBytesMax
    ? sha256Hex(text)
    : text;
}
