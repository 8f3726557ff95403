import { readdirSync } from 'node:fs';
import type * as Advisor from '../src/advisor.ts';
import * as Asked from '../src/asked.ts';
import * as Described from '../src/described.ts';
import * as Goal from '../src/goal.ts';
import { common, concepts, intents } from '../src/knowledge.ts';
import * as Pairing from '../src/pairing.ts';
import type * as Ranker from '../src/ranker.ts';
import { atOnce } from '../src/slices.ts';
import * as Translation from '../src/translation.ts';
import * as GoalSet from '../test/goal-set.ts';
import * as Softmax from './softmax.ts';

const penalty = 0.003;
/** The weight of callers' own phrases, which the APIs that are learned from do not have. */
const askedWeight = 1.5;
/** The weight of a sibling that the goal names instead; too few goals that are learned from name one to learn it. */
const behindWeight = -5;
/** Goals of other APIs that are shown to each API as outside of its offer: every so many, and their weight. */
const elsewhere = { every: 12, weight: 0.15, likenessMax: 0.3 };

/** Goals whose operations are left out of the description, so that nothing sold answers them: each one of so many operations, the weight of these goals, and the share of the words of a title that makes a sibling answer in its place. */
const unsold = { parts: 4, weight: 0.15, shareMax: 0.4 };

/** An API that is known by its description alone, its goals, and their comparisons with each operation and with none. */
export type Api = {
  catalog: URL;
  advisor: Advisor.Advisor;
  goals: readonly GoalSet.Case[];
  rows: readonly Softmax.Row[];
};

/** Reads the APIs of test/goals and train/apis, by their names. */
export async function read(): Promise<Map<string, Api>> {
  const found = new Map<string, Api>();
  for (const folder of [new URL('../test/goals/', import.meta.url), new URL('apis/', import.meta.url)])
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('-api.yaml'))
      .sort())
      found.set(file.replace('-api.yaml', ''), await readApi(new URL(file.replace('-api', ''), folder)));
  return found;
}

async function readApi(catalog: URL): Promise<Api> {
  const { advisor } = await GoalSet.advisor(catalog.href);
  const { offers } = advisor.surface;
  const table = concepts({});
  const api = atOnce(Described.open(offers, [], table, intents()));
  const row = (goal: string, right: readonly number[], weight: number, of = api): Softmax.Row => {
    const asked = Asked.ask(of, Goal.read(Translation.toEnglish(goal, table).text), goal);
    return { readings: [...Pairing.pair(of, asked), Pairing.nothing(of, asked)], right, weight };
  };
  const goals = GoalSet.cases(catalog.href.replace(/yaml$/, 'json'));
  const own = goals.flatMap(({ goal, first, chains, status }) => {
    if (status === 'needs_input') return [];
    // A goal speaks of every call that it needs: those before the last may only find what that one takes.
    const calls = new Set([...first, ...chains.flat(2)]);
    const right = [...calls].map((id) => offers.findIndex(({ operation }) => operation.id === id));
    return [row(goal, first.length === 0 ? [offers.length] : right.filter((at) => at >= 0), 1)];
  });
  const others = common()
    .flatMap(({ asks }, at) =>
      (api.best[at] as number) < elsewhere.likenessMax ? [asks[at % asks.length] as string] : [],
    )
    .filter((_, at) => at % elsewhere.every === offers.length % elsewhere.every)
    .map((goal) => row(goal, [offers.length], elsewhere.weight));
  const left = Array.from({ length: unsold.parts }, (_, part) => {
    const kept = offers.filter(({ at }) => at % unsold.parts !== part);
    const of = atOnce(Described.open(kept, [], table, intents()));
    const isSold = (id: string) => {
      const at = offers.findIndex(({ operation }) => operation.id === id);
      const title = new Set(api.described[at]?.title);
      const isLike = (other: Described.Described) =>
        title.intersection(new Set(other.title)).size > unsold.shareMax * title.size;
      return at % unsold.parts !== part || of.described.some(isLike);
    };
    const unanswered = goals.filter(
      ({ first, chains }) => first.length > 0 && [...first, ...chains.flat(2)].every((id) => !isSold(id)),
    );
    return unanswered.map(({ goal }) => row(goal, [kept.length], unsold.weight, of));
  });
  return { catalog, advisor, goals, rows: [...own, ...others, ...left.flat()] };
}

/** The APIs are left out of training in so many groups. */
export const foldCount = 8;

/** Learns the weights of the comparisons for each group of APIs from all others: the API at a place is in the group of its number. */
export function leftOut(apis: readonly Api[]): Ranker.Weights[] {
  return Array.from({ length: foldCount }, (_, fold) =>
    train(apis.filter((_, at) => at % foldCount !== fold)),
  );
}

/** Learns the weights of the comparisons. */
export function train(apis: Iterable<Api>): Ranker.Weights {
  return {
    ...Softmax.train(
      [...apis].flatMap(({ rows }) => rows),
      penalty,
    ),
    asked: askedWeight,
    behind: behindWeight,
  };
}
