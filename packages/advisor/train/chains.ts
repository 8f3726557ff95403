import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as Advisor from '../src/advisor.ts';
import * as Chain from '../src/chain.ts';
import type * as Draft from '../src/draft.ts';
import * as Goal from '../src/goal.ts';
import { chainWeights } from '../src/knowledge.ts';
import * as Ranker from '../src/ranker.ts';
import * as Reader from '../src/reader.ts';
import * as Translation from '../src/translation.ts';
import * as GoalSet from '../test/goal-set.ts';
import * as Apis from './apis.ts';
import { type Example, judge, print } from './judged.ts';
import * as Sellers from './sellers.ts';
import * as Softmax from './softmax.ts';

// node packages/advisor/train/chains.ts [--save]
// Learns what speaks for some calls together: over goals of the bundled catalogue, each read by what was learned from the others, and over
// the APIs of test/goals and train/apis, each read by what was learned from others: by their description, and with their sellers' goals.
// Prints how well goals are answered that were left out of both. --only=NAME reads one of the three. --save writes data/chains.json.

const foldCount = 6;
const singleEvery = 3;
const penalties = { trained: 2e-4, described: 1e-3, taught: 5e-4 };
/** Expert estimates, from which what is learned departs only as far as the goals demand: few goals for several calls of other APIs are known. */
const prior = {
  mainOdds: 1,
  ledOdds: 1,
  apartOdds: 1,
  leadingOdds: 1,
  led: 0.3,
  linkedOdds: 1,
  linked: -0.3,
  unsought: -1,
  apart: -1.2,
  missing: -1.5,
  said: -0.1,
  idle: -2.5,
  mistaken: -2.5,
  unfound: -1.5,
  outside: -1,
  outsideOdds: 1,
};
/** Few goals are known beside sellers' own: what is learned from them departs from what holds for descriptions. */
const priorOf = (kind: Reader.Reading['by']) => (kind === 'taught' ? chainWeights().described : prior);
/** The chains of a goal that are learned from: the most probable; all beside a seller's goals, where unseen ones got weights without any ground. */
const readingCountMax = { trained: 40, described: 40, taught: Number.POSITIVE_INFINITY };

/** The weight of goals of other APIs that take several calls or have no answer: those that are known have fewer of these than callers. */
const rareWeight = 1.8;

/** A number below `count` that depends on the text alone. */
function lot(text: string, count: number): number {
  let state = 7;
  for (const letter of text) state = (Math.imul(state, 31) + letter.charCodeAt(0)) >>> 0;
  return (state >>> 8) % count;
}

/** The readings of a goal: chains, none, and too vague. */
function exampleOf(
  { surface }: Advisor.Advisor,
  reader: Reader.Reader,
  text: string,
  right: { chains: readonly (readonly number[])[]; first: readonly number[]; isVague: boolean },
  group: string,
): Example {
  const goal = Goal.read(Translation.toEnglish(text, reader.concepts).text);
  const reading = Reader.read(reader, goal, text);
  const planning = Chain.prepare(goal, surface, reading);
  const initial = chainWeights()[reading.by];
  const drafts = Chain.draftsOf(planning);
  const isRight = ({ members, sources }: Draft.Draft) => {
    // Calls that find what a later one needs are no fault.
    const finders = new Set(
      sources.flat().flatMap((source) => (source.kind === 'call' ? [source.call] : [])),
    );
    const answers = (chain: readonly number[]) => {
      let done = 0;
      for (const [index, at] of members.entries())
        if (at === chain[done]) done += 1;
        else if (!finders.has(index)) return false;
      return done === chain.length;
    };
    return right.chains.some(answers) || right.first.some((at) => members.length === 1 && members[0] === at);
  };
  const scores = Ranker.scores(
    initial,
    drafts.map(({ evidence }) => evidence),
  );
  const least = [...scores].sort((a, b) => b - a)[readingCountMax[reading.by]] ?? Number.NEGATIVE_INFINITY;
  const kept = drafts.filter((draft, at) => isRight(draft) || (scores[at] as number) > least);
  const isInside = right.chains.length + right.first.length > 0;
  const none = right.isVague && reading.by !== 'described' ? kept.length + 1 : kept.length;
  return {
    group,
    isInside,
    isSeveral: (right.chains[0]?.length ?? 0) > 1,
    readings: [...kept.map(({ evidence }) => evidence), ...Chain.othersOf(reading)],
    right: isInside ? kept.flatMap((draft, at) => (isRight(draft) ? [at] : [])) : [none],
    weight: isInside && (right.chains[0]?.length ?? 0) < 2 ? 1 : reading.by === 'described' ? rareWeight : 1,
    firsts: kept.map(({ members }) => String(members[0])),
    meanings: kept.map(({ members }) => members.join(' ')),
  };
}

/** The answers to goals of test/goals, where several are right. */
function alternatives(): Map<string, readonly (readonly string[])[]> {
  const folder = new URL('../test/goals/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('bundled.json'),
  );
  return new Map(
    files
      .flatMap((file) => GoalSet.cases(new URL(file, folder).href))
      .map(({ goal, chains }) => [goal, chains.map((steps) => steps.map(([id = '']) => id))]),
  );
}

