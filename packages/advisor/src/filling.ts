import * as Alias from './alias.ts';
import type { Goal, Mention, Word } from './goal.ts';
import { isCanonical } from './lexicon.ts';
import * as Located from './located.ts';
import type { Offer } from './offer.ts';
import * as Range from './range.ts';
import type { Fill } from './slot.ts';
import * as Slot from './slot.ts';
import { stem } from './words.ts';

/** The parameters that a goal fills of an operation, and the words of the goal that they use. */
export type Filling = { fills: readonly Fill[]; used: ReadonlySet<number> };

/** Values of an enumeration that a goal names. */
type Hit = { at: number; to: number; values: readonly string[]; negated: boolean };
/** All hits of a goal, the longest first: of those that overlap it means most. */
export type Hits = readonly { choice: Slot.Choice; hit: Hit }[];

const phraseWordCountMax = 4;
const scoreMin = 0.3;
/** Enumerations of levels and functions have few values; words of a title are looked for in no longer one. */
const levelCountMax = 40;

/** Looks the words of the goal up in every enumeration, once for all operations. */
export function lookUp(goal: Goal, choices: Iterable<Slot.Choice>): Hits {
  return [...choices]
    .filter(({ bands }) => bands === null)
    .flatMap((choice) => hits(goal.words, choice).map((hit) => ({ choice, hit })))
    .sort((a, b) => b.hit.to - b.hit.at - (a.hit.to - a.hit.at));
}

function hits(words: readonly Word[], choice: Slot.Choice): Hit[] {
  const found: Hit[] = [];
  for (let at = 0; at < words.length; at++) {
    for (let count = Math.min(phraseWordCountMax, words.length - at); count > 0; count--) {
      const part = words.slice(at, at + count);
      if (part.some(({ mention }) => mention !== null && mention.kind !== 'title')) continue;
      const stems = part.map(({ folded }) => stem(folded));
      if (count === 1 && !isTelling(part[0])) continue;
      const isFiltering =
        choice.values.length <= levelCountMax || /^(?:company|industry)$/.test(words[at + count]?.word ?? '');
      const values = named(stems, part, choice, isFiltering);
      if (values.length === 0) continue;
      found.push({ at, to: at + count, values, negated: part[0]?.negated ?? false });
      at += count - 1;
      break;
    }
  }
  return found;
}

/** A word that means itself: no filler, and not what the lexicon reads as something else. */
function isTelling(word: Word | undefined): boolean {
  if (word === undefined) return false;
  const own = stem(word.folded);
  if (Alias.aliasesOf(own).length > 0 || word.mention?.kind === 'title') return true;
  return word.word === own && !isCanonical(own);
}

/** Finds the values that a phrase names: by an alias, literally, or, when the phrase names a filter, by some of their words. */
function named(
  stems: readonly string[],
  part: readonly Word[],
  choice: Slot.Choice,
  isFiltering: boolean,
): readonly string[] {
  for (const means of Alias.aliasesOf(stems.join(' '))) {
    const best = nearest(Slot.wordsOf(means), choice, 0.5);
    if (best.length > 0) return best;
  }
  return nearest(stems, choice, isFiltering && part.every(isTelling) ? scoreMin : 1);
}

/** The values whose words are nearest to `words`; all of `words` must be among them. */
function nearest(words: readonly string[], choice: Slot.Choice, least: number): readonly string[] {
  if (!words.every((word) => choice.vocabulary.has(word))) return [];
  let best: string[] = [];
  let bestScore = least;
  for (const { id } of choice.index.search(words.join(' '), { combineWith: 'AND' })) {
    const value = choice.values[id as number] ?? '';
    const own = choice.words.get(value) ?? [];
    const score = new Set(words).size / new Set([...own, ...words]).size + (own[0] === words[0] ? 0.05 : 0);
    if (score < bestScore || (score === bestScore && best.length === 3)) continue;
    best = score > bestScore ? [value] : [...best, value];
    bestScore = score;
  }
  return best;
}

/** Fills what the goal names into the slots of an operation; what it gives to be asked about goes by `Key`. */
export function fill(offer: Offer, goal: Goal, hits: Hits, name: Slot.Slot | null = null): Filling {
  const fills: Fill[] = [];
  const taken = new Set<number>();
  for (const mention of goal.mentions) {
    const own = ofMention(offer, mention);
    fills.push(...own);
    if (own.length > 0) taken.add(mention.at);
  }
  const hasTitle = fills.some(({ slot }) => slot.kind === 'title');
  const used = new Set(taken);
  for (const found of hits) fills.push(...ofHit(offer, goal, found, hasTitle, used));
  fills.push(...keywords(offer, goal, used));
  const located = Located.fills(offer, goal, new Set(fills.map(({ slot }) => slot)), name);
  fills.push(...located);
  for (const { at } of located) used.add(at);
  return { fills, used };
}

/** Fills a slot with the listed values that a phrase names, and adds the words of the phrase to `used`. */
function ofHit(
  offer: Offer,
  goal: Goal,
  { choice, hit }: Hits[number],
  hasTitle: boolean,
  used: Set<number>,
): Fill[] {
  const slots = offer.slots.filter((slot) => slot.choice === choice);
  if (slots.length === 0) return [];
  const span = Array.from({ length: hit.to - hit.at }, (_, index) => hit.at + index);
  const inTitle = span.some((index) => goal.words[index]?.mention?.kind === 'title');
  if (inTitle && (hasTitle || choice.values.length > levelCountMax)) return [];
  if (span.some((index) => used.has(index) && goal.words[index]?.mention === null)) return [];
  const slot = choose(slots, hit.negated, aboutOf(goal, hit.at));
  if (slot === null) return [];
  for (const index of span) used.add(index);
  if (inTitle) used.add(goal.words[hit.at]?.mention?.at ?? hit.at);
  const values = slot.leaf.many ? hit.values : hit.values.slice(0, 1);
  return values.map((value) => ({ slot, value, at: hit.at }));
}

