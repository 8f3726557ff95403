import type { JsonPointer } from './json-pointer.ts';

/** What a pointer names in a JSON text; `nothing` where the text has no such place. */
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
  const search: Search = { bytes, tokens: tokensOf(pointer), found: { kind: 'nothing' } };
  const after = walk(search, afterBlanks(bytes, start), 0);
  return after !== none && afterBlanks(bytes, after) === bytes.length ? search.found : null;
}

type Search = { readonly bytes: Uint8Array; readonly tokens: readonly Token[]; found: Found };
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
const none = -1;

function indexOf(token: string): number {
  return /^(0|[1-9]\d{0,8})$/.test(token) ? Number(token) : none;
}

/** Along the value at `at`, which the first `level` tokens lead to. */
function walk(search: Search, at: number, level: number): number {
  const { bytes, tokens } = search;
  const token = tokens[level];
  if (token === undefined) return walkEnd(search, at);
  if (bytes[at] === 0x7b) return walkObject(search, at, level, token);
  if (bytes[at] === 0x5b) return walkArray(search, at, level, token);
  return afterValue(bytes, at);
}

function walkObject(search: Search, start: number, level: number, token: Token): number {
  const { bytes } = search;
  let at = afterBlanks(bytes, start + 1);
  if (bytes[at] === 0x7d) return at + 1;
  for (;;) {
    const name = at;
    at = afterName(bytes, name);
    if (at === none) return none;
    if (isName(bytes, name, token)) {
      search.found = { kind: 'nothing' };
      at = walk(search, at, level + 1);
    } else at = afterValue(bytes, at);
    if (at === none) return none;
    at = afterBlanks(bytes, at);
    if (bytes[at] === 0x7d) return at + 1;
    if (bytes[at] !== 0x2c) return none;
    at = afterBlanks(bytes, at + 1);
  }
}

function walkArray(search: Search, start: number, level: number, token: Token | null): number {
  const { bytes } = search;
  let at = afterBlanks(bytes, start + 1);
  let length = 0;
  if (bytes[at] !== 0x5d) {
    for (;;) {
      at = length === token?.index ? walk(search, at, level + 1) : afterValue(bytes, at);
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
  const { bytes } = search;
  if (bytes[at] === 0x5b) return walkArray(search, at, 0, null);
  const after = afterValue(bytes, at);
  if (after !== none) search.found = measured(bytes, at, after);
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

/** Whether the member's name that begins at `start` is that of the token. */
function isName(bytes: Uint8Array, start: number, { text, bytes: token }: Token): boolean {
  let isSame = true;
  for (let at = start + 1; ; at++) {
    const byte = bytes[at] as number;
    const length = at - start - 1;
    if (byte === 0x22) return isSame && length === token.length;
    if (byte === 0x5c || byte > 0x7f)
      return JSON.parse(utf8(bytes, start, afterString(bytes, start + 1))) === text;
    isSame &&= byte === token[length];
  }
}

function utf8(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8');
}

/** Whether each container that is open within the value is an object; grows with what is met. */
let kinds = new Uint8Array(64);

/**
 * All of a value that nobody asked for: most of a text, so that this is where time goes. Names and strings are read here, and
 * blanks asked for where there are some: with a call for each of them it takes half as long again.
 */
function afterValue(bytes: Uint8Array, start: number): number {
  const end = bytes.length;
  let at = start;
  let depth = 0;
  let inObject = false;
  let isName = false;
  for (;;) {
    const first = at < end ? (bytes[at] as number) : 0;
    if (first === 0x22) {
      at++;
      while (at < end && isPlain(bytes[at] as number)) at++;
      at = at < end && bytes[at] === 0x22 ? at + 1 : afterString(bytes, at);
    } else if (isName) return none;
    else if (first === 0x7b || first === 0x5b) {
      at = afterBlanks(bytes, at + 1);
      // Either closes two code points above where it opens.
      if (at < end && bytes[at] === first + 2) at++;
      else {
        if (depth === kinds.length) kinds = grown(kinds);
        kinds[depth++] = inObject ? 1 : 0;
        inObject = first === 0x7b;
        isName = inObject;
        continue;
      }
    } else at = afterScalar(bytes, at, first);

    if (at === none) return none;
    if (isName) {
      at = afterColon(bytes, at);
      if (at === none) return none;
      isName = false;
      continue;
    }
    for (;;) {
      if (depth === 0) return at;
      if (at < end && (bytes[at] as number) <= 0x20) at = afterBlanks(bytes, at);
      const next = at < end ? (bytes[at++] as number) : 0;
      if (next === 0x2c) {
        if (at < end && (bytes[at] as number) <= 0x20) at = afterBlanks(bytes, at);
        isName = inObject;
        break;
      }
      if (next !== (inObject ? 0x7d : 0x5d)) return none;
      inObject = kinds[--depth] === 1;
    }
  }
}

/** Whether a byte stands for itself in a string. */
function isPlain(byte: number): boolean {
  return byte > 0x22 ? byte !== 0x5c : byte === 0x20 || byte === 0x21;
}

function grown(few: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(few.length * 2);
  more.set(few);
  return more;
}

function afterBlanks(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at] as number;
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) return at;
    at++;
  }
  return at;
}

