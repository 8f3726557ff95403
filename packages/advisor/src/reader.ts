import * as Asked from './asked.ts';
import * as Classifier from './classifier.ts';
import type * as Concepts from './concepts.ts';
import * as Counts from './counts.ts';
import * as Described from './described.ts';
import * as DescribedWords from './described-words.ts';
import * as Features from './features.ts';
import * as Goal from './goal.ts';
import * as GoalParts from './goal-parts.ts';
import type * as Identifier from './identifier.ts';
import * as Intents from './intents.ts';
import * as Key from './key.ts';
import * as Knowledge from './knowledge.ts';
import * as Nearest from './nearest.ts';
import type { Offer } from './offer.ts';
import * as Pairing from './pairing.ts';
import * as Ranker from './ranker.ts';
import type { Sample } from './sample.ts';
import * as Translation from './translation.ts';

/** Recognizes what a goal asks for. */
export type Reader = {
  concepts: Concepts.Concepts;
  classifier: Classifier.Classifier;
  keysOf: Features.KeysOf;
  words: DescribedWords.DescribedWords;
  /** True for each offer whose own phrases by callers are learned from. */
  learned: readonly boolean[];
  /** The descriptions, compared with a goal; null when callers' own phrases decide everything. */
  api: Described.Api | null;
  ranks: Ranker.Weights;
  counts: Counts.Counts;
  /** Callers' own phrases with their answers; empty where they decide everything. */
  nearest: Nearest.Nearest;
};

/** The log-odds of each reading of a goal. */
export type Reading = {
  odds: readonly number[];
  outside: number;
  vague: number;
  /** The log-odds that it takes several calls; 0 where no phrases say it. */
  several: number;
  /** The share of the goal's words that the descriptions contain, from 0 to 1. */
  known: number;
  /** The part of the goal that speaks of each operation most, and its log-odds there; empty where they are not known. */
  parts: readonly { odds: number; part: number }[];
  /** The goals nearest to this one by their answer: the calls, or `outside` or `vague`; empty where they are not known. */
  near: ReadonlyMap<string, Nearest.Near>;
  /** The source that decides: callers' own phrases, these beside the description, or the description alone. */
  by: 'trained' | 'taught' | 'described';
  /** Values of the goal that look like the identifier of one thing. */
  identifiers: readonly Identifier.Identifier[];
};

/** Parts of a description that count less are no examples. */
const describedMin = 0.75;

/** Samples that are read between two yields. */
const examplesAtOnce = 10;

/** Goals outside of the offer are few beside those that can be answered. */
const weights = { asked: 1, described: 0.6, outside: 3, vague: 1 };
/** The temperature, the least share and the weight of the common operations among the features of a goal. */
const common = { heat: 0.5, shareMin: 0.02, weight: 0.5 };
/** Fewer phrases of an operation than `some` are compared as its description is; `many` of every operation decide alone. */
const phraseCount = { some: 20, many: 300 };
/** The weights of what speaks for an operation with some phrases: what was learned from them, its description, and the phrases nearest to the goal. */
const evidence = { learned: 0.8, described: 0.3, near: 0.6 };
/** The log-share of the nearest phrases that says nothing of an operation. */
const nearMiddle = -1.5;

/** Counts the phrases of each offer. */
function phraseCounts(offers: readonly Offer[], samples: readonly Sample[]): number[] {
  return offers.map((_, at) => samples.filter(({ calls }) => calls.includes(at)).length);
}

/** Returns true when callers' phrases alone decide. */
export function isLearned(offers: readonly Offer[], samples: readonly Sample[]): boolean {
  return phraseCounts(offers, samples).every((count) => count >= phraseCount.many);
}

