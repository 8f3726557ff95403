import type { Clock } from '../../src/kernel/clock.ts';
import {
  type Batch,
  type BatchAnswer,
  type Books,
  BooksBroken,
  type Holdings,
  type Want,
} from '../../src/ledger/books.ts';
import type { Asset } from '../../src/ledger/lot.ts';
import type { Drawn, Ticket, Tickets } from '../../src/ledger/ticket.ts';
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
type Bucket = {
  id: number;
  account: string;
  asset: Asset;
  kind: Kind;
  plan: string;
  avail: number;
  expiresMs: number | null;
};
type Posting = { bucket: number; kind: 'given' | 'expiry' | 'undelivered'; amount: number };
type LaneRow = { epoch: number; open: boolean; foldedSeq: number; deliveredSeq: number; heartbeatMs: number };
type BatchRow = { spent: Map<number, number>; calls: readonly string[]; answer: BatchAnswer };
export type Notice = { kind: 'recall' | 'returned' | 'granted'; account: string };

/** A safeguard that a mutant of the books goes without. */
export type Safeguard =
  | 'replay'
  | 'fence'
  | 'avail'
  | 'fold once'
  | 'give back'
  | 'recall'
  | 'call once'
  /** Answers are kept in one commit with their charge. */
  | 'keep with charge'
  /** A ticket of a living lane is not taken over. */
  | 'living ticket'
  /** A ticket that was answered is not served again. */
  | 'answered ticket'
  /** What is given again is not given back. */
  | 'keep charge'
  /** A ticket is given up by its own call, and only without an answer. */
  | 'own ticket';

const priorities = { trial: 0, allowance: 1, credit: 2, grant: 2, budget: 2 };

/**
 * The functions of migrations/0001_ledger.sql as plain code, one step each: the model that PostgreSQL is compared with
 * (books.test.ts), and the books of a thousand simulated histories (lane-simulation.test.ts).
 */
export class ModelBooks implements Books, Tickets {
  readonly buckets = new Map<number, Bucket>();
  readonly postings = new Map<string, Posting>();
  readonly lanes = new Map<string, LaneRow>();
  /** By lane, then bucket. */
  readonly leases = new Map<string, Map<number, number>>();
  /** By `lane epoch seq`. */
  readonly batches = new Map<string, BatchRow>();
  /** By call, then draw. */
  readonly usage = new Map<string, Map<number, Usage>>();
  /** By `account key`. */
  readonly tickets = new Map<string, Ticket>();
  /** By call. */
  readonly kept = new Map<string, Batch['answers'][number]>();
  /** What a mutant keeps only with its next batch. */
  #keptLater: Batch['answers'] = [];
  readonly #clock: Clock;
  readonly #notify: (notice: Notice) => void;
  readonly #without: Safeguard | null;

  constructor(clock: Clock, notify: (notice: Notice) => void = () => {}, without: Safeguard | null = null) {
    this.#clock = clock;
    this.#notify = notify;
    this.#without = without;
  }

  /** Gives an account a lot. `id` is the bucket's, where another book has chosen it. */
  grant({ account, asset, kind, plan, amount, expiresMs }: Given, id = this.buckets.size + 1): number {
    this.buckets.set(id, { id, account, asset, kind, plan, avail: amount, expiresMs });
    this.postings.set(`given:${id}`, { bucket: id, kind: 'given', amount });
    this.#notify({ kind: 'granted', account });
    return id;
  }

  async openLane(lane: string): Promise<number> {
    if (!this.lanes.has(lane)) {
      this.lanes.set(lane, {
        epoch: 0,
        open: false,
        foldedSeq: 0,
        deliveredSeq: 0,
        heartbeatMs: this.#clock(),
      });
    }
    this.reap(lane);
    const row = this.#lane(lane);
    row.open = true;
    row.heartbeatMs = this.#clock();
    return row.epoch;
  }

  async closeLane(lane: string, epoch: number): Promise<boolean> {
    const row = this.lanes.get(lane);
    if (!row?.open || row.epoch !== epoch) return false;
    row.deliveredSeq = Number.POSITIVE_INFINITY;
    this.reap(lane);
    return true;
  }

