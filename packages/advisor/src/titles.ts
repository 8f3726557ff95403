import * as Concepts from './concepts.ts';
import { fold } from './words.ts';

/** The titles of the operations that many APIs have. */
export type Titles = {
  /** Returns the likeness of each of them to an operation with these titles, from 0 to 1. */
  likeness(texts: readonly string[]): Float64Array;
};

/** A concept says less than the word itself. */
const conceptWeight = 0.4;

/** Prepares the titles; each common operation has several. */
export function open(titles: readonly (readonly string[])[], concepts: Concepts.Concepts): Titles {
  const known = titles.map((own) => own.map((text) => meanings(text, concepts)));
  const counts = new Map<string, number>();
  for (const own of known)
    for (const name of new Set(own.flatMap((title) => [...title])))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  const most = Math.log(known.length + 1);
  const rarity = (name: string) =>
    ((name.startsWith('=') ? conceptWeight : 1) *
      Math.log((known.length + 1) / ((counts.get(name) ?? 0) + 1))) /
    most;
  const weight = (names: ReadonlySet<string>) => [...names].reduce((sum, name) => sum + rarity(name), 0);
  const weighed = known.map((own) => own.map((names) => ({ names, weight: weight(names) })));
  return {
    likeness(texts) {
      const parts = texts
        .map((text) => meanings(text, concepts))
        .map((names) => ({ names, weight: weight(names) }));
      return Float64Array.from(weighed, (own) =>
        Math.max(
          0,
          ...own.flatMap((title) =>
            parts.map((part) => {
              const shared = weight(title.names.intersection(part.names));
              return shared === 0 ? 0 : shared / Math.sqrt(title.weight * part.weight);
            }),
          ),
        ),
      );
    },
  };
}

/** The concepts and words of a title. */
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
