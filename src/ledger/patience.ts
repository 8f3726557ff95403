import type { Clock } from '../kernel/clock.ts';

/** After how long without an answer the books are asked again: longer than they let a statement last. */
const answerWaitMs = 3_000;

/** Bounds every wait for the books without a timer of its own: a dead connection may never tell. */
export class Patience {
  readonly #clock: Clock;
  readonly #questions = new Set<{ sinceMs: number; giveUp(error: Error): void }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What the books answer; rejects when `tick` finds it overdue. */
  answerOf<T>(answer: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, giveUp) => {
      const question = { sinceMs: this.#clock(), giveUp };
      this.#questions.add(question);
      answer.then(resolve, giveUp).finally(() => this.#questions.delete(question));
    });
  }

  tick(nowMs: number): void {
    for (const { sinceMs, giveUp } of this.#questions)
      if (nowMs - sinceMs >= answerWaitMs) giveUp(new Error('the books do not answer'));
  }
}