  async undeliver(callIds: readonly string[]): Promise<void> {
    if (this.#without === 'give back') return;
    for (const callId of callIds) {
      const kept = this.kept.get(callId);
      if (kept?.body && this.#without !== 'keep charge') continue;
      if (kept && !kept.body) {
        this.kept.delete(callId);
        if (this.tickets.get(`${kept.account} ${kept.key}`)?.callId === callId)
          this.tickets.delete(`${kept.account} ${kept.key}`);
      }
      for (const [draw, { lot, amount }] of this.usage.get(callId) ?? []) {
        const key = `undelivered:${callId}:${draw}`;
        if (lot === null || this.postings.has(key)) continue;
        this.postings.set(key, { bucket: lot, kind: 'undelivered', amount });
        this.#bucket(lot).avail += amount;
      }
    }
  }

  reapSilent(silenceMs: number): void {
    for (const [lane, row] of this.lanes)
      if (row.open && row.heartbeatMs < this.#clock() - silenceMs) this.reap(lane);
  }

  reap(lane: string): void {
    const row = this.#lane(lane);
    this.#foldInto(lane, this.unfolded(lane));
    const undelivered = [...this.#since(lane, row.deliveredSeq)].flatMap((batch) => batch.calls);
    void this.undeliver(undelivered);
    const returned = new Set<string>();
    for (const [id, amount] of this.leases.get(lane) ?? []) {
      const bucket = this.#bucket(id);
      bucket.avail += amount;
      if (amount > 0) returned.add(bucket.account);
    }
    for (const account of returned) this.#notify({ kind: 'returned', account });
    this.leases.delete(lane);
    Object.assign(row, { epoch: row.epoch + 1, open: false, foldedSeq: 0, deliveredSeq: 0 });
  }

  /** Ends lots before their time, or lets them live longer, and tells the lanes. */
  setEnd(id: number, expiresMs: number | null): void {
    const bucket = this.#bucket(id);
    bucket.expiresMs = expiresMs;
    this.#notify({ kind: 'granted', account: bucket.account });
    this.#notify({ kind: 'recall', account: bucket.account });
  }

  expire(): void {
    for (const bucket of this.buckets.values()) {
      if (bucket.avail === 0 || bucket.expiresMs === null || bucket.expiresMs > this.#clock()) continue;
      this.postings.set(`expiry:${this.postings.size}`, {
        bucket: bucket.id,
        kind: 'expiry',
        amount: -bucket.avail,
      });
      bucket.avail = 0;
    }
  }

  async draw(ticket: Ticket): Promise<Drawn> {
    const name = `${ticket.account} ${ticket.key}`;
    const drawn = this.tickets.get(name);
    const answer = this.kept.get(drawn?.callId ?? '');
    const lane = this.lanes.get(drawn?.lane ?? '');
    const lives = lane?.open && lane.epoch === drawn?.epoch && this.#without !== 'living ticket';
    if (!drawn || (!lives && !answer) || (answer && this.#without === 'answered ticket')) {
      this.tickets.set(name, ticket);
      return { kind: 'taken', keepsBody: true };
    }
    if (drawn.request !== ticket.request) return { kind: 'mismatch' };
    if (!answer) return { kind: 'in_flight' };
    const { callId, status, headers, body } = answer;
    return { kind: 'kept', answer: { callId, status, headers, body } };
  }

  async giveUp({ account, key, callId }: Ticket): Promise<void> {
    const name = `${account} ${key}`;
    const isOwn = this.tickets.get(name)?.callId === callId && !this.kept.has(callId);
    if (isOwn || this.#without === 'own ticket') this.tickets.delete(name);
  }

  async batch(batch: Batch): Promise<BatchAnswer> {
    const { lane, epoch, seq, fold, usage, answers, returns, wants } = batch;
    const row = this.lanes.get(lane);
    if (!row) return { state: 'fenced' };
    if (this.#without !== 'fence' && (!row.open || row.epoch !== epoch)) return { state: 'fenced' };
    const known = this.batches.get(`${lane} ${epoch} ${seq}`);
    if (known && this.#without !== 'replay') return known.answer;
    if (seq > 1 && !this.batches.has(`${lane} ${epoch} ${seq - 1}`)) throw new BooksBroken('no predecessor');

    const booked =
      this.#without === 'call once'
        ? usage
        : usage.filter(({ callId, draw }) => !this.usage.get(callId)?.has(draw));
    const spent = sum(booked.filter(({ amount }) => amount > 0).map(({ lot, amount }) => [lot ?? 0, amount]));
    const left = new Map(this.leases.get(lane));
    if (fold) take(left, add(this.unfolded(lane), spent));
    if (!fold && returns.length > 0) throw new BooksBroken('leases come back only with a fold');
    take(left, new Map(returns.map(({ lot, amount }) => [lot, amount])));

    for (const entry of booked) {
      const draws = this.usage.get(entry.callId) ?? new Map();
      this.usage.set(entry.callId, draws.set(entry.draw, entry));
    }
    const keptNow = this.#without === 'keep with charge' ? this.#keptLater : answers;
    this.#keptLater = answers;
    for (const answer of keptNow) if (!this.kept.has(answer.callId)) this.kept.set(answer.callId, answer);
    if (fold && this.#without !== 'fold once') row.foldedSeq = seq;
    if (fold) {
      row.deliveredSeq = Math.max(row.deliveredSeq, batch.deliveredSeq);
      row.heartbeatMs = this.#clock();
    }
    for (const { lot, amount } of returns) {
      this.#bucket(lot).avail += amount;
      if (left.get(lot) === 0) left.delete(lot);
    }
    this.leases.set(lane, left);
    for (const account of new Set(returns.filter(({ recalled }) => recalled).map((back) => back.account)))
      this.#notify({ kind: 'returned', account });
    const calls = [...new Set(booked.filter(({ amount }) => amount > 0).map(({ callId }) => callId))];
    const answer: BatchAnswer = wants.length === 0 ? { state: 'ok' } : this.#grantAll(lane, left, wants);
    this.batches.set(`${lane} ${epoch} ${seq}`, { spent, calls, answer });
    return answer;
  }

  #grantAll(lane: string, leases: Map<number, number>, wants: readonly Want[]): BatchAnswer {
    const granted: { account: string; lot: number; amount: number }[] = [];
    const short = new Set<string>();
    for (const want of wants) {
      const missing = this.#grantOne(want, (lot, amount) => {
        this.#bucket(lot).avail -= amount;
        leases.set(lot, (leases.get(lot) ?? 0) + amount);
        granted.push({ account: want.account, lot, amount });
      });
      if (!missing) continue;
      short.add(want.account);
      if (want.recall && this.#without !== 'recall') this.#notify({ kind: 'recall', account: want.account });
    }
    const accounts = [...new Set(wants.map(({ account }) => account))];
    const holdings = accounts.map((account) => this.holdings(account, lane, short.has(account)));
    return { state: 'ok', granted, holdings };
  }

  /** Whether the books have less than a want needs. */
  #grantOne(
    { account, plans, price, units, headroomUnits, recall }: Want,
    lease: (lot: number, amount: number) => void,
  ): boolean {
    const open = this.#unexpired(account).filter(({ avail, plan }) => avail > 0 && plans.includes(plan));
    const sumOf = (asset: Asset) => open.reduce((sum, lot) => sum + (lot.asset === asset ? lot.avail : 0), 0);
    if (recall && Math.max(0, units - sumOf('unit')) * price > sumOf('usd') && this.#without !== 'avail')
      return true;
    const live = Math.max(1, [...this.lanes.values()].filter(({ open }) => open).length);
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

  holdings(account: string, lane: string, exact: boolean): Holdings {
    const live = this.#unexpired(account).map((bucket) => ({
      ...bucket,
      others: this.#leased(bucket.id, (name) => name !== lane, exact),
      leased: this.#leased(bucket.id, () => true, false) > 0,
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

  /** What is left of each lot of an account, over all lanes. */
  statement(account: string): { lot: number; remaining: number }[] {
    return this.#lotsOf(account).map(({ id, avail }) => ({
      lot: id,
      remaining: Math.max(0, avail + this.#leased(id, () => true, true)),
    }));
  }

  /** Every breach of the books. */
  prove(): string[] {
    const breaches: string[] = [];
    const expect = (holds: boolean, what: string) => void (holds || breaches.push(what));
    const posted = sum([...this.postings.values()].map(({ bucket, amount }) => [bucket, amount]));
    const used = sum(
      [...this.usage.values()].flatMap((draws) =>
        [...draws.values()].map(({ lot, amount }) => [lot ?? 0, amount]),
      ),
    );
    for (const { id, avail } of this.buckets.values()) {
      const left = avail + this.#leased(id, () => true, true);
      expect(avail >= 0, `lot ${id} has ${avail} available`);
      expect(
        posted.get(id) === left + (used.get(id) ?? 0),
        `lot ${id}: ${posted.get(id)} posted, ${left} left, ${used.get(id)} used`,
      );
    }
    for (const [lane, leases] of this.leases) {
      expect(this.#lane(lane).open || leases.size === 0, `closed lane ${lane} holds something`);
      for (const [lot, amount] of leases) expect(amount >= 0, `lane ${lane} leased ${amount} of lot ${lot}`);
    }
    return breaches;
  }

  /** What batches of a lane spent after its last fold, by bucket. */
  unfolded(lane: string): Map<number, number> {
    const row = this.#lane(lane);
    return row.open
      ? sum([...this.#since(lane, row.foldedSeq)].flatMap(({ spent }) => [...spent]))
      : new Map();
  }

  *#since(lane: string, after: number): Generator<BatchRow> {
    const { epoch } = this.#lane(lane);
    for (let seq = after + 1; ; seq++) {
      const batch = this.batches.get(`${lane} ${epoch} ${seq}`);
      if (!batch) return;
      yield batch;
    }
  }

  #foldInto(lane: string, spent: Map<number, number>): void {
    const left = new Map(this.leases.get(lane));
    take(left, spent);
    this.leases.set(lane, left);
  }

  #leased(bucket: number, counts: (lane: string) => boolean, exact: boolean): number {
    let leased = 0;
    for (const lane of this.lanes.keys()) {
      if (!counts(lane)) continue;
      leased += this.leases.get(lane)?.get(bucket) ?? 0;
      if (exact) leased -= this.unfolded(lane).get(bucket) ?? 0;
    }
    return leased;
  }

  #lotsOf(account: string): Bucket[] {
    const rank = ({ kind, asset }: Bucket) => priorities[kind] + (asset === 'usd' ? 10 : 0);
    const ends = ({ expiresMs }: Bucket) => expiresMs ?? Number.MAX_SAFE_INTEGER;
    return [...this.buckets.values()]
      .filter((bucket) => bucket.account === account)
      .sort((a, b) => rank(a) - rank(b) || ends(a) - ends(b) || a.id - b.id);
  }

  #unexpired(account: string): Bucket[] {
    return this.#lotsOf(account).filter(({ expiresMs }) => expiresMs === null || expiresMs > this.#clock());
  }

  #bucket(id: number): Bucket {
    const bucket = this.buckets.get(id);
    if (!bucket) throw new BooksBroken(`no bucket ${id}`);
    return bucket;
  }

  #lane(name: string): LaneRow {
    const row = this.lanes.get(name);
    if (!row) throw new BooksBroken(`no lane ${name}`);
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

/** Takes amounts out of leases, none of which may lack or become negative. */
function take(leases: Map<number, number>, amounts: Map<number, number>): void {
  for (const [lot, amount] of amounts) {
    const lease = leases.get(lot);
    if (lease === undefined) throw new BooksBroken(`lot ${lot} is not leased`);
    if (lease < amount) throw new BooksBroken(`lot ${lot} is leased ${lease} and loses ${amount}`);
    leases.set(lot, lease - amount);
  }
}
