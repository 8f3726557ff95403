import type { Clock } from '@sluice/kernel/clock';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { LedgerWriter } from '../../ledger/ledger-writer.ts';
import type { EventTotals } from '../../payment/event.ts';
import type { ReadShopTotals } from '../../payment/shop-totals.ts';
import type { UncountableCounts } from '../../proxy/uncountable.ts';
import { UpstreamWaits } from '../../proxy/upstream-waits.ts';
import { registerEventMetrics } from './event-metrics.ts';
import * as RequestCounts from './request-counts.ts';
import type { WriteLine } from './request-log.ts';
import { registerShopMetrics } from './shop-metrics.ts';
import { UpstreamFailures } from './upstream-failures.ts';
import { registerUpstreamMetrics } from './upstream-metrics.ts';

/** The Prometheus metrics of this process. */
export type Metrics = {
  /** Counts a request by its log line. */
  count: WriteLine;
  /** Sets the digest of the running catalogue, and its services, whose counters start at 0. */
  selling(digest: string, services: readonly string[]): void;
  /** The text exposition format, and its content type. */
  text(): Promise<string>;
  readonly type: string;
  /** Returns the number of occurrences of a log event in this process. */
  times(event: string): number;
  /** Upstream failures of calls (no response, rejected key) by error code. */
  readonly upstream: ReadonlyMap<string, UpstreamFailures>;
  /** Counts the waits for a connection at the upstream. */
  readonly upstreamWaits: UpstreamWaits;
};

/** Events with alerts (docs/operations.md). They are exported as 0 from the start, because an alert on an increase would miss the first occurrence. */
export const watched: readonly string[] = [
  'ledger_inconsistent',
  'card_page_refused',
  'chain_unreadable',
  'card_testing',
  'charge_not_proved',
  'charge_refused',
  'fraud_signal',
  'client_address_unknown',
  'event_endpoint_disabled',
  'event_given_up',
  'event_secret_unreadable',
  'writer_fenced',
  'mail_expired',
  'mail_failed',
  'mail_rejected',
  'not_reconciled',
  'payment_mismatch',
  'payment_rail_refuses',
  'processor_refuses',
  'settlement_untrue',
  'resource_unbound',
  'response_uncountable',
  'shared_limits_away',
  'shared_limits_back',
  'upstream_key_in_response',
  'upstream_refused',
];

/** Refusals with alerts, exported as 0 from the start for the same reason. */
export const watchedCodes = [
  [429, 'too_many_declines'],
  [429, 'trial_paused'],
  [502, 'upstream_unavailable'],
  [503, 'upstream_refused'],
  [504, 'upstream_timeout'],
] as const;

/** Creates the metrics. Labels are methods, statuses, error codes and service slugs, so callers cannot add label values. */
export function createMetrics(
  {
    writer,
    clock,
    uncountable,
    shopTotals,
    eventTotals,
  }: {
    writer: Pick<LedgerWriter, 'ready' | 'backlog'>;
    clock: Clock;
    uncountable?: Pick<UncountableCounts, 'all'>;
    shopTotals?: ReadShopTotals;
    eventTotals?: () => Promise<EventTotals>;
  },
  events: ReadonlyMap<string, number> = new Map(),
): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const requests = RequestCounts.createCounts();
  RequestCounts.startCodes(requests, watchedCodes);
  const ledger = new Gauge({
    name: 'sluice_ledger_ready',
    help: '1 while calls can be charged.',
    registers,
    collect() {
      this.set(writer.ready ? 1 : 0);
    },
  });
  ledger.set(0);
  const catalog = new Gauge({
    name: 'sluice_catalog_info',
    help: '1 for the catalogue that this process runs. Processes with the same catalogue have the same digest.',
    labelNames: ['digest'],
    registers,
  });
  const upstreamWaits = new UpstreamWaits(clock);
  const upstream = new Map<string, UpstreamFailures>();
  new Gauge({
    name: 'sluice_ledger_backlog',
    help: 'Calls that wait for their commit in the ledger.',
    registers,
    collect() {
      this.set(writer.backlog.calls);
    },
  });
  new Gauge({
    name: 'sluice_ledger_lag_seconds',
    help: 'Age of the ledger batch that is being committed.',
    registers,
    collect() {
      this.set(writer.backlog.ageMs / 1_000);
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
  new Counter({
    name: 'sluice_uncountable_responses_total',
    help: 'Successful upstream responses that could not be counted, by operation and reason.',
    labelNames: ['operation', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const { operation, reason, calls } of uncountable?.all() ?? [])
        this.inc({ operation, reason }, calls);
    },
  });
  registerUpstreamMetrics(register, upstreamWaits);
  if (shopTotals !== undefined) registerShopMetrics(register, shopTotals, clock);
  if (eventTotals !== undefined) registerEventMetrics(register, eventTotals, clock);
  return {
    times: (event) => events.get(event) ?? 0,
    upstream,
    upstreamWaits,
    selling(digest, services) {
      RequestCounts.startServices(requests, services);
      catalog.reset();
      catalog.set({ digest }, 1);
    },
    count(line) {
      RequestCounts.countRequest(requests, line);
      const { code } = line;
      if (!code?.startsWith('upstream_')) return;
      const failures = upstream.get(code) ?? new UpstreamFailures(clock);
      failures.add();
      upstream.set(code, failures);
    },
    text: async () => `${RequestCounts.requestMetrics(requests)}\n${await register.metrics()}`,
    type: register.contentType,
  };
}
