import { expect, test } from 'vitest';
import * as GoalSet from './goal-set.ts';

test('training happens once, and in parts between which other events are handled', async () => {
  const { advisor } = await GoalSet.advisor('../train/apis/seventh/ticketing-taught.yaml');
  let turns = 0;
  let isTrained = false;
  const count = () => {
    turns += 1;
    if (!isTrained) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all([advisor.surface.prepare(), advisor.surface.prepare()]);
  isTrained = true;
  expect(turns).toBeGreaterThan(20);
  expect(advisor.surface.reader()).toBe(advisor.surface.reader());
});