/** The authors of goals of the bundled catalogue, by number; those of its first file are not known. */
function authors(): Map<string, number> {
  const folder = new URL('../../../openapi/', import.meta.url);
  const { goals } = parse(readFileSync(new URL('catalog.yaml', folder), 'utf8')) as { goals: string[] };
  const entries = goals.flatMap((name, author) => {
    if (author === 0) return [];
    const { asks, chains = [], ...none } = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
    const listed: string[][] = [...Object.values<string[]>(asks), ...Object.values<string[]>(none)];
    const texts = [...listed.flat(), ...chains.map(({ ask }: { ask: string }) => ask)];
    return texts.map((ask) => [ask, author] as const);
  });
  return new Map(entries);
}

/** Some authors are left out at a time, and as many of the other goals. */
async function bundled(): Promise<Example[]> {
  const { advisor, document } = await GoalSet.advisor(GoalSet.shipped);
  const samples = advisor.prices.samples ?? [];
  const at = new Map(advisor.surface.offers.map((offer) => [offer.operation.id, offer.at]));
  const others = alternatives();
  const authorOf = authors();
  return [...Array(foldCount).keys()].flatMap((fold) => {
    const isLeftOut = ({ ask }: { ask: string }) =>
      (authorOf.get(ask) ?? lot(ask, foldCount)) % foldCount === fold;
    const prices = { ...advisor.prices, samples: samples.filter((sample) => !isLeftOut(sample)) };
    const partial = Advisor.openAdvisor(prices, document, advisor.baseUrl, advisor.rails, advisor.path);
    const reader = partial.surface.reader();
    return samples.filter(isLeftOut).flatMap(({ ask, calls, kind }) => {
      // Goals for one call are many: a third of them, with three times the weight, says as much.
      if (calls.length === 1 && lot(`${ask}#`, singleEvery) > 0) return [];
      const chains = (others.get(ask) ?? (calls.length > 0 ? [calls] : [])).map((chain) =>
        chain.map((call) => at.get(call) as number),
      );
      const right = { chains, first: [], isVague: kind === 'vague' };
      const example = exampleOf(partial, reader, ask, right, String(fold));
      return calls.length === 1 ? { ...example, weight: singleEvery } : example;
    });
  });
}

/** Reads goals of callers. */
function ofCallers(
  advisor: Advisor.Advisor,
  reader: Reader.Reader,
  goals: readonly GoalSet.Case[],
  group: string,
): Example[] {
  const at = new Map(advisor.surface.offers.map((offer) => [offer.operation.id, offer.at]));
  const placeOf = (id: string) => at.get(id) ?? -1;
  return goals.map(({ goal, first, chains, status }) => {
    const right = {
      chains: chains.map((steps) => steps.map(([id = '']) => placeOf(id))),
      first: chains.length > 0 ? [] : first.map(placeOf),
      isVague: status === 'needs_input',
    };
    return exampleOf(advisor, reader, goal, right, group);
  });
}

async function described(): Promise<Example[]> {
  const apis = [...(await Apis.read()).values()];
  const ranksOf = Apis.leftOut(apis);
  return apis.flatMap(({ advisor, goals }, place) => {
    const reader = { ...advisor.surface.reader(), ranks: ranksOf[place % Apis.foldCount] ?? {} };
    const clear = goals.filter(({ status }) => status !== 'needs_input');
    return ofCallers(advisor, reader, clear, String(place % Apis.foldCount));
  });
}

/** The APIs whose sellers wrote goals, each with the goals of one and of more chats; each folder is left out at a time. */
async function taught(): Promise<Example[]> {
  const apis = await Apis.read();
  const ranksOf = Apis.leftOut([...apis.values()]);
  const examples: Example[] = [];
  for (const [place, [name, { goals, catalog }]] of [...apis].entries()) {
    const shown = await Sellers.read(catalog);
    for (const [at, advisor] of shown.entries()) {
      const reader = { ...advisor.surface.reader(), ranks: ranksOf[place % Apis.foldCount] ?? {} };
      const read = ofCallers(advisor, reader, goals, name.split('/')[0] ?? '');
      // An API counts once, however many of its chats are shown.
      const weight = 1 / shown.length;
      examples.push(...read.map((one) => ({ ...one, weight, ...(shown.length > 1 && { chats: at + 1 }) })));
    }
  }
  return examples;
}

const only = process.argv.find((arg) => arg.startsWith('--only='))?.slice('--only='.length);
const learned: Record<string, Ranker.Weights> = {};
for (const [name, read] of Object.entries({ trained: bundled, described, taught })) {
  if (only !== undefined && only !== name) continue;
  const examples = await read();
  const usable = (some: readonly Example[]) => some.filter(({ right }) => right.length > 0);
  const kind = name as Reader.Reading['by'];
  const initial = chainWeights()[kind];
  print(
    `${name} before`,
    examples.map((example) => judge(initial, example)),
  );
  const judged = [...Map.groupBy(examples, ({ group }) => group)].flatMap(([group, own]) => {
    const weights = Softmax.train(
      usable(examples.filter((other) => other.group !== group)),
      penalties[kind],
      priorOf(kind),
    );
    return own.map((example) => judge(weights, example));
  });
  print(`${name} after `, judged);
  learned[name] = Softmax.train(usable(examples), penalties[kind], priorOf(kind));
  process.stdout.write(`${JSON.stringify(learned[name])}\n`);
}
if (process.argv.includes('--save')) {
  const rounded = Object.fromEntries(
    Object.entries({ ...chainWeights(), ...learned }).map(([name, weights]) => [
      name,
      Object.fromEntries(Object.entries(weights).map(([key, value]) => [key, Number(value.toFixed(3))])),
    ]),
  );
  writeFileSync(new URL('../data/chains.json', import.meta.url), `${JSON.stringify(rounded, null, 2)}\n`);
}
