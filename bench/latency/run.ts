import { existsSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as Aim from '../paid-call/aim.ts';
import * as Contest from '../paid-call/contest.ts';
import * as Nginx from '../paid-call/nginx.ts';
import { table } from '../paid-call/part.ts';
import * as Program from '../paid-call/program.ts';
import * as Stage from '../paid-call/stage.ts';
import * as Storefront from '../paid-call/storefront.ts';
import * as Samples from '../samples.ts';
import type { Record as Call } from './caller.ts';
import { causeOf, type Disturbance, type Part } from './causes.ts';
import * as Collector from './collector.ts';
import type { Pause } from './probe.ts';
import * as Watch from './watch.ts';

const help = `Measures the latency that Sluice adds at a steady rate beside nginx, and finds the cause of each slow call by traces.

  node bench/latency/run.ts

  --rate N      calls a second; 1000 unless said otherwise
  --rounds N    7 unless said otherwise
  --seconds N   of each contender in each round; 5 unless said otherwise
  --over MS     calls above this are explained; 6 unless said otherwise

Contenders in turn: nginx, a storefront with one account, the same with a thousand, and a storefront whose calls are all traced (its own
traces, OTLP). Calls are sent at random times with this average, whatever the responses take. Needs nginx, wrk and pgbench, as
bench/paid-call. Exit code: 0, or 1 where an aim was missed.`;

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '5' },
    over: { type: 'string', default: '6' },
    help: { type: 'boolean', default: false, short: 'h' },
  },
});

const caller = fileURLToPath(new URL('caller.ts', import.meta.url));
const probe = fileURLToPath(new URL('probe.ts', import.meta.url));
const addedMedianMsMax = 1.5;
const addedP99MsMax = 6;
const warmUpSeconds = '3';
/** Longer than spans wait before they are exported. */
const exportMs = 1_000;

type Contender = { name: string; url: string; tokens: string };
/** The seed of the next load. */
let seed = 0;

type Round = { p50: number; p99: number; slow: number; calls: number };

if (values.help) console.log(help);
else process.exitCode = await run();

async function run(): Promise<number> {
  const overMs = Number(values.over);
  const stage = await Stage.set();
  try {
    const nginx = stage.keep(await Nginx.proxy(stage.dir, stage.upstreamUrl, 1));
    const plain = await openShop(stage, {});
    const collector = stage.keep(await Collector.start());
    const pauses = join(stage.dir, 'pauses');
    const tracedUrl = await stage.createDatabase();
    const traced = await openShop(
      stage,
      {
        env: {
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_BSP_SCHEDULE_DELAY: '200',
          PROBE_FILE: pauses,
        },
        nodeArgs: ['--import', probe],
      },
      tracedUrl,
    );
    const contenders: Contender[] = [
      { name: 'nginx', url: nginx.url, tokens: plain.tokens.one },
      { name: 'sluice, 1 account', url: plain.urls[0] ?? '', tokens: plain.tokens.one },
      { name: 'sluice, 1,000 accounts', url: plain.urls[0] ?? '', tokens: plain.tokens.many },
    ];
    const tracedContender = { name: 'sluice, traced', url: traced.urls[0] ?? '', tokens: traced.tokens.many };
    for (const contender of [...contenders, tracedContender])
      await call(stage, contender, warmUpSeconds, pauses);
    const rounds = new Map<string, Round[]>([...contenders, tracedContender].map(({ name }) => [name, []]));
    const causes: { cause: string; ms: number }[] = [];
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const contender of contenders)
        rounds
          .get(contender.name)
          ?.push(summary(await call(stage, contender, values.seconds, pauses), overMs));
      const stop = Watch.start(
        [
          { pid: traced.pids[0] ?? 0, part: 'gateway', name: 'the gateway' },
          { pid: stage.postgresPid, part: 'commit', name: 'PostgreSQL' },
          { pid: stage.upstreamPid, part: 'upstream', name: 'the upstream' },
        ],
        tracedUrl,
      );
      const calls = await call(stage, tracedContender, values.seconds, `${pauses}-caller`);
      const watched = await stop();
      await new Promise((resolve) => setTimeout(resolve, exportMs));
      rounds.get(tracedContender.name)?.push(summary(calls, overMs));
      const disturbances = [
        ...watched,
        ...(await readPauses(pauses, 'gateway', 'the gateway')),
        ...(await readPauses(`${pauses}-caller`, 'caller', 'the caller')),
        // A response also waits on its way if the gateway's loop is busy.
        ...(await readPauses(pauses, 'caller', 'the gateway')),
        ...watched
          .filter(({ part }) => part === 'gateway')
          .map((one) => ({ ...one, part: 'caller' as const })),
      ];
      causes.push(...explained(calls, overMs, collector, disturbances));
    }
    return report(rounds, causes, overMs);
  } finally {
    await stage.strike();
  }
}

