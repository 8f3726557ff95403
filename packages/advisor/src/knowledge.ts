import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as Concepts from './concepts.ts';
import * as Intents from './intents.ts';
import type { Sample } from './sample.ts';

let shared: readonly [Concepts.ConceptData, Concepts.ConceptData, Concepts.ConceptData] | undefined;

/**
 * The concepts that every catalogue shares, with their word forms in seven languages, after those of one catalogue, and a dictionary of everyday words.
 * @param isLearned true where callers' phrases of every operation are learned: the words of trades stay out, as phrases teach what they mean
 */
export function concepts(own: Concepts.ConceptData, isLearned = false): Concepts.Concepts {
  shared ??= [
    table('concepts.yaml') as Concepts.ConceptData,
    table('trades.yaml') as Concepts.ConceptData,
    dictionary(),
  ];
  const [general, trades, words] = shared;
  return Concepts.open(own, general, ...(isLearned ? [] : [trades]), words);
}

/** Reads the dictionary: lines of the same words in all languages, English first. */
function dictionary(): Concepts.ConceptData {
  const lines = read('dictionary.txt')
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  const [, ...others] = Concepts.languages;
  return Object.fromEntries(
    lines.map((line) => {
      const [english = '', ...forms] = line.split('|');
      return [english, Object.fromEntries(others.map((language, at) => [language, forms[at]]))];
    }),
  );
}

/** Goals that no API of data answers, unless its descriptions speak of them. */
export function outside(): Sample[] {
  const { outside: asks, vague } = table('outside.yaml') as Record<'outside' | 'vague', string[]>;
  return [
    ...asks.map((ask): Sample => ({ ask, calls: [], kind: 'outside' })),
    ...vague.map((ask): Sample => ({ ask, calls: [], kind: 'vague' })),
  ];
}

/** An operation that many APIs have, with what users say when they want it. */
export type CommonOperation = {
  is: string;
  also: readonly string[];
  /** The broader operation that answers the same where an API has no such operation. */
  within?: string;
  /** Words and short phrases of such goals in all languages, separated by commas. */
  words?: string;
  asks: readonly string[];
};

/** Operations that many APIs have. */
export function common(): CommonOperation[] {
  return table('common.yaml') as CommonOperation[];
}

let trained: Intents.Intents | undefined;

/** The trained recognition of common operations. */
export function intents(): Intents.Intents {
  trained ??= Intents.open(JSON.parse(read('intents.json')));
  return trained;
}

/** The trained weights of what a goal and an operation have in common. */
export function weights(): Readonly<Record<string, number>> {
  return JSON.parse(read('ranker.json'));
}

let chains: Record<'trained' | 'taught' | 'described', Readonly<Record<string, number>>> | undefined;

/** The trained weights of what speaks for some calls together: where callers' phrases decide, where they count beside the description, and where it is compared alone. */
export function chainWeights(): NonNullable<typeof chains> {
  chains ??= JSON.parse(read('chains.json'));
  return chains as NonNullable<typeof chains>;
}

function table(name: string): unknown {
  return parse(read(name));
}

function read(name: string): string {
  return readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8');
}
