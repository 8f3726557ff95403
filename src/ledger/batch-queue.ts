import type { Deliveries } from './deliveries.ts';
import type * as DrawDown from './draw-down.ts';
import type { Hold, Settlement } from './hold.ts';
import type { LeaseTable, PendingLease } from './lease-table.ts';
import type { Batch } from './ledger-store.ts';
import type * as Usage from './usage.ts';

/** Interval of checkpoints, which subtract spending from the leases, and of heartbeats of a writer without work. */
const checkpointEveryMs = 250;
const heartbeatEveryMs = 1_000;
/** Maximum rows and lease requests of one batch. */
const batchRowsMax = 2_000;
const batchWantsMax = 500;
/** A batch with this many bytes of stored responses is full. The next response waits for the next batch. */
const batchKeptBytesMax = 1024 * 1024;
/** Maximum number of settlements that wait for a batch. */
const waitingMax = 50_000;

/** A settled call that waits for its batch to be committed. */
export type PendingSettlement = {
  rows: Usage.Usage[];
  hold: Hold;
  charges: DrawDown.Charge[];
  /** The charges in its key's budget. */
  capped: DrawDown.Charge[];
  kept: Batch['storedResponses'][number] | null;
  resolve(s: Settlement): void;
};

/** A batch that was sent and whose result is not known yet. */
export type SentBatch = {
  batch: Batch;
  waiting: PendingSettlement[];
  asking: PendingLease[];
  /** Calls that were refused while the result was unknown: if the batch charged them, the charge is credited back. */
  abandoned: string[];
  /** Accounts that received credit, perhaps after the ledger was read. */
  touched: Set<string>;
  sinceMs: number;
  /** Number of times that the ledger store answered with an error. */
  failures: number;
};

/** Collects settlements and lease requests, and composes them into numbered batches. */
export class BatchQueue {
  /** The last batch of this epoch, and the number of batches in earlier epochs. Callers know a batch by the sum of both. */
  #seq = 0;
  #seqBefore = 0;
  #waiting: PendingSettlement[] = [];
  #asking: PendingLease[] = [];
  /** Something was spent since the last checkpoint. */
  #dirty = false;
  #recalled = false;
  #checkpointedMs = 0;

  /** Starts a new epoch, in which batches are numbered from 1. */
  startEpoch(nowMs: number): void {
    this.#seqBefore += this.#seq;
    this.#seq = 0;
    this.#dirty = false;
    this.#checkpointedMs = nowMs;
  }

  /** Number of calls that wait for a batch. */
  get length(): number {
    return this.#waiting.length + this.#asking.length;
  }

  get isFull(): boolean {
    return this.#waiting.length >= waitingMax;
  }

  addSettlement(settlement: PendingSettlement): void {
    this.#waiting.push(settlement);
  }

  addLease(lease: PendingLease): void {
    this.#asking.push(lease);
  }

  /** Lets the next batch be a checkpoint, because only a checkpoint can return recalled leases. */
  addRecall(): void {
    this.#recalled = true;
  }

  isCheckpointDue(nowMs: number): boolean {
    return nowMs - this.#checkpointedMs >= checkpointEveryMs;
  }

  /** Returns the number by which callers know a batch of this epoch. */
  globalSeq(seq: number): number {
    return this.#seqBefore + seq;
  }

  /** Removes and returns everything that waits. */
  takeAll(): { waiting: PendingSettlement[]; asking: PendingLease[] } {
    return { waiting: this.#waiting.splice(0), asking: this.#asking.splice(0) };
  }

  /** Returns the next batch, or null if there is nothing to send. */
  compose(
    { writer, epoch }: { writer: string; epoch: number },
    leaseTable: LeaseTable,
    deliveries: Deliveries,
    nowMs: number,
  ): SentBatch | null {
    const due = nowMs - this.#checkpointedMs >= (this.#dirty ? checkpointEveryMs : heartbeatEveryMs);
    const checkpoint = this.#recalled || due;
    if (!checkpoint && this.length === 0) return null;
    const waiting = this.#waiting.splice(0, fitting(this.#waiting));
    const asking = this.#asking.splice(0, batchWantsMax);
    const returns = checkpoint ? leaseTable.returns(nowMs) : [];
    if (checkpoint) this.#checkpointedMs = nowMs;
    if (checkpoint) this.#recalled = false;
    this.#dirty = checkpoint ? false : this.#dirty || waiting.length > 0;
    this.#seq += 1;
    const firstUndelivered = deliveries.firstOpen - this.#seqBefore;
    const batch = {
      writer,
      epoch,
      seq: this.#seq,
      deliveredSeq: Math.min(this.#seq, firstUndelivered) - 1,
      checkpoint,
      usage: waiting.flatMap(({ rows }) => rows),
      storedResponses: waiting.flatMap(({ kept }) => kept ?? []),
      returns,
      wants: leaseTable.wants(asking, nowMs),
    };
    return { batch, waiting, asking, abandoned: [], touched: new Set(), sinceMs: nowMs, failures: 0 };
  }
}

/** Returns the number of settlements that fit into one batch. The first always fits. */
function fitting(waiting: readonly PendingSettlement[]): number {
  let count = 0;
  let bytes = 0;
  for (const { kept } of waiting) {
    if (count === batchRowsMax || bytes >= batchKeptBytesMax) break;
    count += 1;
    bytes += kept?.body?.length ?? 0;
  }
  return count;
}
