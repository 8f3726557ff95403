import type { Clock } from '@sluice/kernel/clock';
import type { Tracer } from '@sluice/kernel/tracing';
import type { BatchQueue, PendingSettlement, SentBatch } from './batch-queue.ts';
import * as BatchSpan from './batch-span.ts';
import type { Deliveries } from './deliveries.ts';
import type { Charge } from './draw-down.ts';
import type { Hold, Settlement } from './hold.ts';
import type { LeaseTable, PendingLease } from './lease-table.ts';
import { BatchFailed, LedgerInconsistent, type LedgerStore } from './ledger-store.ts';
import type { LedgerWriterEvent } from './ledger-writer-event.ts';
import type { RequestDeadlines } from './request-deadlines.ts';

/**
 * After this many errors of the ledger store, over this time, a batch is given up: the writer opens a new epoch without it, so that one bad
 * batch does not stop the process permanently.
 */
const batchFailuresMax = 10;
const batchFailingMsMax = 30_000;

type Parts = {
  readonly store: LedgerStore;
  readonly queue: BatchQueue;
  readonly leaseTable: LeaseTable;
  readonly deliveries: Deliveries;
  readonly deadlines: RequestDeadlines;
  readonly clock: Clock;
  readonly report: (event: LedgerWriterEvent) => void;
  readonly tracer: Tracer | null;
};

/** The writer whose batches are sent. */
export type BatchOwner = {
  identity(): { writer: string; epoch: number };
  /** Returns false while no batch may be sent: the writer is not open. */
  maySend(): boolean;
  settlement(hold: Hold, charges: readonly Charge[], seq: number, nowMs: number): Settlement;
  /** Opens a new epoch, because the ledger store refused a batch of the current one. */
  reopen(): void;
};

/** Sends batches one at a time, and repeats a batch whose result was lost. */
export class BatchSender {
  readonly #parts: Parts;
  readonly #owner: BatchOwner;
  #sent: SentBatch | null = null;
  #sending = false;
  #scheduled = false;
  /** When the ledger store stopped responding; null while it responds. */
  #doubtSinceMs: number | null = null;

  constructor(parts: Parts, owner: BatchOwner) {
    this.#parts = parts;
    this.#owner = owner;
  }

  /** Starts a new epoch, in which nothing was sent yet. */
  startEpoch(): void {
    this.#doubtSinceMs = null;
  }

  get doubtSinceMs(): number | null {
    return this.#doubtSinceMs;
  }

  /** The batch whose result is not known yet. */
  get sent(): SentBatch | null {
    return this.#sent;
  }

  /** Number of calls that wait for the ledger, and the age of the batch that is being sent. */
  get backlog(): { calls: number; ageMs: number } {
    const { queue, clock } = this.#parts;
    if (this.#sent === null) return { calls: queue.length, ageMs: 0 };
    const { waiting, asking, sinceMs } = this.#sent;
    return { calls: queue.length + waiting.length + asking.length, ageMs: Math.max(0, clock() - sinceMs) };
  }

  /** Sends a batch at the end of this turn of the event loop, so that its calls share it. One batch is sent at a time. */
  schedule(): void {
    if (this.#scheduled || this.#sent) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#sent || !this.#owner.maySend()) return;
      const { queue, leaseTable, deliveries, clock } = this.#parts;
      this.#sent = queue.compose(this.#owner.identity(), leaseTable, deliveries, clock());
      if (this.#sent) void this.#send();
    });
  }

  /** Sends the batch in doubt again, unless it is being sent. */
  resend(): void {
    if (this.#sent && !this.#sending) void this.#send();
  }

  /** Refuses the calls of the batch in doubt. If it charged them, they are credited back when its result is known. */
  abandon(): void {
    if (this.#sent === null) return;
    const { waiting, asking, abandoned } = this.#sent;
    for (const { hold } of waiting) abandoned.push(hold.callId);
    refuse(waiting.splice(0), asking.splice(0), true);
  }

  /** Drops the batch in doubt because its epoch has ended, and refuses its calls and those that wait. */
  drop(): void {
    const sent = this.#sent;
    this.#sent = null;
    refuse(sent?.waiting ?? [], sent?.asking ?? [], true);
    const { waiting, asking } = this.#parts.queue.takeAll();
    refuse(waiting, asking, false);
  }

  async #send(): Promise<void> {
    const { store, leaseTable, deadlines, clock, report, tracer } = this.#parts;
    const sent = this.#sent;
    if (!sent) return;
    this.#sending = true;
    try {
      const result = store.batch(sent.batch);
      if (tracer !== null) BatchSpan.follow(tracer, sent, result);
      const answer = await deadlines.settledInTime(result);
      this.#doubtSinceMs = null;
      if (answer.state === 'fenced') {
        report({ kind: 'fenced' });
        return this.#owner.reopen();
      }
      const { holdings = [], granted = [] } = answer;
      const { paused = [], paused_until = 0 } = answer;
      const faults = leaseTable.fill(holdings, granted, sent.touched, clock());
      for (const [account, error] of faults) report({ kind: 'account_failed', account, error });
      leaseTable.pause(paused, paused_until);
      this.#finish(sent, faults);
    } catch (error) {
      if (error instanceof BatchFailed) sent.failures += 1;
      const isInconsistent = error instanceof LedgerInconsistent;
      if (isInconsistent || this.#isHopeless(sent)) {
        report({ kind: isInconsistent ? 'ledger_inconsistent' : 'batch_given_up', error });
        return this.#owner.reopen();
      }
      if (this.#doubtSinceMs === null) report({ kind: 'ledger_unreachable', error });
      this.#doubtSinceMs ??= clock();
    } finally {
      this.#sending = false;
    }
    if (this.#sent === null) this.schedule();
  }

  /** Returns true if a batch is to be given up. It is never given up while the store is unreachable, because its outcome is unknown. */
  #isHopeless({ failures, sinceMs }: SentBatch): boolean {
    return failures >= batchFailuresMax && this.#parts.clock() - sinceMs >= batchFailingMsMax;
  }

  /** @param faults accounts whose holdings could not be read: their waiting calls are refused */
  #finish(sent: SentBatch, faults: ReadonlyMap<string, unknown>): void {
    const { queue, deliveries, clock, report } = this.#parts;
    this.#sent = null;
    const seq = queue.globalSeq(sent.batch.seq);
    const charged = sent.waiting.filter(({ charges, kept }) => charges.length > 0 || kept);
    deliveries.expect(seq, charged.length + sent.abandoned.length);
    const nowMs = clock();
    for (const { hold, charges, resolve } of charged) {
      try {
        resolve(this.#owner.settlement(hold, charges, seq, nowMs));
      } catch (error) {
        // The charge is booked, but the response cannot be released: the charge is credited back.
        report({ kind: 'account_failed', account: hold.account, error });
        deliveries.lose(seq, [hold.callId]);
        resolve({ kind: 'refused', inDoubt: true });
      }
    }
    for (const { request, resolve } of sent.asking) resolve(!faults.has(request.account));
    if (sent.abandoned.length > 0) deliveries.lose(seq, sent.abandoned);
  }
}

/** Refuses settlements and lease requests. `inDoubt`: the calls may have been charged. */
export function refuse(
  waiting: readonly PendingSettlement[],
  asking: readonly PendingLease[],
  inDoubt: boolean,
): void {
  for (const { resolve } of waiting) resolve({ kind: 'refused', inDoubt });
  for (const { resolve } of asking) resolve(false);
}
