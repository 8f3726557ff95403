import type * as Concepts from './concepts.ts';
import * as Deed from './deed.ts';
import * as Features from './features.ts';
import * as Goal from './goal.ts';
import * as Identifier from './identifier.ts';
import * as Intents from './intents.ts';
import type { Offer } from './offer.ts';
import * as Titles from './titles.ts';
import * as Translation from './translation.ts';
import { stem } from './words.ts';

/** The parts of a description that are compared with a goal, each on its own. */
export const fieldNames = [
  'summary',
  'path',
  'description',
  'service',
  'tags',
  'parameters',
  'said',
  'gives',
  'enums',
] as const;

export type Described = {
  fields: Readonly<Record<string, ReadonlySet<string>>>;
  /** The words of each phrase of callers. */
  asks: readonly ReadonlySet<string>[];
  all: ReadonlySet<string>;
  /** The words of its title as they are written, since concepts are too broad to distinguish `hourly` from `daily`. */
  title: readonly string[];
  /** The likeness of each common operation to this one, and the probability that its description speaks of it. */
  likeness: Float64Array;
  probability: Float64Array;
  verbs: ReadonlySet<string>;
  keys: readonly Identifier.KeyName[];
  takes: Readonly<Record<'point' | 'date' | 'email' | 'place', boolean>>;
  deed: Deed.Deed;
  /** True where the address ends with the key of one thing, and where more follows on that key. */
  isOfOne: boolean;
  isBelowOne: boolean;
  isWrite: boolean;
  isList: boolean;
};

/** The descriptions of an API, prepared for comparisons. */
export type Api = {
  offers: readonly Offer[];
  described: readonly Described[];
  concepts: Concepts.Concepts;
  intents: Intents.Intents;
  known: ReadonlyMap<string, number>;
  /** Known words by their first letters, for words that are written in another way. */
  byStart: ReadonlyMap<string, readonly string[]>;
  /** The highest likeness of each common operation to any operation. */
  best: Float64Array;
  /** The prior probability that a goal for this API is each common operation. */
  prior: Float64Array;
};

/** The temperature of the common operations for a description; below 1 they are more certain than their training, which averages over words. */
const heat = 0.5;
/** The letters at the start of a word by which those that are written in another way are found. */
export const startChars = 3;
const none = () => [];

/** Prepares the descriptions of an API; yields after each short part of the work. */
export function* open(
  offers: readonly Offer[],
  phrases: readonly (readonly string[])[],
  concepts: Concepts.Concepts,
  intents: Intents.Intents,
): Generator<void, Api> {
  const titles = Titles.open(intents.titles, concepts);
  yield;
  const described: Described[] = [];
  for (const [at, offer] of offers.entries()) {
    const asks = (phrases[at] ?? []).map((ask) =>
      namesOf(Translation.toEnglish(ask, concepts).text, concepts),
    );
    described.push({ ...describe(offer, concepts, intents, titles), asks });
    yield;
  }
  const known = new Map<string, number>();
  for (const { all, asks } of described)
    for (const name of asks.reduce((sum, ask) => sum.union(ask), all))
      known.set(name, (known.get(name) ?? 0) + 1);
  broaden(described, intents);
  const words = [...known.keys()].filter((name) => /^\p{L}{4,}$/u.test(name));
  const best = new Float64Array(intents.count);
  const prior = new Float64Array(intents.count);
  for (const { likeness, probability } of described)
    for (const [at, value] of likeness.entries()) {
      best[at] = Math.max(best[at] as number, value);
      prior[at] = Math.max(prior[at] as number, 0.03 + value ** 3, probability[at] as number);
    }
  return {
    offers,
    described,
    concepts,
    intents,
    known,
    byStart: Map.groupBy(words, (name) => name.slice(0, startChars)),
    best,
    prior,
  };
}

/** The share of a broader operation's likeness that a common operation has which the API lacks. */
const broaderShare = 0.75;

/** Lets an operation that is like a common one also represent the narrower ones that the API does not have. */
function broaden(described: readonly Described[], { within }: Intents.Intents): void {
  const own = described.map(({ likeness }) => Float64Array.from(likeness));
  const best = Float64Array.from(within, (_, at) =>
    Math.max(0, ...own.map((likeness) => likeness[at] as number)),
  );
  for (const [at, broader] of within.entries()) {
    const share = broaderShare * Math.max(0, 1 - (best[at] as number) / 0.6);
    if (broader < 0 || share === 0) continue;
    for (const [index, { likeness }] of described.entries())
      likeness[at] = Math.max(likeness[at] as number, share * (own[index]?.[broader] as number));
  }
}

