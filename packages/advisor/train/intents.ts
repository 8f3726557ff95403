import { writeFileSync } from 'node:fs';
import * as Features from '../src/features.ts';
import * as Goal from '../src/goal.ts';
import * as Intents from '../src/intents.ts';
import { common, concepts } from '../src/knowledge.ts';
import * as Translation from '../src/translation.ts';

const epochs = Number(process.env.EPOCHS ?? 12);
const rate = Number(process.env.RATE ?? 0.5);
const decay = Number(process.env.DECAY ?? 3e-3);
const scale = Number(process.env.SCALE ?? 1);
const weightMin = 0.4;

type Example = { features: ReadonlyMap<string, number>; of: number; weight: number };

const table = concepts({});
const tokensOf = (text: string) =>
  Features.tokens(Goal.read(Translation.toEnglish(text, table).text), table, () => []);

export function examples(): { asks: Example[]; titles: Example[]; names: string[] } {
  const listed = common();
  const of = (texts: readonly string[], at: number, weight: number) =>
    texts.map((text) => ({ features: Intents.featuresOf(tokensOf(text)), of: at, weight }));
  return {
    names: listed.map(({ is }) => is),
    asks: listed.flatMap(({ asks }, at) => of(asks, at, 1)),
    titles: listed.flatMap(({ is, also, words = '' }, at) => [
      ...of([is, ...also], at, 1),
      ...of(words.split(',').map((w) => w.trim()).filter((w) => w !== ''), at, Number(process.env.WW ?? 0.5)),
    ]),
  };
}

export function train(all: readonly Example[], count: number): Intents.Intents {
  const counts = new Map<string, number>();
  for (const { features } of all) for (const name of features.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const known = [...counts].filter(([name, n]) => !name.includes(' ') || n >= Number(process.env.PM ?? 1)).map(([name]) => name);
  const index = new Map(known.map((name, at) => [name, at]));
  const weights = new Float64Array(known.length * count);
  const squares = new Float64Array(known.length * count).fill(1e-3);
  const biases = new Float64Array(count);
  const vectors = all.map(({ features }) => {
    const own = [...features].flatMap(([name, value]) => (index.has(name) ? [[index.get(name) as number, value] as const] : []));
    const length = Math.sqrt(own.reduce((sum, [, value]) => sum + value * value, 0)) || 1;
    return own.map(([at, value]) => [at, (value / length) * scale] as const);
  });
  const order = all.map((_, at) => at);
  let state = 12345;
  const scores = new Float64Array(count);
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let at = order.length - 1; at > 0; at--) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const other = state % (at + 1);
      [order[at], order[other]] = [order[other] as number, order[at] as number];
    }
    for (const at of order) {
      const own = vectors[at] as (readonly [number, number])[];
      const { of, weight } = all[at] as Example;
      scores.set(biases);
      for (const [feature, value] of own)
        for (let k = 0; k < count; k++) scores[k] = (scores[k] as number) + (weights[feature * count + k] as number) * value;
      let most = -1e9;
      for (let k = 0; k < count; k++) most = Math.max(most, scores[k] as number);
      let total = 0;
      for (let k = 0; k < count; k++) { scores[k] = Math.exp((scores[k] as number) - most); total += scores[k] as number; }
      for (let k = 0; k < count; k++) scores[k] = ((scores[k] as number) / total - (k === of ? 1 : 0)) * weight;
      for (let k = 0; k < count; k++) if (Math.abs(scores[k] as number) > 1e-3) biases[k] = (biases[k] as number) - 0.01 * (scores[k] as number);
      for (const [feature, value] of own)
        for (let k = 0; k < count; k++) {
          if (Math.abs(scores[k] as number) < 1e-3) continue;
          const place = feature * count + k;
          const gradient = (scores[k] as number) * value + decay * (weights[place] as number);
          squares[place] = (squares[place] as number) + gradient * gradient;
          weights[place] = (weights[place] as number) - (rate * gradient) / Math.sqrt(squares[place] as number);
        }
    }
  }
  const packed = new Map<string, number[]>();
  for (const [at, name] of known.entries()) {
    const least = name.includes(' ') ? 1.2 : weightMin;
    const own = [...weights.subarray(at * count, (at + 1) * count)]
      .map((w, k) => [k, w] as const)
      .filter(([, w]) => w >= least)
      .sort((a, b) => b[1] - a[1])
      .slice(0, 8)
      .flatMap(([k, w]) => [k, Math.round(w * 10)]);
    if (own.length > 0) packed.set(name, own);
  }
  return { count, weights: packed, biases: [...biases].map((b) => Math.round(b * 10)), titles: [], within: [], byStart: new Map() };
}

export { tokensOf };

if (process.argv[1]?.endsWith('train/intents.ts')) {
  const { asks, titles, names } = examples();
  if (process.argv[2] === 'try') {
    let right = 0, five = 0, lp = 0; const wordy = new Set(common().flatMap(({ words }, at) => (words ? [at] : []))); const part = { n: 0, one: 0, five: 0 };
    const folds = 4;
    for (let fold = 0; fold < folds; fold++) {
      const model = train([...asks.filter((_, at) => at % folds !== fold), ...titles], names.length);
      for (const [at, { features, of }] of asks.entries()) {
        if (at % folds !== fold) continue;
        const scores = Float64Array.from(model.biases, (b) => b / 10);
        const known = [...features].filter(([name]) => model.weights.has(name));
        const length = Math.sqrt(known.reduce((sum, [, v]) => sum + v * v, 0)) || 1;
        for (const [name, value] of known) {
          const own = model.weights.get(name) ?? [];
          for (let i = 0; i < own.length; i += 2) scores[own[i] as number] = (scores[own[i] as number] as number) + ((own[i + 1] as number) / 10) * value / length * scale;
        }
        const rank = scores.filter((s) => s > (scores[of] as number)).length;
        if (rank === 0) right++; if (wordy.has(of)) { part.n++; part.one += Number(rank === 0); part.five += Number(rank < 5); }
        if (rank < 5) five++;
        const m = Math.max(...scores); const z = scores.reduce((s, x) => s + Math.exp(x - m), 0);
        lp += (scores[of] as number) - m - Math.log(z);
      }
    }
    console.log('worded', part.n, part.one / part.n, part.five / part.n); console.log('top1', right / asks.length, 'top5', five / asks.length, 'logp', lp / asks.length, asks.length);
  } else {
    const model = train([...asks, ...titles], names.length);
    const file = JSON.stringify({ titles: common().map(({ is, also }) => [is, ...also]), within: common().map(({ within }) => (within === undefined ? -1 : names.indexOf(within))), biases: model.biases, weights: Object.fromEntries([...model.weights].map(([name, own]) => [name, own.join(' ')])) }).replaceAll('","', '",\n"');
    writeFileSync(new URL('../data/intents.json', import.meta.url), file);
    console.log(names.length, 'intents', model.weights.size, 'features', file.length, 'bytes');
  }
}
