import type { Clock } from '@sluice/kernel/clock';
import * as RateLimit from './rate-limit.ts';

/** Counts the calls of all processes together. The implementation is adapters/redis. */
export interface SharedCounter {
  /**
   * Takes `calls` of `key` from a rolling second that allows `perSecond`. Returns how many of them may pass and how many more
   * are left after them. Returns null when the counter is unavailable. Never rejects, and answers within milliseconds.
   */
  take(key: string, perSecond: number, calls: number): Promise<{ passed: number; left: number } | null>;
}

type Waiting = { perSecond: number; resolve(taken: RateLimit.RateLimitResult): void };

/**
 * Limits how often an account may call an operation. All processes count together through `shared`. Without a shared counter,
 * or while it is unavailable, each process allows its own share of the limit. Calls that arrive during a round trip to the
 * counter are sent together in the next one, so a burst costs one request per round trip.
 */
export class DistributedRateLimit {
  readonly #clock: Clock;
  readonly #shared: SharedCounter | null;
  readonly #processes: () => number;
  /** The calls that this process let through, wherever they were counted: the starting point when it has to count alone. */
  readonly #own = RateLimit.create();
  readonly #waiting = new Map<string, Waiting[]>();

  /** @param processes number of processes that share the limit while the shared counter is unavailable */
  constructor(clock: Clock, shared: SharedCounter | null = null, processes: () => number = () => 1) {
    this.#clock = clock;
    this.#shared = shared;
    this.#processes = processes;
  }

  /** Takes one call of `key`, for which `perSecond` calls may pass in any second. */
  take(key: string, perSecond: number): RateLimit.RateLimitResult | Promise<RateLimit.RateLimitResult> {
    if (this.#shared === null) return RateLimit.take(this.#own, key, perSecond, this.#clock());
    const { promise, resolve } = Promise.withResolvers<RateLimit.RateLimitResult>();
    const waiting = this.#waiting.get(key);
    if (waiting) waiting.push({ perSecond, resolve });
    else {
      this.#waiting.set(key, [{ perSecond, resolve }]);
      void this.#ask(this.#shared, key);
    }
    return promise;
  }

  async #ask(shared: SharedCounter, key: string): Promise<void> {
    for (let asking = this.#waiting.get(key); asking?.length; asking = this.#waiting.get(key)) {
      this.#waiting.set(key, []);
      const perSecond = (asking[0] as Waiting).perSecond;
      const counted = await shared.take(key, perSecond, asking.length);
      asking.forEach(({ resolve }, at) => {
        resolve(this.#taken(key, perSecond, at, counted));
      });
    }
    this.#waiting.delete(key);
  }

  #taken(
    key: string,
    perSecond: number,
    at: number,
    counted: { passed: number; left: number } | null,
  ): RateLimit.RateLimitResult {
    const nowMs = this.#clock();
    if (counted === null) {
      const share = Math.max(1, Math.floor(perSecond / this.#processes()));
      return RateLimit.take(this.#own, key, perSecond, nowMs, share);
    }
    if (at >= counted.passed) return RateLimit.refused;
    RateLimit.take(this.#own, key, perSecond, nowMs);
    return { allowed: true, remaining: counted.left, resetSeconds: 1, retryAfterSeconds: 0 };
  }
}
