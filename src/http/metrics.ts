import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Clock } from '../kernel/clock.ts';
import type { Lane } from '../ledger/lane.ts';
import * as RequestCounts from './request-counts.ts';
import type { WriteLine } from './request-log.ts';

/** What this process counts of itself, for Prometheus; every process has its own. */
export type Metrics = {
  /** Counts a request by the line that the log has of it. */
  count: WriteLine;
  /** From now on this catalogue is sold by. */
  selling(digest: string): void;
  /** The text exposition format, and its content type. */
  text(): Promise<string>;
  readonly type: string;
  /** How often the upstream did not answer, or refused our key, and when last; by our code. */
  readonly upstream: ReadonlyMap<string, { times: number; lastMs: number }>;
};

/** Events that alerts are about (docs/operations.md): printed before they happen, as only then their first time is a rise. */
const watched = [
  'books_broken',
  'charge_refused',
  'lane_fenced',
  'mail_failed',
  'not_reconciled',
  'payment_mismatch',
  'shared_limits_away',
  'shared_limits_back',
  'upstream_refused',
];

/** Labels are methods, statuses, our codes and slugs of the catalogue: a caller can make none up. */
export function open(
  { lane, clock }: { lane: Pick<Lane, 'ready' | 'backlog'>; clock: Clock },
  events: ReadonlyMap<string, number> = new Map(),
): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const requests = RequestCounts.create();
  const ledger = new Gauge({
    name: 'sluice_ledger_ready',
    help: '1 while calls can be charged.',
    registers,
    collect() {
      this.set(lane.ready ? 1 : 0);
    },
  });
  ledger.set(0);
  const catalog = new Gauge({
    name: 'sluice_catalog_info',
    help: '1 for the catalogue that this process sells by: processes that sell the same have the same digest.',
    labelNames: ['digest'],
    registers,
  });
  const upstream = new Map<string, { times: number; lastMs: number }>();
  new Gauge({
    name: 'sluice_ledger_backlog',
    help: 'Calls that wait for the books.',
    registers,
    collect() {
      this.set(lane.backlog.calls);
    },
  });
  new Gauge({
    name: 'sluice_ledger_lag_seconds',
    help: 'How long the batch has been on its way to the books that is there now.',
    registers,
    collect() {
      this.set(lane.backlog.ageMs / 1_000);
    },
  });
  new Counter({
    name: 'sluice_events_total',
    help: 'Warnings and errors of the log, by event: mail, Redis, upstream, ledger, traces.',
    labelNames: ['event'],
    registers,
    collect() {
      this.reset();
      for (const event of watched) this.inc({ event }, 0);
      for (const [event, count] of events) this.inc({ event }, count);
    },
  });
  return {
    upstream,
    selling(digest) {
      catalog.reset();
      catalog.set({ digest }, 1);
    },
    count(line) {
      RequestCounts.add(requests, line);
      const { code } = line;
      if (code?.startsWith('upstream_'))
        upstream.set(code, { times: (upstream.get(code)?.times ?? 0) + 1, lastMs: clock() });
    },
    text: async () => `${RequestCounts.text(requests)}\n${await register.metrics()}`,
    type: register.contentType,
  };
}
