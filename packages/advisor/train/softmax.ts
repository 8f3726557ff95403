import * as Ranker from '../src/ranker.ts';

type Evidence = Readonly<Record<string, number>>;
/** Readings of one goal, each with what speaks for it; `right` are the positions of those that are meant. */
export type Row = { readings: readonly Evidence[]; right: readonly number[]; weight: number };
type Vector = { at: Int32Array; value: Float64Array };

const epochs = 150;
const rate = 0.15;

/** Learns the weight of each piece of evidence: a softmax over the readings of every goal. @param penalty of the squares of what the weights differ from `prior` by */
export function train(rows: readonly Row[], penalty: number, prior: Ranker.Weights = {}): Ranker.Weights {
  const index = new Map<string, number>();
  for (const { readings } of rows)
    for (const own of readings)
      for (const name of Object.keys(own)) if (!index.has(name)) index.set(name, index.size);
  const vectors = rows.map(({ readings }) =>
    readings.map((own): Vector => {
      const found = Object.entries(own).filter(([, value]) => value !== 0);
      return {
        at: Int32Array.from(found, ([name]) => index.get(name) as number),
        value: Float64Array.from(found, ([, value]) => value),
      };
    }),
  );
  const start = Float64Array.from(index.keys(), (name) => prior[name] ?? 0);
  const weights = Float64Array.from(start);
  const [mean, square] = [new Float64Array(index.size), new Float64Array(index.size)];
  for (let epoch = 1; epoch <= epochs; epoch++) {
    const gradient = weights.map((weight, k) => 2 * penalty * (weight - (start[k] as number)));
    for (const [at, row] of rows.entries()) descend(row, vectors[at] ?? [], weights, gradient, rows.length);
    for (const [k, slope] of gradient.entries()) {
      mean[k] = 0.9 * (mean[k] as number) + 0.1 * slope;
      square[k] = 0.99 * (square[k] as number) + 0.01 * slope * slope;
      const size = Math.sqrt((square[k] as number) / (1 - 0.99 ** epoch)) + 1e-6;
      weights[k] = (weights[k] as number) - (rate * ((mean[k] as number) / (1 - 0.9 ** epoch))) / size;
    }
  }
  return Object.fromEntries([...index].map(([name, k]) => [name, weights[k] as number]));
}

/** Adds the gradient of one goal. */
function descend(
  { right, weight }: Row,
  vectors: readonly Vector[],
  weights: Float64Array,
  gradient: Float64Array,
  count: number,
): void {
  const scores = vectors.map(({ at, value }) => {
    let sum = 0;
    for (let index = 0; index < at.length; index++)
      sum += (weights[at[index] as number] as number) * (value[index] as number);
    return sum;
  });
  const shares = Ranker.probabilities(scores);
  const total = right.reduce((sum, each) => sum + (shares[each] ?? 0), 0) || 1e-9;
  for (const [place, { at, value }] of vectors.entries()) {
    const share = shares[place] as number;
    const error = ((share - (right.includes(place) ? share / total : 0)) * weight) / count;
    for (let index = 0; index < at.length; index++)
      gradient[at[index] as number] =
        (gradient[at[index] as number] as number) + error * (value[index] as number);
  }
}
