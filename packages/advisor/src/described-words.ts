import type * as Concepts from './concepts.ts';
import * as Features from './features.ts';
import * as Goal from './goal.ts';
import type { Offer } from './offer.ts';

/** The words of the descriptions: how much each says of each offer, from 0 to 1, and how rare it is. */
export type DescribedWords = {
  shares: ReadonlyMap<string, ReadonlyMap<number, number>>;
  rarity: (word: string) => number;
};

/** Reads the words of all descriptions. */
export function open(offers: readonly Offer[], concepts: Concepts.Concepts): DescribedWords {
  const shares = new Map<string, Map<number, number>>();
  const add = (name: string, at: number, weight: number) => {
    const own = shares.get(name) ?? new Map<number, number>();
    shares.set(name, own);
    own.set(at, Math.max(own.get(at) ?? 0, weight));
  };
  for (const [at, { texts, asks }] of offers.entries()) {
    for (const { text, weight } of texts)
      for (const name of meaning(Features.tokens(Goal.read(text), concepts, () => [])))
        if (!name.startsWith('@')) add(name, at, Math.min(weight, 1));
    for (const { slot, words } of asks) if (slot.isKey) add(`@${words.join(' ')}`, at, 1);
  }
  const most = Math.log(offers.length + 1);
  return {
    shares,
    rarity: (word) => {
      const count = shares.get(word)?.size ?? 0;
      return count === 0 ? 0.4 : 0.2 + Math.log((offers.length + 1) / count) / most;
    },
  };
}

/** Returns which share of a goal each description covers, and which share of it is known at all. */
export function covered(
  {
    concepts,
    keysOf,
    words,
  }: { concepts: Concepts.Concepts; keysOf: Features.KeysOf; words: DescribedWords },
  goal: Goal.Goal,
): { shares: number[]; known: number } {
  const shares: number[] = [];
  let [all, known] = [0, 0];
  for (const name of meaning(Features.tokens(goal, concepts, keysOf))) {
    const rarity = words.rarity(name);
    if (name.startsWith('@') && !words.shares.has(name)) continue;
    all += rarity;
    const own = words.shares.get(name);
    if (own !== undefined) known += rarity;
    for (const [at, share] of own ?? []) shares[at] = (shares[at] ?? 0) + share * rarity;
  }
  return { shares: shares.map((share) => (all === 0 ? 0 : share / all)), known: all === 0 ? 0 : known / all };
}

/** The names of tokens that carry a meaning, once each. */
function meaning(tokens: readonly Features.Token[]): Set<string> {
  return new Set(tokens.flatMap(({ name, isStop }) => (isStop ? [] : [name])));
}
