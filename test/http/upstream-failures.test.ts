import { expect, test } from 'vitest';
import { UpstreamFailures } from '../../src/http/telemetry/upstream-failures.ts';

test('failures are counted in total, and those of the last minutes apart', () => {
  let nowMs = Date.UTC(2026, 10, 27, 12);
  const failures = new UpstreamFailures(() => nowMs);
  failures.add();
  nowMs += 20 * 60_000;
  failures.add();
  failures.add();
  expect([failures.times, failures.since(nowMs - 15 * 60_000), failures.lastMs]).toEqual([3, 2, nowMs]);
  nowMs += 120 * 60_000;
  failures.add();
  expect([failures.times, failures.since(0)]).toEqual([4, 1]);
});
