import type { LedgerStore } from './ledger-store.ts';
import type { RequestDeadlines } from './request-deadlines.ts';

type LostResponses = { seq: number; callIds: readonly string[] };

/**
 * Tracks the responses of charged batches: sent, or lost. Each checkpoint reports the batch up to which all responses were sent. When the
 * writer dies, the ledger credits back everything after that batch; responses that this process knows to be lost, it credits itself.
 */
export class Deliveries {
  /** Number of responses of each batch that were not sent yet. */
  readonly #open = new Map<number, number>();
  #lost: LostResponses[] = [];
  #crediting = false;

  /** `count` calls of a batch were charged, and their responses may be sent now. */
  expect(seq: number, count: number): void {
    if (count > 0) this.#open.set(seq, count);
  }

  /** One response of a batch was sent. */
  left(seq: number): void {
    const remaining = (this.#open.get(seq) ?? 0) - 1;
    if (remaining > 0) this.#open.set(seq, remaining);
    else this.#open.delete(seq);
  }

  /** These responses of a charged batch will not be sent in full: their charges are credited back. */
  lose(seq: number, callIds: readonly string[]): void {
    if (this.#open.has(seq)) this.#lost.push({ seq, callIds });
  }

  /** The first batch with a response that was not sent; Infinity if there is none. */
  get firstOpen(): number {
    return Math.min(...this.#open.keys());
  }

  /** Returns true if charges are still to be credited back. */
  get owes(): boolean {
    return this.#lost.length > 0;
  }

  /** Credits back the oldest lost responses. Rejects if the ledger cannot be reached; they are then credited later. */
  async creditLost(store: LedgerStore, deadlines: RequestDeadlines): Promise<void> {
    const [next] = this.#lost;
    if (!next || this.#crediting) return;
    this.#crediting = true;
    try {
      await deadlines.settledInTime(store.undeliver(next.callIds));
      for (const _ of next.callIds) this.left(next.seq);
      this.#lost = this.#lost.filter((done) => done !== next);
    } finally {
      this.#crediting = false;
    }
  }

  /** Begins a new epoch: ending the old one credited back everything that was not reported as sent. */
  clear(): void {
    this.#open.clear();
    this.#lost = [];
  }
}