/** A member's name, its colon, and blanks: the value begins there. */
function afterName(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== 0x22) return none;
  const after = afterString(bytes, start + 1);
  return after === none ? none : afterColon(bytes, after);
}

function afterColon(bytes: Uint8Array, start: number): number {
  const at = bytes[start] === 0x3a ? start : afterBlanks(bytes, start);
  return bytes[at] === 0x3a ? afterBlanks(bytes, at + 1) : none;
}

/** A string, from behind its first quote. */
function afterString(bytes: Uint8Array, start: number): number {
  const end = bytes.length;
  let at = start;
  while (at < end) {
    const byte = bytes[at++] as number;
    if (byte > 0x22 && byte !== 0x5c) continue;
    if (byte === 0x22) return at;
    if (byte < 0x20) return none;
    if (byte !== 0x5c) continue;
    at = afterEscape(bytes, at);
    if (at === none) return none;
  }
  return none;
}

/** An escape, from behind its backslash. */
function afterEscape(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== 0x75) return escapes.has(bytes[start] ?? 0) ? start + 1 : none;
  for (let digit = 1; digit <= 4; digit++) if (!isHex(bytes[start + digit] ?? 0)) return none;
  return start + 5;
}
const escapes = new Set(encoder.encode('"\\/bfnrt'));

function afterScalar(bytes: Uint8Array, at: number, first: number): number {
  if (first === 0x74) return afterWord(bytes, at, 'true');
  if (first === 0x66) return afterWord(bytes, at, 'false');
  return first === 0x6e ? afterWord(bytes, at, 'null') : afterNumber(bytes, at);
}

function afterWord(bytes: Uint8Array, at: number, word: string): number {
  for (let place = 1; place < word.length; place++)
    if (bytes[at + place] !== word.charCodeAt(place)) return none;
  return at + word.length;
}

function afterNumber(bytes: Uint8Array, start: number): number {
  const whole = bytes[start] === 0x2d ? start + 1 : start;
  let at = afterDigits(bytes, whole);
  if (at === whole || (bytes[whole] === 0x30 && at > whole + 1)) return none;
  if (bytes[at] === 0x2e) {
    const fraction = at + 1;
    at = afterDigits(bytes, fraction);
    if (at === fraction) return none;
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    const sign = bytes[at + 1];
    const exponent = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
    at = afterDigits(bytes, exponent);
    if (at === exponent) return none;
  }
  return at;
}

function afterDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && isDigit(bytes[at] as number)) at++;
  return at;
}

function isHex(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x61 && byte <= 0x66) || (byte >= 0x41 && byte <= 0x46);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
