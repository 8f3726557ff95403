import { describe, expect, it } from 'vitest';
import { DistributedRateLimit, type SharedCounter } from '../../src/proxy/distributed-rate-limit.ts';

type Question = { key: string; calls: number; answer(passed: { passed: number; left: number } | null): void };

/** A count whose answers the test gives. */
function counting(): { shared: SharedCounter; asked: Question[] } {
  const asked: Question[] = [];
  const shared: SharedCounter = {
    take: (key, _perSecond, calls) => new Promise((answer) => asked.push({ key, calls, answer })),
  };
  return { shared, asked };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const passed = async (takes: readonly unknown[]) =>
  (await Promise.all(takes)).filter((taken) => (taken as { allowed: boolean }).allowed).length;

describe('calls that all processes count together', () => {
  it('pass as many as the count says, the first that came', async () => {
    const { shared, asked } = counting();
    const limit = new DistributedRateLimit(() => 0, shared);
    const takes = [limit.take('a', 10), limit.take('a', 10), limit.take('a', 10)];
    asked[0]?.answer({ passed: 1, left: 9 });
    await turn();
    expect(asked.map(({ calls }) => calls)).toEqual([1, 2]);
    asked[1]?.answer({ passed: 1, left: 0 });
    expect(await Promise.all(takes)).toMatchObject([
      { allowed: true, remaining: 9 },
      { allowed: true, remaining: 0 },
      { allowed: false, retryAfterSeconds: 1 },
    ]);
  });

  it('ask once for a crowd that comes meanwhile, and for each key apart', async () => {
    const { shared, asked } = counting();
    const limit = new DistributedRateLimit(() => 0, shared);
    const takes = Array.from({ length: 50 }, () => limit.take('a', 100));
    takes.push(limit.take('b', 100));
    expect(asked.map(({ key, calls }) => [key, calls])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    for (const question of asked) question.answer({ passed: 1, left: 99 });
    await turn();
    expect(asked[2]).toMatchObject({ key: 'a', calls: 49 });
    asked[2]?.answer({ passed: 49, left: 50 });
    expect(await passed(takes)).toBe(51);
    expect(asked).toHaveLength(3);
  });

  it('are counted by each process for its share while nobody can say', async () => {
    const limit = new DistributedRateLimit(
      () => 0,
      { take: async () => null },
      () => 3,
    );
    expect(await passed(Array.from({ length: 50 }, () => limit.take('a', 20)))).toBe(6);
    expect(await passed([limit.take('few', 2), limit.take('few', 2)])).toBe(1);
  });

  it('go on from what this process let through in the second in which the count is lost', async () => {
    const { shared, asked } = counting();
    const limit = new DistributedRateLimit(
      () => 0,
      shared,
      () => 2,
    );
    const first = Array.from({ length: 8 }, () => limit.take('a', 20));
    asked[0]?.answer({ passed: 1, left: 19 });
    await turn();
    asked[1]?.answer({ passed: 7, left: 12 });
    expect(await passed(first)).toBe(8);
    const then = Array.from({ length: 8 }, () => limit.take('a', 20));
    asked[2]?.answer(null);
    await turn();
    asked[3]?.answer(null);
    expect(await passed(then)).toBe(2);
  });
});
