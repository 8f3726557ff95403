import { isStop } from './lexicon.ts';
import type { Slot } from './slot.ts';
import { fold, stem } from './words.ts';

/** The words that name what a key identifies, and the beginnings of its examples. */
export type KeyName = { words: readonly string[]; samples: readonly string[]; isNumber: boolean };

/** Names a key by its own name, by the part of the path before it, and by its examples. */
export function keyOf({ leaf }: Slot, path: string): KeyName {
  const { description, example, pattern } = leaf.schema;
  const names = [...leaf.path, ...before(path, leaf.path[0] ?? '')];
  return {
    words: names.flatMap((key) => fold(key.replace(/([a-z0-9])([A-Z])/g, '$1 $2')).split(/[^a-z0-9]+/)),
    samples: [
      ...`${description ?? ''} ${example ?? ''} ${pattern ?? ''}`.matchAll(/\b([a-z]{1,6})[_-]/gi),
    ].map((match) => fold(match[1] ?? '')),
    isNumber: [leaf.schema.type].flat().includes('integer') || /^\d+$/.test(String(example)),
  };
}

/** Returns the identifiers of a goal that a key can take: those named as it is, or else all that are named as no key at all. */
export function identifying(
  { slot, path }: { slot: Slot; path: string },
  identifiers: readonly Identifier[],
  all: readonly { slot: Slot; path: string }[],
): readonly Identifier[] {
  const own = keyOf(slot, path);
  const keys = all.map((key) => keyOf(key.slot, key.path));
  const fit = identifiers.filter(({ value }) => isOf(value, own));
  return fit.length > 0 ? fit : identifiers.filter(({ value }) => keys.every((key) => !isOf(value, key)));
}

/** The part of a path before a parameter, which says what it identifies: `events` in `/events/{id}`. */
function before(path: string, name: string): string[] {
  const parts = path.split('/');
  const at = parts.findIndex((part) => part.startsWith(`{${name}}`));
  return at > 0 ? [parts[at - 1] ?? ''] : [];
}

/** Returns true for the name of a value by which one thing is found. */
export function isNamed(name: string): boolean {
  return (
    /(?:id|code|number|ident|slug|symbol|sku|ticker|key|ref|reference|token|name|uuid|handle)s?$/i.test(
      name,
    ) || !/(?:text|input|prompt|query|q|content|message|url|date|time)/i.test(name)
  );
}

/** A value of a goal that looks like the identifier of one thing, with the positions of its words. */
export type Identifier = { value: string; from: number; to: number };

const words = /[\p{L}\p{N}]+(?:[_-]+[\p{L}\p{N}]+)*/gu;
const measured =
  /^(?:\d+(?:km|m|mi|mm|cm|h|hr|hrs|min|mins|s|sec|am|pm|k|kg|g|mg|ml|l|x\d+|x|th|st|nd|rd|d|p|px|c|f|mb|gb|eur|usd|gbp|w|days?|uur|uhr|e)|(?:19|20)\d\ds|\d+-\p{L}+|mp[34]|h26\d|pm\d+)$/iu;

/** Finds the values that look like the identifier of one thing: `ev_12`, `BA117`, `14-38021`. */
export function find(text: string, isKnown: (word: string) => boolean): Identifier[] {
  return [...text.matchAll(words)].flatMap((match) => {
    const [word] = match;
    const found = [{ value: word, from: match.index, to: match.index + word.length }];
    const isPlain = !/\d/.test(word) || word.length < 4 || measured.test(word);
    if (isPlain || /[@./:]$/.test(text.slice(0, match.index))) return [];
    if (!/\p{L}/u.test(word)) return /^\d{5,}$|^\d+-\d{4,}$/.test(word) ? found : [];
    return isKnown(fold(word)) ? [] : found;
  });
}

const numbers =
  /(\p{L}+)\s*(#|\b(?:no|nr|number|id)\b[.:#]?|:)?\s*(\d{1,15})(?![\p{L}\d]|[.,]\d)(?:\s+(\p{L}+))?/giu;

/** Returns the number by which a goal names what a key identifies: "ticket 4211", "order no. 88". A bare number before a noun counts things. */
export function numbered(text: string, { words: own }: KeyName): string | null {
  const names = new Set(own.flatMap((word) => (word.length > 2 ? [stem(word)] : [])));
  for (const [, word = '', mark, digits = '', next] of text.matchAll(numbers)) {
    if (!names.has(stem(fold(word)))) continue;
    if (mark !== undefined || (digits.length > 2 && (next === undefined || isStop(fold(next)))))
      return digits;
  }
  return null;
}

/** Returns true for an identifier in the form of a key: one that begins as its name or its examples, or a long number for a number. */
export function fits(id: string, key: KeyName): boolean {
  return isOf(id, key) || (key.isNumber && /^\d+$/.test(id));
}

/** Returns true for an identifier that begins as the name of a key, or as its examples: `ev_12` for `event_id`. */
function isOf(id: string, { words, samples }: KeyName): boolean {
  const start = fold(/^\p{L}+/u.exec(id)?.[0] ?? '');
  if (start === '') return false;
  if (samples.includes(start)) return true;
  if (!/[_-]|\d/.test(id.charAt(start.length))) return false;
  return words.some((word) => word.length > 2 && word[0] === start[0] && isWithin(start, word));
}

/** Returns true when a word contains some letters in their order. */
export function isWithin(letters: string, word: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = word.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
