/** The limits of WebSockets in one process. */
export type SocketLimits = {
  /** Number of open ones. */
  openMax: number;
  /** Number of open ones of one account. */
  accountMax: number;
  /** Maximum time without a message in either direction. */
  idleMsMax: number;
  /** Maximum time that one is open. */
  openMsMax: number;
  messageBytesMax: number;
};

/** A WebSocket that can be closed. */
type Closable = { close(code: number, reason: string): void };

/** The place of one WebSocket in this process. */
export type SocketPlace = {
  /** Registers the relay, so that it is closed when the process stops. */
  opened(relay: Closable): void;
  leave(): void;
};

/** Counts the WebSockets of this process, and closes them when it stops. */
export class OpenSockets {
  readonly limits: SocketLimits;
  readonly #relays = new Set<Closable>();
  readonly #accounts = new Map<string, number>();
  #open = 0;
  #isDraining = false;
  #whenEmpty: () => void = () => {};

  constructor(limits: SocketLimits) {
    this.limits = limits;
  }

  /** Takes a place for one WebSocket of an account, or returns why there is none. Call `leave` of the place once. */
  enter(account: string): SocketPlace | { kind: 'busy' | 'account_busy' } {
    const own = this.#accounts.get(account) ?? 0;
    if (this.#isDraining || this.#open >= this.limits.openMax) return { kind: 'busy' };
    if (own >= this.limits.accountMax) return { kind: 'account_busy' };
    this.#open += 1;
    this.#accounts.set(account, own + 1);
    let relay: Closable | null = null;
    return {
      opened: (it) => {
        relay = it;
        this.#relays.add(it);
        if (this.#isDraining) it.close(1012, 'restart');
      },
      leave: () => {
        if (relay !== null) this.#relays.delete(relay);
        this.#open -= 1;
        const left = (this.#accounts.get(account) ?? 1) - 1;
        if (left === 0) this.#accounts.delete(account);
        else this.#accounts.set(account, left);
        if (this.#open === 0) this.#whenEmpty();
      },
    };
  }

  /** Closes all WebSockets with 1012 and refuses new ones. Resolves when what they delivered is charged, or after `msMax`. */
  async drain(msMax: number): Promise<void> {
    this.#isDraining = true;
    for (const relay of this.#relays) relay.close(1012, 'restart');
    if (this.#open === 0) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, msMax);
      this.#whenEmpty = () => {
        clearTimeout(late);
        resolve();
      };
    });
  }
}
