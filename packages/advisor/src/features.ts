import * as Concepts from './concepts.ts';
import type { Goal, Word } from './goal.ts';
import type { Literal } from './literal.ts';

/** The names of the values that operations are asked about, which a literal can be. */
export type KeysOf = (literal: Literal) => readonly string[];

const weights = { word: 1, pair: 0.8, first: 0.5, part: 0.25, mention: 0.8, joined: 0.5 };
/** Words from this length on are also read by their parts, so that inflected, compound and misspelt words are alike. */
const partedCharsMin = 5;
const partChars = 4;
/** Words of one goal that are read; a long text says what it wants before. */
const tokenCountMax = 160;
/** The values of one goal, and the words, that are joined with each other. */
const joinedMax = { mentions: 3, words: 40 };

/** Turns the meanings of a goal into the features that operations are recognized by. */
export function of(all: readonly Token[]): Map<string, number> {
  const read = all.slice(0, tokenCountMax);
  const features = new Map<string, number>();
  const add = (name: string, weight: number) => features.set(name, Math.max(features.get(name) ?? 0, weight));
  for (const [at, { name, raw }] of read.entries()) {
    const isMention = name.startsWith('@');
    add(name, isMention ? weights.mention : weights.word);
    const next = read[at + 1];
    if (next !== undefined) add(`${name} ${next.name}`, weights.pair);
    const second = read[at + 2];
    if (second !== undefined) add(`${name} _ ${second.name}`, weights.pair / 2);
    if (!isMention && raw.length >= partedCharsMin)
      for (const part of parts(raw)) add(`~${part}`, weights.part);
  }
  const [first, second] = read.filter(({ name }) => !name.startsWith('@'));
  if (first !== undefined) add(`^${first.name}`, weights.first);
  if (first !== undefined && second !== undefined) add(`^${first.name} ${second.name}`, weights.first);
  for (const name of joined(all)) features.set(name, weights.joined);
  return features;
}

/** Each value of a goal with each of its words, wherever they are: an address means one thing beside "jobs" and another beside "phone". */
function joined(read: readonly Token[]): string[] {
  const isMention = ({ name }: Token) => name.startsWith('@');
  const names = (some: readonly Token[], most: number) =>
    [...new Set(some.map(({ name }) => name))].slice(0, most);
  const mentions = names(
    read.filter((token) => isMention(token) && token.name !== '@title'),
    joinedMax.mentions,
  );
  const words = names(
    read.filter((token) => !isMention(token) && !token.isStop),
    joinedMax.words,
  );
  return mentions.flatMap((mention) => words.map((word) => `${mention}&${word}`));
}

/** One meaning of a goal: a concept, an unknown word, or a value as `@place`. */
export type Token = { name: string; raw: string; at: number; isStop: boolean };

/** The meanings of a goal in their order; `isStop` for words that carry none. */
export function tokens({ words }: Goal, concepts: Concepts.Concepts, keysOf: KeysOf): Token[] {
  const found: Token[] = [];
  for (let at = 0; at < words.length; ) {
    const word = words[at] as Word;
    if (!isPlain(word)) {
      if (word.mention?.at === at)
        for (const name of mentioned(word, keysOf)) found.push({ name, raw: '', at, isStop: false });
      at += 1;
      continue;
    }
    let end = at;
    while (end < words.length && isPlain(words[end])) end += 1;
    found.push(...plainTokens(words.slice(at, end), at, concepts));
    at = end;
  }
  return found;
}

/** The meanings of words that are no values. `from`: the position of the first. */
function plainTokens(run: readonly Word[], from: number, concepts: Concepts.Concepts): Token[] {
  const folded = run.map((word) => word.folded);
  return Concepts.senses(concepts, folded, 'en').flatMap((sense) => {
    const word = run[sense.at];
    if (word === undefined) return [];
    const at = from + sense.at;
    const own = sense.concept ?? (word.word === '' ? Concepts.tokens(word.folded, 'en')[0] : word.word);
    const token = { name: own ?? word.folded, raw: word.folded, at, isStop: sense.isStop };
    const isTitle = word.mention?.kind === 'title' && word.mention.at === at;
    return isTitle ? [{ name: '@title', raw: '', at, isStop: false }, token] : [token];
  });
}

function isPlain(word: Word | undefined): boolean {
  return (
    word !== undefined &&
    (word.mention === null || word.mention.kind === 'title' || word.mention.kind === 'name')
  );
}

function mentioned({ mention }: Word, keysOf: KeysOf): string[] {
  switch (mention?.kind) {
    case 'literal': {
      const keys = keysOf(mention.literal);
      return keys.length === 0 ? [`@${mention.literal.kind}`] : keys.map((key) => `@${key}`);
    }
    case 'quantity':
      return [
        mention.quantity.kind === 'count' && mention.quantity.each ? '@each' : `@${mention.quantity.kind}`,
      ];
    case 'place':
      return ['@place'];
    default:
      return [];
  }
}

function parts(word: string): string[] {
  const padded = `<${word}>`;
  return Array.from({ length: padded.length - partChars + 1 }, (_, at) => padded.slice(at, at + partChars));
}
