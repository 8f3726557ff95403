import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as Features from '../src/features.ts';
import * as Goal from '../src/goal.ts';
import * as Intents from '../src/intents.ts';
import { common, concepts } from '../src/knowledge.ts';
import * as Translation from '../src/translation.ts';

// node packages/advisor/train/intents.ts [--check]
// Trains the recognition of common operations on data/common.yaml and writes data/intents.json: one softmax regression over all of them.

const epochs = 12;
const rate = 0.5;
const decay = 3e-3;
/** The weight of a single word of an operation beside a whole phrase. */
const wordWeight = 0.5;
/** Smaller weights are left out, of pairs of words earlier, and all but the largest of a feature. */
const kept = { word: 0.4, pair: 1.2, count: 8 };
const weightUnit = 10;

/** `isHeld`: left out of training to measure it. */
/** One in so many goals is held out by --check. */
const heldEvery = 5;

type Example = { at: Int32Array; value: Float64Array; of: number; weight: number; isHeld: boolean };

const table = concepts({});

/** Further goals in many voices for the common operations, by the names of these: lines below `= Name`. */
function voices(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const folder = new URL('voices/', import.meta.url);
  for (const file of readdirSync(folder).sort())
    for (const part of readFileSync(new URL(file, folder), 'utf8').split(/^= /m).slice(1)) {
      const [name = '', ...asks] = part.trim().split('\n');
      found.set(name, [...(found.get(name) ?? []), ...asks]);
    }
  return found;
}

function featuresOf(text: string): Map<string, number> {
  const goal = Goal.read(Translation.toEnglish(text, table).text);
  return Intents.featuresOf(Features.tokens(goal, table, () => []));
}

/** Reads all phrases and words; `names` are the features by their number. */
function read(): { examples: Example[]; names: string[] } {
  const index = new Map<string, number>();
  const examples: Example[] = [];
  const add = (text: string, of: number, weight: number, isHeld = false) => {
    const features = [...featuresOf(text)];
    for (const [name] of features) if (!index.has(name)) index.set(name, index.size);
    examples.push({
      at: Int32Array.from(features, ([name]) => index.get(name) as number),
      value: Float64Array.from(features, ([, value]) => value),
      of,
      weight,
      isHeld,
    });
  };
  const listed = common();
  const further = voices();
  const names = listed.map(({ is }) => is);
  for (const name of further.keys())
    if (!names.includes(name)) throw new Error(`no common operation: ${name}`);
  for (const [of, { is, asks }] of listed.entries())
    for (const [at, ask] of [...asks, ...(further.get(is) ?? [])].entries())
      add(ask, of, 1, at % heldEvery === 0);
  for (const [of, { is, also, words = '' }] of listed.entries()) {
    for (const title of [is, ...also]) add(title, of, 1);
    for (const word of words.split(',')) if (word.trim() !== '') add(word.trim(), of, wordWeight);
  }
  return { examples, names: [...index.keys()] };
}

function train(
  examples: readonly Example[],
  featureCount: number,
  count: number,
): [Float64Array, Float64Array] {
  const weights = new Float64Array(featureCount * count);
  const squares = new Float64Array(featureCount * count).fill(1e-3);
  const biases = new Float64Array(count);
  const order = examples.map((_, at) => at);
  let state = 12_345;
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let at = order.length - 1; at > 0; at--) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const other = state % (at + 1);
      [order[at], order[other]] = [order[other] as number, order[at] as number];
    }
    for (const at of order) step(examples[at] as Example, weights, squares, biases);
  }
  return [weights, biases];
}

function step(example: Example, weights: Float64Array, squares: Float64Array, biases: Float64Array): void {
  const count = biases.length;
  const scores = Float64Array.from(biases);
  for (const [index, feature] of example.at.entries())
    for (let k = 0; k < count; k++)
      scores[k] =
        (scores[k] as number) + (weights[feature * count + k] as number) * (example.value[index] as number);
  const most = Math.max(...scores);
  const total = scores.reduce((sum, score) => sum + Math.exp(score - most), 0);
  for (let k = 0; k < count; k++) {
    const error =
      (Math.exp((scores[k] as number) - most) / total - Number(k === example.of)) * example.weight;
    if (Math.abs(error) < 1e-3) continue;
    biases[k] = (biases[k] as number) - 0.01 * error;
    for (const [index, feature] of example.at.entries()) {
      const place = feature * count + k;
      const gradient = error * (example.value[index] as number) + decay * (weights[place] as number);
      const square = (squares[place] as number) + gradient * gradient;
      squares[place] = square;
      weights[place] = (weights[place] as number) - (rate * gradient) / Math.sqrt(square);
    }
  }
}

/** The largest weights of each feature, as pairs of an operation and a weight. */
function packed(weights: Float64Array, names: readonly string[], count: number): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const least = name.includes(' ') ? kept.pair : kept.word;
    const own = [...weights.subarray(at * count, (at + 1) * count)]
      .map((weight, of) => ({ of, weight }))
      .filter(({ weight }) => weight >= least)
      .sort((a, b) => b.weight - a.weight)
      .slice(0, kept.count)
      .flatMap(({ of, weight }) => [of, Math.round(weight * weightUnit)]);
    if (own.length > 0) found[name] = own.join(' ');
  }
  return found;
}

/** Prints how many goals that were not learned are recognized, among all operations and among the twelve before and after theirs. */
function check(held: readonly Example[]): void {
  const count = biases.length;
  let [all, near] = [0, 0];
  for (const { at, value, of } of held) {
    const scores = biases.map((bias, k) =>
      at.reduce(
        (sum, feature, index) => sum + (weights[feature * count + k] as number) * (value[index] as number),
        bias,
      ),
    );
    const best = (among: Float64Array) => among.indexOf(Math.max(...among));
    all += Number(best(scores) === of);
    near += Number(best(scores.map((score, k) => (Math.abs(k - of) <= 12 ? score : -99))) === of);
  }
  const percent = (part: number) => `${((part / held.length) * 100).toFixed(1)} %`;
  process.stdout.write(
    `${held.length} goals held out: right ${percent(all)}, among 25 neighbours ${percent(near)}\n`,
  );
}

const listed = common();
const { examples, names } = read();
const isCheck = process.argv.includes('--check');
const [weights, biases] = train(
  examples.filter(({ isHeld }) => !isCheck || !isHeld),
  names.length,
  listed.length,
);
if (isCheck) {
  check(examples.filter(({ isHeld }) => isHeld));
  process.exit();
}
const operations = listed.map(({ is }) => is);
const text = JSON.stringify({
  titles: listed.map(({ is, also }) => [is, ...also]),
  within: listed.map(({ within = '' }) => operations.indexOf(within)),
  biases: [...biases].map((bias) => Math.round(bias * weightUnit)),
  weights: packed(weights, names, listed.length),
});
writeFileSync(new URL('../data/intents.json', import.meta.url), text.replaceAll('","', '",\n"'));
process.stdout.write(
  `${listed.length} operations, ${examples.length} phrases and words, ${text.length} bytes\n`,
);
