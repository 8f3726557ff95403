import * as Lexeme from './lexeme.ts';
import * as Words from './words.ts';

/** A query on a search vector, in PostgreSQL's tsquery syntax; null for no condition. */
export type Search = string | null;
type Term<V> = (value: V) => Search;
export type Include<V> = { include: readonly V[]; exclude?: readonly V[] };

/** Combines with AND. Parts that only exclude stay one negation (not x and not y = not (x or y)): see `negated`. */
export function all(parts: readonly Search[]): Search {
  const set = parts.filter((part) => part !== null);
  const excluded = set.map(negated);
  return set.length > 0 && !excluded.includes(null) ? none(excluded) : joined(set, ' & ');
}

/** The excluded part of a query that only excludes; null for every other query. */
export function negated(search: Search): Search {
  return search?.startsWith('!') ? search.slice(1) : null;
}

/** Rewrites a query for use with the index: a query that only excludes starts from all records. */
export function indexed(search: Search): Search {
  return negated(search) === null ? search : `${Lexeme.quoted(Lexeme.every)} & ${search}`;
}

export function any(parts: readonly Search[]): Search {
  return joined(parts, ' | ');
}

export function none(parts: readonly Search[]): Search {
  const some = any(parts);
  return some === null ? null : `!${some}`;
}

/** Any of `include` and none of `exclude`. `term` builds the query of a single value. */
export function includeExclude<V>(filter: Include<V>, term: Term<V>): Search {
  return all([any(filter.include.map(term)), none((filter.exclude ?? []).map(term))]);
}

export function lexeme(found: Lexeme.Lexeme): Search {
  return Lexeme.quoted(found);
}

/** Matches the exact value, for enums and codes. */
export function exact(space: string): Term<string> {
  return (value) => lexeme(Lexeme.exact(space, value));
}

/** Matches the whole field, ignoring case and accents. */
export function exactField(space: string): Term<string> {
  return (value) => lexeme(Lexeme.exactField(space, value));
}

/** Matches all words of the value within the field, in any order. */
export function keyword(space: string): Term<string> {
  return (value) => everyWord(value, (word) => lexeme(Lexeme.word(space, word)));
}

/** As `keyword`, but `[value]` matches the whole field. */
export function bracketed(space: string): Term<string> {
  return (value) => {
    const inner = inBrackets(value);
    return inner === null ? keyword(space)(value) : exactField(space)(inner);
  };
}

/** Content of the brackets around a value; null if there are none. */
export function inBrackets(value: string): string | null {
  return /^\s*\[(.*)\]\s*$/su.exec(value)?.[1] ?? null;
}

/** Matches all words of the value within at least one of the fields. */
export function phrase(spaces: readonly string[]): Term<string> {
  return (value) => any(spaces.map((space) => keyword(space)(value)));
}

/** Matches every word of the value in any of the fields. */
export function theme(spaces: readonly string[]): Term<string> {
  return (value) => everyWord(value, (word) => any(spaces.map((at) => lexeme(Lexeme.word(at, word)))));
}

/** Matches records with all words of the value. A value without words matches none: no record contains the empty word. */
function everyWord(value: string, hasWord: Term<string>): Search {
  const wanted = Words.ofValue(value);
  if (wanted.length === 0) return hasWord('');
  return all(
    wanted.map(({ word, apart }) =>
      apart === null ? hasWord(word) : any([hasWord(word), all(apart.map(hasWord))]),
    ),
  );
}

function joined(parts: readonly Search[], operator: string): Search {
  const set = parts.filter((part) => part !== null);
  return set.length === 0 ? null : `(${set.join(operator)})`;
}
