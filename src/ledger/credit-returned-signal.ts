/** Wakes calls that wait until leases of their account are returned. */
export class CreditReturnedSignal {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Resolves at the next `wake` of this account. */
  wait(account: string): Promise<void> {
    return new Promise((resolve) => {
      const creditReturned = this.#waiting.get(account) ?? new Set();
      creditReturned.add(resolve);
      this.#waiting.set(account, creditReturned);
    });
  }

  wake(account: string): void {
    const creditReturned = this.#waiting.get(account);
    this.#waiting.delete(account);
    for (const resolve of creditReturned ?? []) resolve();
  }

  wakeAll(): void {
    for (const account of [...this.#waiting.keys()]) this.wake(account);
  }
}
