/**
 * Calls functions once the next poll phase of the event loop has passed, so that bytes and ends of connections that have already arrived are
 * read first. All calls of a phase share one immediate.
 */
export class AfterPoll {
  /** Added since the last step. */
  #fresh: (() => void)[] = [];
  /** Added before the last step, hence before the last poll phase. */
  #due: (() => void)[] = [];
  #isScheduled = false;

  add(call: () => void): void {
    this.#fresh.push(call);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#step);
  }

  /** Runs between two poll phases. A call that was added in the last poll phase has to wait for one more. */
  readonly #step = (): void => {
    const due = this.#due;
    this.#due = this.#fresh;
    this.#fresh = [];
    this.#isScheduled = this.#due.length > 0;
    if (this.#isScheduled) setImmediate(this.#step);
    for (const call of due) call();
  };
}
