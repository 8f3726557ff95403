import type { Clock } from '@sluice/kernel/clock';

/** Pause after a withheld response once an account has too many of them. */
const pauseMs = 60_000;
/** They are forgotten when none was added for this time. */
const forgetMs = 60 * 60_000;
/** Number of accounts and operations that are tracked; beyond it, the one that was quiet for longest is forgotten. */
const trackedMax = 50_000;

/** `calls`: withheld responses that no paid one has followed. `lastMs`: the last of them. `turnMs`: when the last call was let through or withheld; 0 after a paid one. */
type Debt = { calls: number; lastMs: number; turnMs: number };

/**
 * Counts, for each account and operation, the successes of the upstream that were withheld without a charge, because their cost or owner could
 * not be determined. Some callers can cause them by what they ask for, and the upstream has worked. Each paid response takes one off, so an account
 * never gets many more of them than it pays for. With too many, one call a minute is let through until
 * one is paid: an upstream that works again is noticed, and the callers of a faulty one lose nothing. Each process counts separately.
 */
export class WithheldCalls {
  readonly #clock: Clock;
  readonly #callsMax: number;
  readonly #debts = new Map<string, Debt>();

  constructor(clock: Clock, callsMax: number) {
    this.#clock = clock;
    this.#callsMax = callsMax;
  }

  /** Lets a call through, or returns the seconds until one may be. */
  take(account: string, operation: string): number {
    if (this.#debts.size === 0) return 0;
    const debt = this.#debts.get(keyOf(account, operation));
    const nowMs = this.#clock();
    if (debt === undefined || debt.calls < this.#callsMax || nowMs - debt.lastMs >= forgetMs) return 0;
    const waitMs = debt.turnMs + pauseMs - nowMs;
    if (waitMs > 0) return Math.ceil(waitMs / 1_000);
    debt.turnMs = nowMs;
    return 0;
  }

  /** Adds a response that was withheld. */
  add(account: string, operation: string): void {
    const key = keyOf(account, operation);
    const known = this.#debts.get(key);
    const nowMs = this.#clock();
    const before = known === undefined || nowMs - known.lastMs >= forgetMs ? 0 : known.calls;
    // Calls that ran at the same time must not bar a caller for long.
    const calls = Math.min(before + 1, 2 * this.#callsMax);
    this.#debts.delete(key);
    this.#debts.set(key, { calls, lastMs: nowMs, turnMs: nowMs });
    const [quietest] = this.#debts.keys();
    if (this.#debts.size > trackedMax && quietest !== undefined) this.#debts.delete(quietest);
  }

  /** Takes one off for a paid response. The next call need not wait. */
  pay(account: string, operation: string): void {
    if (this.#debts.size === 0) return;
    const key = keyOf(account, operation);
    const debt = this.#debts.get(key);
    if (debt === undefined) return;
    debt.calls -= 1;
    debt.turnMs = 0;
    if (debt.calls <= 0) this.#debts.delete(key);
  }
}

function keyOf(account: string, operation: string): string {
  return `${account} ${operation}`;
}
