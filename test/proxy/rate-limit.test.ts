import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as RateLimit from '../../src/proxy/rate-limit.ts';

describe('a rate limit', () => {
  test('lets the quota of a second pass and refuses the next call', () => {
    const limiter = RateLimit.create();
    const taken = [0, 1, 2, 3].map((ms) => RateLimit.take(limiter, 'a', 3, ms));
    expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
    expect(taken.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0]);
    expect(taken[3]?.retryAfterSeconds).toBe(1);
    expect(RateLimit.take(limiter, 'a', 3, 999).allowed).toBe(false);
    expect(RateLimit.take(limiter, 'a', 3, 1_000)).toMatchObject({ allowed: true, remaining: 0 });
  });

  test('keeps accounts and operations apart', () => {
    const limiter = RateLimit.create();
    expect(RateLimit.take(limiter, 'a', 1, 0).allowed).toBe(true);
    expect(RateLimit.take(limiter, 'b', 1, 0).allowed).toBe(true);
    expect(RateLimit.take(limiter, 'a', 1, 1).allowed).toBe(false);
  });

  test('agrees with a list of all calls of the last second, whenever and by whomever they come', () => {
    const call = fc.record({ key: fc.constantFrom('a', 'b'), afterMs: fc.nat({ max: 700 }) });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(call, { maxLength: 60 }), (perSecond, calls) => {
        const limiter = RateLimit.create();
        const passed: { key: string; at: number }[] = [];
        let now = 0;
        for (const { key, afterMs } of calls) {
          now += afterMs % 5 === 0 ? afterMs : afterMs % 40;
          const used = passed.filter((one) => one.key === key && now - one.at < 1_000).length;
          const taken = RateLimit.take(limiter, key, perSecond, now);
          expect(taken.allowed).toBe(used < perSecond);
          expect(taken.remaining).toBe(Math.max(0, perSecond - used - 1));
          if (taken.allowed) passed.push({ key, at: now });
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('refuses new keys when full and never forgets one that is not idle', () => {
    const limiter = RateLimit.create(2);
    expect(RateLimit.take(limiter, 'a', 1, 0).allowed).toBe(true);
    expect(RateLimit.take(limiter, 'b', 1, 900).allowed).toBe(true);
    expect(RateLimit.take(limiter, 'c', 1, 950).allowed).toBe(false);
    expect(RateLimit.take(limiter, 'b', 1, 1_100).allowed).toBe(false);
    expect(RateLimit.take(limiter, 'c', 1, 1_100).allowed).toBe(true);
    expect(RateLimit.take(limiter, 'b', 1, 1_900).allowed).toBe(true);
  });

  test('holds no more keys than were active in the last two seconds', () => {
    const limiter = RateLimit.create(100);
    for (let at = 0; at < 100_000; at += 20) RateLimit.take(limiter, `key ${at}`, 1, at);
    expect(limiter.recent.size + limiter.older.size).toBeLessThanOrEqual(100);
  });

  test('refuses nobody for long when the clock is set back', () => {
    const limiter = RateLimit.create();
    const hour = 3_600_000;
    expect(RateLimit.take(limiter, 'a', 1, hour).allowed).toBe(true);
    expect(RateLimit.take(limiter, 'a', 1, 0).allowed).toBe(true);
    expect(RateLimit.take(limiter, 'a', 1, 1).allowed).toBe(false);
    expect(RateLimit.take(limiter, 'a', 1, 1_000).allowed).toBe(true);
  });

  test('says policy and standing in the draft’s structured fields', () => {
    const limiter = RateLimit.create();
    expect(RateLimit.headers(RateLimit.take(limiter, 'a', 1, 0), 1)).toEqual([
      ...['RateLimit-Policy', '"default";q=1;w=1', 'RateLimit', '"default";r=0;t=1'],
    ]);
    expect(RateLimit.headers(RateLimit.take(limiter, 'a', 1, 0), 1).slice(4)).toEqual(['Retry-After', '1']);
  });
});