function tokensOf(text: string, concepts: Concepts.Concepts): Features.Token[] {
  return Features.tokens(Goal.read(text), concepts, none);
}

function namesOf(text: string, concepts: Concepts.Concepts): Set<string> {
  return new Set(
    tokensOf(text, concepts).flatMap(({ name, isStop }) => (isStop || name.startsWith('@') ? [] : [name])),
  );
}

/** Verbs that people use for each other. */
const asRead = /^(?:gets?|lists?|search|finds?|shows?|reads?|fetch|retrieves?|look|give|return)$/;

/** The words of a text that carry a meaning, without their endings. */
export function literal(goal: Goal.Goal, concepts: Concepts.Concepts): string[] {
  return Features.tokens(goal, concepts, none).flatMap(({ name, raw, isStop }) =>
    isStop || name.startsWith('@') || raw === '' || asRead.test(raw) ? [] : [stem(raw)],
  );
}

const asListed = /^(?:list|search|find|browse|all|query)\b/i;

function describe(
  offer: Offer,
  concepts: Concepts.Concepts,
  intents: Intents.Intents,
  titles: Titles.Titles,
): Described {
  const { texts, slots, gives, operation, summary } = offer;
  const fields: Record<string, Set<string>> = {};
  for (const { name, text } of texts)
    fields[name] = (fields[name] ?? new Set()).union(namesOf(text, concepts));
  fields.enums = namesOf(
    slots
      .flatMap(({ choice }) => (choice !== null && choice.values.length <= 40 ? choice.values : []))
      .join('. ')
      .replaceAll('_', ' ')
      .slice(0, 800),
    concepts,
  );
  const said = texts.filter(({ name }) => name === 'summary' || name === 'first' || name === 'path');
  const own = texts.filter(({ name }) => name === 'summary' || name === 'description');
  const first = tokensOf(summary, concepts).find(({ isStop }) => !isStop)?.name;
  const verb = tokensOf(offer.id.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' '), concepts)[0]
    ?.name;
  return {
    fields,
    asks: [],
    title: literal(Goal.read(summary), concepts),
    all: Object.values(fields).reduce((sum, field) => sum.union(field), new Set<string>()),
    likeness: titles.likeness(said.map(({ text }) => text)),
    probability: Intents.probabilities(
      intents,
      tokensOf(own.map(({ text }) => text).join('. '), concepts),
      heat,
    ),
    verbs: new Set([first, verb].filter((name) => name !== undefined)),
    keys: slots
      .filter(
        ({ leaf, place, kind }) =>
          leaf.required &&
          (place === 'path' || (kind === 'text' && leaf.path.length === 1)) &&
          Identifier.isNamed(leaf.path.at(-1) ?? ''),
      )
      .map((slot) => Identifier.keyOf(slot, operation.path)),
    takes: takesOf(
      slots.map(
        ({ leaf }) => `${leaf.path.join(' ')} ${leaf.schema.description ?? ''} ${leaf.schema.format ?? ''}`,
      ),
    ),
    deed: Deed.of(offer),
    isOfOne: Deed.isOfOne(operation.path),
    isBelowOne: operation.path.includes('}') && !Deed.isOfOne(operation.path),
    isWrite: operation.method !== 'GET',
    isList:
      gives.some(({ path }) => path.indexOf('*') >= 0 && path.indexOf('*') <= 1) || asListed.test(summary),
  };
}

function takesOf(said: readonly string[]): Described['takes'] {
  const any = (pattern: RegExp) => said.some((text) => pattern.test(text));
  return {
    point: any(/\b(?:lat|latitude|lon|lng|longitude|coordinates?|points?|origins?|bbox)\b|lat,\s*lon/i),
    date: any(/\bdate|_date\b|\byear\b|date-time|\bsince\b/i),
    email: any(/e?mail/i),
    place: any(/\b(?:location|city|place|country|address|town|region|postal|lat)\b/i),
  };
}
