import type { Clock } from '@sluice/kernel/clock';
import { ofMicro } from '@sluice/kernel/money';
import type { Tracer } from '@sluice/kernel/tracing';
import * as AccountLeases from './account-leases.ts';
import { BatchQueue } from './batch-queue.ts';
import { BatchSender, refuse } from './batch-sender.ts';
import * as Cost from './cost.ts';
import { CreditReturnedSignal } from './credit-returned-signal.ts';
import { Deliveries } from './deliveries.ts';
import * as DrawDown from './draw-down.ts';
import type { Cost as CallCost, Hold, HoldRequest, HoldResult, MeteredCall, Settlement } from './hold.ts';
import { Holds, type LeaseSource } from './holds.ts';
import type { ResponseToStore } from './idempotency-key.ts';
import { LeaseTable } from './lease-table.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { LedgerWriterEvent } from './ledger-writer-event.ts';
import { RequestDeadlines } from './request-deadlines.ts';
import * as Usage from './usage.ts';

/** Maximum time that a settlement waits for a ledger store that does not respond. Then its call is refused. */
const settleWaitMs = 5_000;

/**
 * The connection of a process to the ledger, under its own writer name. Holds are decided in memory, against leased credit. Settlements of
 * many calls share a commit: batches are sent one at a time and numbered without gaps, so that a batch whose result was lost can be sent
 * again without being charged twice. The writer has no timer: its owner calls `tick` several times a second.
 */
export class LedgerWriter {
  readonly #store: LedgerStore;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #report: (event: LedgerWriterEvent) => void;
  #state: 'closed' | 'opening' | 'open' | 'draining' | 'fenced' = 'closed';
  #epoch = 0;
  readonly #leaseTable = new LeaseTable();
  readonly #creditReturned = new CreditReturnedSignal();
  readonly #holds: Holds;
  readonly #queue = new BatchQueue();
  readonly #sender: BatchSender;
  readonly #deadlines: RequestDeadlines;
  readonly #deliveries = new Deliveries();
  #drained: (() => void)[] = [];

