import type { Clock } from '@sluice/kernel/clock';

/** A cancellation that arrives before its call is remembered for this long: the two travel on different connections. */
const earlyMsMax = 10_000;
const earlyItemsMax = 10_000;

/**
 * The running calls that a message on another connection, or at another process, can cancel. Keys are digests of the account, the session
 * and the number of the call, so that one caller can never name a call of another.
 */
export class RunningCalls {
  readonly #clock: Clock;
  readonly #announce: (key: string) => void;
  readonly #calls = new Map<string, Set<() => void>>();
  /** Cancellations without a call, with the time of their arrival, oldest first. */
  readonly #early = new Map<string, number>();

  /** @param announce passes a cancellation to the other processes; they call `heard` */
  constructor(clock: Clock, announce: (key: string) => void) {
    this.#clock = clock;
    this.#announce = announce;
  }

  /**
   * Registers a call. Returns the function that ends its registration.
   * @param isOfSession true when no other call can have this key; only then may a cancellation precede its call
   */
  register(key: string, isOfSession: boolean, cancel: () => void): () => void {
    const earlyMs = this.#early.get(key);
    if (isOfSession && earlyMs !== undefined && this.#clock() - earlyMs < earlyMsMax) cancel();
    const calls = this.#calls.get(key) ?? new Set();
    this.#calls.set(key, calls.add(cancel));
    return () => {
      calls.delete(cancel);
      if (calls.size === 0 && this.#calls.get(key) === calls) this.#calls.delete(key);
    };
  }

  /** Cancels a call of this process or of another one. */
  cancel(key: string): void {
    if (!this.heard(key)) this.#announce(key);
  }

  /** Cancels a call of this process. Of several calls with one key, none is cancelled. Returns true when there was any. */
  heard(key: string): boolean {
    const calls = this.#calls.get(key);
    if (calls === undefined) {
      this.#early.delete(key);
      this.#early.set(key, this.#clock());
      const [oldest] = this.#early.keys();
      if (this.#early.size > earlyItemsMax && oldest !== undefined) this.#early.delete(oldest);
      return false;
    }
    const [only] = calls;
    if (calls.size === 1) only?.();
    return true;
  }
}
