import type { Clock } from '@sluice/kernel/clock';

/** A request without a response is repeated after this time, which is longer than the statement timeout. */
const answerWaitMs = 3_000;

/** Limits every wait for the ledger store, because a dead connection may never report an error. Needs no timer of its own. */
export class RequestDeadlines {
  readonly #clock: Clock;
  readonly #requests = new Set<{ sinceMs: number; giveUp(error: Error): void }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Settles like `answer`, or rejects when `tick` finds it overdue. */
  settledInTime<T>(answer: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, giveUp) => {
      const request = { sinceMs: this.#clock(), giveUp };
      this.#requests.add(request);
      answer.then(resolve, giveUp).finally(() => this.#requests.delete(request));
    });
  }

  tick(nowMs: number): void {
    for (const { sinceMs, giveUp } of this.#requests)
      if (nowMs - sinceMs >= answerWaitMs) giveUp(new Error('the ledger does not respond'));
  }
}
