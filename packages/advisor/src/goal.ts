import { canon, isStop } from './lexicon.ts';
import * as Literal from './literal.ts';
import * as PlaceName from './place-names.ts';
import * as Quantity from './quantity.ts';
import * as Title from './title.ts';
import { fold, stem } from './words.ts';

/** One word of a goal: `word` is its canonical form, '' inside a phrase or a mention. */
export type Word = {
  raw: string;
  folded: string;
  word: string;
  from: number;
  to: number;
  /** The text between the previous word and this one. */
  gap: string;
  /** True when the word only gives the place of something wanted: "at software companies". */
  context: boolean;
  /** True when the caller already has it: "my list of emails". */
  given: boolean;
  /** True when it is to be excluded: "not in sales". */
  negated: boolean;
  mention: Mention | null;
};

/** A value that a goal mentions, with the index of its first word. */
export type Mention = { at: number; negated: boolean } & (
  | { kind: 'literal'; literal: Literal.Literal }
  | { kind: 'quantity'; quantity: Quantity.Quantity; about: readonly string[] }
  | { kind: 'title'; text: string }
  | { kind: 'place'; place: PlaceName.Place; about: readonly string[] }
  | { kind: 'name'; text: string; about: readonly string[] }
);

export type Goal = { text: string; words: readonly Word[]; mentions: readonly Mention[] };

/** Words of a goal that are looked at; those behind are too many to mean one thing. */
const wordCountMax = 400;
/** The number of words around a number or a place that are searched for its subject. */
const near = 4;

/** Reads a goal in plain words. Never throws; the same text gives the same goal. */
export function read(text: string): Goal {
  const words = split(text);
  const mentions: Mention[] = [];
  const literals = Literal.find(text);
  for (const literal of literals) {
    claim(words, mentions, literal, { kind: 'literal', literal });
  }
  const quantities = Quantity.find(text, literals);
  for (const quantity of quantities)
    claim(words, mentions, quantity, { kind: 'quantity', quantity, about: [] });
  places(words, mentions);
  canonize(words);
  for (const { text: title, from, to } of Title.find(titleWords(words)))
    mark(words, mentions, from, to, { kind: 'title', text: title });
  fields(words, mentions);
  names(words, mentions);
  context(words);
  mentions.sort((a, b) => a.at - b.at);
  return { text, words, mentions: mentions.map((mention) => settle(mention, words)) };
}

