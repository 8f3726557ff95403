import type { Report } from './run.ts';

const breachesShownMax = 40;

/** Formats the result of a run for a person. */
export function print(report: Report, seed: number): string {
  const { calls, attempts, seconds, faults, struck, answers, books, longestWaitMs, breaches } = report;
  const list = (title: string, counts: Readonly<{ [what: string]: number }>) =>
    [
      `${title}:`,
      ...Object.entries(counts)
        .sort(([, a], [, b]) => b - a)
        .map(([what, count]) => `${String(count).padStart(9)} ${what}`),
    ].join('\n');
  const rate = Math.round(calls / seconds);
  return [
    `Seed ${seed}: ${calls} calls in ${attempts} attempts and ${Math.round(seconds)} s (${rate} calls/s); the longest wait was ${longestWaitMs} ms.`,
    list('Faults', faults),
    list('Moments at which a process was struck', struck),
    list('What callers were told', answers),
    list('The books', books),
    breaches.length === 0
      ? 'Every promise held.'
      : `${breaches.length} BREACHES:\n${breaches.slice(0, breachesShownMax).join('\n')}`,
    '',
  ].join('\n');
}
