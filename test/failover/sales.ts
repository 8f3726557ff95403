import { Record } from '../faults/record.ts';

/** The responses that callers received, and the times of sales. */
export class Sales extends Record {
  /** The times of complete responses with a cost. */
  readonly #times: number[] = [];

  override take(...args: Parameters<Record['take']>): boolean {
    const [, , , attempt] = args;
    if (
      attempt.kind === 'whole' &&
      attempt.status < 300 &&
      Number(attempt.headers['storefront-cost-usd']) > 0
    )
      this.#times.push(performance.now());
    return super.take(...args);
  }

  /** Returns the longest time without a sale between two moments. */
  longestPause(fromMs: number, toMs: number): { fromMs: number; toMs: number } {
    const times = [fromMs, ...this.#times.filter((at) => at > fromMs && at < toMs), toMs];
    const pauses = times.slice(1).map((at, index) => ({ fromMs: times[index] ?? at, toMs: at }));
    return pauses.reduce((longest, pause) =>
      pause.toMs - pause.fromMs > longest.toMs - longest.fromMs ? pause : longest,
    );
  }

  /** Resolves when something was sold after this moment; false if nothing was until the end of the wait. */
  async soldAfter(atMs: number, waitMs: number): Promise<boolean> {
    for (const end = performance.now() + waitMs; performance.now() < end; ) {
      if ((this.#times.at(-1) ?? 0) > atMs) return true;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return false;
  }
}
