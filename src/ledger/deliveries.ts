import type { Books } from './books.ts';
import type { Patience } from './patience.ts';

type GiveBack = { seq: number; callIds: readonly string[] };

/**
 * Which answers of charged batches have left, and which never will. The books are told up to which batch all have: what
 * they do not know to be delivered is given back when the lane dies; what this process knows to be lost, it gives back itself.
 */
export class Deliveries {
  /** Answers of a batch that have not left yet. */
  readonly #open = new Map<number, number>();
  #lost: GiveBack[] = [];
  #givingBack = false;

  /** So many calls of a batch were charged, and their answers may leave now. */
  expect(seq: number, count: number): void {
    if (count > 0) this.#open.set(seq, count);
  }

  /** One answer of a batch has left. */
  left(seq: number): void {
    const remaining = (this.#open.get(seq) ?? 0) - 1;
    if (remaining > 0) this.#open.set(seq, remaining);
    else this.#open.delete(seq);
  }

  /** These answers of a charged batch will not leave whole: what they were charged goes back. */
  lose(seq: number, callIds: readonly string[]): void {
    if (this.#open.has(seq)) this.#lost.push({ seq, callIds });
  }

  /** The first batch of which an answer has not left; Infinity where all have. */
  get firstOpen(): number {
    return Math.min(...this.#open.keys());
  }

  /** Whether something has to be given back. */
  get owes(): boolean {
    return this.#lost.length > 0;
  }

  /** Gives back the oldest that is owed. Rejects when the books cannot be reached: then it stays owed. */
  async giveBack(books: Books, patience: Patience): Promise<void> {
    const [next] = this.#lost;
    if (!next || this.#givingBack) return;
    this.#givingBack = true;
    try {
      await patience.answerOf(books.undeliver(next.callIds));
      for (const _ of next.callIds) this.left(next.seq);
      this.#lost = this.#lost.filter((done) => done !== next);
    } finally {
      this.#givingBack = false;
    }
  }

  /** A new epoch: the books gave back what they did not know to be delivered. */
  clear(): void {
    this.#open.clear();
    this.#lost = [];
  }
}
