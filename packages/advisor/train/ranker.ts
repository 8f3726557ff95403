import { readdirSync, writeFileSync } from 'node:fs';
import * as Asked from '../src/asked.ts';
import * as Described from '../src/described.ts';
import * as Goal from '../src/goal.ts';
import { common, concepts, intents } from '../src/knowledge.ts';
import * as Pairing from '../src/pairing.ts';
import * as Ranker from '../src/ranker.ts';
import { atOnce } from '../src/slices.ts';
import * as Translation from '../src/translation.ts';
import * as GoalSet from '../test/goal-set.ts';

// node packages/advisor/train/ranker.ts [--save]
// Learns what a goal and the operation that it wants have in common, over all APIs of test/goals and train/apis. Prints how well each API
// is answered by what was learned from the others, and how many of the certain answers are wrong. --save writes data/ranker.json.

/** A goal with its comparisons; `right` are positions, that after the last operation for none. */
type Row = {
  pairs: readonly Pairing.Pairing[];
  none: Pairing.Pairing;
  right: readonly number[];
  weight: number;
};
type Vector = { at: Int32Array; value: Float64Array };

const epochs = 150;
const rate = 0.15;
const penalty = 0.003;
/** The weight of callers' own phrases, which the APIs that are learned from do not have. */
const askedWeight = 1.5;
/** The weight of a sibling that the goal names instead; too few goals that are learned from name one to learn it. */
const behindWeight = -5;
/** Goals of other APIs that are shown to each API as outside of its offer: every so many, and their weight. */
const elsewhere = { every: 12, weight: 0.15, likenessMax: 0.3 };

async function rowsOf(catalog: URL): Promise<Row[]> {
  const { advisor } = await GoalSet.advisor(catalog.href);
  const { offers } = advisor.surface;
  const table = concepts({});
  const api = atOnce(Described.open(offers, [], table, intents()));
  const row = (goal: string, right: readonly number[], weight: number): Row => {
    const asked = Asked.ask(api, Goal.read(Translation.toEnglish(goal, table).text), goal);
    return { pairs: Pairing.pair(api, asked), none: Pairing.nothing(api, asked), right, weight };
  };
  const own = GoalSet.cases(catalog.href.replace(/yaml$/, 'json')).flatMap(({ goal, first, status }) => {
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
  return [...own, ...others];
}

function train(rows: readonly Row[]): Ranker.Weights {
  const names = [
    ...new Set(rows.flatMap(({ pairs, none }) => [...Object.keys(pairs[0] ?? {}), ...Object.keys(none)])),
  ];
  const vectors = rows.map(({ pairs, none }) =>
    [...pairs, none].map((pairing): Vector => {
      const own = Object.entries(pairing).filter(([, value]) => value !== 0);
      return {
        at: Int32Array.from(own, ([name]) => names.indexOf(name)),
        value: Float64Array.from(own, ([, value]) => value),
      };
    }),
  );
  const weights = new Float64Array(names.length);
  const [mean, square] = [new Float64Array(names.length), new Float64Array(names.length)];
  for (let epoch = 1; epoch <= epochs; epoch++) {
    const gradient = weights.map((weight) => 2 * penalty * weight);
    for (const [at, row] of rows.entries()) descend(row, vectors[at] ?? [], weights, gradient, rows.length);
    for (const [k, slope] of gradient.entries()) {
      mean[k] = 0.9 * (mean[k] as number) + 0.1 * slope;
      square[k] = 0.99 * (square[k] as number) + 0.01 * slope * slope;
      const size = Math.sqrt((square[k] as number) / (1 - 0.99 ** epoch)) + 1e-6;
      weights[k] = (weights[k] as number) - (rate * ((mean[k] as number) / (1 - 0.9 ** epoch))) / size;
    }
  }
  const learned = Object.fromEntries(names.map((name, k) => [name, weights[k] as number]));
  return { ...learned, asked: askedWeight, behind: behindWeight };
}

/** Adds the gradient of one goal. */
function descend(
  { right, weight }: Row,
  vectors: readonly Vector[],
  weights: Float64Array,
  gradient: Float64Array,
  count: number,
): void {
  const scores = vectors.map(({ at, value }) =>
    at.reduce((sum, name, index) => sum + (weights[name] as number) * (value[index] as number), 0),
  );
  const shares = Ranker.probabilities(scores);
  const total = right.reduce((sum, each) => sum + (shares[each] ?? 0), 0) || 1e-9;
  for (const [place, { at, value }] of vectors.entries()) {
    const share = shares[place] as number;
    const error = ((share - (right.includes(place) ? share / total : 0)) * weight) / count;
    for (const [index, name] of at.entries())
      gradient[name] = (gradient[name] as number) + error * (value[index] as number);
  }
}

type Judged = { share: number; isRight: boolean; isOutside: boolean };

function judge(weights: Ranker.Weights, { pairs, none, right }: Row): Judged {
  const shares = Ranker.probabilities(Ranker.scores(weights, pairs, none));
  const share = Math.max(...shares);
  const best = shares.indexOf(share);
  return { share, isRight: right.includes(best), isOutside: best === pairs.length };
}

function percent(judged: readonly Judged[]): string {
  return `${((judged.filter(({ isRight }) => isRight).length / judged.length) * 100).toFixed(1)} % of ${judged.length}`;
}

const sets = new Map<string, Row[]>();
for (const folder of [new URL('../test/goals/', import.meta.url), new URL('apis/', import.meta.url)])
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('-api.yaml'))
    .sort())
    sets.set(file.replace('-api.yaml', ''), await rowsOf(new URL(file.replace('-api', ''), folder)));
const all: Judged[] = [];
for (const [name, own] of sets) {
  const weights = train([...sets].flatMap(([other, rows]) => (other === name ? [] : rows)));
  const judged = own.filter(({ weight }) => weight === 1).map((row) => judge(weights, row));
  all.push(...judged);
  process.stdout.write(`${name.padEnd(12)} ${percent(judged)}\n`);
}
process.stdout.write(`all          ${percent(all)}\n`);
for (const least of [0.5, 0.7, 0.8, 0.85, 0.9, 0.95]) {
  const certain = all.filter(({ share, isOutside }) => share >= least && !isOutside);
  process.stdout.write(`from ${least}: ${certain.length} certain, right ${percent(certain)}\n`);
}
if (process.argv.includes('--save')) {
  const weights = Object.entries(train([...sets.values()].flat())).map(([name, value]) => [
    name,
    Number(value.toFixed(3)),
  ]);
  const file = new URL('../data/ranker.json', import.meta.url);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(weights), null, 2)}\n`);
}
