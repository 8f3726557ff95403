import type { Clock } from '../kernel/clock.ts';
import * as RateLimit from './rate-limit.ts';

/** Counts the calls of all processes together. Implemented on Redis by adapters/redis. */
export interface SharedCount {
  /**
   * Takes `calls` of `key` in one rolling second of at most `perSecond`: how many of them may pass, and how many more are
   * left then. Never rejects and never takes longer than some milliseconds; null where nobody can say.
   */
  take(key: string, perSecond: number, calls: number): Promise<{ passed: number; left: number } | null>;
}

type Waiting = { perSecond: number; resolve(taken: RateLimit.Taken): void };

/**
 * How often an account may call an operation: counted by all processes together, or, where there is nothing to count with or
 * it is away, by each for its share. What comes while a key is asked for goes with its next question, so that a crowd costs
 * one question a round trip.
 */
export class CallLimit {
  readonly #clock: Clock;
  readonly #shared: SharedCount | null;
  readonly #processes: () => number;
  /** What this process let through, also where it was counted elsewhere: it goes on from there when it counts by itself. */
  readonly #own = RateLimit.create();
  readonly #waiting = new Map<string, Waiting[]>();

  /** @param processes how many count the same calls, each by itself, while nobody counts them together */
  constructor(clock: Clock, shared: SharedCount | null = null, processes: () => number = () => 1) {
    this.#clock = clock;
    this.#shared = shared;
    this.#processes = processes;
  }

  /** Takes one call of `key`, of which `perSecond` may pass in any second. */
  take(key: string, perSecond: number): RateLimit.Taken | Promise<RateLimit.Taken> {
    if (this.#shared === null) return RateLimit.take(this.#own, key, perSecond, this.#clock());
    const { promise, resolve } = Promise.withResolvers<RateLimit.Taken>();
    const waiting = this.#waiting.get(key);
    if (waiting) waiting.push({ perSecond, resolve });
    else {
      this.#waiting.set(key, [{ perSecond, resolve }]);
      void this.#ask(this.#shared, key);
    }
    return promise;
  }

  async #ask(shared: SharedCount, key: string): Promise<void> {
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
  ): RateLimit.Taken {
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
