import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { run } from './run.ts';

/** `npm run failover` runs longer, and through all failures. */
const seed = 20_260;
const durations = { stoppedMs: 12_000, lostMs: 8_000 };
const isInstalled = ['/usr/bin/etcd', '/usr/bin/patroni', '/usr/sbin/haproxy'].every((path) =>
  existsSync(path),
);
/** Three rounds take 90 seconds, and a busy machine needs several times as long. */
const timeout = 600_000;

describe.runIf(isInstalled)('a cluster of three nodes under deploy/ha', () => {
  test(`loses nothing that was confirmed, whichever part of it fails (seed ${seed})`, {
    timeout,
  }, async () => {
    const report = await run({ rounds: 3, seed, secondsMax: Number.POSITIVE_INFINITY, ...durations });
    expect(report.breaches).toEqual([]);
    expect(report.rounds).toHaveLength(3);
    // Without sales and purchases the run would prove little.
    expect(report.books.charged).toBeGreaterThan(200);
    expect(report.purchases.answered).toBeGreaterThan(20);
  });

  test('and the comparison finds what asynchronous replication loses', { timeout }, async () => {
    const report = await run({
      rounds: 1,
      seed,
      secondsMax: Number.POSITIVE_INFINITY,
      only: 'all standbys cut',
      kind: { isAsynchronous: true },
      ...durations,
    });
    expect(report.breaches).toContainEqual(expect.stringMatching(/answered and is not on the books$/));
    expect(report.breaches).toContainEqual(
      expect.stringMatching(/answered as granted, and the books have undefined/),
    );
  });
});
