/**
 * `npm run replace -- --rounds 20 --rate 500 --streams 20` replaces two gateways behind HAProxy, each as often as `--rounds`, while callers
 * make that many calls per second; `--minutes` ends it earlier. Exit code 0: no caller saw an error, and the ledger charged exactly what was delivered.
 */
import { parseArgs } from 'node:util';
import * as Cluster from '../faults/cluster.ts';
import { type Report, run } from './run.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    rounds: { ...text, default: '20' },
    rate: { ...text, default: '500' },
    streams: { ...text, default: '20' },
    minutes: { ...text, default: 'Infinity' },
    'drain-seconds': { ...text, default: '5' },
  },
});

const cluster = await Cluster.open();
try {
  const report = await run({
    databaseUrl: cluster.url,
    rounds: Number(values.rounds),
    rate: Number(values.rate),
    streams: Number(values.streams),
    drainSeconds: Number(values['drain-seconds']),
    secondsMax: Number(values.minutes) * 60,
    progress: (done, ms) => process.stderr.write(`replacement ${done}: ${(ms / 1_000).toFixed(1)} s\n`),
  });
  process.stdout.write(print(report));
  const isExact = report.cost === report.charged && report.breaches.length === 0;
  process.exitCode = report.errors.length === 0 && report.exits.length === 0 && isExact ? 0 : 1;
} finally {
  await cluster.stop();
}

function print(report: Report): string {
  const sorted = report.latencyMs.sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  return [
    `${report.replacements} replacements in ${report.seconds.toFixed(0)} s; ${report.calls} calls and ${report.streams} streams delivered, ${report.skipped} not made`,
    `errors at the callers: ${report.errors.length}`,
    ...report.errors.map((error) => `  ${error}`),
    `processes that did not exit with 0: ${report.exits.length}; log lines of level error: ${report.faults.length}`,
    ...report.faults.slice(0, 5).map((fault) => `  ${fault}`),
    `delivered for ${report.cost} micro-dollars, charged ${report.charged}; ledger verify: ${report.breaches.length} violations`,
    `latency of calls: median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1 - 1e-9)} ms`,
    '',
  ].join('\n');
}
