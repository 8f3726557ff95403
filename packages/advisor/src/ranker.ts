import type { Pairing } from './pairing.ts';

/** The weight of each comparison, learned over many APIs. */
export type Weights = Readonly<Record<string, number>>;

/** Returns the log-odds that an operation is wanted rather than another, for each; the last is for none of them. */
export function scores(weights: Weights, pairs: readonly Pairing[], none: Pairing): number[] {
  return [...pairs, none].map((pairing) =>
    Object.entries(pairing).reduce((sum, [name, value]) => sum + value * (weights[name] ?? 0), 0),
  );
}

/** Returns the probability of each of some scores. */
export function probabilities(of: readonly number[]): number[] {
  const most = Math.max(...of);
  const powers = of.map((score) => Math.exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}
