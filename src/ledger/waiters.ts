/** Those who wait until something comes back to an account. */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Resolves at the next `wake` of this account. */
  wait(account: string): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(account) ?? new Set();
      waiters.add(resolve);
      this.#waiting.set(account, waiters);
    });
  }

  wake(account: string): void {
    const waiters = this.#waiting.get(account);
    this.#waiting.delete(account);
    for (const resolve of waiters ?? []) resolve();
  }

  wakeAll(): void {
    for (const account of [...this.#waiting.keys()]) this.wake(account);
  }
}
