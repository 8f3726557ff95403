import type { Clock } from '@sluice/kernel/clock';

const minuteMs = 60_000;
/** The minutes whose failures are known apart. */
const minutesKept = 60;

/** The failures of the upstream of one kind, in this process. */
export class UpstreamFailures {
  readonly #clock: Clock;
  readonly #minutes = new Map<number, number>();
  times = 0;
  lastMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(): void {
    this.lastMs = this.#clock();
    this.times += 1;
    const minute = Math.floor(this.lastMs / minuteMs);
    this.#minutes.set(minute, (this.#minutes.get(minute) ?? 0) + 1);
    for (const old of this.#minutes.keys()) if (old <= minute - minutesKept) this.#minutes.delete(old);
  }

  /** The number since a moment within the last hour, by whole minutes. */
  since(ms: number): number {
    const first = Math.floor(ms / minuteMs);
    return [...this.#minutes].reduce((sum, [minute, times]) => (minute > first ? sum + times : sum), 0);
  }
}