/** Trains a reader on the samples and on what is described of each offer; yields after each short part of the work. */
export function* open(
  offers: readonly Offer[],
  samples: readonly Sample[],
  concepts: Concepts.Concepts,
): Generator<void, Reader> {
  const keysOf = keysAmong(offers);
  const described = offers.flatMap(({ texts }, at) =>
    texts.flatMap(({ text, weight }): Sample[] =>
      weight < describedMin ? [] : [{ ask: text, calls: [at], kind: 'described' }],
    ),
  );
  const asked = phraseCounts(offers, samples);
  const joined = offers.flatMap((offer, at) => ((asked[at] ?? 0) === 0 ? joinedTitles(offers, offer) : []));
  const words = DescribedWords.open(offers, concepts);
  const reader = { concepts, keysOf, words };
  yield;
  const isAlone = isLearned(offers, samples);
  const learned = asked.map((count) => count >= phraseCount.some);
  const api = isAlone
    ? null
    : yield* Described.open(offers, phrasesOf(offers, samples), concepts, Knowledge.intents());
  const all = (learned.includes(true) ? [...samples, ...described, ...joined] : []).filter(
    (sample) => sample.kind !== 'outside' || !isNear(reader, sample.ask),
  );
  yield;
  const examples: Classifier.Example[] = [];
  const known: { features: Classifier.Features; answer: string }[] = [];
  for (const { ask, calls, kind } of all) {
    if (examples.length % examplesAtOnce === 0) yield;
    const features = featuresOf({ ...reader, api }, Goal.read(Translation.toEnglish(ask, concepts).text));
    examples.push({ features, classes: classesOf(kind, calls, offers.length), weight: weights[kind] });
    if (kind !== 'described') known.push({ features, answer: kind === 'asked' ? calls.join(' ') : kind });
  }
  return {
    ...reader,
    classifier: yield* Classifier.train(examples, offers.length + 3, (name) =>
      name.startsWith('~') ? 2 : 1,
    ),
    learned,
    api,
    ranks: api === null ? {} : Knowledge.weights(),
    counts: Counts.of(samples, asked),
    nearest: Nearest.open(isAlone ? [] : known),
  };
}

/** The classes of an example: its operations, and after these that nothing answers, that it says too little, and that it takes several calls. */
function classesOf(kind: Sample['kind'], calls: readonly number[], count: number): readonly number[] {
  if (kind === 'outside') return [count];
  if (kind === 'vague') return [count + 1];
  return calls.length > 1 ? [...calls, count + 2] : calls;
}

/** The phrases of each offer that it alone answers. */
function phrasesOf(offers: readonly Offer[], samples: readonly Sample[]): string[][] {
  return offers.map((_, at) =>
    samples.flatMap(({ ask, calls }) => (calls.length === 1 && calls[0] === at ? [ask] : [])),
  );
}

/** The features of a goal: its words, its values beside these, and, where the description counts, the common operations that it is like. */
function featuresOf(
  { concepts, keysOf, api }: Pick<Reader, 'concepts' | 'keysOf' | 'api'>,
  goal: Goal.Goal,
): Classifier.Features {
  const features = Features.of(Features.tokens(goal, concepts, keysOf));
  if (api === null) return features;
  const shares = Intents.probabilities(
    api.intents,
    Features.tokens(goal, concepts, () => []),
    common.heat,
  );
  for (const [at, share] of shares.entries())
    if (share >= common.shareMin) features.set(`#${at}`, common.weight * Math.sqrt(share));
  return features;
}

/** Titles of operations that can follow each other, as examples of goals that need both. */
function joinedTitles(offers: readonly Offer[], { at, asks, summary }: Offer): Sample[] {
  const makers = asks.flatMap(({ slot, makers: those }) => (slot.isKey ? those.map((made) => made.at) : []));
  return [...new Set(makers)].map((from) => ({
    ask: `${offers[from]?.summary ?? ''} and ${summary}`,
    calls: [from, at],
    kind: 'described',
  }));
}

/** Reads what a goal asks for. @param text the goal as it was written, before its words were put into English */
export function read(reader: Reader, goal: Goal.Goal, text: string): Reading {
  const own = reader.api === null ? null : compared(reader, reader.api, goal, text);
  if (own !== null && !reader.learned.includes(true)) return own;
  const features = featuresOf(reader, goal);
  const other = learnt(reader, goal, features);
  if (own === null) return { ...other, parts: partOdds(reader, text, other.odds) };
  const near = Nearest.near(reader.nearest, features);
  const mixed = (learned: number, described: number) =>
    evidence.learned * learned + evidence.described * described;
  const odds = own.odds.map((described, at) =>
    reader.learned[at]
      ? mixed(other.odds[at] ?? 0, described) + evidence.near * (shareOf(near, at) - nearMiddle)
      : described,
  );
  const outside = mixed(other.outside, own.outside);
  const vague = Math.max(own.vague, other.vague);
  const parts = partOdds(reader, text, odds);
  return { ...own, odds, outside, vague, several: other.several, parts, near, by: 'taught' };
}

