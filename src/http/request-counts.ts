import type { Line } from './request-log.ts';

/**
 * What was counted of requests. Kept here and printed when somebody asks: the library of the other metrics finds the place
 * of each observation by the text of all its labels, which costs a call more than the rest of its counting.
 */
export type RequestCounts = {
  /** How often each status was given, by our codes; a request without one has ''. */
  readonly statuses: Map<number, Map<string, number>>;
  readonly services: Map<string, Sold>;
};

/** What calls of one service came to. */
type Sold = {
  calls: number;
  /** How many took up to each of `boundsMs` and more than the one before; the last one of all beyond. */
  readonly within: number[];
  ms: number;
  units: number;
  microUsd: number;
};

const boundsMs = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];

export function create(): RequestCounts {
  return { statuses: new Map(), services: new Map() };
}

/** Counts a request by the line that the log has of it. */
export function add({ statuses, services }: RequestCounts, line: Line): void {
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

/** In the text exposition format of Prometheus. Labels are statuses, our codes and slugs of the catalogue: none needs an escape. */
export function text({ statuses, services }: RequestCounts): string {
  const sold = [...services];
  const samples = (name: string, of: (sold: Sold) => number) =>
    sold.map(([service, it]) => `${name}{service="${service}"} ${of(it)}`);
  return [
    ...family('sluice_requests_total', 'counter', 'Requests that were answered, or left: status 0.'),
    ...[...statuses].flatMap(([status, codes]) =>
      [...codes].map(([code, count]) => `sluice_requests_total{status="${status}",code="${code}"} ${count}`),
    ),
    ...family(
      'sluice_call_seconds',
      'histogram',
      'Calls that the upstream answered, from their first byte to the last of the answer.',
    ),
    ...sold.flatMap(([service, it]) => histogram(service, it)),
    ...family('sluice_units_total', 'counter', 'Units of the answers that were charged.'),
    ...samples('sluice_units_total', ({ units }) => units),
    ...family(
      'sluice_charged_micro_usd_total',
      'counter',
      'What calls took from bought credit, in micro-dollars; included units are none.',
    ),
    ...samples('sluice_charged_micro_usd_total', ({ microUsd }) => microUsd),
    '',
  ].join('\n');
}

function family(name: string, type: 'counter' | 'histogram', help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

/** Each bucket holds those below it as well. */
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
