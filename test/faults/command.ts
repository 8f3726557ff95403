/**
 * `npm run chaos -- --calls 1000000 --seed 7 --processes 3 --calls-per-fault 250` runs a shop with injected faults for as long as you
 * like, and then checks the ledger. `--minutes` ends it earlier, `--crowds` adds callers. `--mutants` removes each safeguard in turn and
 * requires that the run detects it. Exit code 0: every promise was kept, or every mutant was detected.
 */
import { parseArgs } from 'node:util';
import { find, mutants } from './mutants.ts';
import * as Report from './report.ts';
import { run } from './run.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    calls: { ...text, default: '5000' },
    seed: { ...text, default: String(1 + (Date.now() % 1_000_000)) },
    processes: { ...text, default: '3' },
    'calls-per-fault': { ...text, default: '100' },
    crowds: { ...text, default: '1' },
    minutes: { ...text, default: 'Infinity' },
    mutants: { type: 'boolean', default: false },
    only: { ...text, default: '' },
  },
});

if (values.mutants) {
  let missed = 0;
  for (const mutant of mutants.filter(({ what }) => what.includes(values.only))) {
    const startedMs = performance.now();
    const found = await find(mutant);
    if (found.length === 0) missed += 1;
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    process.stdout.write(
      `${found.length > 0 ? 'found ' : 'MISSED'} in ${seconds} s: books that ${mutant.what}\n        ${found[0] ?? ''}\n`,
    );
  }
  process.exitCode = missed > 0 ? 1 : 0;
} else {
  const calls = Number(values.calls);
  const report = await run({
    calls,
    seed: Number(values.seed),
    processes: Number(values.processes),
    callsPerFault: Number(values['calls-per-fault']),
    crowds: Number(values.crowds),
    secondsMax: Number(values.minutes) * 60,
    progress: (done) => {
      if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${calls} calls`);
    },
  });
  process.stderr.write('\n');
  process.stdout.write(Report.print(report, Number(values.seed)));
  process.exitCode = report.breaches.length > 0 ? 1 : 0;
}
