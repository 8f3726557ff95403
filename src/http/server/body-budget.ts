import type { Outgoing } from './outgoing.ts';

/** Memory that each chunk of a body needs in addition to its bytes. */
const chunkOverheadBytes = 256;

/**
 * Bounds the memory of all request bodies together and of each owner (an account or an address block), so that one caller cannot exhaust
 * the shared budget. A body counts from its first byte until its response has been sent.
 */
export class BodyBudget {
  readonly #bytesMax: number;
  /** The share of one owner. */
  readonly ownerBytesMax: number;
  readonly #byOwner = new Map<string, number>();
  #bytes = 0;

  constructor(bytesMax: number, ownerBytesMax: number) {
    this.#bytesMax = bytesMax;
    this.ownerBytesMax = ownerBytesMax;
  }

  /** Bytes of all bodies in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Starts to count one body. */
  open(owner: string): Reservation {
    return new Reservation(this, owner);
  }

  /** Returns false and counts nothing when the budget would be exceeded. */
  take(owner: string, bytes: number): boolean {
    const own = (this.#byOwner.get(owner) ?? 0) + bytes;
    if (own > this.ownerBytesMax || this.#bytes + bytes > this.#bytesMax) return false;
    this.#byOwner.set(owner, own);
    this.#bytes += bytes;
    return true;
  }

  free(owner: string, bytes: number): void {
    const own = (this.#byOwner.get(owner) ?? 0) - bytes;
    if (own > 0) this.#byOwner.set(owner, own);
    else this.#byOwner.delete(owner);
    this.#bytes -= bytes;
  }
}

/** The memory of one body. Freed once. */
export class Reservation {
  readonly #budget: BodyBudget;
  readonly #owner: string;
  #bytes = 0;
  #isFreed = false;

  constructor(budget: BodyBudget, owner: string) {
    this.#budget = budget;
    this.#owner = owner;
  }

  /** Counts one chunk; returns false when the budget would be exceeded. */
  take(chunkBytes: number): boolean {
    const bytes = chunkBytes + chunkOverheadBytes;
    if (this.#isFreed || !this.#budget.take(this.#owner, bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Frees the memory when the response has been sent or the caller has disconnected. */
  freeWith(outgoing: Pick<Outgoing, 'closed' | 'once'>): this {
    if (outgoing.closed) this.free();
    else outgoing.once('close', () => this.free());
    return this;
  }

  free(): void {
    if (this.#isFreed) return;
    this.#isFreed = true;
    if (this.#bytes > 0) this.#budget.free(this.#owner, this.#bytes);
  }
}

/** Separate budgets for callers with a valid token and for all others, so that strangers cannot exhaust the budget of buyers. */
export type BodyBudgets = { readonly known: BodyBudget; readonly unknown: BodyBudget };

/** Three quarters are for accounts, of which one account may use a quarter. One quarter is for strangers, of which an address block may use an eighth. */
export function openBudgets(bytesMax: number): BodyBudgets {
  const known = Math.floor((bytesMax * 3) / 4);
  const unknown = bytesMax - known;
  return {
    known: new BodyBudget(known, Math.floor(known / 4)),
    unknown: new BodyBudget(unknown, Math.floor(unknown / 8)),
  };
}
