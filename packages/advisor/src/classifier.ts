/** The features of a text, each with its weight. */
export type Features = ReadonlyMap<string, number>;
/** A text, the classes that it belongs to, and how much it counts. */
export type Example = { features: Features; classes: readonly number[]; weight: number };

/** One logistic regression per class over shared features. Given the same examples in the same order, it is the same on every machine. */
export type Classifier = {
  classCount: number;
  index: ReadonlyMap<string, number>;
  /** By feature, then by class. */
  weights: Float64Array;
  biases: Float64Array;
};

/** Examples that are learnt between two yields. */
const examplesAtOnce = 50;
/** Rounds over the examples: many of them need fewer. */
const epochs = { least: 8, most: 14, examples: 80_000 };
const rate = 0.6;
const decay = 2e-4;
/** The length that every vector of features is scaled to. */
const norm = 1;

/** Trains a classifier; yields after each short part of the work. @param countMin features of fewer examples are left out */
export function* train(
  examples: readonly Example[],
  classCount: number,
  countMin: (feature: string) => number,
): Generator<void, Classifier> {
  const counts = new Map<string, number>();
  for (const { features } of examples)
    for (const name of features.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const index = new Map<string, number>();
  for (const [name, count] of counts) if (count >= countMin(name)) index.set(name, index.size);
  const model: Classifier = {
    classCount,
    index,
    weights: new Float64Array(index.size * classCount),
    biases: new Float64Array(classCount).fill(-2),
  };
  const vectors = examples.map(({ features }) => vector(model, features));
  const squares = new Float64Array(index.size * classCount).fill(1e-6);
  const wanted = new Float64Array(classCount);
  const sums = new Float64Array(classCount);
  const rounds = Math.min(epochs.most, Math.max(epochs.least, Math.round(epochs.examples / examples.length)));
  for (let epoch = 0; epoch < rounds; epoch++)
    for (const [done, at] of shuffled(examples.length, epoch).entries()) {
      if (done % examplesAtOnce === 0) yield;
      const example = examples[at];
      const own = vectors[at];
      if (example === undefined || own === undefined) continue;
      wanted.fill(0);
      for (const each of example.classes) wanted[each] = 1;
      step(model, squares, own, wanted, example.weight, sums);
    }
  return model;
}

type Vector = { at: Int32Array; value: Float64Array };

function step(
  { classCount, weights, biases }: Classifier,
  squares: Float64Array,
  { at, value }: Vector,
  wanted: Float64Array,
  weight: number,
  sums: Float64Array,
): void {
  // Feature by feature, in the order of the weights in memory: class by class takes several times as long.
  sums.set(biases);
  for (let index = 0; index < at.length; index++) {
    const from = (at[index] as number) * classCount;
    const of = value[index] as number;
    for (let own = 0; own < classCount; own++)
      sums[own] = (sums[own] as number) + (weights[from + own] as number) * of;
  }
  for (let own = 0; own < classCount; own++) {
    const error = (1 / (1 + Math.exp(-(sums[own] as number))) - (wanted[own] as number)) * weight;
    if (Math.abs(error) < 0.01) continue;
    biases[own] = (biases[own] as number) - 0.05 * error;
    for (let index = 0; index < at.length; index++) {
      const place = (at[index] as number) * classCount + own;
      const gradient = error * (value[index] as number) + decay * (weights[place] as number);
      const square = (squares[place] as number) + gradient * gradient;
      squares[place] = square;
      weights[place] = (weights[place] as number) - (rate * gradient) / Math.sqrt(square);
    }
  }
}

function vector({ index }: Pick<Classifier, 'index'>, features: Features): Vector {
  const known = [...features].flatMap(([name, value]) => {
    const at = index.get(name);
    return at === undefined ? [] : [{ at, value }];
  });
  const length = Math.sqrt(known.reduce((sum, { value }) => sum + value * value, 0)) || 1;
  return {
    at: Int32Array.from(known, ({ at }) => at),
    value: Float64Array.from(known, ({ value }) => (value / length) * norm),
  };
}

/** Returns the log-odds of each class. */
export function score(model: Classifier, features: Features): Float64Array {
  const { at, value } = vector(model, features);
  const sums = Float64Array.from(model.biases);
  for (let index = 0; index < at.length; index++)
    for (let own = 0; own < model.classCount; own++)
      sums[own] =
        (sums[own] ?? 0) +
        (model.weights[(at[index] ?? 0) * model.classCount + own] ?? 0) * (value[index] ?? 0);
  return sums;
}

/** The numbers below `count` in an order that depends on `seed` alone. */
function shuffled(count: number, seed: number): number[] {
  const order = [...Array(count).keys()];
  let state = (seed + 1) * 2_654_435_761;
  for (let at = count - 1; at > 0; at--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = state % (at + 1);
    [order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0];
  }
  return order;
}
