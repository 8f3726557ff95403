/**
 * Returns true if counts follow `weights`, by Pearson's chi-square test: an honest sample fails once in ten thousand times.
 * Labels whose expected count is below five are counted together.
 */
export function follows(
  labels: Iterable<string>,
  weights: Readonly<Record<string, number>>,
): { holds: boolean; statistic: number; limit: number } {
  const counts = new Map<string, number>();
  for (const label of labels) {
    if (!(label in weights)) return { holds: false, statistic: Number.POSITIVE_INFINITY, limit: 0 };
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  const all = [...counts.values()].reduce((total, count) => total + count, 0);
  const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
  const rare = { count: 0, expected: 0 };
  const cells: { count: number; expected: number }[] = [rare];
  for (const [label, weight] of Object.entries(weights)) {
    const cell = { count: counts.get(label) ?? 0, expected: (all * weight) / sum };
    if (cell.expected >= 5) cells.push(cell);
    else {
      rare.count += cell.count;
      rare.expected += cell.expected;
    }
  }
  const used = cells.filter(({ expected }) => expected > 0);
  const statistic = used.reduce(
    (total, { count, expected }) => total + (count - expected) ** 2 / expected,
    0,
  );
  const limit = quantile(Math.max(1, used.length - 1));
  return { holds: statistic <= limit, statistic, limit };
}

/** Standard normal quantile of 0.9999. */
const z = 3.719;

/** The 0.9999 quantile of the chi-square distribution (Wilson and Hilferty's approximation). */
function quantile(degrees: number): number {
  const part = 2 / (9 * degrees);
  return degrees * (1 - part + z * Math.sqrt(part)) ** 3;
}
