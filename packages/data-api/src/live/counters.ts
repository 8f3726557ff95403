import type { Reason } from './source.ts';

/** Results of requests to the live source. */
const results = ['ok', 'slow', 'busy', 'failed', 'refused', 'invalid'] as const satisfies ('ok' | Reason)[];
export type Result = (typeof results)[number];

/** Counters of this process since its start, for the metrics. */
export type LiveCounters = {
  requests: Record<Result, number>;
  requestMs: number;
  /** Profiles that the source returned and charged for. */
  fetched: number;
  /** Profiles taken from the cache, which cost nothing. */
  cached: number;
  /** Responses with at least one invalid profile. */
  faulty: number;
  costMicros: number;
};

export function create(): LiveCounters {
  const requests = Object.fromEntries(results.map((result) => [result, 0])) as LiveCounters['requests'];
  return { requests, requestMs: 0, fetched: 0, cached: 0, faulty: 0, costMicros: 0 };
}

const microsPerDollar = 1_000_000;

/** Formats the counters in the Prometheus text format. `running`: requests at the moment. */
export function metrics(counters: LiveCounters, running: number): string {
  return [
    ...family(
      'requests_total',
      'counter',
      'Searches of the live profile source, by result.',
      results.map((result) => [`{result="${result}"}`, counters.requests[result]]),
    ),
    ...family('request_seconds_total', 'counter', 'Time spent waiting for the live profile source.', [
      ['', counters.requestMs / 1_000],
    ]),
    ...family('requests_running', 'gauge', 'Searches of the live profile source that run now.', [
      ['', running],
    ]),
    ...family('profiles_total', 'counter', 'Live profiles, fetched from the source or from the cache.', [
      ['{from="source"}', counters.fetched],
      ['{from="cache"}', counters.cached],
    ]),
    ...family('faulty_responses_total', 'counter', 'Responses with at least one invalid profile.', [
      ['', counters.faulty],
    ]),
    ...family('cost_usd_total', 'counter', 'Price of the fetched profiles by DIRECT_LIVE_COST_USD.', [
      ['', counters.costMicros / microsPerDollar],
    ]),
    '',
  ].join('\n');
}

type Samples = readonly (readonly [labels: string, value: number])[];

function family(name: string, type: string, about: string, samples: Samples): string[] {
  return [
    `# HELP sluice_live_${name} ${about}`,
    `# TYPE sluice_live_${name} ${type}`,
    ...samples.map(([labels, value]) => `sluice_live_${name}${labels} ${value}`),
  ];
}
