import fc from 'fast-check';
import { Counter, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import * as RequestCounts from '../../src/http/telemetry/request-counts.ts';
import type { LogLine } from '../../src/http/telemetry/request-log.ts';

/** The same, observed by the library that prints the other metrics. */
async function byLibrary(lines: readonly LogLine[]): Promise<string> {
  const registers = [new Registry()];
  const counter = (name: string, labelNames: string[]) =>
    new Counter({ name, help: 'of it', labelNames, registers });
  const requests = counter('sluice_requests_total', ['status', 'code']);
  const seconds = new Histogram({
    name: 'sluice_call_seconds',
    help: 'of it',
    labelNames: ['service'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const units = counter('sluice_units_total', ['service']);
  const charged = counter('sluice_charged_micro_usd_total', ['service']);
  for (const { status, code = '', service, ms, units: counted = 0, costMicroUsd = 0 } of lines) {
    requests.inc({ status: String(status), code });
    if (service === undefined) continue;
    seconds.observe({ service }, ms / 1_000);
    units.inc({ service }, counted);
    charged.inc({ service }, costMicroUsd);
  }
  return (await registers[0]?.metrics()) ?? '';
}

/** Samples and types by name; sums of seconds to the millisecond, as the library adds fractions. */
function told(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# HELP'))
    .map((line) => (line.includes('_sum') ? line.replace(/\S+$/, (sum) => Number(sum).toFixed(3)) : line))
    .sort();
}

test('requests are printed as the library of the other metrics would print them', async () => {
  const answered = fc.record({
    status: fc.constantFrom(0, 200, 404, 429),
    code: fc.constantFrom(undefined, 'rate_limited', 'broken_off'),
    service: fc.constantFrom(undefined, 'lists', 'exports'),
    ms: fc.oneof(fc.nat(40_000), fc.constantFrom(0, 4, 5, 6, 30_000, 30_001)),
    units: fc.option(fc.nat(50), { nil: undefined }),
    costMicroUsd: fc.option(fc.nat(50_000), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(answered, { maxLength: 30 }), async (requests) => {
      const counts = RequestCounts.createCounts();
      const lines = requests as unknown as LogLine[];
      for (const line of lines) RequestCounts.countRequest(counts, line);
      expect(told(RequestCounts.requestMetrics(counts))).toEqual(told(await byLibrary(lines)));
    }),
    { numRuns: 200 },
  );
});
