import type { Features } from './classifier.ts';

/** Goals with their answers, by the features of the goals. */
export type Nearest = {
  answers: readonly string[];
  /** The goals that have each feature, with its weight. */
  having: ReadonlyMap<string, readonly { at: number; weight: number }[]>;
};

/** The likeness of the nearest goal with one answer, and the share of such goals among the nearest of all, both from 0 to 1. */
export type Near = { most: number; share: number };

/** The goals that are taken as the nearest. */
const nearestCount = 20;

/** Prepares goals for comparisons. */
export function open(goals: readonly { features: Features; answer: string }[]): Nearest {
  const counts = new Map<string, number>();
  for (const { features } of goals)
    for (const name of features.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const having = new Map<string, { at: number; weight: number }[]>();
  for (const name of counts.keys()) having.set(name, []);
  for (const [at, { features }] of goals.entries())
    for (const [name, weight] of weighed(features, (own) => counts.get(own) ?? 0, goals.length))
      having.get(name)?.push({ at, weight });
  return { answers: goals.map(({ answer }) => answer), having };
}

/** Returns how near a goal is to the goals with each answer. */
export function near({ answers, having }: Nearest, features: Features): Map<string, Near> {
  const likeness = new Float64Array(answers.length);
  for (const [name, value] of weighed(features, (own) => having.get(own)?.length ?? 0, answers.length))
    for (const { at, weight } of having.get(name) ?? [])
      likeness[at] = (likeness[at] as number) + value * weight;
  const most = answers
    .map((answer, at) => ({ answer, value: likeness[at] as number, at }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value || a.at - b.at)
    .slice(0, nearestCount);
  const total = most.reduce((sum, { value }) => sum + value ** 2, 0) || 1;
  const found = new Map<string, Near>();
  for (const { answer, value } of most) {
    const own = found.get(answer) ?? { most: 0, share: 0 };
    found.set(answer, { most: Math.max(own.most, value), share: own.share + value ** 2 / total });
  }
  return found;
}

/** The logarithm of a share, which may be nothing. */
export function logOf(share: number): number {
  return Math.log(0.02 + share);
}

/** The features with their weights, where a rare one counts more, scaled to length 1. */
function weighed(
  features: Features,
  countOf: (name: string) => number,
  total: number,
): [name: string, weight: number][] {
  const own = [...features].map(([name, value]): [string, number] => [
    name,
    value * Math.log((total + 1) / (countOf(name) + 0.5)),
  ]);
  const length = Math.sqrt(own.reduce((sum, [, value]) => sum + value * value, 0)) || 1;
  return own.map(([name, value]) => [name, value / length]);
}
