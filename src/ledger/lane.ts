import type { Clock } from '../kernel/clock.ts';
import { ofMicro } from '../kernel/money.ts';
import type { Tracer } from '../kernel/tracing.ts';
import * as BatchSpan from './batch-span.ts';
import { type Batch, type Books, BooksBroken } from './books.ts';
import * as Burn from './burn.ts';
import { Deliveries } from './deliveries.ts';
import {
  budgetPlan,
  type Cost,
  type Hold,
  type HoldAnswer,
  type HoldRequest,
  type Outcome,
  type Settlement,
} from './hold.ts';
import { Patience } from './patience.ts';
import * as Purse from './purse.ts';
import { type Asking, Purses } from './purses.ts';
import * as Refusal from './refusal.ts';
import type { Keeping } from './ticket.ts';
import * as Usage from './usage.ts';
import { Waiters } from './waiters.ts';

/** How long a hold waits for what other lanes hold idle, before it is refused. */
const recallWaitMs = 500;
/** How long a settlement waits for books that do not answer, before its call is refused. */
const settleWaitMs = 5_000;
/** How often what was spent is taken out of the leases, and how often a lane without work says that it lives. */
const foldEveryMs = 250;
const heartbeatEveryMs = 1_000;
/** The most rows and wants of one batch, and the most settlements that may wait for one. */
const batchRowsMax = 2_000;
const batchWantsMax = 500;
/** The next answer to be kept is for the next batch once this one has so much of them. */
const batchKeptBytesMax = 1024 * 1024;
const waitingMax = 50_000;

type Waiting = {
  rows: Usage.Usage[];
  hold: Hold;
  charges: Burn.Charge[];
  /** What its key's budget bears. */
  capped: Burn.Charge[];
  kept: Batch['answers'][number] | null;
  resolve(s: Settlement): void;
};
type Sent = {
  batch: Batch;
  waiting: Waiting[];
  asking: Asking[];
  abandoned: string[];
  /** Accounts that were given something after the books may have been looked into. */
  touched: Set<string>;
  sinceMs: number;
};

/** What happened in a lane that somebody should read: the log is the edge's. */
export type LaneEvent =
  | { kind: 'books_unreachable' | 'books_broken' | 'undeliver_failed'; error: unknown }
  | { kind: 'fenced' }
  | { kind: 'opened'; epoch: number };

/**
 * A process's way to the books: the one writer of its lane. Holds are decided in memory, against what the books have set
 * aside; settlements of many calls share a commit, one batch at a time, numbered without gaps, so that a batch whose
 * answer was lost is sent again and does nothing twice. It has no timer: the owner calls `tick` several times a second.
 */
export class Lane {
  readonly #books: Books;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #report: (event: LaneEvent) => void;
  readonly #tracer: Tracer | null;
  #state: 'closed' | 'opening' | 'open' | 'draining' | 'fenced' = 'closed';
  #epoch = 0;
  /** The last batch of this epoch, and how many there were in those before: a batch is known outside by their sum. */
  #seq = 0;
  #seqBefore = 0;
  readonly #purses = new Purses();
  #waiting: Waiting[] = [];
  #asking: Asking[] = [];
  #sent: Sent | null = null;
  /** Since when the books have not answered; null while they do. */
  #doubtSinceMs: number | null = null;
  #sending = false;
  readonly #patience: Patience;
  #scheduled = false;
  #dirty = false;
  #foldedMs = 0;
  readonly #deliveries = new Deliveries();
  #recalled = false;
  #drained: (() => void)[] = [];
  readonly #comingBack = new Waiters();

  constructor(
    books: Books,
    name: string,
    clock: Clock,
    report: (event: LaneEvent) => void,
    tracer: Tracer | null = null,
  ) {
    this.#books = books;
    this.#name = name;
    this.#clock = clock;
    this.#patience = new Patience(clock);
    this.#report = report;
    this.#tracer = tracer;
  }

