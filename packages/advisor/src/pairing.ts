import type * as Concepts from './concepts.ts';
import * as Features from './features.ts';
import * as Goal from './goal.ts';
import * as Intents from './intents.ts';
import * as Key from './key.ts';
import type { Offer } from './offer.ts';
import type { Slot } from './slot.ts';
import * as Titles from './titles.ts';
import { fold } from './words.ts';

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
export type FieldName = (typeof fieldNames)[number];

/** What a goal and an operation have in common, by name; the weights of these are learned over many APIs. */
export type Pairing = Readonly<Record<string, number>>;

/** The words that name what a key identifies, and the beginnings of its examples. */
type KeyName = { words: readonly string[]; samples: readonly string[] };

type Described = {
  fields: Readonly<Record<string, ReadonlySet<string>>>;
  all: ReadonlySet<string>;
  /** The likeness of each common operation to this one, and the probability that its description speaks of it. */
  likeness: Float64Array;
  probability: Float64Array;
  verbs: ReadonlySet<string>;
  keys: readonly KeyName[];
  takes: Readonly<Record<'point' | 'date' | 'email' | 'place', boolean>>;
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
  /** How probable it is beforehand that this API is asked for each common operation. */
  prior: Float64Array;
};

/** How certain the common operations are taken to be; below 1: more than their training says, as it averages over words. */
const heat = { asked: 0.35, described: 0.5 };
const startChars = 3;
const none = () => [];

/** Prepares the descriptions of an API; yields after each short part of the work. */
export function* open(
  offers: readonly Offer[],
  concepts: Concepts.Concepts,
  intents: Intents.Intents,
): Generator<void, Api> {
  const titles = Titles.open(intents.titles, concepts);
  yield;
  const described: Described[] = [];
  for (const offer of offers) {
    described.push(describe(offer, concepts, intents, titles));
    yield;
  }
  const known = new Map<string, number>();
  for (const { all } of described) for (const name of all) known.set(name, (known.get(name) ?? 0) + 1);
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

/** Lets an operation that is like a common one also stand for the narrower ones that the API does not have. */
function broaden(described: readonly Described[], { within }: Intents.Intents): void {
  const own = described.map(({ likeness }) => Float64Array.from(likeness));
  const best = Float64Array.from(within, (_, at) => Math.max(0, ...own.map((likeness) => likeness[at] as number)));
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
  const verb = tokensOf(offer.id.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' '), concepts)[0]?.name;
  return {
    fields,
    all: Object.values(fields).reduce((sum, field) => sum.union(field), new Set<string>()),
    likeness: titles.likeness(said.map(({ text }) => text)),
    probability: Intents.probabilities(
      intents,
      tokensOf(own.map(({ text }) => text).join('. '), concepts),
      heat.described,
    ),
    verbs: new Set([first, verb].filter((name) => name !== undefined)),
    keys: slots
      .filter(({ leaf, place, kind }) => leaf.required && (place === 'path' || (kind === 'text' && leaf.path.length === 1)) && isIdentifier(leaf.path.at(-1) ?? ''))
      .map((slot) => keyOf(slot, operation.path)),
    takes: takesOf(slots.map(({ leaf }) => `${leaf.path.join(' ')} ${leaf.schema.description ?? ''} ${leaf.schema.format ?? ''}`)),
    isWrite: operation.method !== 'GET',
    isList: gives.some(({ path }) => path.indexOf('*') >= 0 && path.indexOf('*') <= 1) || asListed.test(summary),
  };
}

function keyOf({ leaf }: Slot, path: string): KeyName {
  const { description, example, pattern } = leaf.schema;
  const names = [...leaf.path, ...before(path, leaf.path[0] ?? '')];
  return {
    words: names.flatMap((key) => fold(key.replace(/([a-z0-9])([A-Z])/g, '$1 $2')).split(/[^a-z0-9]+/)),
    samples: [...`${description ?? ''} ${example ?? ''} ${pattern ?? ''}`.matchAll(/\b([a-z]{1,6})[_-]/gi)].map(
      (match) => fold(match[1] ?? ''),
    ),
  };
}

/** Returns the identifiers of a goal that a key can take: those named as it is, or else all that are named as no key at all. */
export function identifying(
  { slot, path }: { slot: Slot; path: string },
  identifiers: readonly Identifier[],
  all: readonly { slot: Slot; path: string }[],
): readonly Identifier[] {
  const own = keyOf(slot, path);
  const keys = all.map((key) => keyOf(key.slot, key.path));
  const fit = identifiers.filter(({ value }) => isOf(value, own));
  return fit.length > 0 ? fit : identifiers.filter(({ value }) => keys.every((key) => !isOf(value, key)));
}