function split(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(/[\p{L}\p{N}]+(?:[.&'’][\p{L}\p{N}]+)*\+{0,2}/gu)) {
    if (words.length === wordCountMax) break;
    const raw = match[0].replace(/['’]s$/, '');
    words.push({
      raw,
      folded: fold(raw).replace(/['’]/g, ''),
      word: '',
      from: match.index,
      to: match.index + match[0].length,
      gap: text.slice(words.at(-1)?.to ?? 0, match.index),
      context: false,
      given: false,
      negated: false,
      mention: null,
    });
  }
  return words;
}

type Meaning = Mention extends infer M ? (M extends Mention ? Omit<M, 'at' | 'negated'> : never) : never;

function claim(
  words: Word[],
  mentions: Mention[],
  span: { from: number; to: number },
  meaning: Meaning,
): void {
  const from = words.findIndex((word) => word.to > span.from && word.from < span.to);
  if (from < 0) return;
  let to = from;
  while (to < words.length && (words[to]?.from ?? Number.POSITIVE_INFINITY) < span.to) to += 1;
  mark(words, mentions, from, to, meaning);
}

function mark(words: Word[], mentions: Mention[], from: number, to: number, meaning: Meaning): void {
  const free = words.slice(from, to).filter((word) => word.mention === null);
  if (free.length === 0) return;
  const mention = { ...meaning, at: from, negated: isNegated(words, from) } as Mention;
  for (const word of free) {
    word.mention = mention;
    if (mention.kind !== 'title') word.word = '';
  }
  mentions.push(mention);
}

function isNegated(words: readonly Word[], at: number): boolean {
  return words
    .slice(Math.max(0, at - 2), at)
    .some(({ folded }) => /^(?:not|no|without|except|excluding|exclude|non|outside)$/.test(folded));
}

function places(words: Word[], mentions: Mention[]): void {
  for (let at = 0; at < words.length; at++) {
    if (!PlaceName.isStart(words[at]?.raw ?? '')) continue;
    for (let count = Math.min(PlaceName.wordCountMax, words.length - at); count > 0; count--) {
      const part = words.slice(at, at + count);
      if (part.some((word) => word.mention !== null)) continue;
      const place = PlaceName.find(part.map(({ raw }) => raw).join(' '));
      if (place === null) continue;
      mark(words, mentions, at, at + count, { kind: 'place', place, about: [] });
      at += count - 1;
      break;
    }
  }
}

function canonize(words: Word[]): void {
  const stems = words.map(({ folded, mention }) => (mention === null ? stem(folded) : '\u0000'));
  for (const [index, word] of canon(stems).entries()) {
    const own = words[index];
    if (own !== undefined && own.mention === null) own.word = isStop(word) ? '' : word;
  }
}

/** A phrase of the lexicon that names people in general is no title. */
function titleWords(words: readonly Word[]): { raw: string; folded: string; gap: string; taken: boolean }[] {
  return words.map(({ raw, folded, gap, word, mention }) => ({
    raw,
    gap,
    folded,
    taken:
      mention !== null ||
      (word === '' && !isStop(folded)) ||
      ['icp', 'employee', 'identify', 'hire', 'employ'].includes(word),
  }));
}

/** Marks the words before "jobs" as a job title: "sales positions", "DevOps jobs". */
function fields(words: Word[], mentions: Mention[]): void {
  for (const [index, word] of words.entries()) {
    if (word.word !== 'job' && word.word !== 'icp') continue;
    let from = index;
    while (from > 0 && index - from < 3 && isField(words[from - 1])) from -= 1;
    const text = words
      .slice(from, index)
      .map(({ raw }) => raw)
      .join(' ');
    if (from < index)
      mark(words, mentions, from, index, {
        kind: 'title',
        text: text.charAt(0).toUpperCase() + text.slice(1),
      });
  }
}

const arrangements =
  /^(?:open|remote|hybrid|onsite|part|full|time|entry|level|fully|contract|posted|new|job|current|latest|of|internship|live|real|company)$/;

function isField(word: Word | undefined): boolean {
  return (
    word !== undefined &&
    word.mention === null &&
    word.word !== '' &&
    word.word === stem(word.folded) &&
    !arrangements.test(word.folded)
  );
}

/** Names in capitals after a preposition: "at Stripe", "from Stanford University". */
function names(words: Word[], mentions: Mention[]): void {
  for (let at = 1; at < words.length; at++) {
    const before = words[at - 1];
    if (!/^(?:at|of|from|by|in|near|called|named|for)$/.test(before?.folded ?? '') || before?.mention)
      continue;
    let to = at;
    while (to < words.length && to - at < 4 && isName(words[to])) to += 1;
    if (to === at) continue;
    const text = words
      .slice(at, to)
      .map(({ raw }) => raw)
      .join(' ');
    const isPlace = /^(?:in|near)$/.test(before?.folded ?? '') && !/^[A-Z0-9]{2,4}$/.test(text);
    const meaning: Meaning = isPlace
      ? { kind: 'place', place: { kind: 'city', name: text }, about: [] }
      : { kind: 'name', text, about: [] };
    mark(words, mentions, at, to, meaning);
    at = to;
  }
}

function isName(word: Word | undefined): boolean {
  return (
    word !== undefined && word.mention === null && /^\p{Lu}\p{L}+/u.test(word.raw) && !isStop(word.folded)
  );
}

const prepositions = /^(?:at|in|of|from|within|across|inside)$/;
const haves = /^(?:my|our|these|those|this|given|have|got|following)$/;

/** Marks words after a preposition as context, and words after "my list of" as values that the caller has. */
function context(words: Word[]): void {
  let inside = false;
  let owned = 0;
  for (const [index, word] of words.entries()) {
    if (
      /[;:.!?,]/.test(word.gap) ||
      /^(?:and|their|his|her|its|then|plus|need|want|who|whose|are|is|do|does|with|by|that|which)$/.test(
        word.folded,
      )
    )
      inside = false;
    if (prepositions.test(word.folded)) inside = word.folded !== 'of' || isOfCompanies(words, index);
    word.context = inside;
    word.negated = isNegated(words, index);
    if (
      haves.test(word.folded) &&
      (!/^(?:have|got)$/.test(word.folded) || /^(?:i|we|ive|weve)$/.test(words[index - 1]?.folded ?? ''))
    )
      owned = 6;
    else if (/^(?:and|need|want|get|find|with|to|their|for|in)$/.test(word.folded)) owned = 0;
    else if (owned > 0) {
      owned -= 1;
      word.given = true;
    }
  }
}

/** "emails of the decision makers" asks for both, "employees of the company" for one; "market of companies" is made of them. */
function isOfCompanies(words: readonly Word[], index: number): boolean {
  const next = words.slice(index + 1, index + 5).find(({ word }) => word !== '');
  return (
    next?.word === 'company' &&
    !words.slice(Math.max(0, index - 2), index).some(({ word }) => word === 'market')
  );
}

/** A mention with the words around it that say what it is about: those behind, then those before. */
function settle(mention: Mention, words: readonly Word[]): Mention {
  if (mention.kind === 'title' || mention.kind === 'literal') return mention;
  const end = words.findLastIndex((word) => word.mention?.at === mention.at) + 1;
  const after = words.slice(end, end + near);
  const before = words.slice(Math.max(0, mention.at - near), mention.at).reverse();
  // "at German software companies" and "CTOs in Germany": a place belongs to the noun behind it, else to the one before.
  const next = after[0];
  const isBehind =
    mention.kind === 'place' && (next === undefined || next.gap.trim() !== '' || isStop(next.folded));
  const about = (isBehind ? [...before, ...after] : [...after, ...before]).flatMap(saying);
  return mention.kind === 'quantity' ? quantified({ ...mention, about }) : { ...mention, about };
}

/** Returns the subjects that a word implies for the number or the place beside it; people without a title are employees. */
function saying(word: Word): string[] {
  if (word.mention?.kind === 'title') return ['person'];
  if (word.word === 'person') return ['person', 'employee'];
  return word.word === '' ? [] : [word.word];
}

/** Money that is not the caller's own is a range: revenue, funding. */
function quantified(mention: Extract<Mention, { kind: 'quantity' }>): Mention {
  const { quantity, about } = mention;
  if (
    quantity.kind !== 'money' ||
    !about.some((word) => /^(?:revenue|funding|funded|ad|spend|sale)$/.test(word))
  )
    return mention;
  const { usd, exclusive, from, to } = quantity;
  return {
    ...mention,
    quantity: { kind: 'range', from, to, min: exclusive ? null : usd, max: exclusive ? usd : null },
  };
}
