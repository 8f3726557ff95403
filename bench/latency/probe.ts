// Loaded before the program of a Node process (--import): appends its garbage collections, and the times that its event loop was held up by
// its own work, to the file in PROBE_FILE, one JSON object a line.

import { appendFileSync } from 'node:fs';
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { nowMs } from './span.ts';

/** A pause of this process. */
export type Pause = { startMs: number; endMs: number; cause: string };

const file = process.env.PROBE_FILE;
const pauseMsMin = 1;
const tickMs = 2;
const flushMs = 500;

if (file !== undefined) {
  let pauses: Pause[] = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { detail?: { kind?: number } })[]) {
      const { startTime, duration, detail } = entry;
      if (duration < pauseMsMin) continue;
      const startMs = performance.timeOrigin + startTime;
      pauses.push({
        startMs,
        endMs: startMs + duration,
        cause: `garbage collection (${kindOf(detail?.kind)})`,
      });
    }
  }).observe({ entryTypes: ['gc'] });
  let before = nowMs();
  setInterval(() => {
    const now = nowMs();
    if (now - before > tickMs + pauseMsMin * 2)
      pauses.push({ startMs: before + tickMs, endMs: now, cause: 'event loop busy' });
    before = now;
  }, tickMs).unref();
  const flush = () => {
    if (pauses.length === 0) return;
    appendFileSync(file, pauses.map((pause) => `${JSON.stringify(pause)}\n`).join(''));
    pauses = [];
  };
  setInterval(flush, flushMs).unref();
  process.once('exit', flush);
}

function kindOf(kind: number | undefined): string {
  return { 1: 'young', 4: 'old', 8: 'incremental' }[kind ?? 0] ?? `kind ${kind}`;
}