  /** Opens the lane. Rejects when the books are out of reach. */
  async open(): Promise<void> {
    this.#state = 'opening';
    this.#epoch = await this.#patience.answerOf(this.#books.openLane(this.#name));
    this.#seqBefore += this.#seq;
    this.#seq = 0;
    this.#purses.clear();
    this.#deliveries.clear();
    this.#dirty = false;
    this.#doubtSinceMs = null;
    this.#foldedMs = this.#clock();
    this.#state = 'open';
    this.#report({ kind: 'opened', epoch: this.#epoch });
  }

  /** Who writes: holds of this epoch can be settled, and no others. */
  get writer(): { lane: string; epoch: number } {
    return { lane: this.#name, epoch: this.#epoch };
  }

  get ready(): boolean {
    return this.#state === 'open' && this.#doubtSinceMs === null;
  }

  /** Calls that wait for the books, and for how long the batch that is on its way there. */
  get backlog(): { calls: number; ageMs: number } {
    const waiting = this.#waiting.length + this.#asking.length;
    if (this.#sent === null) return { calls: waiting, ageMs: 0 };
    const calls = waiting + this.#sent.waiting.length + this.#sent.asking.length;
    return { calls, ageMs: Math.max(0, this.#clock() - this.#sent.sinceMs) };
  }

  /** Sets the worst case of a call aside, in its key's budget too. Needs no database when the lane has enough at hand. */
  async hold(request: HoldRequest): Promise<HoldAnswer> {
    const { key, price, units } = request;
    if (!key?.capped || price === 0) return this.#holdIn(request);
    const cap = await this.#holdIn({ ...request, account: key.id, plans: [budgetPlan] });
    if (cap.kind === 'exhausted' || cap.kind === 'no_plan')
      return { kind: 'budget_exhausted', required: ofMicro(units * price) };
    if (cap.kind !== 'held') return cap;
    const held = await this.#holdIn(request);
    if (held.kind === 'held' && held.hold.epoch === cap.hold.epoch)
      return { kind: 'held', hold: { ...held.hold, cap: cap.hold } };
    this.release(cap.hold);
    if (held.kind !== 'held') return held;
    this.release(held.hold);
    return { kind: 'unavailable' };
  }

  async #holdIn(request: HoldRequest): Promise<HoldAnswer> {
    const sinceMs = this.#clock();
    let nowMs = sinceMs;
    let recall = false;
    for (let asked = 0; ; asked++) {
      if (!this.ready) return { kind: 'unavailable' };
      const purse = this.#purses.use(request.account, nowMs);
      if (!purse.stale) {
        const covered = Purse.opens(purse, request.plans);
        if (asked > 0 && !covered) return { kind: 'no_plan' };
        const drawn = Burn.draw(purse.lots, request.plans, request.price, request.units, nowMs);
        if (covered && drawn.kind === 'drawn')
          return { kind: 'held', hold: this.#place(request, drawn.draws) };
        if (asked > 0) {
          const refusal = Refusal.of(purse, request, nowMs);
          if (refusal.kind === 'exhausted' || nowMs >= sinceMs + recallWaitMs) return refusal;
          // Where the books have enough, another call was quicker.
          const isShort = refusal.available < refusal.required;
          if (isShort && purse.lots.every((lot) => lot.others <= 0)) return refusal;
          if (isShort && recall) await this.#comingBack.wait(request.account);
          recall = isShort;
        }
      }
      if (!(await this.#ask(request, recall))) return { kind: 'unavailable' };
      nowMs = this.#clock();
    }
  }

  #place(request: HoldRequest, draws: Burn.Draw[]): Hold {
    for (const { lot, amount } of draws) {
      lot.free -= amount;
      lot.held += amount;
    }
    return { ...request, epoch: this.#epoch, draws };
  }

  /** Gives a hold back: the call was not forwarded, or cost nothing and leaves no row. */
  release(hold: Hold): void {
    if (hold.epoch !== this.#epoch) return;
    for (const { lot, amount } of hold.draws) {
      lot.held -= amount;
      lot.free += amount;
    }
    if (hold.cap) this.release(hold.cap);
  }

  /** What a held call will cost that is settled for so many units. */
  cost(hold: Hold, units: number): Cost {
    const charges = hold.price === 0 ? [] : Burn.charge(hold.draws, hold.price, units);
    const { balance, includedRemaining, ...cost } = this.#cost(hold, charges, this.#clock());
    const borne = charges.reduce((sum, { lot, amount }) => sum + (lot.asset === 'unit' ? amount : 0), 0);
    return {
      ...cost,
      balance: ofMicro(balance - cost.cost),
      includedRemaining: includedRemaining - borne,
    };
  }

  /**
   * Books what a held call cost, and what is kept of it under its caller's key. The promise settles when that is durable,
   * or is known not to become so.
   */
  settle(hold: Hold, outcome: Outcome, keeping: Keeping | null = null): Promise<Settlement> {
    if (hold.epoch !== this.#epoch || this.#state === 'closed' || this.#waiting.length >= waitingMax) {
      this.release(hold);
      return Promise.resolve({ kind: 'refused', inDoubt: false });
    }
    const charges = hold.price === 0 ? [] : Burn.charge(hold.draws, hold.price, outcome.units);
    const capped = hold.cap ? Burn.charge(hold.cap.draws, hold.price, outcome.units) : [];
    this.release(hold);
    for (const { lot, amount } of charges) lot.free -= amount;
    for (const { lot, amount } of capped) lot.free -= amount;
    const nowMs = this.#clock();
    const purse = this.#purses.use(hold.account, nowMs);
    purse.settledUnits += outcome.units;
    if (hold.cap) this.#purses.use(hold.cap.account, nowMs).settledUnits += outcome.units;
    const rows = Usage.rows(hold, charges, capped, outcome);
    const { account, callId } = hold;
    const kept = keeping && { ...keeping, account, callId, status: outcome.status };
    const settled = new Promise<Settlement>((resolve) => {
      this.#waiting.push({ rows, hold, charges, capped, kept, resolve });
    });
    this.#schedule();
    if (charges.length > 0 || kept) return settled;
    // A free call is on the record, but nobody waits for it.
    return Promise.resolve(this.#settlement(hold, charges, 0, nowMs));
  }

  /** The answer of a settled call has left. */
  delivered(seq: number): void {
    this.#deliveries.left(seq);
  }

  /** The answer of a settled call broke off on its way: what it was charged goes back. */
  undelivered(seq: number, callId: string): void {
    this.#deliveries.lose(seq, [callId]);
  }

  /** Looks into the books before the account's next hold: it was given something, or changed. */
  touch(account: string): void {
    const purse = this.#purses.find(account);
    if (purse) purse.stale = true;
    this.#sent?.touched.add(account);
    this.#comingBack.wake(account);
  }

  /** A lane, be it this one, is short of what this one may hold idle: it goes back with the next batch. */
  recall(account: string): void {
    const purse = this.#purses.find(account);
    if (!purse?.lots.some((lot) => lot.free > 0)) return;
    purse.recalled = true;
    this.#recalled = true;
    this.#schedule();
  }

  /** Another lane gave back something of this account. */
  cameBack(account: string): void {
    this.#comingBack.wake(account);
  }

  /** The plans that the account may call on; null while this lane has not looked. */
  plansOf(account: string): readonly string[] | null {
    const purse = this.#purses.find(account);
    return purse === undefined || (purse.stale && purse.plans.length === 0) ? null : purse.plans;
  }

  /** What this lane's calls under way hold of an account, in each asset. */
  held(account: string): { usd: number; unit: number } {
    const held = { usd: 0, unit: 0 };
    for (const lot of this.#purses.find(account)?.lots ?? []) held[lot.asset] += lot.held;
    return held;
  }

  /** The lane's clockwork: repeats what was lost, folds, gives back what is idle. Call it several times a second. */
  tick(): void {
    const nowMs = this.#clock();
    this.#patience.tick(nowMs);
    this.#comingBack.wakeAll();
    for (const resolve of this.#drained.splice(0)) resolve();
    if (this.#state === 'fenced') this.#reopen();
    if (this.#state !== 'open' && this.#state !== 'draining') return;
    if (this.#doubtSinceMs !== null) {
      if (nowMs - this.#doubtSinceMs >= settleWaitMs) this.#abandon();
      if (this.#sent && !this.#sending) void this.#send();
      return;
    }
    if (this.#deliveries.owes) void this.#giveBack();
    if (nowMs - this.#foldedMs >= foldEveryMs) this.#schedule();
  }

  /**
   * Settles what waits, gives every lease back and leaves; no call may be under way. Goes on as `tick` is called.
   * Rejects when the books are out of reach: then whoever finds the lane silent ends it.
   */
  async drain(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'draining';
    const deadlineMs = this.#clock() + settleWaitMs;
    while (this.#owes) {
      if (this.#clock() >= deadlineMs) throw new Error('the books are out of reach');
      await new Promise<void>((resolve) => this.#drained.push(resolve));
    }
    // Closed before it is asked for: a heartbeat sent beside it would arrive after it, and find the lane gone.
    this.#state = 'closed';
    await this.#patience.answerOf(this.#books.closeLane(this.#name, this.#epoch));
  }

  /** Whether something is under way to the books, or has to go there. */
  get #owes(): boolean {
    return this.#sent !== null || this.#waiting.length + this.#asking.length > 0 || this.#deliveries.owes;
  }

  #ask(request: HoldRequest, recall: boolean): Promise<boolean> {
    return new Promise((resolve) => {
      this.#asking.push({ request, recall, resolve });
      this.#schedule();
    });
  }

  /** One batch at a time; what comes meanwhile waits for the next. Deferred once, so that calls of one turn share it. */
  #schedule(): void {
    if (this.#scheduled || this.#sent) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#sent || (this.#state !== 'open' && this.#state !== 'draining')) return;
      this.#sent = this.#compose();
      if (this.#sent) void this.#send();
    });
  }

  #compose(): Sent | null {
    const nowMs = this.#clock();
    const due = nowMs - this.#foldedMs >= (this.#dirty ? foldEveryMs : heartbeatEveryMs);
    const fold = this.#recalled || due;
    if (!fold && this.#waiting.length === 0 && this.#asking.length === 0) return null;
    const waiting = this.#waiting.splice(0, fitting(this.#waiting));
    const asking = this.#asking.splice(0, batchWantsMax);
    const returns = fold ? this.#purses.returns(nowMs) : [];
    if (fold) this.#foldedMs = nowMs;
    if (fold) this.#recalled = false;
    this.#dirty = fold ? false : this.#dirty || waiting.length > 0;
    this.#seq += 1;
    const firstUndelivered = this.#deliveries.firstOpen - this.#seqBefore;
    const batch = {
      lane: this.#name,
      epoch: this.#epoch,
      seq: this.#seq,
      deliveredSeq: Math.min(this.#seq, firstUndelivered) - 1,
      fold,
      usage: waiting.flatMap(({ rows }) => rows),
      answers: waiting.flatMap(({ kept }) => kept ?? []),
      returns,
      wants: this.#purses.wants(asking, nowMs),
    };
    return { batch, waiting, asking, abandoned: [], touched: new Set(), sinceMs: nowMs };
  }

  async #send(): Promise<void> {
    const sent = this.#sent;
    if (!sent) return;
    this.#sending = true;
    try {
      const asked = this.#books.batch(sent.batch);
      if (this.#tracer !== null) {
        const calls = [...sent.waiting.map(({ hold }) => hold), ...sent.asking.map(({ request }) => request)];
        BatchSpan.follow(this.#tracer, calls, sent.batch, asked);
      }
      const answer = await this.#patience.answerOf(asked);
      this.#doubtSinceMs = null;
      if (answer.state === 'fenced') {
        this.#report({ kind: 'fenced' });
        return this.#reopen();
      }
      this.#purses.fill(answer.holdings ?? [], answer.granted ?? [], sent.touched, this.#clock());
      this.#finish(sent);
    } catch (error) {
      if (error instanceof BooksBroken) {
        this.#report({ kind: 'books_broken', error });
        return this.#reopen();
      }
      if (this.#doubtSinceMs === null) this.#report({ kind: 'books_unreachable', error });
      this.#doubtSinceMs ??= this.#clock();
    } finally {
      this.#sending = false;
    }
    if (this.#sent === null) this.#schedule();
  }

  #finish(sent: Sent): void {
    this.#sent = null;
    const seq = this.#seqBefore + sent.batch.seq;
    const charged = sent.waiting.filter(({ charges, kept }) => charges.length > 0 || kept);
    this.#deliveries.expect(seq, charged.length + sent.abandoned.length);
    const nowMs = this.#clock();
    for (const { hold, charges, resolve } of charged) resolve(this.#settlement(hold, charges, seq, nowMs));
    for (const { resolve } of sent.asking) resolve(true);
    if (sent.abandoned.length > 0) this.#deliveries.lose(seq, sent.abandoned);
  }

  async #giveBack(): Promise<void> {
    await this.#deliveries
      .giveBack(this.#books, this.#patience)
      .catch((error: unknown) => this.#report({ kind: 'undeliver_failed', error }));
  }

  /** The books have been away for too long: those who wait are refused, and never charged for good. */
  #abandon(): void {
    if (this.#sent) {
      for (const { hold, resolve } of this.#sent.waiting) {
        this.#sent.abandoned.push(hold.callId);
        resolve({ kind: 'refused', inDoubt: true });
      }
      for (const { resolve } of this.#sent.asking) resolve(false);
      this.#sent.waiting = [];
      this.#sent.asking = [];
    }
    for (const { charges, capped, resolve } of this.#waiting.splice(0)) {
      for (const { lot, amount } of [...charges, ...capped]) lot.free += amount;
      resolve({ kind: 'refused', inDoubt: false });
    }
    for (const { resolve } of this.#asking.splice(0)) resolve(false);
  }

  /** Fenced or broken: nothing in flight may be released. Reaping gave back what the books already had of it. */
  #reopen(): void {
    const isLeaving = this.#state === 'draining';
    this.#state = isLeaving ? 'closed' : 'opening';
    const sent = this.#sent;
    this.#sent = null;
    this.#epoch = -1;
    this.#deliveries.clear();
    for (const { resolve } of sent?.waiting ?? []) resolve({ kind: 'refused', inDoubt: true });
    for (const { resolve } of this.#waiting.splice(0)) resolve({ kind: 'refused', inDoubt: false });
    for (const { resolve } of [...(sent?.asking ?? []), ...this.#asking.splice(0)]) resolve(false);
    if (isLeaving) return;
    this.open().catch((error: unknown) => {
      this.#state = 'fenced';
      this.#report({ kind: 'books_unreachable', error });
    });
  }

  #settlement(hold: Hold, charges: readonly Burn.Charge[], seq: number, nowMs: number): Settlement {
    return { kind: 'settled', seq, ...this.#cost(hold, charges, nowMs) };
  }

  #cost(hold: Hold, charges: readonly Burn.Charge[], nowMs: number): Cost {
    const purse = this.#purses.use(hold.account, nowMs);
    const money = charges.reduce((sum, { lot, amount }) => sum + (lot.asset === 'usd' ? amount : 0), 0);
    return {
      charges,
      cost: ofMicro(money),
      balance: ofMicro(Purse.balance(purse, 'usd', nowMs)),
      includedRemaining: Purse.balance(purse, 'unit', nowMs),
    };
  }
}

/** How many of those that wait fit into one batch; the first one always does. */
function fitting(waiting: readonly Waiting[]): number {
  let count = 0;
  let bytes = 0;
  for (const { kept } of waiting) {
    if (count === batchRowsMax || bytes >= batchKeptBytesMax) break;
    count += 1;
    bytes += kept?.body?.length ?? 0;
  }
  return count;
}
