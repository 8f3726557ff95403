import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import * as Aim from './aim.ts';
import { ledger } from './ledger.ts';
import { memory } from './memory.ts';
import type { Effort, Part } from './part.ts';
import { latency, processes, sizes } from './proxying.ts';
import * as Stage from './stage.ts';

const parts: Readonly<Record<string, Part>> = { sizes, processes, latency, ledger, memory };

const help = `Measures a paid call with everything on (token, plan, rate limit, hold, meter, durable settlement, log) beside nginx and
bare Node proxies: contenders in turn on the same upstream and load, medians of ratios within a round.

  node bench/paid-call/run.ts                 about a quarter of an hour, on a machine that does nothing else

  --only PART,...       ${Object.keys(parts).join(', ')}; all of them unless said otherwise
  --rounds N            7 unless said otherwise
  --seconds N           of each contender in each round; 2 unless said otherwise
  --snapshot N          seconds under an open snapshot; 60 unless said otherwise
  --against FOLDER      another checkout of this, whose storefront is measured too
  --quick               3 rounds of 1 second, a snapshot of 5: whether it runs, and the order of magnitude

It starts all that it needs in a temporary folder, and removes it: a PostgreSQL on disk with fsync, an upstream and a proxy by nginx,
storefronts, bare proxies (installed by npm into bench/paid-call/contenders). It takes nginx, wrk and pgbench of Debian as root.

Exit code: 0, or 1 where an aim was missed or a part broke off.`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(parts).join(',') },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    snapshot: { type: 'string' },
    against: { type: 'string' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false, short: 'h' },
  },
});

if (values.help) console.log(help);
else process.exitCode = await run();

async function run(): Promise<number> {
  const effort: Effort = {
    rounds: count('rounds', values.rounds ?? (values.quick ? '3' : '7')),
    seconds: count('seconds', values.seconds ?? (values.quick ? '1' : '2')),
    snapshotSeconds: count('snapshot', values.snapshot ?? (values.quick ? '5' : '60')),
    against: values.against ?? null,
  };
  const chosen = values.only.split(',');
  const unknown = chosen.filter((name) => !(name in parts));
  if (unknown.length > 0) throw new Error(`--only ${unknown}: none of ${Object.keys(parts)}`);
  console.log(
    `Node ${process.version}, ${cpus().length} cores, ${effort.rounds} rounds of ${effort.seconds} s. In brackets: the middle half.`,
  );
  let isMet = true;
  for (const name of chosen) {
    // Each part gets its own stage, so that a process left running by one part is no load for the next.
    const stage = await Stage.set();
    try {
      const before = loadavg()[0] ?? 0;
      const { lines = [], aims = [] } = (await parts[name]?.(stage, effort)) ?? {};
      isMet &&= aims.every(({ met }) => met);
      console.log(
        [...lines, `(${name}: load of the machine ${before.toFixed(1)} before)`, ...aims.map(Aim.text)].join(
          '\n',
        ),
      );
    } catch (error) {
      // A failing part must not discard the results of the others.
      isMet = false;
      console.error(`\n${name} broke off:`, error);
    } finally {
      await stage.strike();
    }
  }
  return isMet ? 0 : 1;
}

function count(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${option} is a whole number above 0`);
  return number;
}