async function openShop(stage: Stage.Stage, extra: Partial<Storefront.Options>, url?: string) {
  const dir = await mkdtemp(join(stage.dir, 'shop-'));
  const database = url ?? (await stage.createDatabase());
  return stage.keep(await Storefront.open(dir, database, stage.upstreamUrl, { processes: 1, ...extra }));
}

async function call(stage: Stage.Stage, to: Contender, seconds: string, pauses: string): Promise<Call[]> {
  seed += 1;
  const out = join(stage.dir, `calls-${seed}`);
  const args = ['--import', probe, caller, to.url, values.rate, seconds, to.tokens, String(seed), out];
  await Program.output(process.execPath, args, { PROBE_FILE: pauses });
  const calls: Call[] = JSON.parse(await readFile(out, 'utf8'));
  const failed = calls.flatMap(([, , , status]) => (status === 200 ? [] : [status]));
  if (failed.length > 0)
    throw new Error(`${to.name}: ${failed.length} of ${calls.length} calls failed: ${[...new Set(failed)]}`);
  return calls;
}

function summary(calls: readonly Call[], overMs: number): Round {
  const times = calls.map(([, startMs, endMs]) => endMs - startMs);
  return {
    p50: Samples.quantile(times, 0.5),
    p99: Samples.quantile(times, 0.99),
    slow: times.filter((ms) => ms > overMs).length,
    calls: times.length,
  };
}

async function readPauses(file: string, part: Part, name: string): Promise<Disturbance[]> {
  if (!existsSync(file)) return [];
  const lines = (await readFile(file, 'utf8')).trim().split('\n').filter(Boolean);
  return lines
    .map((line): Pause => JSON.parse(line))
    .map(({ startMs, endMs, cause }) => ({ startMs, endMs, part, cause: `${cause} in ${name}` }));
}

function explained(
  calls: readonly Call[],
  overMs: number,
  { served, upstream, batches }: Collector.Collector,
  disturbances: readonly Disturbance[],
): { cause: string; ms: number }[] {
  return calls
    .map(([trace, startMs, endMs]) => ({ trace, startMs, endMs, ms: endMs - startMs }))
    .filter(({ ms }) => ms > overMs)
    .map(({ trace, startMs, endMs, ms }) => {
      const span = served.get(trace);
      if (span === undefined) return { cause: 'no trace', ms };
      const whole = { startMs, endMs };
      const traced = { whole, served: span, upstream: upstream.get(trace) ?? null, batches };
      return { cause: causeOf(traced, disturbances), ms };
    });
}

function report(
  rounds: ReadonlyMap<string, readonly Round[]>,
  causes: readonly { cause: string; ms: number }[],
  overMs: number,
): number {
  const row = (name: string, list: readonly Round[]) => [
    name,
    Aim.round(Samples.median(list.map(({ p50 }) => p50))),
    Aim.round(Samples.median(list.map(({ p99 }) => p99))),
    `${Samples.sum(list.map(({ slow }) => slow))} of ${Samples.sum(list.map(({ calls }) => calls))}`,
  ];
  console.log(`Load of the machine: ${loadavg().map(Aim.round).join(', ')}; ${values.rate} calls a second`);
  const head = ['', 'p50 ms', 'p99 ms', `above ${overMs} ms`];
  console.log(table([head, ...[...rounds].map(([name, list]) => row(name, list))]).join('\n'));
  const groups = Map.groupBy(causes, ({ cause }) => cause);
  const sorted = [...groups].sort(([, one], [, other]) => other.length - one.length);
  console.log(`\nCauses of the traced calls above ${overMs} ms`);
  console.log(
    table([
      ['', 'calls', 'longest ms'],
      ...sorted.map(([cause, list]) => [
        cause,
        String(list.length),
        Aim.round(Math.max(...list.map(({ ms }) => ms))),
      ]),
    ]).join('\n'),
  );
  const base = rounds.get('nginx') ?? [];
  const aims = ['sluice, 1 account', 'sluice, 1,000 accounts'].flatMap((name) => {
    const added = (pick: (round: Round) => number) =>
      Contest.spread((rounds.get(name) ?? []).map((one, at) => pick(one) - pick(base[at] as Round)));
    return [
      Aim.atMost(
        `${name}: added median, ms`,
        added(({ p50 }) => p50),
        addedMedianMsMax,
      ),
      Aim.atMost(
        `${name}: added 99th percentile, ms`,
        added(({ p99 }) => p99),
        addedP99MsMax,
      ),
    ];
  });
  console.log(`\n${aims.map(Aim.text).join('\n')}`);
  return aims.every(({ met }) => met) ? 0 : 1;
}
