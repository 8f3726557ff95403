import { expect, it } from 'vitest';
import * as Simulation from './simulation.ts';

it('sixty days over a thousand addresses: no answer is older than thirty days or unverified', async () => {
  const story = await Simulation.run({
    addresses: 1_000,
    domains: 10,
    days: 60,
    answersADay: 15,
    stepMs: 6 * 3_600_000,
  });
  expect(story.wrong).toEqual([]);
  expect(story.answers).toBe(900);
  expect(Math.min(...story.toldByDay)).toBeGreaterThan(4);
  expect(story.longestDays).toBeLessThan(28);
  expect(story.backlogMax).toBe(0);
}, 60_000);
