/** Returns the value that `share` of the samples do not exceed (nearest rank), or NaN without samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

export function sum(samples: readonly number[]): number {
  return samples.reduce((total, sample) => total + sample, 0);
}
