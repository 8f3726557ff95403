import { writeFileSync } from 'node:fs';
import * as Ranker from '../src/ranker.ts';
import * as Apis from './apis.ts';
import type * as Softmax from './softmax.ts';

// node packages/advisor/train/ranker.ts [--save]
// Learns what a goal and the operation that it wants have in common, over all APIs of test/goals and train/apis. Prints how well each API
// is answered by what was learned from others, and how many of the certain answers are wrong. --save writes data/ranker.json.

type Judged = { share: number; isRight: boolean; isOutside: boolean };

function judge(weights: Ranker.Weights, { readings, right }: Softmax.Row): Judged {
  const shares = Ranker.probabilities(Ranker.scores(weights, readings));
  const share = Math.max(...shares);
  const best = shares.indexOf(share);
  return { share, isRight: right.includes(best), isOutside: best === readings.length - 1 };
}

function percent(judged: readonly Judged[]): string {
  return `${((judged.filter(({ isRight }) => isRight).length / judged.length) * 100).toFixed(1)} % of ${judged.length}`;
}

const apis = await Apis.read();
const all: Judged[] = [];
const listed = [...apis.values()];
const ranksOf = Apis.leftOut(listed);
for (const [at, [name, { rows }]] of [...apis].entries()) {
  const weights = ranksOf[at % Apis.foldCount] ?? {};
  const judged = rows.filter(({ weight }) => weight === 1).map((row) => judge(weights, row));
  all.push(...judged);
  process.stdout.write(`${name.padEnd(12)} ${percent(judged)}\n`);
}
process.stdout.write(`all          ${percent(all)}\n`);
for (const least of [0.5, 0.7, 0.8, 0.85, 0.9, 0.95]) {
  const certain = all.filter(({ share, isOutside }) => share >= least && !isOutside);
  process.stdout.write(`from ${least}: ${certain.length} certain, right ${percent(certain)}\n`);
}
if (process.argv.includes('--save')) {
  const weights = Object.entries(Apis.train(listed)).map(([name, value]) => [name, Number(value.toFixed(3))]);
  const file = new URL('../data/ranker.json', import.meta.url);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(weights), null, 2)}\n`);
}
