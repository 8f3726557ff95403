import { beforeAll, describe, expect, test } from 'vitest';
import type { Advisor } from '../src/advisor.ts';
import * as GoalSet from './goal-set.ts';

let advisor: Advisor;

beforeAll(async () => {
  ({ advisor } = await GoalSet.advisor(GoalSet.shipped));
});

function scored(of: Advisor, file: string): GoalSet.Tally {
  const tallies = GoalSet.score(of, GoalSet.cases(file, of));
  process.stdout.write(`\n${file}\n${GoalSet.format(tallies)}\n`);
  return tallies.get('all') as GoalSet.Tally;
}

describe('the advisor', () => {
  test('solves the goals that it was taught, with their cost', () => {
    const listed = GoalSet.cases('goals/solved.txt', advisor);
    const { goals, first, chain } = scored(advisor, 'goals/solved.txt');
    expect(goals).toBeGreaterThanOrEqual(150);
    expect(first / goals).toBeGreaterThanOrEqual(0.95);
    expect(chain / goals).toBeGreaterThanOrEqual(0.9);
    const priced = listed.filter(
      ({ goal, unitsMax }) => GoalSet.ask(advisor, { goal }).estimate.units_high === unitsMax,
    );
    expect(priced.length / goals).toBeGreaterThanOrEqual(0.85);
  });

  // These goals were written by others and are not learned from. The bounds are below what was measured, so that they find what breaks and are not tuned for.
  test.each([
    ['goals/development.json', 0.84, 0.05],
    ['goals/held-out.txt', 0.9, 0.06],
    ['unseen/ninth/bundled.json', 0.88, 0.06],
  ])('is measured on %s', (file, firstMin, wrongMax) => {
    const { goals, first, confident, wrong } = scored(advisor, file);
    expect(first / goals).toBeGreaterThan(firstMin);
    expect(wrong / confident).toBeLessThan(wrongMax);
  });

  test.each(['weather', 'models', 'ticketing'])(
    'is measured on the API of a %s provider, of which it knows the description alone',
    async (name) => {
      const foreign = await GoalSet.advisor(`goals/${name}.yaml`);
      const { goals, first, confident, wrong } = scored(foreign.advisor, `goals/${name}.json`);
      expect(first / goals).toBeGreaterThan(0.45);
      expect(wrong).toBeLessThanOrEqual(confident / 4);
    },
  );

  test('is measured on an API of event tickets with the goals of its seller', async () => {
    const taught = await GoalSet.advisor('../train/apis/seventh/ticketing-taught.yaml');
    const { goals, chain, confident, wrong } = scored(taught.advisor, '../train/apis/seventh/ticketing.json');
    expect(chain / goals).toBeGreaterThan(0.7);
    expect(confident / goals).toBeGreaterThan(0.3);
    expect(wrong / confident).toBeLessThan(0.1);
  });

  test('answers a goal in 20 ms of CPU time', () => {
    const cases = GoalSet.cases('goals/development.json');
    const before = process.threadCpuUsage();
    for (const { goal } of cases) GoalSet.ask(advisor, { goal });
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1_000 / cases.length;
    process.stdout.write(`\nadvice: ${ms.toFixed(2)} ms of CPU time a goal\n`);
    expect(ms).toBeLessThan(20);
  });
});
