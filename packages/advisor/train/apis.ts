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

/** An API that is known by its description alone, its goals, and their comparisons with each operation and with none. */
export type Api = { advisor: Advisor.Advisor; goals: readonly GoalSet.Case[]; rows: readonly Softmax.Row[] };

/** Reads the APIs of test/goals and train/apis, by their names. */
export async function read(): Promise<Map<string, Api>> {
  const found = new Map<string, Api>();
  for (const folder of [new URL('../test/goals/', import.meta.url), new URL('apis/', import.meta.url)])
    for (const file of readdirSync(folder)
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
  const row = (goal: string, right: readonly number[], weight: number): Softmax.Row => {
    const asked = Asked.ask(api, Goal.read(Translation.toEnglish(goal, table).text), goal);
    return { readings: [...Pairing.pair(api, asked), Pairing.nothing(api, asked)], right, weight };
  };
  const goals = GoalSet.cases(catalog.href.replace(/yaml$/, 'json'));
  const own = goals.flatMap(({ goal, first, status }) => {
    if (status === 'needs_input') return [];
    const right = first.map((id) => offers.findIndex(({ operation }) => operation.id === id));
    return [row(goal, first.length === 0 ? [offers.length] : right.filter((at) => at >= 0), 1)];
  });
  const others = common()
    .flatMap(({ asks }, at) =>
      (api.best[at] as number) < elsewhere.likenessMax ? [asks[at % asks.length] as string] : [],
    )
    .filter((_, at) => at % elsewhere.every === offers.length % elsewhere.every)
    .map((goal) => row(goal, [offers.length], elsewhere.weight));
  return { advisor, goals, rows: [...own, ...others] };
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
