import * as Concepts from './concepts.ts';
import { common } from './knowledge.ts';
import type { Offer } from './offer.ts';
import type { Sample } from './sample.ts';
import { fold } from './words.ts';

/** Minimum likeness of the titles of two operations, from 0 to 1. */
const alikeMin = 0.52;
/** An operation gets the phrases of the common operation that is most like it, and of others that are nearly as much so. */
const nearBest = 0.75;
/** An operation with so many phrases of its own needs no others. */
const askedMax = 4;
/** The number of phrases that are learned from an operation that the API does not have, and their weight. */
const othersMax = 2;
const othersWeight = 0.5;

/** A phrase from elsewhere, and how much it counts. */
export type Borrowed = Sample & { weight: number };

/**
 * Returns phrases for operations that the catalogue has none for: those of the operations that many APIs have, where the titles are
 * alike. Each is used once, for the most similar operation. Phrases of operations that the API does not have show what is outside of the offer.
 */
export function samples(
  offers: readonly Offer[],
  asked: readonly number[],
  concepts: Concepts.Concepts,
): Borrowed[] {
  if (asked.every((count) => count > askedMax)) return [];
  const titles = offers.map(({ texts }) =>
    texts.filter(({ weight }) => weight >= 0.8).map(({ text }) => meanings(text, concepts)),
  );
  const known = common().map((each) => ({
    ...each,
    titles: [each.is, ...each.also].map((text) => meanings(text, concepts)),
  }));
  const rarity = rarityOf(known.map((each) => each.titles));
  const matched = known.map(({ titles: own, asks }) => {
    const likenesses = titles.map((parts) =>
      Math.max(...parts.flatMap((part) => own.map((each) => likeness(part, each, rarity)))),
    );
    const alike = Math.max(0, ...likenesses);
    return { asks, alike, at: alike < alikeMin ? -1 : likenesses.indexOf(alike) };
  });
  const most = offers.map((_, at) =>
    Math.max(0, ...matched.map((each) => (each.at === at ? each.alike : 0))),
  );
  return matched.flatMap(({ asks, alike, at }): Borrowed[] => {
    if (at < 0)
      return asks
        .slice(0, othersMax)
        .map((ask) => ({ ask, calls: [], kind: 'outside', weight: othersWeight }));
    if ((asked[at] ?? 0) > askedMax || alike < nearBest * (most[at] ?? 0)) return [];
    return asks.map((ask) => ({ ask, calls: [at], kind: 'common', weight: alike }));
  });
}

/** Returns the rarity of a word among the titles of operations, from 0 to 1: low for "search", high for "tide". A concept counts less than a word. */
function rarityOf(operations: readonly (readonly ReadonlySet<string>[])[]): (name: string) => number {
  const counts = new Map<string, number>();
  for (const titles of operations)
    for (const name of new Set(titles.flatMap((title) => [...title])))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  const most = Math.log(operations.length + 1);
  return (name) =>
    ((name.startsWith('=') ? 0.4 : 1) * Math.log((operations.length + 1) / ((counts.get(name) ?? 0) + 1))) /
    most;
}

/** The words of a title, and the concepts that they name. */
function meanings(text: string, concepts: Concepts.Concepts): Set<string> {
  const words = fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    Concepts.senses(concepts, words, 'en').flatMap(({ at, concept, isStop }) => {
      const [word] = Concepts.tokens(words[at] ?? '', 'en');
      if (isStop || word === undefined) return [];
      return concept === null ? [word] : [word, `=${concept}`];
    }),
  );
}

/** The weight of what two titles share, of what either has. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>, weight: (name: string) => number): number {
  const sum = (names: ReadonlySet<string>) => [...names].reduce((total, name) => total + weight(name), 0);
  const shared = sum(a.intersection(b));
  return shared === 0 ? 0 : shared / Math.sqrt(sum(a) * sum(b));
}
