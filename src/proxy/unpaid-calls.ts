import type { Clock } from '@sluice/kernel/clock';
import type { Sending } from './upstream.ts';

/** UnpaidCallLimits on the calls that the upstream served but the account did not pay for. */
export type UnpaidCallLimits = {
  /** Number of such calls that are free for an account in a window. */
  callsMax: number;
  windowMs: number;
  /** Number of responses that this process reads to their end at once after their callers left. */
  readsMax: number;
  /** Maximum time for reading one of them after its caller left. */
  readMsMax: number;
};

export const usualLimits: UnpaidCallLimits = {
  callsMax: 5,
  windowMs: 60 * 60_000,
  readsMax: 32,
  /** The maximum time for any upstream response (`upstream.timeout_ms`). */
  readMsMax: 300_000,
};

/** Number of accounts that are tracked; beyond it, the account that was quiet for longest is forgotten. */
const accountsMax = 50_000;

/** Times of the unpaid calls in the window, oldest first. `isBarred`: a response that its caller left could not be read to its end. */
type Unpaid = { timesMs: number[]; isBarred: boolean };

/** A call under way whose caller may leave; that caller's connection calls `abandon`. */
export type Watched = Sending & {
  /** `free`: the call was aborted and costs nothing. `charged`: it continues and is charged as if the caller had stayed. */
  readonly left: 'no' | 'free' | 'charged';
  /** Marks the call as over. */
  end(): void;
};

/**
 * Counts, for each account, the calls that the upstream served and the account avoided paying for: the caller left before the
 * response, or had too little credit for the units in the response. A few are normal and free. An account that has more of them in a window is
 * charged for calls that it leaves, and has its worst case held in full. Each process counts separately.
 */
export class UnpaidCalls {
  readonly #clock: Clock;
  readonly #limits: UnpaidCallLimits;
  readonly #accounts = new Map<string, Unpaid>();
  readonly #reads = new Set<() => void>();
  /** Streams that are read on after their callers left. */
  readonly #streams = new Set<() => void>();
  #isDraining = false;
  #whenRead: (() => void)[] = [];