/** The part of a path before a parameter, which says what it identifies: `events` in `/events/{id}`. */
function before(path: string, name: string): string[] {
  const parts = path.split('/');
  const at = parts.findIndex((part) => part.startsWith(`{${name}}`));
  return at > 0 ? [parts[at - 1] ?? ''] : [];
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

function isIdentifier(name: string): boolean {
  return /(?:id|code|number|ident|slug|symbol|sku|ticker|key|ref|reference|token|name|uuid|handle)s?$/i.test(name) || !/(?:text|input|prompt|query|q|content|message|url|date|time)/i.test(name);
}

/** A value of a goal that looks like the identifier of one thing, with the positions of its words. */
export type Identifier = { value: string; from: number; to: number };

/** A goal, prepared for comparisons. */
export type Asked = {
  names: ReadonlyMap<string, number>;
  known: number;
  probability: Float64Array;
  identifiers: readonly Identifier[];
  hasPoint: boolean;
  hasDate: boolean;
  hasEmail: boolean;
  hasPlace: boolean;
  literals: Goal.Goal;
  actions: ReadonlySet<string>;
  isQuestion: boolean;
  isList: boolean;
  meaningful: number;
};

const words = /[\p{L}\p{N}]+(?:[_-]+[\p{L}\p{N}]+)*/gu;
const measured =
  /^(?:\d+(?:km|m|mi|mm|cm|h|hr|hrs|min|mins|s|sec|am|pm|k|kg|g|mg|ml|l|x\d+|x|th|st|nd|rd|d|p|px|c|f|mb|gb|eur|usd|gbp|w|days?|uur|uhr|e)|(?:19|20)\d\ds|\d+-\p{L}+|mp[34]|h26\d|pm\d+)$/iu;
const points = /-?\d{1,3}\.\d{2,}\s*[,/ ]\s*-?\d{1,3}\.\d{2,}/u;
const dates =
  /\b(?:19|20)\d\d\b|\b\d{1,2}[./]\d{1,2}\b|\b(?:yesterday|gestern|hier|ayer|ieri|ontem|gisteren|january|february|march|april|june|july|august|september|october|november|december)\b/iu;

/** Values that look like the identifier of one thing: `ev_12`, `BA117`, `14-38021`. */
function identifiersIn(api: Api, text: string): Identifier[] {
  return [...text.matchAll(words)].flatMap((match) => {
    const [word] = match;
    const found = [{ value: word, from: match.index, to: match.index + word.length }];
    const isPlain = !/\d/.test(word) || word.length < 4 || measured.test(word);
    if (isPlain || /[@./:]$/.test(text.slice(0, match.index))) return [];
    if (!/\p{L}/u.test(word)) return /^\d{5,}$|^\d+-\d{4,}$/.test(word) ? found : [];
    return api.known.has(fold(word)) ? [] : found;
  });
}

const writes = ['delete', 'cancel', 'send', 'buy', 'order', 'pay', 'refund', 'publish', 'create', 'add', 'update', 'rename', 'upload', 'subscribe', 'unsubscribe', 'call', 'invite', 'connect', 'apply', 'schedule', 'assign', 'close', 'reopen', 'merge', 'approve', 'transfer', 'generate', 'draw', 'transcribe', 'read_aloud', 'write', 'compose', 'move', 'start_run', 'disable', 'save', 'reserve', 'convert', 'translate', 'embed', 'moderate', 'summarise'];
const strong = new Set(writes);
const asking = /^(?:what|which|who|whose|how|when|where|is|are|was|were|does|do|did|will|can|has|have|welche\w*|was|wie|wann|wo|wer|gibt|ist|sind|quel\w*|quand|ou|combien|est|que|cuando|donde|cuanto\w*|hay|quale|quali|quando|dove|quanto|c'e|qual|quais|onde|ha|welke|wat|hoe|wanneer|waar|is)$/;

/** Prepares a goal. `text` is the original, `goal` its English reading. */
export function ask(api: Api, goal: Goal.Goal, text: string): Asked {
  const tokens = Features.tokens(goal, api.concepts, none).map((token) => respelt(api, token));
  const names = new Map<string, number>();
  let [all, knownWeight] = [0, 0];
  let meaningful = 0;
  for (const { name, isStop } of tokens) {
    if (isStop || names.has(name)) continue;
    if (name.startsWith('@')) continue;
    meaningful += 1;
    const count = api.known.get(name) ?? 0;
    const weight = count === 0 ? 0.7 : 0.3 + Math.log((api.offers.length + 1) / count);
    all += weight;
    if (count > 0) {
      knownWeight += weight;
      names.set(name, weight);
      continue;
    }
    const near = alike(api, name);
    if (near !== null && !names.has(near)) names.set(near, 0.5 * (0.3 + Math.log((api.offers.length + 1) / (api.known.get(near) ?? 1))));
    if (near !== null) knownWeight += weight / 2;
  }
  const firsts = fold(text).match(/[\p{L}']+/gu) ?? [];
  return {
    names,
    known: all === 0 ? 0 : knownWeight / all,
    probability: Intents.probabilities(api.intents, tokens, heat.asked),
    identifiers: identifiersIn(api, text),
    hasPoint: points.test(text),
    hasDate: dates.test(text),
    hasEmail: goal.mentions.some((mention) => mention.kind === 'literal' && mention.literal.kind === 'email'),
    hasPlace: goal.mentions.some((mention) => mention.kind === 'place'),
    literals: goal,
    actions: new Set(tokens.flatMap(({ name }) => (strong.has(name) ? [name] : []))),
    isQuestion: text.includes('?') || asking.test(firsts[0] ?? ''),
    isList: tokens.some(({ name, raw }) => name === '@count' || name === 'list' || name === 'all' || name === 'each' || (/[^s]s$/.test(raw) && raw.length > 4)),
    meaningful,
  };
}

/** A word that neither the API nor the common operations have, as the nearest one that they have. */
function respelt(api: Api, token: Features.Token): Features.Token {
  if (token.isStop || !/^\p{L}{5,}$/u.test(token.name)) return token;
  if (api.known.has(token.name) || api.intents.weights.has(token.name)) return token;
  const near = nearest(token.name, [
    ...(api.byStart.get(token.name.slice(0, startChars)) ?? []),
    ...(api.intents.byStart.get(token.name.slice(0, startChars)) ?? []),
  ]);
  return near === null ? token : { ...token, name: near };
}

function alike(api: Api, name: string): string | null {
  return name.length < 5 ? null : nearest(name, api.byStart.get(name.slice(0, startChars)) ?? []);
}

/** The word with the longest common beginning, if most of both words is common or they differ in one letter. */
function nearest(word: string, among: readonly string[]): string | null {
  let best: string | null = null;
  let most = 0;
  for (const other of among) {
    let same = 0;
    while (same < word.length && word[same] === other[same]) same += 1;
    const share = same / Math.max(word.length, other.length);
    const likeness = same >= 4 && share >= 0.6 ? share : isNearlySame(word, other) ? 0.59 : 0;
    if (likeness > most) [best, most] = [other, likeness];
  }
  return best;
}

function isNearlySame(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a.length < 5) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [restA, restB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return Math.max(restA.length, restB.length) <= 1 || (restA.length === 2 && restA === [...restB].reverse().join(''));
}

/** Compares a goal with each operation of an API. */
export function pair(api: Api, asked: Asked): Pairing[] {
  const fits = api.described.map(({ keys }) => asked.identifiers.filter(({ value }) => keys.some((key) => isOf(value, key))).length);
  const anyFit = fits.some((count) => count > 0);
  const weighed = asked.probability.map((value, at) => value * (api.prior[at] as number));
  const sum = weighed.reduce((all, value) => all + value, 0);
  const probability = weighed.map((value) => value / sum);
  const total = 1 + [...asked.names.values()].reduce((sum, weight) => sum + weight, 0);
  const pairs = api.described.map((own, at) => {
    const features: Record<string, number> = {};
    const share = (field: ReadonlySet<string> | undefined) => {
      let sum = 0;
      if (field !== undefined) for (const [name, weight] of asked.names) if (field.has(name)) sum += weight;
      return sum / total;
    };
    for (const name of fieldNames) features[name] = share(own.fields[name]);
    features.any = share(own.all);
    features.covered = coveredShare(api, own.fields.summary, asked.names);
    const [fit, speaks] = related(api, own, probability);
    features.common = Math.log(0.02 + fit);
    features.speaks = Math.log(0.02 + speaks);
    features.verb = Number([...own.verbs].some((verb) => asked.actions.has(verb)));
    features.askedWrite = Number(own.isWrite && asked.isQuestion && asked.actions.size === 0);
    features.toldRead = Number(!own.isWrite && asked.actions.size > 0 && !asked.isQuestion);
    features.write = Number(own.isWrite);
    const [needs, count] = [own.keys.length, asked.identifiers.length];
    features.idFits = Number((fits[at] ?? 0) > 0);
    features.idElsewhere = Number(anyFit && (fits[at] ?? 0) === 0);
    features.idTaken = Number(count > 0 && needs > 0 && !anyFit);
    features.idUnused = Number(count > 0 && needs === 0);
    features.idMissing = Number(count === 0 && needs > 0);
    const given = api.offers[at]?.asks.some(({ slot, words }) => slot.isKey && Key.given(slot, words, asked.literals)?.kind === 'values');
    features.literal = Number(given ?? false);
    features.pointFits = Number(asked.hasPoint && own.takes.point);
    features.pointUnused = Number(asked.hasPoint && !own.takes.point);
    features.dateFits = Number(asked.hasDate && own.takes.date);
    features.dateMissing = Number(!asked.hasDate && own.takes.date);
    features.emailFits = Number(asked.hasEmail && own.takes.email);
    features.placeFits = Number(asked.hasPlace && own.takes.place);
    features.placeUnused = Number(asked.hasPlace && !own.takes.place);
    features.lists = Number(asked.isList && own.isList);
    features.listsOne = Number(!asked.isList && own.isList);
    return features;
  });
  return pairs.map((features) => compared(features, pairs));
}

/** Adds how far an operation is ahead of the others. */
function compared(features: Pairing, all: readonly Pairing[]): Pairing {
  const share = (name: string, value: (features: Pairing) => number) => ({
    [name]: value(features) / (0.01 + all.reduce((sum, other) => sum + value(other), 0)),
  });
  const shares = {
    ...share('commonShare', ({ common = -4 }) => Math.exp(common)),
    ...share('anyShare', ({ any = 0 }) => any ** 2),
    ...share('summaryShare', ({ summary = 0, path = 0 }) => (summary + path) ** 2),
  };
  return { ...features, ...shares, agreed: (shares.commonShare ?? 0) * (shares.anyShare ?? 0) };
}

/** What speaks for no operation at all. */
export function nothing(api: Api, asked: Asked): Pairing {
  let [outside, fit] = [0, 0];
  for (const [at, probability] of asked.probability.entries()) fit += probability * (api.prior[at] as number);
  for (const [at, probability] of asked.probability.entries())
    outside += probability * (1 - Math.min(1, Math.max(0, ((api.best[at] as number) - 0.25) / 0.4)));
  return {
    none: 1,
    noneFit: Math.log(0.02 + fit),
    noneOutside: Math.log(0.02 + outside),
    noneInside: Math.log(0.02 + 1 - outside),
    noneUnknown: 1 - asked.known,
    noneShort: Number(asked.meaningful <= 2),
    noneId: Number(asked.identifiers.length > 0),
  };
}

function coveredShare(api: Api, title: ReadonlySet<string> | undefined, names: ReadonlyMap<string, number>): number {
  let [all, found] = [0.5, 0];
  for (const name of title ?? []) {
    const weight = 0.3 + Math.log((api.offers.length + 1) / (api.known.get(name) ?? 1));
    all += weight;
    if (names.has(name)) found += weight;
  }
  return found / all;
}

/** How much of what the goal speaks of is like the operation, and is spoken of by its description. */
function related(api: Api, { likeness, probability }: Described, asked: Float64Array): [number, number] {
  let [fit, speaks] = [0, 0];
  for (const [at, own] of asked.entries()) {
    const alike = likeness[at] as number;
    const best = api.best[at] as number;
    if (alike > 0) fit += own * alike ** 1.5 * (alike / best) ** 4;
    speaks += Math.sqrt(own * (probability[at] as number));
  }
  return [fit, speaks];
}

/** Returns true for an identifier that begins as the name of a key, or as its examples: `ev_12` for `event_id`. */
function isOf(id: string, { words, samples }: KeyName): boolean {
  const start = fold(/^\p{L}+/u.exec(id)?.[0] ?? '');
  if (start === '' ) return false;
  if (samples.includes(start)) return true;
  if (!/[_-]|\d/.test(id.charAt(start.length))) return false;
  return words.some((word) => word.length > 2 && word[0] === start[0] && isWithin(start, word));
}

function isWithin(letters: string, word: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = word.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
