import { expect, it } from 'vitest';
import * as Simulation from './simulation.ts';

const wishes = { addresses: 1_000, domains: 10, days: 60, answersADay: 15, stepMs: 6 * 3_600_000 };

it('sixty days over a thousand addresses: no answer is older than thirty days or unverified', async () => {
  const story = await Simulation.run(wishes);
  expect(story.wrong).toEqual([]);
  expect(story.answers).toBe(900);
  expect(Math.min(...story.toldByDay)).toBeGreaterThan(4);
  expect(story.longestDays).toBeLessThan(28);
  expect(story.backlogMax).toBe(0);
});

it('a worker that is away for forty days costs answers and never truth, and catches up when it is back', async () => {
  const story = await Simulation.run({ ...wishes, away: (day) => day >= 10 && day < 50 });
  expect(story.wrong).toEqual([]);
  expect(story.toldByDay[9]).toBeGreaterThan(4);
  expect(story.toldByDay[49]).toBe(0);
  expect(story.toldByDay[59]).toBeGreaterThan(4);
  expect(story.backlogMax).toBe(1_000);
});
