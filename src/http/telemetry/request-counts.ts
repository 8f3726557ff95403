import type { LogLine } from './request-log.ts';

/**
 * Counters of requests, exported on demand. Not in prom-client, which looks up each observation by the text of all its labels: that costs
 * more than the rest of the counting.
 */
export type RequestCounts = {
  /** Number of responses by status and error code; '' is the code of responses without one. */
  readonly statuses: Map<number, Map<string, number>>;
  readonly services: Map<string, Sold>;
};

/** Totals of the paid calls of one service. */
type Sold = {
  calls: number;
  /** Histogram bucket counts, not cumulative; the last bucket is +Inf. */
  readonly within: number[];
  ms: number;
  units: number;
  microUsd: number;
};

const boundsMs = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];

export function createCounts(): RequestCounts {
  return { statuses: new Map(), services: new Map() };
}

/** Exports the counters of services that have not been called yet as 0. */
export function startServices({ services }: RequestCounts, slugs: readonly string[]): void {
  for (const slug of slugs) at(services, slug, none);
}

/** Exports the counters of these statuses and codes as 0 until they occur. */
export function startCodes({ statuses }: RequestCounts, codes: readonly (readonly [number, string])[]): void {
  for (const [status, code] of codes) at(statuses, status, () => new Map<string, number>()).set(code, 0);
}

/** Counts a request by its log line. */
export function countRequest({ statuses, services }: RequestCounts, line: LogLine): void {
  const { status, code = '', service, ms } = line;
  const codes = at(statuses, status, () => new Map<string, number>());
  codes.set(code, (codes.get(code) ?? 0) + 1);
  if (service === undefined) return;
  const sold = at(services, service, none);
  let bound = 0;
  while (ms > (boundsMs[bound] ?? Number.POSITIVE_INFINITY)) bound += 1;
  sold.within[bound] = (sold.within[bound] ?? 0) + 1;
  sold.calls += 1;
  sold.ms += ms;
  sold.units += line.units ?? 0;
  sold.microUsd += line.costMicroUsd ?? 0;
}

function none(): Sold {
  return { calls: 0, within: [...boundsMs, 0].fill(0), ms: 0, units: 0, microUsd: 0 };
}

function at<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** The text exposition format of Prometheus. Labels are statuses, error codes and service slugs, so none needs escaping. */
export function requestMetrics({ statuses, services }: RequestCounts): string {
  const sold = [...services];
  const samples = (name: string, of: (sold: Sold) => number) =>
    sold.map(([service, it]) => `${name}{service="${service}"} ${of(it)}`);
  return [
    ...family(
      'sluice_requests_total',
      'counter',
      'Requests by status and error code. Status 0: the client disconnected before a response.',
    ),
    ...[...statuses].flatMap(([status, codes]) =>
      [...codes].map(([code, count]) => `sluice_requests_total{status="${status}",code="${code}"} ${count}`),
    ),
    ...family(
      'sluice_call_seconds',
      'histogram',
      'Duration of calls with an upstream response, from the first byte of the request to the last byte of the response.',
    ),
    ...sold.flatMap(([service, it]) => histogram(service, it)),
    ...family('sluice_units_total', 'counter', 'Units of charged responses.'),
    ...samples('sluice_units_total', ({ units }) => units),
    ...family(
      'sluice_charged_micro_usd_total',
      'counter',
      'Credit charged for calls, in micro-dollars, without included units.',
    ),
    ...samples('sluice_charged_micro_usd_total', ({ microUsd }) => microUsd),
    '',
  ].join('\n');
}

function family(name: string, type: 'counter' | 'histogram', help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

/** Cumulative buckets, as Prometheus expects them. */
function histogram(service: string, { within, ms, calls }: Sold): string[] {
  let below = 0;
  const buckets = [...boundsMs.map((bound) => bound / 1_000), '+Inf'].map((bound, place) => {
    below += within[place] ?? 0;
    return `sluice_call_seconds_bucket{le="${bound}",service="${service}"} ${below}`;
  });
  return [
    ...buckets,
    `sluice_call_seconds_sum{service="${service}"} ${ms / 1_000}`,
    `sluice_call_seconds_count{service="${service}"} ${calls}`,
  ];
}
