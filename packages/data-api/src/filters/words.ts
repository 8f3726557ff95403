import { fold, isPlain } from './fold.ts';

/**
 * Splits texts into the words that search compares. Anything but letters and digits separates words, except in the names
 * that would otherwise lose their meaning: `C++`, `C#`, `.NET`, `Node.js`, `R&D`, `A/B`, `Objective-C`. These are words of
 * their own, so `C` finds neither `C++` nor `C-level`, and `.NET` does not find `net income`.
 *
 * A longer part of such a name is a word of the text too (`Node` finds `Node.js`), a single letter is not. `/` separates
 * (`C/C++` is `C` and `C++`), except between two single letters, where both readings hold.
 */
export function ofText(text: string): string[] {
  const folded = fold(text);
  const found = new Set<string>(plainWords(folded));
  if (!hasNames.test(folded)) return [...found];
  found.clear();
  let before: Token | null = null;
  for (const token of tokens(folded)) {
    for (const part of partsInText(token)) found.add(part);
    const script = scriptName(folded, before, token);
    if (script !== null) found.add(script);
    before = token;
  }
  return [...found];
}

/** A word of a requested value. The text must have `word`, or all of `apart` if it is given. */
export type Wanted = { word: string; apart: readonly string[] | null };

/** Words of a requested value. A text that equals the value always has them. */
export function ofValue(value: string): Wanted[] {
  const folded = fold(value);
  const wanted = new Map<string, Wanted>();
  const add = (word: string, apart: Wanted['apart'] = null) => {
    if (!wanted.has(word)) wanted.set(word, { word, apart });
  };
  let open: Token | null = null;
  for (const token of tokens(folded)) {
    if (open !== null && areOneName(folded, open, token)) {
      add(`${open.text}-${token.text}`, [open.text, token.text]);
      open = null;
      continue;
    }
    if (open !== null) add(...wantedOf(open));
    open = token;
  }
  if (open !== null) add(...wantedOf(open));
  return [...wanted.values()];
}

/** Returns true if the text has what `wanted` describes. */
export function has(words: readonly string[], { word, apart }: Wanted): boolean {
  return words.includes(word) || (apart?.every((part) => words.includes(part)) ?? false);
}

/** Distinct words of a text without the names above: letters and digits only, for addresses. */
export function plain(text: string): string[] {
  return [...new Set(plainWords(fold(text)))];
}

const names = ['ampersand', 'suffixed', 'framework', 'dotted', 'hyphen', 'slash'] as const;
type Token = { kind: (typeof names)[number] | 'word'; text: string; start: number; end: number };

const letterOrDigit = '[\\p{L}\\p{N}]';
const word = `${letterOrDigit}+`;
const start = `(?<!${letterOrDigit})`;
/** End of a name: no further letter, digit or symbol that belongs to it. */
const end = `(?![\\p{L}\\p{N}+#])`;
const pattern = new RegExp(
  [
    `(?<ampersand>${start}(?:[a-z] & [a-z]|[a-z]&${word}|${word}&[a-z])${end})`,
    `(?<suffixed>${letterOrDigit}*[a-z](?:\\+\\+|\\+(?!${letterOrDigit}))|${start}[a-z]#)`,
    `(?<framework>(?<![\\p{L}\\p{N}.])\\.[a-z]{2,}${end})`,
    `(?<dotted>${start}[a-z]${word}\\.[a-z]{2,3}${end})`,
    `(?<hyphen>(?<![\\p{L}\\p{N}-])(?:[a-z]-${word}|${word}-[a-z])${end})`,
    `(?<slash>${start}[a-z]/[a-z]${end})`,
    `(?<word>${word})`,
  ].join('|'),
  'gu',
);
/** Cheap test for texts that may contain a name with symbols. Most texts have none. */
const hasNames =
  /[\p{L}\p{N}](?:[+#&]| & )|(?:^|[^.])\.[a-z]|(?:^|[^\p{L}\p{N}])[a-z][-/]|[-/][a-z](?:$|[^\p{L}\p{N}])|js(?:$|[^\p{L}\p{N}])/u;

function plainWords(folded: string): string[] {
  return folded.match(isPlain(folded) ? /[a-z0-9]+/g : /[\p{L}\p{N}]+/gu) ?? [];
}

function* tokens(folded: string): Generator<Token> {
  for (const match of folded.matchAll(pattern)) {
    const kind = names.find((name) => match.groups?.[name] !== undefined) ?? 'word';
    yield { kind, text: match[0], start: match.index, end: match.index + match[0].length };
  }
}

/** Words that a text has by one token: the name, and its longer parts. */
function partsInText({ kind, text }: Token): string[] {
  const parts = plainWords(text);
  const longer = parts.filter((part) => !isLetter(part));
  switch (kind) {
    case 'word':
      return [text];
    case 'ampersand':
      return [text.replaceAll(' ', ''), ...longer];
    case 'dotted':
      return [text, ...parts, `.${parts[1]}`];
    case 'slash':
      return [text, ...parts];
    default:
      return [text, ...longer];
  }
}

/** `node.js` for `NodeJS` and `Node JS`; null for anything else. */
function scriptName(folded: string, before: Token | null, token: Token): string | null {
  if (token.kind !== 'word') return null;
  if (token.text !== 'js') return joinedScript(token.text);
  const isNext = before?.kind === 'word' && folded.slice(before.end, token.start) === ' ';
  return isNext && !isLetter(before.text) ? `${before.text}.js` : null;
}

function joinedScript(text: string): string | null {
  return /^[a-z][a-z0-9]+js$/.test(text) ? `${text.slice(0, -2)}.js` : null;
}

/** A single letter and the word beside it may be one name: `Objective C` is `Objective-C`. */
function areOneName(folded: string, first: Token, second: Token): boolean {
  if (first.kind !== 'word' || second.kind !== 'word') return false;
  return folded.slice(first.end, second.start) === ' ' && isLetter(first.text) !== isLetter(second.text);
}

function wantedOf({ kind, text }: Token): [word: string, apart: Wanted['apart']] {
  if (kind === 'ampersand') return [text.replaceAll(' ', ''), null];
  if (kind === 'hyphen') return [text, plainWords(text)];
  const script = kind === 'word' ? joinedScript(text) : null;
  return [text, script === null ? null : [script]];
}

function isLetter(text: string): boolean {
  return text.length === 1 && text >= 'a' && text <= 'z';
}
