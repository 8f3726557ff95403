/** The weight of each piece of evidence, learned over many APIs. */
export type Weights = Readonly<Record<string, number>>;

/** Returns the log-odds that each of some readings is meant rather than another, by what speaks for it. */
export function scores(weights: Weights, evidence: readonly Readonly<Record<string, number>>[]): number[] {
  return evidence.map((own) =>
    Object.entries(own).reduce((sum, [name, value]) => sum + value * (weights[name] ?? 0), 0),
  );
}

/** Returns the probability of each of some scores. */
export function probabilities(of: readonly number[]): number[] {
  const most = Math.max(...of);
  const powers = of.map((score) => Math.exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}
