import type { Clock } from '@sluice/kernel/clock';
import type { IdempotencyClaim, IdempotencyKey, IdempotencyKeys } from '../../src/ledger/idempotency-key.ts';
import {
  type Batch,
  type BatchResult,
  type Holdings,
  type LeaseRequest,
  LedgerInconsistent,
  type LedgerStore,
} from '../../src/ledger/ledger-store.ts';
import type { Asset } from '../../src/ledger/lot.ts';
import type { Usage } from '../../src/ledger/usage.ts';

type Kind = 'trial' | 'allowance' | 'credit' | 'grant' | 'budget';
export type Given = {
  account: string;
  asset: Asset;
  kind: Kind;
  plan: string;
  amount: number;
  expiresMs: number | null;
};
type Lot = {
  id: number;
  account: string;
  asset: Asset;
  kind: Kind;
  plan: string;
  avail: number;
  expiresMs: number | null;
};
type Posting = { lot: number; kind: 'given' | 'expiry' | 'undelivered'; amount: number };
type LaneRow = {
  epoch: number;
  open: boolean;
  checkpointedSeq: number;
  deliveredSeq: number;
  heartbeatMs: number;
};
type BatchRow = { spent: Map<number, number>; calls: readonly string[]; answer: BatchResult };
export type Notice = { kind: 'recall' | 'returned' | 'granted'; account: string };

/** A safeguard that a mutant of the model lacks. */
export type Safeguard =
  | 'replay'
  | 'fence'
  | 'avail'
  | 'checkpoint once'
  | 'give back'
  | 'recall'
  | 'call once'
  /** Responses are stored in the same commit as their charge. */
  | 'keep with charge'
  /** An idempotency key of a living writer is not taken over. */
  | 'living idempotencyKey'
  /** An idempotency key that has a response is not served again. */
  | 'answered idempotencyKey'
  /** A charge whose response is stored is not reversed. */
  | 'keep charge'
  /** An idempotency key is released only by its own call, and only without a response. */
  | 'own idempotencyKey';

const priorities = { trial: 0, allowance: 1, credit: 2, grant: 2, budget: 2 };

/**
 * The functions of migrations/functions/ledger-*.sql as plain code, one step each: the model that PostgreSQL is compared with
 * (books.long.ts), and the ledger store of the simulated histories (writer-simulation.test.ts).
 */
export class ModelLedgerStore implements LedgerStore, IdempotencyKeys {
  readonly lots = new Map<number, Lot>();
  readonly postings = new Map<string, Posting>();
  readonly writers = new Map<string, LaneRow>();
  /** By writer, then lot. */
  readonly leases = new Map<string, Map<number, number>>();
  /** By `writer epoch seq`. */
  readonly batches = new Map<string, BatchRow>();
  /** By call, then draw. */
  readonly usage = new Map<string, Map<number, Usage>>();
  /** By `account key`. */
  readonly idempotencyKeys = new Map<string, IdempotencyKey>();
  /** By call. */
  readonly kept = new Map<string, Batch['storedResponses'][number]>();
  /** Responses that a mutant stores only with its next batch. */
  #keptLater: Batch['storedResponses'] = [];
  readonly #clock: Clock;
  readonly #notify: (notice: Notice) => void;
  readonly #without: Safeguard | null;

  constructor(clock: Clock, notify: (notice: Notice) => void = () => {}, without: Safeguard | null = null) {
    this.#clock = clock;
    this.#notify = notify;
    this.#without = without;
  }

  /** Grants an account a lot. `id` is the lot's number when another store has chosen it. */
  grant({ account, asset, kind, plan, amount, expiresMs }: Given, id = this.lots.size + 1): number {
    this.lots.set(id, { id, account, asset, kind, plan, avail: amount, expiresMs });
    this.postings.set(`given:${id}`, { lot: id, kind: 'given', amount });
    this.#notify({ kind: 'granted', account });
    return id;
  }

  async openWriter(writer: string): Promise<number> {
    if (!this.writers.has(writer)) {
      this.writers.set(writer, {
        epoch: 0,
        open: false,
        checkpointedSeq: 0,
        deliveredSeq: 0,
        heartbeatMs: this.#clock(),
      });
    }
    this.reap(writer);
    const row = this.#writer(writer);
    row.open = true;
    row.heartbeatMs = this.#clock();
    return row.epoch;
  }

  async closeWriter(writer: string, epoch: number): Promise<boolean> {
    const row = this.writers.get(writer);
    if (!row?.open || row.epoch !== epoch) return false;
    row.deliveredSeq = Number.POSITIVE_INFINITY;
    this.reap(writer);
    return true;
  }

