import type { Clock } from '@sluice/kernel/clock';

/** The waits of calls for a connection at the upstreams of this process, over all revisions of its catalogue. */
export class UpstreamWaits {
  /** Calls that wait now. */
  waiting = 0;
  /** Calls whose wait has ended, by a connection or by a refusal, and the sum of their waits. A call that was sent at once has not waited. */
  ended = 0;
  endedMs = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts a wait. Returns the time, for `end`. */
  start(): number {
    this.waiting += 1;
    return this.#clock();
  }

  end(sinceMs: number): void {
    this.waiting -= 1;
    this.ended += 1;
    // The clock may have been set back meanwhile.
    this.endedMs += Math.max(0, this.#clock() - sinceMs);
  }
}
