import { type Filling, fill, type Hits, lookUp } from './filling.ts';
import type { Goal, Mention } from './goal.ts';
import * as Key from './key.ts';
import { related } from './lexicon.ts';
import type { Ask, Found, Offer, Surface } from './surface.ts';

/**
 * All that one goal and one surface say about each other. Each word of the goal has a weight; `explained` says for each
 * operation and word how far the operation accounts for it, from 0 to 1.
 */
export type Evidence = {
  goal: Goal;
  surface: Surface;
  weights: readonly number[];
  explained: readonly (readonly number[])[];
  /** The same without what only fills a filter. */
  named: readonly (readonly number[])[];
  fillings: readonly Filling[];
  /** The penalty of each operation, for words of its name that the goal lacks and for values that it needs and the goal lacks. */
  excess: readonly number[];
  given: ReadonlyMap<Ask, Key.Given>;
};

const weight = {
  literal: 2.2,
  title: 1.2,
  place: 0.8,
  name: 1,
  range: 0.8,
  days: 0.6,
  enumerated: 0.45,
  plain: 0.2,
  said: 1.5,
  context: 0.35,
};
const excess = { each: 0.13, max: 0.6, lacking: 0.25 };
/** The weight of a word, by the part of the description that contains it. */
const fields: Readonly<Record<string, number>> = { head: 1, where: 0.5, gives: 0.5, about: 0.5 };
/** Weighs a goal against all operations of a surface. */
export function weigh(goal: Goal, surface: Surface): Evidence {
  const hits = lookUp(goal, surface.enums.values());
  const fillings = surface.offers.map((offer) => fill(offer, goal, hits));
  const given = new Map(
    surface.offers.flatMap(({ asks }) =>
      asks.map((ask): [Ask, Key.Given] => [ask, Key.given(ask.slot, ask.words, goal)]),
    ),
  );
  const weights = goal.words.map(() => 0);
  const explained = surface.offers.map(() => goal.words.map(() => 0));
  for (const mention of goal.mentions) weights[mention.at] = mentionWeight(mention);
  const asked = queries(goal, surface, hits, given);
  for (const [index, query] of asked.entries()) {
    if (query === null) continue;
    const found = find(surface, query);
    weights[index] = Math.max(weights[index] ?? 0, weighWord(goal, surface, index, found.own));
    explainWord(index, query, found, { surface, explained, given });
  }
  const named = explained.map((row) => [...row]);
  for (const value of given.values())
    if (value?.kind === 'said') for (const at of value.at) weights[at] = weight.said;
  for (const [at, filling] of fillings.entries()) weighFilling(goal, filling, weights, explained[at] ?? []);
  const said = new Set(asked.flatMap((query) => (query === null ? [] : [query, related[query]?.[0] ?? ''])));
  return {
    goal,
    surface,
    weights,
    explained,
    named,
    fillings,
    excess: surface.offers.map((offer) => excessOf(offer, said, fillings[offer.at])),
    given,
  };
}

/** Records how well each operation explains the word at `index`, which is looked up as `query`. */
function explainWord(
  index: number,
  query: string,
  { shares }: Found,
  { surface, explained, given }: Pick<Evidence, 'surface' | 'given'> & { explained: readonly number[][] },
): void {
  for (const [at, share] of shares) {
    const [row, offer] = [explained[at], surface.offers[at]];
    if (row !== undefined && offer !== undefined) row[index] = share * direction(offer, query, given);
  }
}

/** Adds the filters of one operation to the weights and to `row`, the shares of each word that the operation explains. */
function weighFilling(goal: Goal, { used, fills }: Filling, weights: number[], row: number[]): void {
  for (const fill of fills)
    if (goal.words[fill.at]?.mention === null)
      weights[fill.at] = Math.max(weights[fill.at] ?? 0, weight.enumerated);
  // A filter is not what is asked for: it adds to the meaning of the words and replaces none of them.
  for (const index of used)
    row[index] = goal.words[index]?.mention?.kind === 'title' ? 0.75 + (row[index] ?? 0) / 4 : 1;
}

function excessOf({ heads, slots }: Offer, said: ReadonlySet<string>, filling: Filling | undefined): number {
  const unsaid = [...heads].filter((word) => !said.has(word)).length;
  const filled = new Set(filling?.fills.map(({ slot }) => slot));
  const lacking = slots.filter(
    (slot) =>
      slot.leaf.required && !slot.leaf.many && !slot.isKey && slot.kind !== 'amount' && !filled.has(slot),
  );
  return Math.min(excess.max, unsaid * excess.each) + lacking.length * excess.lacking;
}

