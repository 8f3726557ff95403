import type { Token } from './features.ts';

/** Recognizes which of the operations that many APIs have a text speaks of. Trained once, by `train/intents.ts`. */
export type Intents = {
  count: number;
  /** Pairs of an intent and a weight in tenths, by the name of a feature. */
  weights: ReadonlyMap<string, readonly number[]>;
  biases: readonly number[];
  /** The titles of each. */
  titles: readonly (readonly string[])[];
  /** The broader operation of each, which answers where an API does not have it; -1 for none. */
  within: readonly number[];
  /** Single words by their first letters. */
  byStart: ReadonlyMap<string, readonly string[]>;
};

/** The weight of words without a meaning of their own. */
const stopWeight = 0.4;
const pairWeight = 0.7;
const tokenCountMax = 160;
const weightUnit = 10;

/** The features of a text, of length 1. */
export function featuresOf(tokens: readonly Token[]): Map<string, number> {
  const read = tokens.slice(0, tokenCountMax);
  const features = new Map<string, number>();
  const add = (name: string, weight: number) => features.set(name, Math.max(features.get(name) ?? 0, weight));
  for (const [at, { name, isStop }] of read.entries()) {
    add(name, isStop ? stopWeight : 1);
    const next = read[at + 1];
    if (next !== undefined) add(`${name} ${next.name}`, pairWeight);
  }
  const length = Math.sqrt([...features.values()].reduce((sum, value) => sum + value * value, 0)) || 1;
  for (const [name, value] of features) features.set(name, value / length);
  return features;
}

/** Returns the probability of each intent. @param heat above 1: less certain */
export function probabilities(
  { count, weights, biases }: Intents,
  tokens: readonly Token[],
  heat = 1,
): Float64Array {
  const scores = Float64Array.from(biases, (bias) => bias / weightUnit);
  const features = [...featuresOf(tokens)].filter(([name]) => weights.has(name));
  // Unknown words do not lower the weight of the known ones.
  const length = Math.sqrt(features.reduce((sum, [, value]) => sum + value * value, 0)) || 1;
  for (const [name, value] of features) {
    const own = weights.get(name) ?? [];
    for (let index = 0; index < own.length; index += 2) {
      const at = own[index] as number;
      scores[at] = (scores[at] as number) + (((own[index + 1] as number) / weightUnit) * value) / length;
    }
  }
  return softmax(scores, heat, count);
}

function softmax(scores: Float64Array, heat: number, count: number): Float64Array {
  const most = scores.reduce((best, score) => Math.max(best, score), Number.NEGATIVE_INFINITY);
  let total = 0;
  for (let at = 0; at < count; at++) {
    const value = Math.exp(((scores[at] as number) - most) / heat);
    scores[at] = value;
    total += value;
  }
  for (let at = 0; at < count; at++) scores[at] = (scores[at] as number) / total;
  return scores;
}

/** Reads the trained weights: features with the numbers of intents and their weights, in a text each. */
export function open({
  titles,
  within,
  biases,
  weights,
}: {
  titles: string[][];
  within: number[];
  biases: number[];
  weights: Record<string, string>;
}): Intents {
  return {
    count: titles.length,
    titles,
    within,
    biases,
    weights: new Map(Object.entries(weights).map(([name, own]) => [name, own.split(' ').map(Number)])),
    byStart: Map.groupBy(
      Object.keys(weights).filter((name) => /^\p{L}{4,}$/u.test(name)),
      (name) => name.slice(0, 3),
    ),
  };
}