function ofMention(offer: Offer, mention: Mention): Fill[] {
  const put = (slot: Slot.Slot | null, value: unknown): Fill[] =>
    slot === null ? [] : [{ slot, value, at: mention.at }];
  const kind = (...kinds: Slot.Kind[]) =>
    offer.slots.filter((slot) => kinds.includes(slot.kind) && !slot.isKey);
  switch (mention.kind) {
    case 'title':
      return put(
        choose(
          kind('title').filter((slot) => slot.leaf.many),
          mention.negated,
          [],
        ),
        mention.text,
      );
    case 'place': {
      const { place } = mention;
      if (isElsewhere(offer, place.kind, mention.about)) return [];
      if (place.kind !== 'country')
        return put(choose(kind(place.kind), mention.negated, mention.about), place.name);
      const slot = choose(kind('country'), mention.negated, mention.about);
      return slot === null
        ? []
        : (slot.leaf.many ? place.codes : place.codes.slice(0, 1)).flatMap((code) =>
            put(slot, isCode(slot) ? code : place.name),
          );
    }
    case 'name': {
      const slots = kind('name', 'text').filter((slot) => slot.leaf.many || slot.place !== 'body');
      const about = slots.filter((slot) =>
        mention.about.some((word) => slot.words.has(word) && slot.kind === 'text'),
      );
      return put(
        choose(
          about.length > 0 ? about : slots.filter((slot) => slot.kind === 'name'),
          mention.negated,
          mention.about,
        ),
        mention.text,
      );
    }
    case 'literal':
      return mention.literal.kind === 'zone' ? put(kind('zone')[0] ?? null, mention.literal.value) : [];
    case 'quantity':
      return ofQuantity(kind, mention);
  }
}

function ofQuantity(kind: Range.Of, mention: Extract<Mention, { kind: 'quantity' }>): Fill[] {
  const { quantity, about, at } = mention;
  switch (quantity.kind) {
    case 'days': {
      const [slot] = kind('days');
      return slot === undefined ? [] : [{ slot, value: quantity.days, at }];
    }
    case 'years': {
      const slot = Range.slotFor(kind('range'), [...about, 'founded']) ?? null;
      return slot === null ? [] : [{ slot, value: Range.bounds(quantity), at }];
    }
    case 'range':
      return Range.fill(kind, quantity, about, at);
    case 'count':
    case 'money':
      return [];
  }
}

/** Of several slots of one kind the one that lies where the words around the mention are; else the first. */
function choose(slots: readonly Slot.Slot[], negated: boolean, about: readonly string[]): Slot.Slot | null {
  const side = slots.filter((slot) => slot.isExclude === negated);
  for (const word of about) {
    const there = side.filter((slot) => slot.way.has(word));
    if (there.length > 0 && there.length < side.length) return there[0] ?? null;
  }
  return side[0] ?? null;
}

/** Returns true for a place of the wrong subject: where people are says nothing about where their company is based. */
function isElsewhere({ slots }: Offer, kind: Slot.Kind, about: readonly string[]): boolean {
  const whose = about.find((word) => word === 'person' || word === 'company');
  return whose === 'person' && slots.every((slot) => slot.kind !== kind || slot.way.has('company'));
}

function isCode(slot: Slot.Slot): boolean {
  const { schema } = slot.leaf;
  return (
    schema.maxLength === 2 ||
    /code|alpha-2|iso/i.test(`${schema.description} ${slot.leaf.path.join(' ')}`) ||
    !/name/i.test(String(schema.description))
  );
}

function aboutOf(goal: Goal, at: number): string[] {
  const after = goal.words.slice(at, at + 5);
  const before = goal.words.slice(Math.max(0, at - 4), at).reverse();
  const isBehind = /^(?:in|across|from|within|throughout)$/.test(goal.words[at - 1]?.folded ?? '');
  return (isBehind ? [...before, ...after] : [...after, ...before]).flatMap((word) =>
    word.mention?.kind === 'title' ? ['person'] : word.word === '' ? [] : [word.word],
  );
}

/** Words before "companies" that no enumeration knows are looked for as keywords: `cold chain` companies. */
function keywords(offer: Offer, goal: Goal, used: Set<number>): Fill[] {
  const slot = offer.slots.find((it) => it.kind === 'keywords' && !it.isExclude && it.leaf.many);
  if (slot === undefined) return [];
  const fills: Fill[] = [];
  for (const [index, word] of goal.words.entries()) {
    if (word.word !== 'company' && word.word !== 'industry') continue;
    const run: number[] = [];
    for (let at = index - 1; at >= 0 && run.length < 3 && isOwn(goal.words[at]) && !used.has(at); at--)
      run.unshift(at);
    const text = run.map((at) => goal.words[at]?.raw ?? '').join(' ');
    if (text.length < 2) continue;
    fills.push({ slot, value: text, at: run[0] ?? index });
    for (const at of run) used.add(at);
  }
  return fills;
}

const vague =
  /^(?:small|large|big|medium|mid|midsize|size|sized|family|local|young|fast|growing|tiny|huge|verified|different|similar|target|own|hire|many|publicly|privately|list|account|build|find|each|target)$/;

function isOwn(word: Word | undefined): boolean {
  return (
    word !== undefined &&
    word.mention === null &&
    word.word !== '' &&
    word.word === stem(word.folded) &&
    !vague.test(word.folded)
  );
}
