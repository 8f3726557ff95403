/**
 * `npm run failover -- --rounds 100` runs three database nodes with Patroni, etcd and HAProxy (deploy/ha) and three gateways, strikes one failure
 * after another while callers buy, and compares the responses that callers received with the ledger of the surviving node. `--minutes` begins no round after
 * that time, `--stopped-seconds` and `--lost-seconds` set how long Patroni is stopped, and etcd or a network is lost, `--only` chooses
 * failures by their description, `--time-line` prints where the time of a round goes. `--asynchronous` and `--etcd3` (with Patroni 3.0.2) lose what was
 * confirmed, which the comparison finds. Exit code 0: every promise was kept.
 */
import { parseArgs } from 'node:util';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import { type Round, run } from './run.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    rounds: { ...text, default: '6' },
    seed: { ...text, default: String(1 + (Date.now() % 1_000_000)) },
    only: { ...text, default: '' },
    'time-line': { type: 'boolean', default: false },
    asynchronous: { type: 'boolean', default: false },
    etcd3: { type: 'boolean', default: false },
    minutes: { ...text, default: 'Infinity' },
    'stopped-seconds': { ...text, default: '60' },
    'lost-seconds': { ...text, default: '15' },
  },
});

const print = (line: string) => process.stdout.write(`${line}\n`);
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
/** Returns the value that a share of the numbers does not exceed. */
const percentile = (numbers: number[], share: number) =>
  numbers.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(numbers.length * share) - 1)] ?? 0;
const summary = (title: string, rounds: readonly Round[]) => {
  const pauses = rounds.map(({ pauseMs }) => pauseMs);
  return `${title}: ${rounds.length} rounds, longest time without a sale: median ${seconds(percentile(pauses, 0.5))}, p99 ${seconds(percentile(pauses, 0.99))}`;
};

// The driver's first query on a connection that is cut meanwhile has no caller to catch its error.
process.on('unhandledRejection', (fault) => {
  if (!Connection.isLost(fault)) throw fault;
});
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));
const report = await run({
  rounds: Number(values.rounds),
  seed: Number(values.seed),
  only: values.only,
  hasTimeLine: values['time-line'],
  kind: { isAsynchronous: values.asynchronous, usesEtcd3: values.etcd3 },
  secondsMax: Number(values.minutes) * 60,
  stoppedMs: Number(values['stopped-seconds']) * 1_000,
  lostMs: Number(values['lost-seconds']) * 1_000,
  progress: ({ round, what, pauseMs, moments, breaches }) =>
    print(
      [`round ${round}: ${what}: ${seconds(pauseMs)} without a sale`, ...moments, ...breaches].join('\n  '),
    ),
});
for (const what of new Set(report.rounds.map((each) => each.what)))
  print(
    summary(
      what,
      report.rounds.filter((each) => each.what === what),
    ),
  );
print(summary('all', report.rounds));
print(
  `seed ${values.seed}: ${report.calls} calls, ${report.purchases.answered} purchases (${report.purchases.repeated} repeated)`,
);
for (const [what, count] of Object.entries({ ...report.answers, ...report.books }))
  print(`${String(count).padStart(9)} ${what}`);
print(
  report.breaches.length === 0
    ? 'Every promise held.'
    : `${report.breaches.length} BREACHES:\n${report.breaches.slice(0, 40).join('\n')}`,
);
print(`pass ${report.breaches.length === 0 ? report.rounds.length : 0}\nfail ${report.breaches.length}`);
process.exit(report.breaches.length === 0 ? 0 : 1);