function mentionWeight(mention: Mention): number {
  if (mention.kind !== 'quantity') return weight[mention.kind];
  const { kind } = mention.quantity;
  return kind === 'range' || kind === 'years' ? weight.range : kind === 'days' ? weight.days : 0;
}

/** Returns the term to look up for each word: usually the word itself; for a job title a person, a job, or a company that employs them. */
function queries(goal: Goal, surface: Surface, hits: Hits, given: Evidence['given']): (string | null)[] {
  const { words } = goal;
  const has = (...wanted: string[]) =>
    words.findIndex(({ word, context }) => wanted.includes(word) && !context);
  const names = words.some(
    ({ word, context, mention }) => mention === null && !context && surface.vocabulary.has(word),
  );
  const titled = goal.mentions.some(({ kind }) => kind === 'title');
  const had = new Set([...given].flatMap(([{ words: own }, value]) => (value === null ? [] : own)));
  const listed = new Set(hits.map(({ hit }) => hit.at));
  const company = has('company');
  return words.map(({ word, mention, given: isGiven }, index) => {
    if (mention?.kind === 'title' && mention.at === index) {
      if (has('job', 'hire', 'employ') >= 0) return null;
      return company >= 0 && company < index ? 'employ' : 'person';
    }
    if (mention !== null || word === '' || isUnit(goal, index) || (isGiven && had.has(word))) return null;
    if (word === 'job' && company >= 0 && company < index) return 'hire';
    return listed.has(index) && !names && !titled ? 'company' : word;
  });
}

/** Returns true when a word is the unit of the number before it: 50 to 200 `people`. */
function isUnit({ words }: Goal, index: number): boolean {
  const before = words[index - 1]?.mention;
  return (
    before?.kind === 'quantity' &&
    before.quantity.kind === 'range' &&
    /^(?:person|employee|staff|experience)$/.test(words[index]?.word ?? '')
  );
}

/** The rarer a word among the operations, the more it says; what only says where says less. */
function weighWord({ words }: Goal, { offers }: Surface, index: number, found: number): number {
  const word = words[index];
  if (found === 0) return weight.plain;
  const rarity = 0.5 + Math.log(offers.length / found) / Math.log(Math.max(offers.length, 2));
  return rarity * (word?.context && word.mention === null ? weight.context : 1);
}

/** Which operations know a word, and how well: by their name, or by what is said about them. Misspelt words count less. */
function find(surface: Surface, query: string): Found {
  const kept = surface.found.get(query);
  if (kept !== undefined) return kept;
  const shares = new Map<number, number>();
  let own = 0;
  const [near, nearly] = related[query] ?? ['', 0];
  for (const [word, factor] of [
    [query, 1],
    [near, nearly],
  ] as const) {
    if (word === '') continue;
    const isKnown = surface.vocabulary.has(word);
    for (const { id, match } of surface.index.search(
      word,
      isKnown || word.length < 5 ? {} : { fuzzy: 0.2 },
    )) {
      const best = Math.max(
        ...Object.values(match)
          .flat()
          .map((field) => fields[field] ?? 0),
      );
      shares.set(id, Math.max(shares.get(id) ?? 0, best * factor * (isKnown ? 1 : 0.7)));
    }
    if (word === query) own = shares.size;
  }
  const found = { shares, own: Math.max(own, Math.min(1, shares.size)) };
  // Known words are as few as the descriptions have; what callers make up is not kept.
  if (surface.vocabulary.has(query)) surface.found.set(query, found);
  return found;
}

/** A word that names what is given speaks for the operations that take it, and against those that would find it. */
function direction({ asks, subject }: Offer, word: string, given: Evidence['given']): number {
  const own = asks.filter(({ slot, words }) => slot.isKey && words.includes(word));
  if (own.some((ask) => given.get(ask) != null)) return 1;
  const isHad =
    !['person', 'company'].includes(word) &&
    [...given].some(
      ([{ slot, words }, value]) => slot.isKey && value?.kind === 'values' && words.includes(word),
    );
  if (isHad) return 0.1;
  return own.length > 0 && !subject.has(word) ? 0.25 : 1;
}