/** The logarithm of the share that the goals with an operation have of those nearest to a goal. */
function shareOf(near: Reading['near'], at: number): number {
  const share = [...near].reduce(
    (sum, [answer, own]) => (answer.split(' ').includes(String(at)) ? sum + own.share : sum),
    0,
  );
  return Nearest.logOf(share);
}

/** The odds of each operation in the part of a goal that speaks of it most. */
function partOdds(reader: Reader, text: string, whole: readonly number[]): Reading['parts'] {
  const parts = GoalParts.split(text);
  if (parts.length === 0) return whole.map((odds) => ({ odds, part: 0 }));
  const scores = parts.map((part) => {
    const goal = Goal.read(Translation.toEnglish(part, reader.concepts).text);
    return Classifier.score(reader.classifier, featuresOf(reader, goal));
  });
  return whole.map((_, at) => {
    const own = scores.map((score) => score[at] ?? 0);
    const odds = Math.max(...own);
    return { odds, part: own.indexOf(odds) };
  });
}

/** Reads a goal by the phrases of callers. */
function learnt(reader: Reader, goal: Goal.Goal, features: Classifier.Features): Reading {
  const scores = Classifier.score(reader.classifier, features);
  const count = reader.learned.length;
  return {
    odds: [...scores.subarray(0, count)],
    outside: scores[count] ?? 0,
    vague: scores[count + 1] ?? 0,
    several: scores[count + 2] ?? 0,
    known: DescribedWords.covered(reader, goal).known,
    parts: [],
    near: new Map(),
    by: 'trained',
    identifiers: [],
  };
}

/** Reads a goal by the descriptions alone. */
function compared({ ranks }: Reader, api: Described.Api, goal: Goal.Goal, text: string): Reading {
  const asked = Asked.ask(api, goal, text);
  const shares = Ranker.probabilities(
    Ranker.scores(ranks, [...Pairing.pair(api, asked), Pairing.nothing(api, asked)]),
  );
  const odds = shares.map((share) => Math.log(Math.max(share, 1e-4) / Math.max(1 - share, 1e-4)));
  return {
    odds: odds.slice(0, -1),
    outside: odds.at(-1) ?? 0,
    several: 0,
    vague:
      asked.meaningful === 0 && asked.identifiers.length === 0
        ? Number.POSITIVE_INFINITY
        : Number.NEGATIVE_INFINITY,
    known: asked.known,
    parts: [],
    near: new Map(),
    by: 'described',
    identifiers: asked.identifiers,
  };
}

/** Returns true when a description or a sample contains any word of a goal that carries a meaning. */
export function understands({ concepts, keysOf, words, classifier, api }: Reader, goal: Goal.Goal): boolean {
  return Features.tokens(goal, concepts, keysOf).some(
    ({ name, isStop }) =>
      !isStop &&
      !name.startsWith('@') &&
      (words.shares.has(name) || classifier.index.has(name) || (api?.intents.weights.has(name) ?? false)),
  );
}

/** Returns the positions of words that neither a description nor a sample contains. */
export function unknown({ concepts, keysOf, words, classifier }: Reader, goal: Goal.Goal): Set<number> {
  return new Set(
    Features.tokens(goal, concepts, keysOf).flatMap(({ name, at, isStop }) =>
      isStop || name.startsWith('@') || words.shares.has(name) || classifier.index.has(name) ? [] : [at],
    ),
  );
}

function isNear(reader: Pick<Reader, 'concepts' | 'keysOf' | 'words'>, ask: string): boolean {
  const goal = Goal.read(Translation.toEnglish(ask, reader.concepts).text);
  return (
    Math.max(0, ...DescribedWords.covered(reader, goal).shares.filter((share) => share !== undefined)) > 0.5
  );
}

/** The keys of all offers that a literal can be. */
function keysAmong(offers: readonly Offer[]): Features.KeysOf {
  const slots = new Map(
    offers.flatMap(({ asks }) =>
      asks.filter(({ slot }) => slot.isKey).map((ask) => [ask.words.join(' '), ask.slot] as const),
    ),
  );
  return (literal) => [...slots].flatMap(([name, slot]) => (Key.takes(slot, literal) ? [name] : []));
}
