import * as Lexeme from './lexeme.ts';

/** A question to a search vector in the text of PostgreSQL's tsquery; null asks nothing. */
export type Search = string | null;
type Term<V> = (value: V) => Search;
export type Include<V> = { include: readonly V[]; exclude?: readonly V[] };

/** What only excludes stays one negation, as none of x and none of y is none of both: see `opposite`. */
export function all(parts: readonly Search[]): Search {
  const set = parts.filter((part) => part !== null);
  const excluded = set.map(opposite);
  return set.length > 0 && !excluded.includes(null) ? none(excluded) : joined(set, ' & ');
}

/** What a search leaves out that does nothing but exclude; null for every other search. */
export function opposite(search: Search): Search {
  return search?.startsWith('!') ? search.slice(1) : null;
}

/** The same search, as an index finds it fastest: what only excludes begins with every record. */
export function indexed(search: Search): Search {
  return opposite(search) === null ? search : `${Lexeme.quoted(Lexeme.every)} & ${search}`;
}

export function any(parts: readonly Search[]): Search {
  return joined(parts, ' | ');
}

export function none(parts: readonly Search[]): Search {
  const some = any(parts);
  return some === null ? null : `!${some}`;
}

/** One filter leaf: any of `include`, none of `exclude`. `term` says what a single value asks for. */
export function leaf<V>(filter: Include<V>, term: Term<V>): Search {
  return all([any(filter.include.map(term)), none((filter.exclude ?? []).map(term))]);
}

export function lexeme(found: Lexeme.Lexeme): Search {
  return Lexeme.quoted(found);
}

/** The value to the letter, for enums and codes. */
export function exact(space: string): Term<string> {
  return (value) => lexeme(Lexeme.exact(space, value));
}

/** The whole field, but for case and accents. */
export function whole(space: string): Term<string> {
  return (value) => lexeme(Lexeme.whole(space, value));
}

/** All words of the value, in any order, within the field. */
export function keyword(space: string): Term<string> {
  return (value) => all(asked(value).map((word) => lexeme(Lexeme.word(space, word))));
}

/** As `keyword`, but `[value]` asks for the whole field. */
export function bracketed(space: string): Term<string> {
  return (value) => {
    const inner = inBrackets(value);
    return inner === null ? keyword(space)(value) : whole(space)(inner);
  };
}

/** What stands in the brackets that a value may be wrapped in. */
export function inBrackets(value: string): string | null {
  return /^\s*\[(.*)\]\s*$/su.exec(value)?.[1] ?? null;
}

/** All words of the value together in at least one of the fields. */
export function phrase(spaces: readonly string[]): Term<string> {
  return (value) => any(spaces.map((space) => keyword(space)(value)));
}

/** Every word of the value somewhere in the fields, not necessarily in the same one. */
export function theme(spaces: readonly string[]): Term<string> {
  return (value) => all(asked(value).map((word) => any(spaces.map((at) => lexeme(Lexeme.word(at, word))))));
}

/** The words of a value. One that folding leaves nothing of asks for the empty word, which no record has. */
function asked(value: string): string[] {
  const words = Lexeme.words(value);
  return words.length > 0 ? words : [''];
}

function joined(parts: readonly Search[], operator: string): Search {
  const set = parts.filter((part) => part !== null);
  return set.length === 0 ? null : `(${set.join(operator)})`;
}
