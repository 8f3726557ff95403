import type { Clock } from './clock.ts';

/**
 * The starts of the calls to one path: at most `capacity` in any window, which for a whole rate is `rps` in a rolling second.
 * A slower or uneven rate is made of a longer or shorter window, never of more starts.
 */
export class RateLimit {
  readonly #capacity: number;
  readonly #windowMs: number;
  readonly #clock: Clock;
  #starts: number[] = [];

  constructor(rps: number, clock: Clock) {
    this.#capacity = Math.max(1, Math.floor(rps));
    this.#windowMs = Math.ceil((this.#capacity / rps) * 1000);
    this.#clock = clock;
  }

  /** Ends when the call may start, which is then counted. */
  async take(signal?: AbortSignal): Promise<void> {
    for (;;) {
      const now = this.#clock.now();
      // A start in the future is a clock that was set back.
      this.#starts = this.#starts.filter((start) => start > now - this.#windowMs && start <= now);
      const [oldest] = this.#starts;
      if (oldest === undefined || this.#starts.length < this.#capacity) {
        this.#starts.push(now);
        return;
      }
      await this.#clock.sleep(oldest + this.#windowMs - now, signal);
    }
  }
}
