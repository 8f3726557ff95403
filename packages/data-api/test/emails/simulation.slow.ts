import { expect, it } from 'vitest';
import * as Simulation from './simulation.ts';

/** Day from which every address has been tested twice. Only the first tests all come at once, after the load. */
const settledDays = 26;

/** ADDRESSES=100000 reproduces the figures in docs/emails.md. */
const addresses = Number(process.env.ADDRESSES ?? 20_000);

it('sixty days over many addresses: no answer is older than thirty days or unverified, and no day has 10 % more work than another', async () => {
  const story = await Simulation.run({
    addresses,
    domains: 500,
    days: 60,
    answersADay: 400,
    stepMs: 3_600_000,
  });
  expect(story.wrong).toEqual([]);
  expect(story.answers).toBe(24_000);
  expect(Math.min(...story.toldByDay)).toBeGreaterThan(200);
  expect(story.longestDays).toBeLessThan(28);
  expect(story.backlogMax).toBe(0);
  const days = story.testsByDay.slice(settledDays);
  const mean = days.reduce((sum, tests) => sum + tests, 0) / days.length;
  for (const tests of days) expect(Math.abs(tests - mean) / mean).toBeLessThan(0.1);
}, 900_000);
