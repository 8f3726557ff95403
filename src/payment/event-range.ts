import type { EventRange } from './event.ts';
import { parseTypes } from './event-endpoint.ts';

type Given = Readonly<Partial<Record<'from' | 'to' | 'since' | 'until' | 'types', string | undefined>>>;

/** The fault of a range, and the member that has it. */
export type RangeFault = { fault: string; at: keyof Given };

/** Reads a range; an empty text is no limit. Its start is required. */
export function readRange({ from, to, since, until, types }: Given): EventRange | RangeFault {
  if (!from && !since) return { fault: 'give the start: a time or an event', at: 'since' };
  const [sinceMs, untilMs] = [since, until].map((text) => (text ? parseTime(text) : null));
  if (sinceMs === undefined || untilMs === undefined) {
    const at = sinceMs === undefined ? 'since' : 'until';
    return { fault: 'a time must be such as 2030-01-31 or 2030-01-31T12:00:00Z', at };
  }
  if (sinceMs !== null && untilMs !== null && untilMs <= sinceMs)
    return { fault: 'the end must be later than the start', at: 'until' };
  const read = parseTypes(types ?? '');
  if ('fault' in read) return { fault: read.fault, at: 'types' };
  return { from: from || null, to: to || null, sinceMs, untilMs, types: read.types };
}

/** Reads a time, of UTC where it names no zone; undefined if it is none. */
export function parseTime(text: string): number | undefined {
  const ms = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
