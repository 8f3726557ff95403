import { expect, test } from 'vitest';
import { find, mutants } from './mutants.ts';
import * as Report from './report.ts';
import { run } from './run.ts';

/** `npm run chaos` runs longer, and through all mutants. */
const seed = 20_260;
const calls = 10_000;
const secondsMax = 30;
const callsPerFault = 50;
const mutantCalls = 140;
/** A busy machine needs this long to finish the calls that are under way. */
const timeout = 300_000;

test(`a shop under fire keeps every promise (seed ${seed})`, { timeout }, async () => {
  const report = await run({ calls, secondsMax, seed, processes: 3, callsPerFault });
  process.stdout.write(Report.print(report, seed));
  expect(report.breaches).toEqual([]);
  // Without these faults the run would prove little.
  for (const fault of ['kill', 'cut']) expect(report.faults[fault], fault).toBeGreaterThan(0);
});

test('and the comparison finds a shop that does not', { timeout }, async () => {
  const mutant = mutants.find(({ what }) => what === 'give nothing back when a process dies');
  expect(mutant && (await find(mutant, mutantCalls))).toContainEqual(
    expect.stringMatching(/paid for \d+ calls that it never had/),
  );
});