  async undeliver(callIds: readonly string[]): Promise<void> {
    if (this.#without === 'give back') return;
    for (const callId of callIds) {
      const kept = this.kept.get(callId);
      if (kept?.body && this.#without !== 'keep charge') continue;
      if (kept && !kept.body) {
        this.kept.delete(callId);
        if (this.idempotencyKeys.get(`${kept.account} ${kept.key}`)?.callId === callId)
          this.idempotencyKeys.delete(`${kept.account} ${kept.key}`);
      }
      for (const [draw, { lot, amount }] of this.usage.get(callId) ?? []) {
        const key = `undelivered:${callId}:${draw}`;
        if (lot === null || this.postings.has(key)) continue;
        this.postings.set(key, { lot: lot, kind: 'undelivered', amount });
        this.#lot(lot).avail += amount;
      }
    }
  }

  reapSilent(silenceMs: number): void {
    for (const [writer, row] of this.writers)
      if (row.open && row.heartbeatMs < this.#clock() - silenceMs) this.reap(writer);
  }

  reap(writer: string): void {
    const row = this.#writer(writer);
    this.#checkpointInto(writer, this.uncheckpointed(writer));
    const undelivered = [...this.#since(writer, row.deliveredSeq)].flatMap((batch) => batch.calls);
    void this.undeliver(undelivered);
    const returned = new Set<string>();
    for (const [id, amount] of this.leases.get(writer) ?? []) {
      const lot = this.#lot(id);
      lot.avail += amount;
      if (amount > 0) returned.add(lot.account);
    }
    for (const account of returned) this.#notify({ kind: 'returned', account });
    this.leases.delete(writer);
    Object.assign(row, { epoch: row.epoch + 1, open: false, checkpointedSeq: 0, deliveredSeq: 0 });
  }

  /** Ends lots early, or extends them, and notifies the writers. */
  setEnd(id: number, expiresMs: number | null): void {
    const lot = this.#lot(id);
    lot.expiresMs = expiresMs;
    this.#notify({ kind: 'granted', account: lot.account });
    this.#notify({ kind: 'recall', account: lot.account });
  }

  expire(): void {
    for (const lot of this.lots.values()) {
      if (lot.avail === 0 || lot.expiresMs === null || lot.expiresMs > this.#clock()) continue;
      this.postings.set(`expiry:${this.postings.size}`, {
        lot: lot.id,
        kind: 'expiry',
        amount: -lot.avail,
      });
      lot.avail = 0;
    }
  }

  async claim(idempotencyKey: IdempotencyKey): Promise<IdempotencyClaim> {
    const name = `${idempotencyKey.account} ${idempotencyKey.key}`;
    const drawn = this.idempotencyKeys.get(name);
    const answer = this.kept.get(drawn?.callId ?? '');
    const writer = this.writers.get(drawn?.writer ?? '');
    const lives = writer?.open && writer.epoch === drawn?.epoch && this.#without !== 'living idempotencyKey';
    if (!drawn || (!lives && !answer) || (answer && this.#without === 'answered idempotencyKey')) {
      this.idempotencyKeys.set(name, idempotencyKey);
      return { kind: 'taken', keepsBody: true };
    }
    if (drawn.request !== idempotencyKey.request) return { kind: 'mismatch' };
    if (!answer) return { kind: 'in_flight' };
    const { callId, status, headers, body } = answer;
    return { kind: 'kept', response: { callId, status, headers, body } };
  }

  async giveUp({ account, key, callId }: IdempotencyKey): Promise<void> {
    const name = `${account} ${key}`;
    const isOwn = this.idempotencyKeys.get(name)?.callId === callId && !this.kept.has(callId);
    if (isOwn || this.#without === 'own idempotencyKey') this.idempotencyKeys.delete(name);
  }

  async batch(batch: Batch): Promise<BatchResult> {
    const { writer, epoch, seq, checkpoint, usage, storedResponses, returns, wants } = batch;
    const row = this.writers.get(writer);
    if (!row) return { state: 'fenced' };
    if (this.#without !== 'fence' && (!row.open || row.epoch !== epoch)) return { state: 'fenced' };
    const known = this.batches.get(`${writer} ${epoch} ${seq}`);
    if (known && this.#without !== 'replay') return known.answer;
    if (seq > 1 && !this.batches.has(`${writer} ${epoch} ${seq - 1}`))
      throw new LedgerInconsistent('no predecessor');

    const booked =
      this.#without === 'call once'
        ? usage
        : usage.filter(({ callId, draw }) => !this.usage.get(callId)?.has(draw));
    const spent = sum(booked.filter(({ amount }) => amount > 0).map(({ lot, amount }) => [lot ?? 0, amount]));
    const left = new Map(this.leases.get(writer));
    if (checkpoint) take(left, add(this.uncheckpointed(writer), spent));
    if (!checkpoint && returns.length > 0)
      throw new LedgerInconsistent('leases come back only with a checkpoint');
    take(left, new Map(returns.map(({ lot, amount }) => [lot, amount])));

    for (const entry of booked) {
      const draws = this.usage.get(entry.callId) ?? new Map();
      this.usage.set(entry.callId, draws.set(entry.draw, entry));
    }
    const keptNow = this.#without === 'keep with charge' ? this.#keptLater : storedResponses;
    this.#keptLater = storedResponses;
    for (const answer of keptNow) if (!this.kept.has(answer.callId)) this.kept.set(answer.callId, answer);
    if (checkpoint && this.#without !== 'checkpoint once') row.checkpointedSeq = seq;
    if (checkpoint) {
      row.deliveredSeq = Math.max(row.deliveredSeq, batch.deliveredSeq);
      row.heartbeatMs = this.#clock();
    }
    for (const { lot, amount } of returns) {
      this.#lot(lot).avail += amount;
      if (left.get(lot) === 0) left.delete(lot);
    }
    this.leases.set(writer, left);
    for (const account of new Set(returns.filter(({ recalled }) => recalled).map((back) => back.account)))
      this.#notify({ kind: 'returned', account });
    const calls = [...new Set(booked.filter(({ amount }) => amount > 0).map(({ callId }) => callId))];
    const answer: BatchResult = wants.length === 0 ? { state: 'ok' } : this.#grantAll(writer, left, wants);
    this.batches.set(`${writer} ${epoch} ${seq}`, { spent, calls, answer });
    return answer;
  }

  #grantAll(writer: string, leases: Map<number, number>, wants: readonly LeaseRequest[]): BatchResult {
    const granted: { account: string; lot: number; amount: number }[] = [];
    const short = new Set<string>();
    for (const want of wants) {
      const missing = this.#grantOne(want, (lot, amount) => {
        this.#lot(lot).avail -= amount;
        leases.set(lot, (leases.get(lot) ?? 0) + amount);
        granted.push({ account: want.account, lot, amount });
      });
      if (!missing) continue;
      short.add(want.account);
      if (want.recall && this.#without !== 'recall') this.#notify({ kind: 'recall', account: want.account });
    }
    const accounts = [...new Set(wants.map(({ account }) => account))];
    const holdings = accounts.map((account) => this.holdings(account, writer, short.has(account)));
    return { state: 'ok', granted, holdings };
  }

  /** Grants one lease request as far as possible. Returns true when the store has less than it needs. */
  #grantOne(
    { account, plans, price, units, headroomUnits, recall, moneyOnly }: LeaseRequest,
    lease: (lot: number, amount: number) => void,
  ): boolean {
    const open = this.#unexpired(account).filter(
      ({ asset, avail, plan }) =>
        avail > 0 && plans.includes(plan) && (asset === 'usd' || moneyOnly !== true),
    );
    const sumOf = (asset: Asset) => open.reduce((sum, lot) => sum + (lot.asset === asset ? lot.avail : 0), 0);
    if (recall && Math.max(0, units - sumOf('unit')) * price > sumOf('usd') && this.#without !== 'avail')
      return true;
    const live = Math.max(1, [...this.writers.values()].filter(({ open }) => open).length);
    let need = units;
    let room = headroomUnits;
    let inMoney = false;
    for (const { id, asset, avail } of open) {
      if (asset === 'usd' && !inMoney) {
        need *= price;
        room *= price;
        inMoney = true;
      }
      if (need === 0 && room === 0) break;
      const needed = this.#without === 'avail' ? need : Math.min(avail, need);
      const extra = Math.max(0, Math.min(room, Math.floor(avail / (2 * live)) - needed));
      room -= extra;
      need -= needed;
      if (needed + extra > 0) lease(id, needed + extra);
    }
    return need > 0;
  }

  holdings(account: string, writer: string, exact: boolean): Holdings {
    const live = this.#unexpired(account).map((lot) => ({
      ...lot,
      others: this.#leased(lot.id, (name) => name !== writer, exact),
      leased: this.#leased(lot.id, () => true, false) > 0,
    }));
    const resets = live.flatMap(({ kind, expiresMs }) =>
      kind === 'allowance' && expiresMs !== null ? [expiresMs] : [],
    );
    return {
      account,
      lots: live
        .filter(({ avail, leased }) => avail > 0 || leased)
        .map(({ id, asset, kind, plan, avail, others, expiresMs: expires }) => ({
          id,
          asset,
          kind,
          plan,
          avail,
          others,
          expires,
        })),
      plans: [
        ...new Set(live.filter((l) => l.kind !== 'trial' || l.avail > 0 || l.leased).map(({ plan }) => plan)),
      ].sort(),
      resets: resets.length > 0 ? Math.min(...resets) : null,
    };
  }

  /** Returns the remaining amount of each lot of an account, over all writers. */
  statement(account: string): { lot: number; remaining: number }[] {
    return this.#lotsOf(account).map(({ id, avail }) => ({
      lot: id,
      remaining: Math.max(0, avail + this.#leased(id, () => true, true)),
    }));
  }

  /** Returns every inconsistency of the store. */
  prove(): string[] {
    const breaches: string[] = [];
    const expect = (holds: boolean, what: string) => void (holds || breaches.push(what));
    const posted = sum([...this.postings.values()].map(({ lot, amount }) => [lot, amount]));
    const used = sum(
      [...this.usage.values()].flatMap((draws) =>
        [...draws.values()].map(({ lot, amount }) => [lot ?? 0, amount]),
      ),
    );
    for (const { id, avail } of this.lots.values()) {
      const left = avail + this.#leased(id, () => true, true);
      expect(avail >= 0, `lot ${id} has ${avail} available`);
      expect(
        posted.get(id) === left + (used.get(id) ?? 0),
        `lot ${id}: ${posted.get(id)} posted, ${left} left, ${used.get(id)} used`,
      );
    }
    for (const [writer, leases] of this.leases) {
      expect(this.#writer(writer).open || leases.size === 0, `closed writer ${writer} holds something`);
      for (const [lot, amount] of leases)
        expect(amount >= 0, `writer ${writer} leased ${amount} of lot ${lot}`);
    }
    return breaches;
  }

  /** Returns the amounts by lot that batches of a writer spent after its last checkpoint. */
  uncheckpointed(writer: string): Map<number, number> {
    const row = this.#writer(writer);
    return row.open
      ? sum([...this.#since(writer, row.checkpointedSeq)].flatMap(({ spent }) => [...spent]))
      : new Map();
  }

  *#since(writer: string, after: number): Generator<BatchRow> {
    const { epoch } = this.#writer(writer);
    for (let seq = after + 1; ; seq++) {
      const batch = this.batches.get(`${writer} ${epoch} ${seq}`);
      if (!batch) return;
      yield batch;
    }
  }

  #checkpointInto(writer: string, spent: Map<number, number>): void {
    const left = new Map(this.leases.get(writer));
    take(left, spent);
    this.leases.set(writer, left);
  }

  #leased(lot: number, counts: (writer: string) => boolean, exact: boolean): number {
    let leased = 0;
    for (const writer of this.writers.keys()) {
      if (!counts(writer)) continue;
      leased += this.leases.get(writer)?.get(lot) ?? 0;
      if (exact) leased -= this.uncheckpointed(writer).get(lot) ?? 0;
    }
    return leased;
  }

  #lotsOf(account: string): Lot[] {
    const rank = ({ kind, asset }: Lot) => priorities[kind] + (asset === 'usd' ? 10 : 0);
    const ends = ({ expiresMs }: Lot) => expiresMs ?? Number.MAX_SAFE_INTEGER;
    return [...this.lots.values()]
      .filter((lot) => lot.account === account)
      .sort((a, b) => rank(a) - rank(b) || ends(a) - ends(b) || a.id - b.id);
  }

  #unexpired(account: string): Lot[] {
    return this.#lotsOf(account).filter(({ expiresMs }) => expiresMs === null || expiresMs > this.#clock());
  }

  #lot(id: number): Lot {
    const lot = this.lots.get(id);
    if (!lot) throw new LedgerInconsistent(`no lot ${id}`);
    return lot;
  }

  #writer(name: string): LaneRow {
    const row = this.writers.get(name);
    if (!row) throw new LedgerInconsistent(`no writer ${name}`);
    return row;
  }
}

function sum(entries: readonly (readonly [number, number])[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const [key, amount] of entries) sums.set(key, (sums.get(key) ?? 0) + amount);
  return sums;
}

function add(a: Map<number, number>, b: Map<number, number>): Map<number, number> {
  return sum([...a, ...b]);
}

/** Subtracts amounts from leases. Throws when a lease is missing or would become negative. */
function take(leases: Map<number, number>, amounts: Map<number, number>): void {
  for (const [lot, amount] of amounts) {
    const lease = leases.get(lot);
    if (lease === undefined) throw new LedgerInconsistent(`lot ${lot} is not leased`);
    if (lease < amount) throw new LedgerInconsistent(`lot ${lot} is leased ${lease} and loses ${amount}`);
    leases.set(lot, lease - amount);
  }
}
