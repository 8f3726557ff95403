import type { UncountableCounts } from '../proxy/uncountable.ts';

type Report = (event: string, detail: Readonly<Record<string, unknown>>) => void;

/** Returns `report`, which then also counts streams that were charged less than they used, for the console. */
export function countingAboveHold(report: Report, uncountable: UncountableCounts): Report {
  return (event, detail) => {
    const { call, operation } = detail;
    if (event === 'stream_above_hold' && typeof call === 'string' && typeof operation === 'string')
      uncountable.add({ call, operation, reason: 'above_hold' });
    report(event, detail);
  };
}
