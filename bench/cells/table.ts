import * as Aim from '../paid-call/aim.ts';
import { spread } from '../paid-call/contest.ts';
import * as Part from '../paid-call/part.ts';
import type { Sample } from './measure.ts';

const text = (values: readonly number[]) => Aim.spreadText(spread(values));

/** The medians and middle halves of rounds. */
export function columns(samples: readonly Sample[]): string[] {
  return (['perSecond', 'nodeUs', 'postgresUs', 'rows', 'p50', 'p99'] as const).map((key) =>
    text(samples.map((sample) => sample[key])),
  );
}

/** The ratio of a figure in two subjects, round by round. */
export function ratio(
  some: readonly Sample[],
  others: readonly Sample[],
  pick: (sample: Sample) => number,
): string {
  return text(some.map((one, round) => pick(one) / pick(others[round] as Sample)));
}

export function table(rows: readonly string[][], more: readonly string[]): string[] {
  return Part.table([
    ['', 'calls/s', 'µs Node', 'µs PostgreSQL', 'calls a batch', 'p50 ms', 'p99 ms', ...more],
    ...rows.map((row) => [...row]),
  ]);
}