  constructor(clock: Clock, limits: UnpaidCallLimits = usualLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Number of responses that are being read to their end for callers who left. */
  get reading(): number {
    return this.#reads.size;
  }

  /** True when the process is ending: a connection that closes now may have been closed by this process. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Returns true when the account has used up its free unpaid calls in the window. */
  isOver(account: string): boolean {
    return this.#since(account) !== null;
  }

  /** Returns the seconds until the account may call again, or 0 when it may call now. */
  barredSeconds(account: string): number {
    if (this.#accounts.get(account)?.isBarred !== true) return 0;
    const sinceMs = this.#since(account);
    if (sinceMs === null) return 0;
    return Math.max(1, Math.ceil((sinceMs + this.#limits.windowMs - this.#clock()) / 1_000));
  }

  /** Adds a call that started something at the upstream and could not be charged. The account may not call when it has too many of them. */
  addStarted(account: string): void {
    this.add(account);
    const unpaid = this.#accounts.get(account);
    if (unpaid && this.isOver(account)) unpaid.isBarred = true;
  }

  /** Adds one unpaid call of the account. */
  add(account: string): void {
    const { callsMax } = this.#limits;
    const known = this.#accounts.get(account);
    const isBarred = known?.isBarred === true && this.isOver(account);
    const timesMs = [...(known?.timesMs ?? []), this.#clock()].slice(-Math.max(1, callsMax));
    this.#accounts.delete(account);
    this.#accounts.set(account, { timesMs, isBarred });
    const [quietest] = this.#accounts.keys();
    if (this.#accounts.size > accountsMax && quietest !== undefined) this.#accounts.delete(quietest);
  }

  /**
   * Tracks a call whose caller may leave. The caller of `watch` must call `end` in every case.
   * @param isFree true when the call costs nothing whatever its response contains
   * @param runsOn true when what it starts at the upstream does not end with it: then leaving it is never free
   */
  watch(account: string, sending: Sending, isFree: boolean, runsOn = false): Watched {
    return new WatchedCall(this, account, sending, { isFree, runsOn });
  }

  /** Decides about a charged response whose caller left before receiving it. @returns true when the charge is kept */
  isCharged(account: string): boolean {
    if (this.#isDraining) return false;
    if (this.isOut(account)) return true;
    this.add(account);
    return false;
  }

  /**
   * Registers a stream that is read on after its caller left; `drain` waits for it. Returns a function to call when it is settled, or null when the
   * process is ending: then the stream is aborted and free.
   */
  readOn(abandon: () => void): (() => void) | null {
    if (this.#isDraining) return null;
    this.#streams.add(abandon);
    return () => {
      this.#streams.delete(abandon);
      this.#resolveWhenRead();
    };
  }

  /**
   * Makes abandoned calls free from now on, because the process is ending. Waits for the responses that are being read for callers
   * who left; after `msMax` they are aborted and cost nothing.
   */
  async drain(msMax: number): Promise<void> {
    this.#isDraining = true;
    if (this.#reads.size + this.#streams.size === 0) return;
    const giveUp = setTimeout(() => {
      for (const abandon of [...this.#reads, ...this.#streams]) abandon();
    }, msMax);
    await new Promise<void>((resolve) => this.#whenRead.push(resolve));
    clearTimeout(giveUp);
  }

  /** Decides what happens to an abandoned call. Returns a function that ends the reading, or null when the call is free and aborted. */
  leave(account: string, abandon: () => void, runsOn: boolean): (() => void) | null {
    if (this.#isDraining) return null;
    if (!runsOn && !this.isOut(account)) {
      this.add(account);
      return null;
    }
    if (!runsOn && this.#reads.size >= this.#limits.readsMax) {
      this.add(account);
      const unpaid = this.#accounts.get(account);
      if (unpaid) unpaid.isBarred = true;
      return null;
    }
    const late = setTimeout(() => {
      this.add(account);
      abandon();
    }, this.#limits.readMsMax);
    this.#reads.add(abandon);
    return () => {
      clearTimeout(late);
      this.#reads.delete(abandon);
      this.#resolveWhenRead();
    };
  }

  #resolveWhenRead(): void {
    if (this.#reads.size + this.#streams.size === 0)
      for (const resolve of this.#whenRead.splice(0)) resolve();
  }

  /** Returns true when the account has no free unpaid calls left: it pays for the next call that it leaves. */
  isOut(account: string): boolean {
    return this.#limits.callsMax === 0 || this.isOver(account);
  }

  /** Returns the time of the oldest of `callsMax` unpaid calls within the window, or null when there are fewer. */
  #since(account: string): number | null {
    const { callsMax, windowMs } = this.#limits;
    const timesMs = this.#accounts.get(account)?.timesMs ?? [];
    const [oldest] = timesMs;
    if (oldest === undefined || timesMs.length < callsMax || this.#clock() - oldest >= windowMs) return null;
    return oldest;
  }
}

/** An object literal with a getter would get a hidden class of its own, which keeps its call in memory until the next full garbage collection. */
class WatchedCall implements Watched {
  left: Watched['left'] = 'no';
  readonly #calls: UnpaidCalls;
  readonly #account: string;
  readonly #sending: Sending;
  readonly #isFree: boolean;
  readonly #runsOn: boolean;
  #isOver = false;
  #stop: (() => void) | null = null;

  constructor(
    calls: UnpaidCalls,
    account: string,
    sending: Sending,
    { isFree, runsOn }: { isFree: boolean; runsOn: boolean },
  ) {
    this.#calls = calls;
    this.#account = account;
    this.#sending = sending;
    this.#isFree = isFree;
    this.#runsOn = runsOn;
  }

  get response(): Sending['response'] {
    return this.#sending.response;
  }

  abandon(): void {
    // The call is over, so only the transfer of its response can still be aborted.
    if (this.#isOver) this.#sending.abandon();
    if (this.left !== 'no' || this.#isOver) return;
    this.#stop = this.#isFree
      ? null
      : this.#calls.leave(this.#account, () => this.#sending.abandon(), this.#runsOn);
    this.left = this.#stop === null ? 'free' : 'charged';
    if (this.#stop === null) this.#sending.abandon();
  }

  end(): void {
    this.#isOver = true;
    this.#stop?.();
  }
}
