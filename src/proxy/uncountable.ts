import type { Clock } from '@sluice/kernel/clock';
import type { UncountableReason } from './meter.ts';

/** A success of the upstream that could not be counted. `operation` is the operation's id in the catalogue. */
export type UncountableResponse = { call: string; operation: string; reason: UncountableReason };

/** Number of such responses for one operation and reason, and the time of the last one. */
export type UncountableCount = { operation: string; reason: string; calls: number; lastMs: number };

/** Counts of one day (UTC, `2026-11-22`) in this process since it started. */
export type DayCount = UncountableCount & { day: string };

/** The counts of all processes, stored in the database. */
export interface UncountableRecord {
  /** Writes the counts of this process. They are totals, so writing them again changes nothing. */
  write(counts: readonly DayCount[]): Promise<void>;
  /** Returns the counts by operation and reason from the day of `sinceMs` on, the most frequent first. */
  since(sinceMs: number): Promise<UncountableCount[]>;
}

/** The counts of this process. The catalogue and this program define the labels, so callers cannot create new ones. */
export class UncountableCounts {
  readonly #clock: Clock;
  readonly #counts = new Map<string, DayCount>();
  readonly #unwritten = new Set<DayCount>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add({ operation, reason }: UncountableResponse): void {
    const nowMs = this.#clock();
    const day = new Date(nowMs).toISOString().slice(0, 10);
    const at = `${day} ${reason} ${operation}`;
    const count = this.#counts.get(at) ?? { day, operation, reason, calls: 0, lastMs: nowMs };
    count.calls += 1;
    count.lastMs = nowMs;
    this.#counts.set(at, count);
    this.#unwritten.add(count);
  }

  /** Returns all counts since the process started. */
  all(): Iterable<Readonly<DayCount>> {
    return this.#counts.values();
  }

  /** Writes the counts that have changed. Counts that could not be written are written the next time. */
  async write(record: UncountableRecord): Promise<void> {
    const counts = [...this.#unwritten];
    if (counts.length === 0) return;
    this.#unwritten.clear();
    try {
      await record.write(counts.map((count) => ({ ...count })));
    } catch (fault) {
      for (const count of counts) this.#unwritten.add(count);
      throw fault;
    }
  }
}
