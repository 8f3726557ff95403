import { beforeAll, describe, expect, test } from 'vitest';
import type { Advisor } from '../src/advisor.ts';
import * as GoalSet from './goal-set.ts';

let advisor: Advisor;

beforeAll(async () => {
  ({ advisor } = await GoalSet.advisor(GoalSet.shipped));
});

const percent = (share: number, of: number) => `${((share / of) * 100).toFixed(1)} %`;

function say(name: string, { cases, first, whole, units, misses }: GoalSet.Score): void {
  const list = misses.length === 0 ? '' : `\n  ${misses.join('\n  ')}`;
  process.stdout.write(
    `\n${name}: ${cases} goals, first operation ${percent(first, cases)}, whole chain ${percent(whole, cases)}, chain and units ${percent(units, cases)}${list}\n`,
  );
}

describe('the advisor', () => {
  test('names the right first operation for 95 of 100 goals, the whole chain for 90, and what it costs', () => {
    const listed = GoalSet.cases('goals.txt');
    const total = GoalSet.score(advisor, listed);
    say('goals', total);
    expect(listed.length).toBeGreaterThanOrEqual(150);
    expect(total.first / total.cases).toBeGreaterThanOrEqual(0.95);
    expect(total.whole / total.cases).toBeGreaterThanOrEqual(0.9);
    expect(total.units / total.cases).toBeGreaterThanOrEqual(0.85);
  });

  // The score is printed and not asserted: a threshold would soon be tuned for, and these goals measure how the advisor generalizes.
  test('is measured on goals that it was not made for', () => {
    const listed = GoalSet.cases('held-out.txt');
    const total = GoalSet.score(advisor, listed);
    say('held-out goals', { ...total, misses: [] });
    expect(listed.length).toBeGreaterThanOrEqual(50);
  });

  test('is timed', () => {
    const goals = [...GoalSet.cases('goals.txt'), ...GoalSet.cases('held-out.txt')];
    const times = goals.map(({ goal }) => {
      const from = performance.now();
      GoalSet.ask(advisor, { goal });
      return performance.now() - from;
    });
    times.sort((a, b) => a - b);
    const at = (share: number) => `${times[Math.floor((times.length - 1) * share)]?.toFixed(2)} ms`;
    process.stdout.write(`\nadvice: median ${at(0.5)}, 95th percentile ${at(0.95)}, slowest ${at(1)}\n`);
    expect(times.length).toBe(goals.length);
  });
});
