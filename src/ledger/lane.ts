import type { Clock } from '../kernel/clock.ts';
import { ofMicro } from '../kernel/money.ts';
import type { Batch, Books, Return, Usage, Want } from './books.ts';
import { BooksBroken } from './books.ts';
import * as Burn from './burn.ts';
import type { Hold, HoldAnswer, HoldRequest, Outcome, Settlement } from './hold.ts';
import * as Purse from './purse.ts';

/** How long a hold waits for what other lanes hold idle, before it is refused. */
const recallWaitMs = 500;
/** How long a settlement waits for books that do not answer, before its call is refused. */
const settleWaitMs = 5_000;
/** How often what was spent is taken out of the leases, and how often a lane without work says that it lives. */
const foldEveryMs = 250;
const heartbeatEveryMs = 1_000;
/** After how long without calls an account's leases go back. */
const idleMs = 1_000;
/** The most rows and wants of one batch, and the most settlements that may wait for one. */
const batchRowsMax = 2_000;
const batchWantsMax = 500;
const waitingMax = 50_000;

type Waiting = {
  rows: Usage[];
  hold: Hold;
  charges: Burn.Charge[];
  sinceMs: number;
  resolve(s: Settlement): void;
};
type Asking = { want: Want; resolve(answered: boolean): void };
type Sent = { batch: Batch; waiting: Waiting[]; asking: Asking[]; abandoned: string[] };

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
  #state: 'closed' | 'opening' | 'open' | 'draining' | 'fenced' = 'closed';
  #epoch = 0;
  #seq = 0;
  #purses = new Map<string, Purse.Purse>();
  #waiting: Waiting[] = [];
  #asking: Asking[] = [];
  #sent: Sent | null = null;
  /** Since when the books have not answered; null while they do. */
  #doubtSinceMs: number | null = null;
  #sending = false;
  #scheduled = false;
  #dirty = false;
  #foldedMs = 0;
  /** Calls of a batch whose answers have not left yet. */
  #undelivered = new Map<number, number>();
  /** Calls that were refused while their batch was in doubt, and that it charged: to be given back. */
  #giveBack: { seq: number; callIds: string[] }[] = [];
  #recalled = false;
  #drained: (() => void)[] = [];
  #returned = new Map<string, Set<() => void>>();

  constructor(books: Books, name: string, clock: Clock, report: (event: LaneEvent) => void) {
    this.#books = books;
    this.#name = name;
    this.#clock = clock;
    this.#report = report;
  }

  /** Opens the lane. Rejects when the books are out of reach. */
  async open(): Promise<void> {
    this.#state = 'opening';
    this.#epoch = await this.#books.openLane(this.#name);
    this.#seq = 0;
    this.#purses.clear();
    this.#undelivered.clear();
    this.#giveBack = [];
    this.#dirty = false;
    this.#doubtSinceMs = null;
    this.#foldedMs = this.#clock();
    this.#state = 'open';
    this.#report({ kind: 'opened', epoch: this.#epoch });
  }

  get ready(): boolean {
    return this.#state === 'open' && this.#doubtSinceMs === null;
  }

  /** Sets the worst case of a call aside. Needs no database when the lane has enough at hand. */
  async hold(request: HoldRequest): Promise<HoldAnswer> {
    const deadlineMs = this.#clock() + recallWaitMs;
    for (let asked = 0; ; asked++) {
      if (!this.ready) return { kind: 'unavailable' };
      const nowMs = this.#clock();
      const purse = this.#purse(request.account, nowMs);
      let units = request.units;
      if (!purse.stale) {
        if (asked > 0 && !purse.plans.some((plan) => request.plans.includes(plan)))
          return { kind: 'no_plan' };
        const drawn = Burn.draw(purse.lots, request.plans, request.price, request.units, nowMs);
        const covered = drawn.kind === 'drawn' && purse.plans.some((plan) => request.plans.includes(plan));
        if (covered) return { kind: 'held', hold: this.#place(request, drawn.draws) };
        if (asked > 0) {
          const refusal = refuse(purse, request, nowMs);
          if (refusal.kind === 'exhausted' || nowMs >= deadlineMs) return refusal;
          if (purse.lots.every((lot) => lot.others <= 0)) return refusal;
          if (asked > 1) await this.#comesBack(request.account);
        }
        if (drawn.kind === 'short') units = drawn.units;
      }
      if (!(await this.#ask(purse, request, units))) return { kind: 'unavailable' };
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
  }

  /** Books what a held call cost. The promise settles when that is durable, or is known not to become so. */
  settle(hold: Hold, outcome: Outcome): Promise<Settlement> {
    if (hold.epoch !== this.#epoch || this.#state === 'closed' || this.#waiting.length >= waitingMax) {
      this.release(hold);
      return Promise.resolve({ kind: 'refused' });
    }
    const charges = hold.price === 0 ? [] : Burn.charge(hold.draws, hold.price, outcome.units);
    this.release(hold);
    for (const { lot, amount } of charges) lot.free -= amount;
    const nowMs = this.#clock();
    const purse = this.#purse(hold.account, nowMs);
    purse.settledUnits += outcome.units;
    const rows = usage(hold, charges, outcome);
    const settled = new Promise<Settlement>((resolve) => {
      this.#waiting.push({ rows, hold, charges, sinceMs: nowMs, resolve });
    });
    this.#schedule();
    if (charges.length > 0) return settled;
    // A free call is on the record, but nobody waits for it.
    return Promise.resolve(this.#settlement(hold, charges, 0));
  }

  /** The answer of a settled call has left. */
  delivered(seq: number): void {
    const left = (this.#undelivered.get(seq) ?? 0) - 1;
    if (left > 0) this.#undelivered.set(seq, left);
    else this.#undelivered.delete(seq);
  }

  /** Looks into the books before the account's next hold: it was given something, or changed. */
  touch(account: string): void {
    const purse = this.#purses.get(account);
    if (purse) purse.stale = true;
    this.#wake(account);
  }

  /** Another lane is short of what this one may hold idle: it goes back with the next batch. */
  recall(account: string): void {
    const purse = this.#purses.get(account);
    if (!purse?.lots.some((lot) => lot.free > 0)) return;
    purse.recalled = true;
    this.#recalled = true;
    this.#schedule();
  }

  /** Another lane gave back something of this account. */
  cameBack(account: string): void {
    this.#wake(account);
  }

  /** The plans that the account may call on, as far as this lane has looked. */
  plansOf(account: string): readonly string[] {
    return this.#purses.get(account)?.plans ?? [];
  }

  /** What this lane's calls under way hold of an account, in each asset. */
  held(account: string): { usd: number; unit: number } {
    const held = { usd: 0, unit: 0 };
    for (const lot of this.#purses.get(account)?.lots ?? []) held[lot.asset] += lot.held;
    return held;
  }

  /** The lane's clockwork: repeats what was lost, folds, gives back what is idle. Call it several times a second. */
  tick(): void {
    const nowMs = this.#clock();
    for (const account of [...this.#returned.keys()]) this.#wake(account);
    for (const resolve of this.#drained.splice(0)) resolve();
    if (this.#state === 'fenced') this.#reopen();
    if (this.#state !== 'open' && this.#state !== 'draining') return;
    if (this.#doubtSinceMs !== null) {
      if (nowMs - this.#doubtSinceMs >= settleWaitMs) this.#abandon();
      if (this.#sent && !this.#sending) void this.#send();
      return;
    }
    if (this.#giveBack.length > 0) void this.#undeliver();
    if (nowMs - this.#foldedMs >= foldEveryMs) this.#schedule();
  }

  /**
   * Settles what waits, gives every lease back and leaves; no call may be under way. Goes on as `tick` is called.
   * Rejects when the books are out of reach: then whoever finds the lane silent ends it.
   */
  async drain(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'draining';
    while (this.#sent || this.#waiting.length > 0) {
      if (this.#doubtSinceMs !== null && this.#clock() - this.#doubtSinceMs >= settleWaitMs)
        throw new Error('the books are out of reach');
      await new Promise<void>((resolve) => this.#drained.push(resolve));
    }
    await this.#books.closeLane(this.#name, this.#epoch);
    this.#state = 'closed';
  }

  #purse(account: string, nowMs: number): Purse.Purse {
    let purse = this.#purses.get(account);
    if (!purse) {
      purse = Purse.empty(account, nowMs);
      this.#purses.set(account, purse);
    }
    purse.usedMs = nowMs;
    return purse;
  }

  #ask(purse: Purse.Purse, request: HoldRequest, units: number): Promise<boolean> {
    const { account, plans, price } = request;
    const held = purse.lots.reduce(
      (sum, lot) => sum + (lot.asset === 'unit' ? lot.held : price && Math.floor(lot.held / price)),
      0,
    );
    const want = {
      account,
      plans,
      price,
      units: price === 0 ? 0 : units,
      headroomUnits: held + purse.paceUnits,
      recall: true,
    };
    return new Promise((resolve) => {
      this.#asking.push({ want, resolve });
      this.#schedule();
    });
  }

  #comesBack(account: string): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#returned.get(account) ?? new Set();
      waiters.add(resolve);
      this.#returned.set(account, waiters);
    });
  }

  #wake(account: string): void {
    const waiters = this.#returned.get(account);
    this.#returned.delete(account);
    for (const resolve of waiters ?? []) resolve();
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
    const waiting = this.#waiting.splice(0, batchRowsMax);
    const asking = this.#asking.splice(0, batchWantsMax);
    const returns = fold ? this.#returns(nowMs) : [];
    if (fold) this.#foldedMs = nowMs;
    if (fold) this.#recalled = false;
    this.#dirty = fold ? false : this.#dirty || waiting.length > 0;
    this.#seq += 1;
    const deliveredSeq = Math.min(this.#seq - 1, ...[...this.#undelivered.keys()].map((seq) => seq - 1));
    const batch = {
      lane: this.#name,
      epoch: this.#epoch,
      seq: this.#seq,
      deliveredSeq,
      fold,
      usage: waiting.flatMap(({ rows }) => rows),
      returns,
      wants: merge(asking.map(({ want }) => want)),
    };
    return { batch, waiting, asking, abandoned: [] };
  }

  /** What goes back: all of an account that is idle or was recalled. Folding time is also when the pace is taken. */
  #returns(nowMs: number): Return[] {
    const returns: Return[] = [];
    for (const purse of this.#purses.values()) {
      const { account, recalled } = purse;
      const idle = nowMs - purse.usedMs >= idleMs;
      purse.paceUnits = purse.settledUnits;
      purse.settledUnits = 0;
      purse.recalled = false;
      if (!idle && !recalled) continue;
      for (const lot of purse.lots) {
        if (lot.free === 0) continue;
        returns.push({ account, lot: lot.id, amount: lot.free, recalled });
        lot.avail += lot.free;
        lot.free = 0;
      }
      if (idle && Purse.isIdle(purse) && returns.every((back) => back.account !== account))
        this.#purses.delete(account);
    }
    return returns;
  }

  async #send(): Promise<void> {
    const sent = this.#sent;
    if (!sent) return;
    this.#sending = true;
    try {
      const answer = await this.#books.batch(sent.batch);
      this.#doubtSinceMs = null;
      if (answer.state === 'fenced') {
        this.#report({ kind: 'fenced' });
        return this.#reopen();
      }
      for (const holdings of answer.holdings ?? [])
        Purse.refresh(this.#purse(holdings.account, this.#clock()), holdings);
      for (const { account, lot: id, amount } of answer.granted ?? []) {
        const lot = this.#purses.get(account)?.lots.find((candidate) => candidate.id === id);
        if (lot) lot.free += amount;
      }
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
    const charged = sent.waiting.filter(({ charges }) => charges.length > 0);
    if (charged.length > 0) this.#undelivered.set(sent.batch.seq, charged.length);
    for (const { hold, charges, resolve } of charged)
      resolve(this.#settlement(hold, charges, sent.batch.seq));
    for (const { resolve } of sent.asking) resolve(true);
    if (sent.abandoned.length === 0) return;
    this.#undelivered.set(sent.batch.seq, sent.abandoned.length);
    this.#giveBack.push({ seq: sent.batch.seq, callIds: sent.abandoned });
  }

  async #undeliver(): Promise<void> {
    const next = this.#giveBack.shift();
    if (!next) return;
    try {
      await this.#books.undeliver(next.callIds);
      this.#undelivered.delete(next.seq);
    } catch (error) {
      this.#giveBack.push(next);
      this.#report({ kind: 'undeliver_failed', error });
    }
  }

  /** The books have been away for too long: those who wait are refused, and never charged for good. */
  #abandon(): void {
    if (this.#sent) {
      for (const { hold, resolve } of this.#sent.waiting) {
        this.#sent.abandoned.push(hold.callId);
        resolve({ kind: 'refused' });
      }
      for (const { resolve } of this.#sent.asking) resolve(false);
      this.#sent.waiting = [];
      this.#sent.asking = [];
    }
    for (const { charges, resolve } of this.#waiting.splice(0)) {
      for (const { lot, amount } of charges) lot.free += amount;
      resolve({ kind: 'refused' });
    }
    for (const { resolve } of this.#asking.splice(0)) resolve(false);
  }

  /** Fenced or broken: nothing in flight may be released. Reaping gave back what the books already had of it. */
  #reopen(): void {
    this.#state = 'opening';
    const sent = this.#sent;
    this.#sent = null;
    this.#epoch = -1;
    for (const { resolve } of [...(sent?.waiting ?? []), ...this.#waiting.splice(0)])
      resolve({ kind: 'refused' });
    for (const { resolve } of [...(sent?.asking ?? []), ...this.#asking.splice(0)]) resolve(false);
    this.open().catch((error: unknown) => {
      this.#state = 'fenced';
      this.#report({ kind: 'books_unreachable', error });
    });
  }

  #settlement(hold: Hold, charges: readonly Burn.Charge[], seq: number): Settlement {
    const nowMs = this.#clock();
    const purse = this.#purse(hold.account, nowMs);
    const money = charges.reduce((sum, { lot, amount }) => sum + (lot.asset === 'usd' ? amount : 0), 0);
    return {
      kind: 'settled',
      seq,
      charges,
      cost: ofMicro(money),
      balance: ofMicro(Purse.balance(purse, 'usd', nowMs)),
      includedRemaining: Purse.balance(purse, 'unit', nowMs),
    };
  }
}

/** Why a hold that found too little is refused, once the books have been asked. */
function refuse(
  purse: Purse.Purse,
  request: HoldRequest,
  nowMs: number,
): Exclude<HoldAnswer, { kind: 'held' }> {
  const { plans, price, units } = request;
  const required = ofMicro(units * price);
  const open = Burn.worth(purse.lots, plans, price, nowMs, (lot) => lot.avail + lot.free);
  const all = Burn.worth(
    purse.lots,
    plans,
    price,
    nowMs,
    (lot) => lot.avail + lot.free + lot.held + lot.others,
  );
  if (all.money < required) {
    return {
      kind: 'exhausted',
      required,
      available: ofMicro(open.money),
      affordableUnits: open.units,
      resetsMs: purse.resetsMs,
    };
  }
  return {
    kind: 'in_flight',
    required,
    available: ofMicro(open.money),
    held: ofMicro(all.money - open.money),
  };
}

function usage(hold: Hold, charges: readonly Burn.Charge[], outcome: Outcome): Usage[] {
  const { callId, account, price } = hold;
  const { service, operation, status } = outcome;
  const call = { callId, account, service, operation, status, price };
  if (charges.length === 0) return [{ ...call, draw: 0, lot: null, plan: null, units: 0, amount: 0 }];
  return charges.map(({ lot, units, amount }, draw) => ({
    ...call,
    draw,
    lot: lot.id,
    plan: lot.plan,
    units,
    amount,
  }));
}

/** Wants of the same account at the same price are one: their needs add up, their headroom does not. */
function merge(wants: readonly Want[]): Want[] {
  const merged = new Map<string, Want>();
  for (const want of wants) {
    const key = `${want.account} ${want.price} ${want.plans.join()}`;
    const known = merged.get(key);
    if (!known) merged.set(key, want);
    else merged.set(key, { ...known, units: known.units + want.units });
  }
  return [...merged.values()];
}
