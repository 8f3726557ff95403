import type { JsonPointer } from './json-pointer.ts';
import * as JsonSkip from './json-skip.ts';

/** The value at a pointer in a JSON text; `nothing` when the text has no such place. */
export type Found =
  | { kind: 'number'; value: number }
  | { kind: 'array'; length: number }
  | { kind: 'object' | 'string' | 'true' | 'false' | 'null' | 'nothing' };

/**
 * Finds what `pointer` (RFC 6901) names in a JSON text (RFC 8259) in UTF-8, without making its values; null where the
 * text is none. As `JSON.parse` reads it and `JsonPointer.resolve` follows it: of a name that occurs twice the last one
 * counts, bytes that are no UTF-8 are taken within strings, and a byte order mark is not.
 * @param start where the text begins in `bytes`
 */
export function find(bytes: Uint8Array, start: number, pointer: JsonPointer): Found | null {
  const laid = JsonSkip.lay(bytes);
  const search: Search = { bytes, laid, tokens: tokensOf(pointer), found: { kind: 'nothing' }, at: start };
  const after = walk(search, afterBlanks(bytes, start), 0);
  return after !== none && afterBlanks(bytes, after) === bytes.length ? search.found : null;
}

/** The value at a pointer, with the text of a number, which may have more digits than its value. */
export type FoundText = Exclude<Found, { kind: 'number' }> | { kind: 'number'; value: number; text: string };

/** Like `find`, for several pointers into one text; null where the text is no JSON. The results have the order of the pointers. */
export function findEach(
  bytes: Uint8Array,
  start: number,
  pointers: readonly JsonPointer[],
): FoundText[] | null {
  const laid = JsonSkip.lay(bytes);
  const first = afterBlanks(bytes, start);
  const found: FoundText[] = [];
  for (const pointer of pointers) {
    const search: Search = { bytes, laid, tokens: tokensOf(pointer), found: { kind: 'nothing' }, at: first };
    const after = walk(search, first, 0);
    if (after === none || afterBlanks(bytes, after) !== bytes.length) return null;
    found.push(search.found.kind === 'number' ? withText(search, search.found.value) : search.found);
  }
  return found;
}

function withText({ bytes, laid, at }: Search, value: number): FoundText {
  return { kind: 'number', value, text: utf8(bytes, at, JsonSkip.after(laid, at)) };
}

type Search = {
  readonly bytes: Uint8Array;
  readonly laid: JsonSkip.Laid;
  readonly tokens: readonly Token[];
  found: Found;
  /** The position at which the found value begins. */
  at: number;
};
/** A reference token, as the name of a member and as the index of an element. */
type Token = { text: string; bytes: Uint8Array; index: number };

/** Pointers are of the catalogue, and few: each is taken apart once. */
const known = new WeakMap<JsonPointer, readonly Token[]>();

function tokensOf(pointer: JsonPointer): readonly Token[] {
  let tokens = known.get(pointer);
  if (tokens === undefined) {
    tokens = pointer.map((text) => ({ text, bytes: encoder.encode(text), index: indexOf(text) }));
    known.set(pointer, tokens);
  }
  return tokens;
}

const encoder = new TextEncoder();
/** No place in the text, or no index. All below that begins with `after` and `walk` gives the place behind what it reads, or this where that is no JSON. */
export const { none } = JsonSkip;

function indexOf(token: string): number {
  return /^(0|[1-9]\d{0,8})$/.test(token) ? Number(token) : none;
}

/** Along the value at `at`, which the first `level` tokens lead to. */
function walk(search: Search, at: number, level: number): number {
  const { bytes, laid, tokens } = search;
  const token = tokens[level];
  if (token === undefined) return walkEnd(search, at);
  if (bytes[at] === 0x7b) return walkObject(search, at, level, token);
  if (bytes[at] === 0x5b) return walkArray(search, at, level, token);
  return JsonSkip.after(laid, at);
}

function walkObject(search: Search, start: number, level: number, token: Token): number {
  const { bytes, laid } = search;
  let at = afterBlanks(bytes, start + 1);
  if (bytes[at] === 0x7d) return at + 1;
  for (;;) {
    const name = at;
    const nameEnd = bytes[name] === 0x22 ? JsonSkip.after(laid, name) : none;
    at = nameEnd === none ? none : afterColon(bytes, nameEnd);
    if (at === none) return none;
    if (isName(bytes, name, nameEnd, token)) {
      search.found = { kind: 'nothing' };
      at = walk(search, at, level + 1);
    } else at = JsonSkip.after(laid, at);
    if (at === none) return none;
    at = afterBlanks(bytes, at);
    if (bytes[at] === 0x7d) return at + 1;
    if (bytes[at] !== 0x2c) return none;
    at = afterBlanks(bytes, at + 1);
  }
}

function walkArray(search: Search, start: number, level: number, token: Token | null): number {
  const { bytes, laid } = search;
  let at = afterBlanks(bytes, start + 1);
  let length = 0;
  if (bytes[at] !== 0x5d) {
    for (;;) {
      at = length === token?.index ? walk(search, at, level + 1) : JsonSkip.after(laid, at);
      if (at === none) return none;
      length++;
      at = afterBlanks(bytes, at);
      if (bytes[at] === 0x5d) break;
      if (bytes[at] !== 0x2c) return none;
      at = afterBlanks(bytes, at + 1);
    }
  }
  if (token === null) search.found = { kind: 'array', length };
  return at + 1;
}

/** The value that the pointer names. */
function walkEnd(search: Search, at: number): number {
  const { bytes, laid } = search;
  if (bytes[at] === 0x5b) return walkArray(search, at, 0, null);
  const after = JsonSkip.after(laid, at);
  if (after !== none) {
    search.found = measured(bytes, at, after);
    search.at = at;
  }
  return after;
}

function measured(bytes: Uint8Array, from: number, to: number): Found {
  switch (bytes[from]) {
    case 0x7b:
      return { kind: 'object' };
    case 0x22:
      return { kind: 'string' };
    case 0x74:
      return { kind: 'true' };
    case 0x66:
      return { kind: 'false' };
    case 0x6e:
      return { kind: 'null' };
    default:
      return { kind: 'number', value: Number(utf8(bytes, from, to)) };
  }
}

/** Returns true when the member name from `start` to `end`, quotes included, equals the token. */
function isName(bytes: Uint8Array, start: number, end: number, { text, bytes: token }: Token): boolean {
  let isSame = end - start - 2 === token.length;
  for (let at = start + 1; at < end - 1; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x5c || byte > 0x7f) return JSON.parse(utf8(bytes, start, end)) === text;
    isSame &&= byte === token[at - start - 1];
  }
  return isSame;
}

function utf8(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8');
}

export function afterBlanks(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at] as number;
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) return at;
    at++;
  }
  return at;
}

/** A member's colon, and blanks: the value begins there. */
export function afterColon(bytes: Uint8Array, start: number): number {
  const at = bytes[start] === 0x3a ? start : afterBlanks(bytes, start);
  return bytes[at] === 0x3a ? afterBlanks(bytes, at + 1) : none;
}