  constructor(
    store: LedgerStore,
    name: string,
    clock: Clock,
    report: (event: LedgerWriterEvent) => void,
    tracer: Tracer | null = null,
  ) {
    this.#store = store;
    this.#name = name;
    this.#clock = clock;
    this.#deadlines = new RequestDeadlines(clock);
    this.#report = report;
    const parts = { store, queue: this.#queue, leaseTable: this.#leaseTable, deliveries: this.#deliveries };
    this.#sender = new BatchSender(
      { ...parts, deadlines: this.#deadlines, clock, report, tracer },
      {
        identity: () => this.writer,
        maySend: () => this.#state === 'open' || this.#state === 'draining',
        settlement: (...settled) => this.#settlement(...settled),
        reopen: () => this.#reopen(),
      },
    );
    const source: LeaseSource = {
      isReady: () => this.ready,
      epoch: () => this.#epoch,
      request: (request, recall) => this.#requestLease(request, recall),
      giveBack: (account) => this.recall(account),
    };
    this.#holds = new Holds(source, this.#leaseTable, this.#creditReturned, clock);
  }

  /** Opens the writer. Rejects if the ledger store cannot be reached. */
  async open(): Promise<void> {
    this.#state = 'opening';
    this.#epoch = await this.#deadlines.settledInTime(this.#store.openWriter(this.#name));
    this.#leaseTable.clear();
    this.#deliveries.clear();
    this.#sender.startEpoch();
    this.#queue.startEpoch(this.#clock());
    this.#state = 'open';
    this.#report({ kind: 'opened', epoch: this.#epoch });
  }

  /** The name and epoch of this writer. Only holds of this epoch can be settled. */
  get writer(): { writer: string; epoch: number } {
    return { writer: this.#name, epoch: this.#epoch };
  }

  get ready(): boolean {
    return this.#state === 'open' && this.#sender.doubtSinceMs === null;
  }

  /** Number of calls that wait for the ledger, and the age of the batch that is being sent. */
  get backlog(): { calls: number; ageMs: number } {
    return this.#sender.backlog;
  }

  /** Holds the worst case of a call, in its key's budget too. Needs no database if the writer has leased enough. */
  hold(request: HoldRequest): Promise<HoldResult> {
    return this.#holds.place(request);
  }

  /**
   * Extends a hold to `units`, at its price and on its plans, in its budget too. The new hold replaces the old one, which must not be used
   * any more. If it is refused, the old one stays as it is, and the refusal reports what the whole call requires. A hold of `units` or more
   * is returned unchanged.
   */
  extend(hold: Hold, units: number): Promise<HoldResult> {
    return this.#holds.extend(hold, units);
  }

  /** Releases a hold: the call was not forwarded, or cost nothing and leaves no row. */
  release(hold: Hold): void {
    this.#holds.release(hold);
  }

  /** Returns the cost of a held call if it is settled for so many units. */
  cost(hold: Hold, units: number): CallCost {
    const charges = hold.price === 0 ? [] : DrawDown.charge(hold.draws, hold.price, units);
    return Cost.after(this.#cost(hold, charges, this.#clock()));
  }

  /**
   * Books the cost of a held call, together with the response to store under its idempotency key. The promise settles when that is durable,
   * or is known not to become so.
   */
  settle(hold: Hold, outcome: MeteredCall, keeping: ResponseToStore | null = null): Promise<Settlement> {
    if (hold.epoch !== this.#epoch || this.#state === 'closed' || this.#queue.isFull) {
      this.release(hold);
      return Promise.resolve({ kind: 'refused', inDoubt: false });
    }
    const charges = hold.price === 0 ? [] : DrawDown.charge(hold.draws, hold.price, outcome.units);
    const capped = hold.cap ? DrawDown.charge(hold.cap.draws, hold.price, outcome.units) : [];
    this.release(hold);
    for (const { lot, amount } of charges) lot.free -= amount;
    for (const { lot, amount } of capped) lot.free -= amount;
    const nowMs = this.#clock();
    this.#leaseTable.use(hold.account, nowMs).settledUnits += outcome.units;
    if (hold.cap) this.#leaseTable.use(hold.cap.account, nowMs).settledUnits += outcome.units;
    const rows = Usage.rows(hold, charges, capped, outcome);
    const { account, callId } = hold;
    const kept = keeping && { ...keeping, account, callId, status: outcome.status };
    const settled = new Promise<Settlement>((resolve) => {
      this.#queue.addSettlement({ rows, hold, charges, capped, kept, resolve });
    });
    this.#sender.schedule();
    if (charges.length > 0 || kept) return settled;
    // A free call is recorded too, but its response does not wait for the commit.
    return Promise.resolve(this.#settlement(hold, charges, 0, nowMs));
  }

  /** The response of a settled call was sent. */
  delivered(seq: number): void {
    this.#deliveries.left(seq);
  }

  /** The response of a settled call broke off: its charge is credited back. */
  undelivered(seq: number, callId: string): void {
    this.#deliveries.lose(seq, [callId]);
  }

  /** Reads the account from the ledger before its next hold, because it received credit or changed. */
  touch(account: string): void {
    const accountLeases = this.#leaseTable.find(account);
    if (accountLeases) accountLeases.stale = true;
    this.#sender.sent?.touched.add(account);
    this.#creditReturned.wake(account);
  }

  /** Returns the idle leases of an account with the next batch, because a writer (perhaps this one) is short of them. */
  recall(account: string): void {
    const accountLeases = this.#leaseTable.find(account);
    if (!accountLeases?.lots.some((lot) => lot.free > 0)) return;
    accountLeases.recalled = true;
    this.#queue.addRecall();
    this.#sender.schedule();
  }

  /** Recalls and grants may have been missed: returns all idle leases, and reads every account before its next hold. */
  resynchronize(): void {
    for (const account of this.#leaseTable.recallAll()) this.touch(account);
    this.#queue.addRecall();
    this.#sender.schedule();
  }

  /** Another writer returned leases of this account. */
  cameBack(account: string): void {
    this.#creditReturned.wake(account);
  }

  /** Returns the plans that the account may call on; null if this writer has not read them yet. */
  plansOf(account: string): readonly string[] | null {
    return this.#leaseTable.plansOf(account);
  }

  /** Returns the amounts that running calls of this writer hold of an account, in each asset. */
  held(account: string): { usd: number; unit: number } {
    return this.#leaseTable.held(account);
  }

  /** Sends lost batches again, checkpoints, and returns idle leases. Call it several times a second. */
  tick(): void {
    const nowMs = this.#clock();
    this.#deadlines.tick(nowMs);
    this.#creditReturned.wakeAll();
    for (const resolve of this.#drained.splice(0)) resolve();
    if (this.#state === 'fenced') this.#reopen();
    if (this.#state !== 'open' && this.#state !== 'draining') return;
    const { doubtSinceMs } = this.#sender;
    if (doubtSinceMs !== null) {
      if (nowMs - doubtSinceMs >= settleWaitMs) this.#abandon();
      this.#sender.resend();
      return;
    }
    if (this.#deliveries.owes) void this.#creditLost();
    if (this.#queue.isCheckpointDue(nowMs)) this.#sender.schedule();
  }

  /**
   * Settles what waits, returns every lease, and closes the writer. No call may be running. `tick` has to be called meanwhile. Rejects if
   * the ledger store cannot be reached: then another process ends the writer when it finds it silent.
   */
  async drain(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'draining';
    const deadlineMs = this.#clock() + settleWaitMs;
    while (this.#isBusy) {
      if (this.#clock() >= deadlineMs) throw new Error('the ledger did not respond within the time to drain');
      await new Promise<void>((resolve) => this.#drained.push(resolve));
    }
    // The state is set before the request: a heartbeat sent at the same time would arrive later, and find the writer closed.
    this.#state = 'closed';
    await this.#deadlines.settledInTime(this.#store.closeWriter(this.#name, this.#epoch));
  }

  get #isBusy(): boolean {
    return this.#sender.sent !== null || this.#queue.length > 0 || this.#deliveries.owes;
  }

  #requestLease(request: HoldRequest, recall: boolean): Promise<boolean> {
    const lease = Promise.withResolvers<boolean>();
    this.#queue.addLease({ request, recall, resolve: lease.resolve });
    this.#sender.schedule();
    return lease.promise;
  }

  async #creditLost(): Promise<void> {
    await this.#deliveries
      .creditLost(this.#store, this.#deadlines)
      .catch((error: unknown) => this.#report({ kind: 'undelivered_not_credited', error }));
  }

  /** Refuses the waiting calls, because the ledger store has not responded for too long. If one was charged, it is credited back. */
  #abandon(): void {
    this.#sender.abandon();
    const { waiting, asking } = this.#queue.takeAll();
    for (const { charges, capped } of waiting)
      for (const { lot, amount } of [...charges, ...capped]) lot.free += amount;
    refuse(waiting, asking, false);
  }

  /**
   * Opens a new epoch after the writer was fenced or a batch was refused. No hold of the old epoch may be released: ending that epoch
   * returned its leases.
   */
  #reopen(): void {
    const isLeaving = this.#state === 'draining';
    this.#state = isLeaving ? 'closed' : 'opening';
    this.#epoch = -1;
    this.#deliveries.clear();
    this.#sender.drop();
    if (isLeaving) return;
    this.open().catch((error: unknown) => {
      this.#state = 'fenced';
      this.#report({ kind: 'ledger_unreachable', error });
    });
  }

  #settlement(hold: Hold, charges: readonly DrawDown.Charge[], seq: number, nowMs: number): Settlement {
    return { kind: 'settled', seq, ...this.#cost(hold, charges, nowMs) };
  }

  #cost(hold: Hold, charges: readonly DrawDown.Charge[], nowMs: number): CallCost {
    const accountLeases = this.#leaseTable.use(hold.account, nowMs);
    const money = charges.reduce((sum, { lot, amount }) => sum + (lot.asset === 'usd' ? amount : 0), 0);
    const included = AccountLeases.includedUsd(accountLeases, nowMs);
    return {
      charges,
      cost: ofMicro(money),
      balance: ofMicro(AccountLeases.balance(accountLeases, 'usd', nowMs)),
      includedRemaining: AccountLeases.balance(accountLeases, 'unit', nowMs),
      includedUsd: included === null ? null : ofMicro(included),
      resetsMs: accountLeases.resetsMs,
    };
  }
}
