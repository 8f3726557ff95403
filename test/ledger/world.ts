import { ofMicro } from '@sluice/kernel/money';
import {
  budgetPlan,
  type Hold,
  type HoldRequest,
  type HoldResult,
  type Settlement,
} from '../../src/ledger/hold.ts';
import type { IdempotencyClaim, IdempotencyKey, IdempotencyKeys } from '../../src/ledger/idempotency-key.ts';
import type { Batch, BatchResult, LedgerStore } from '../../src/ledger/ledger-store.ts';
import type { LedgerWriter } from '../../src/ledger/ledger-writer.ts';
import type { LedgerWriterEvent } from '../../src/ledger/ledger-writer-event.ts';
import { ModelLedgerStore, type Notice, type Safeguard } from './model-ledger-store.ts';

const realSetImmediate = globalThis.setImmediate;
/** Lets every promise that can settle do so: a tick runs when no microtask is left, and needs no turn of the event loop. */
const settled = () => new Promise<void>((resolve) => queueMicrotask(() => process.nextTick(resolve)));

export type WriterClass = typeof LedgerWriter;
/** The treatment of a request by the connection to the ledger store. */
export type Fate =
  | 'answered'
  | 'committed, answered later'
  | 'lost'
  | 'committed, answer lost'
  | 'cut off, arrives late'
  | 'silence';

type Request = {
  run(): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: Error): void;
  done: Promise<unknown> | null;
  /** True when the connection limits the wait for a response, rather than the writer. */
  bounded: boolean;
};

/** A call waits for the batch under way, then for its own: overdue after 3 s, given up 5 s later, each noticed at most a tick later. */
const patienceMsMax = 2 * (3_000 + 5_000 + 2 * 6_000);

const asksMax = 200;

/** One call of a buyer, from its hold to its outcome. */
export type Call = {
  process: Process;
  request: HoldRequest;
  /** Its idempotency key, and whether its response is small enough to be stored. */
  key: string | null;
  isSmall: boolean;
  idempotencyKey: IdempotencyKey | null;
  /** The reason why it is not made under its key: another call has the key, or the ledger store is unavailable. */
  barred: Exclude<IdempotencyClaim, { kind: 'taken' }> | { kind: 'lost' } | null;
  held: HoldResult | null;
  hold: Hold | null;
  /** True while it waits for the answer to a request to extend its hold. */
  extending: boolean;
  /** The last answer to such a request. */
  extended: HoldResult | null;
  used: number | null;
  settlement: Settlement | null;
  /** True when its response was delivered while its writer still had the epoch of its hold. */
  deliveredInTime: boolean;
  delivered: boolean;
  /** True when its response broke off. */
  lost: boolean;
  released: boolean;
  /** The time for which its process has run without deciding it. */
  waitedMs: number;
};

function isDecided({ process, barred, held, hold, released, settlement }: Call): boolean {
  return (
    process.dead || barred !== null || (held !== null && (hold === null || released || settlement !== null))
  );
}

/** One process of the shop: its writer, its connection, and the notifications that it has not received yet. */
export class Process {
  readonly name: string;
  readonly writer: LedgerWriter;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly requests: Request[] = [];
  readonly notices: Notice[] = [];
  readonly events: LedgerWriterEvent[] = [];
  readonly immediates: (() => void)[] = [];
  paused = false;
  dead = false;
  /** True when it has ended properly. */
  left = false;
  /** True while its connection to the ledger store is down: all its requests are lost. */
  cut = false;

  constructor(name: string, world: World, writerClass: WriterClass) {
    this.name = name;
    this.idempotencyKeys = {
      claim: (idempotencyKey) => this.#send(() => world.books.claim(idempotencyKey), true),
      giveUp: (idempotencyKey) => this.#send(() => world.books.giveUp(idempotencyKey), true),
    };
    this.writer = new writerClass(
      this.#connection(world.books),
      name,
      () => world.nowMs,
      (event) => {
        this.events.push(event);
      },
    );
  }

  #send<T>(run: () => Promise<T>, bounded = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.requests.push({ run, resolve: (value) => resolve(value as T), reject, done: null, bounded });
    });
  }

  #connection(books: LedgerStore): LedgerStore {
    const send = this.#send.bind(this);
    return {
      openWriter: (writer) => send(() => books.openWriter(writer)),
      batch: (batch: Batch) => send<BatchResult>(() => books.batch(batch)),
      closeWriter: (writer, epoch) => send(() => books.closeWriter(writer, epoch)),
      undeliver: (callIds) => send(() => books.undeliver(callIds)),
    };
  }
}

/** Buyers, processes and a ledger store without real time: only the test decides what happens, and in which order. */
export class World {
  nowMs = 1_000_000;
  /** Number of events: responses, notifications, calls and ticks. */
  events = 0;
  readonly books: ModelLedgerStore;
  readonly processes: Process[];
  readonly calls: Call[] = [];
  /** The promises that were broken so far. */
  readonly breaches: string[] = [];
  readonly #writerClass: WriterClass;
  /** Copies of requests that their senders have given up and that may still arrive. */
  readonly #late: (() => Promise<unknown>)[] = [];

  constructor(writerClass: WriterClass, names: readonly string[], without: Safeguard | null = null) {
    this.#writerClass = writerClass;
    this.books = new ModelLedgerStore(
      () => this.nowMs,
      (notice) => {
        for (const process of this.processes) process.notices.push(notice);
      },
      without,
    );
    this.processes = names.map((name) => new Process(name, this, writerClass));
  }

  /** Opens every writer. */
  async open(): Promise<void> {
    for (const process of this.processes) await this.#boot(process);
    await this.rounds(1);
  }

  async #boot(process: Process): Promise<void> {
    await this.#in(process, () => {
      process.writer.open().catch(() => {
        process.dead = true;
      });
    });
  }

  /** Lets `process` do something, and then everything that follows from it until its turn of the event loop ends. */
  async #in(process: Process, act: () => void): Promise<void> {
    this.events += 1;
    globalThis.setImmediate = ((callback: () => void) => process.immediates.push(callback)) as never;
    try {
      act();
      await settled();
    } finally {
      globalThis.setImmediate = realSetImmediate;
    }
  }

  /** Ends the turn of the event loop, so that deferred work runs. */
  async turn(process: Process): Promise<void> {
    while (process.immediates.length > 0) await this.#in(process, () => process.immediates.shift()?.());
  }

  async call(
    process: Process,
    request: Omit<HoldRequest, 'callId' | 'price'> & { price: number },
    key: string | null = null,
    isSmall = true,
  ): Promise<Call> {
    const call: Call = {
      process,
      request: { ...request, price: ofMicro(request.price), callId: `call ${this.calls.length}` },
      key,
      isSmall,
      idempotencyKey: null,
      barred: null,
      held: null,
      hold: null,
      extending: false,
      extended: null,
      used: null,
      settlement: null,
      deliveredInTime: false,
      delivered: false,
      lost: false,
      released: false,
      waitedMs: 0,
    };
    this.calls.push(call);
    await this.#in(process, () => void (key === null ? this.#hold(call) : this.#draw(call, key)));
    return call;
  }

  /** Acquires the idempotency key first, then the hold, both in one epoch, as journeys/paid-call.ts does. */
  async #draw(call: Call, key: string): Promise<void> {
    const { process, request } = call;
    const { account, callId } = request;
    const idempotencyKey = { account, key, request: 'r', callId, ...process.writer.writer };
    const drawn: IdempotencyClaim | { kind: 'lost' } = await process.idempotencyKeys
      .claim(idempotencyKey)
      .catch(() => ({ kind: 'lost' }));
    if (process.dead) return;
    if (drawn.kind !== 'taken') {
      call.barred = drawn;
      // Without its body the response cannot be returned, only the fact that there was one.
      if (drawn.kind === 'kept' && drawn.response.body) this.#expectCharged(call, drawn.response.callId);
      return;
    }
    call.idempotencyKey = idempotencyKey;
    await this.#hold(call);
    const { hold } = call;
    if (hold && hold.epoch === idempotencyKey.epoch) return;
    if (hold) process.writer.release(hold);
    call.released = true;
    await process.idempotencyKeys.giveUp(idempotencyKey).catch(() => {});
  }

  async #hold(call: Call): Promise<void> {
    const { process } = call;
    const answer = await process.writer.hold(call.request);
    if (process.dead) return;
    call.held = answer;
    if (answer.kind !== 'held') return;
    call.hold = answer.hold;
    this.#expectCovered();
  }

  /** The response has more units than the hold: `units` must be held before it may be charged. */
  async extend(call: Call, units: number): Promise<void> {
    const { process, hold } = call;
    if (!hold) return;
    call.extending = true;
    await this.#in(process, () => {
      void process.writer.extend(hold, units).then((answer) => {
        if (process.dead) return;
        call.extending = false;
        call.extended = answer;
        if (answer.kind !== 'held') return;
        call.hold = answer.hold;
        if (answer.hold.units !== Math.max(units, hold.units))
          this.breaches.push(`${call.request.callId} holds ${answer.hold.units} and not ${units}`);
        this.#expectCovered();
      });
    });
  }

  /** Checks that a response that is returned again was charged and that the charge was not reversed. */
  #expectCharged({ request }: Call, callId: string): void {
    const given = this.calls.find((call) => call.request.callId === callId);
    const cost = given?.used && given.request.price > 0 ? 1 : 0;
    if (given && this.net(given) < cost)
      this.breaches.push(`${request.callId} was given ${callId} for nothing`);
  }

  async settle(call: Call, used: number): Promise<void> {
    const { process, hold } = call;
    if (!hold) return;
    call.used = used;
    const { key, isSmall, idempotencyKey } = call;
    const outcome = { units: used, status: 200, service: 's', operation: 'o' };
    const keeping =
      key === null ? null : { key, headers: [String(used)], body: isSmall ? Buffer.alloc(1) : null };
    await this.#in(process, () => {
      let settling: Promise<Settlement>;
      try {
        settling = process.writer.settle(hold, outcome, keeping);
      } catch (fault) {
        this.breaches.push(`${call.request.callId} holds ${hold.units} and cannot pay ${used}: ${fault}`);
        return;
      }
      void settling.then((settlement) => {
        if (process.dead) return;
        call.settlement = settlement;
        if (idempotencyKey && settlement.kind === 'refused' && !settlement.inDoubt)
          process.idempotencyKeys.giveUp(idempotencyKey).catch(() => {});
        if (settlement.kind === 'settled') this.#expectBooked(call, settlement);
      });
    });
  }

  async release(call: Call): Promise<void> {
    const { process, hold, idempotencyKey } = call;
    call.released = true;
    await this.#in(process, () => {
      if (hold) process.writer.release(hold);
      if (idempotencyKey && hold) process.idempotencyKeys.giveUp(idempotencyKey).catch(() => {});
    });
  }

  async deliver(call: Call): Promise<void> {
    const { process, settlement, hold } = call;
    if (settlement?.kind !== 'settled') return;
    call.delivered = true;
    call.deliveredInTime = this.books.writers.get(process.name)?.epoch === hold?.epoch;
    await this.#in(process, () => process.writer.delivered(settlement.seq));
  }

  /** Breaks off the response of a settled call. */
  async lose(call: Call): Promise<void> {
    const { process, settlement, request } = call;
    if (settlement?.kind !== 'settled' || settlement.seq === 0) return;
    call.lost = true;
    await this.#in(process, () => process.writer.undelivered(settlement.seq, request.callId));
  }

  /** Applies `fate` to one request of a process; -1 picks the last. */
  async answer(process: Process, pick: number, fate: Fate): Promise<void> {
    const request = process.requests.at(pick % process.requests.length);
    if (!request) return;
    if (fate === 'committed, answered later') {
      request.done ??= request.run();
      request.done.catch(() => {});
      return;
    }
    process.requests.splice(process.requests.indexOf(request), 1);
    if (fate === 'cut off, arrives late' || fate === 'silence') this.#late.push(request.run);
    if (fate === 'silence' && !request.bounded) return;
    await this.#in(process, () => {
      if (fate === 'answered') (request.done ?? request.run()).then(request.resolve, request.reject);
      else {
        if (fate === 'committed, answer lost') (request.done ?? request.run()).catch(() => {});
        request.reject(new Error(fate));
      }
    });
  }

  /** Lets a copy of a request arrive that its sender has given up. */
  async arrive(pick: number): Promise<void> {
    const [run] = this.#late.splice(pick % Math.max(1, this.#late.length), 1);
    await run?.().catch(() => {});
  }

  async hear(process: Process): Promise<void> {
    const notice = process.notices.shift();
    if (!notice) return;
    await this.#in(process, () => {
      if (notice.kind === 'granted') process.writer.touch(notice.account);
      if (notice.kind === 'recall') process.writer.recall(notice.account);
      if (notice.kind === 'returned') process.writer.cameBack(notice.account);
    });
  }

  /** Lets time pass. Processes that are not paused tick at its end, and those that failed to open try again. */
  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    for (const process of [...this.processes]) {
      if (process.paused) continue;
      if (process.dead) await this.kill(process);
      else await this.#in(process, () => process.writer.tick());
      while (process.cut && process.requests.length > 0) await this.answer(process, 0, 'lost');
    }
    for (const call of this.calls) this.#expectPatience(call, ms);
  }

  #expectPatience(call: Call, ms: number): void {
    if (isDecided(call) || call.process.paused) return;
    // Before the call has its idempotency key, the connection limits its waits.
    if (call.key !== null && call.idempotencyKey === null) return;
    const isIdle = call.used === null && call.held !== null && !call.extending;
    call.waitedMs = isIdle ? 0 : call.waitedMs + ms;
    if (call.waitedMs > patienceMsMax) this.breaches.push(`${call.request.callId} waits for too long`);
  }

  /** Simulates kill -9 and a new process with the same name. Requests that were sent may still arrive. */
  async kill(process: Process): Promise<void> {
    process.dead = true;
    this.#late.push(
      ...process.requests.map(
        ({ run, done }) =>
          () =>
            done ?? run(),
      ),
    );
    const next = new Process(process.name, this, this.#writerClass);
    this.processes.splice(this.processes.indexOf(process), 1, next);
    await this.#boot(next);
  }

  /** Passes a time without faults: every process runs, receives notifications and gets responses. */
  async rounds(count: number, isOver: () => boolean = () => false, ms = 50): Promise<void> {
    for (let round = 0; round < count && !isOver(); round++) {
      for (const process of [...this.processes]) {
        await this.turn(process);
        // A process that repeats its requests stops at its deadline, which needs time to pass.
        for (let asked = 0; process.requests.length > 0 && asked < asksMax; asked++) {
          await this.answer(process, -1, 'answered');
          await this.turn(process);
        }
        while (process.notices.length > 0) await this.hear(process);
      }
      await this.pass(ms);
    }
  }

  /** Ends everything: calls, connections, writers. `rest` is the state of the ledger store before the writers leave. */
  async wind(): Promise<void> {
    for (const process of this.processes) Object.assign(process, { paused: false, cut: false });
    while (this.#late.length > 0) await this.arrive(0);
    const isQuiet = () =>
      this.calls.every(isDecided) &&
      this.processes.every(({ writer, requests }) => writer.ready && requests.length === 0);
    // Long enough for every writer to notice an overdue response and to send a heartbeat.
    await this.rounds(16, () => false, 250);
    for (let i = 0; i < 40 && !isQuiet(); i++) {
      await this.rounds(10, isQuiet);
      for (const call of this.calls)
        if (call.hold && call.used === null && !call.extending && !call.released && !call.process.dead)
          await this.settle(call, call.hold.units);
    }
    if (!isQuiet()) this.breaches.push('something waits for ever');
    for (const call of this.calls)
      if (!call.delivered && !call.lost && !call.process.dead) await this.deliver(call);
  }

  /** Makes a writer leave. Its process ends then: its pending requests are lost, or arrive later. */
  async leave(process: Process, rest: 'lost' | 'late' = 'lost'): Promise<void> {
    const end = () => {
      process.left = true;
      const requests = process.requests.splice(0);
      if (rest === 'late') this.#late.push(...requests.map(({ run }) => run));
    };
    await this.#in(process, () => void process.writer.drain().then(end, () => {}));
  }

  /** Makes all writers leave properly. */
  async drain(): Promise<void> {
    const fences = () =>
      this.processes.flatMap(({ events }) => events.filter(({ kind }) => kind === 'fenced')).length;
    const fencesBefore = fences();
    for (const process of this.processes) await this.leave(process);
    await this.rounds(200, () => this.processes.every(({ left }) => left));
    while (this.#late.length > 0) await this.arrive(0);
    for (const { left, name } of this.processes) if (!left) this.breaches.push(`writer ${name} does not end`);
    if (fences() > fencesBefore) this.breaches.push('a writer was fenced by its own end');
    for (const [name, { open }] of this.books.writers)
      if (open) this.breaches.push(`writer ${name} is open after its end`);
  }

  /** Checks that no lot owes more than its grant: to usage, to calls under way and to expiry. */
  #expectCovered(): void {
    const owed = new Map<number, number>();
    const owe = (lot: number, amount: number) => owed.set(lot, (owed.get(lot) ?? 0) + amount);
    for (const draws of this.books.usage.values())
      for (const { lot, amount } of draws.values()) owe(lot ?? 0, amount);
    for (const { hold, used, released, settlement, process } of this.calls) {
      const writer = this.books.writers.get(process.name);
      if (!hold || released || settlement || process.dead || !writer?.open || writer.epoch !== hold.epoch)
        continue;
      if (used === null)
        for (const { lot, amount } of [...hold.draws, ...(hold.cap?.draws ?? [])]) owe(lot.id, amount);
    }
    for (const { lot, amount } of this.books.postings.values()) owe(lot, -amount);
    for (const [lot, amount] of owed)
      if (amount > 0) this.breaches.push(`lot ${lot} is overdrawn by ${amount}`);
  }

  #expectBooked({ request, used }: Call, { charges, cost }: Extract<Settlement, { kind: 'settled' }>): void {
    const given = request.price === 0 ? 0 : (used ?? 0);
    const paid = charges.reduce((sum, charge) => sum + charge.units, 0);
    if (paid !== given) this.breaches.push(`${request.callId} gave ${given} units and charged ${paid}`);
    if (charges.length === 0) return;
    const all = [...(this.books.usage.get(request.callId)?.values() ?? [])];
    const rows = all.filter(({ plan }) => plan !== budgetPlan);
    const worth = all.filter(({ plan }) => plan === budgetPlan).reduce((sum, { amount }) => sum + amount, 0);
    const units = charges.reduce((sum, charge) => sum + charge.units, 0);
    const agree =
      worth === (request.key ? units * request.price : 0) &&
      rows.length === charges.length &&
      charges.every(({ lot, units, amount }, draw) => {
        const row = rows[draw];
        return row?.lot === lot.id && row.units === units && row.amount === amount;
      });
    if (!agree) this.breaches.push(`${request.callId} is settled and not on the books`);
    const money = charges.reduce((sum, { lot, amount }) => sum + (lot.asset === 'usd' ? amount : 0), 0);
    if (cost !== money) this.breaches.push(`${request.callId} says that it cost ${cost} of ${money}`);
  }

  /** Returns the units of its lots that a call was charged, without reversed ones. */
  net({ request: { callId } }: Call): number {
    let net = 0;
    for (const [draw, { amount, plan }] of this.books.usage.get(callId) ?? []) {
      const left = amount - (this.books.postings.get(`undelivered:${callId}:${draw}`)?.amount ?? 0);
      if (plan !== budgetPlan) net += left;
      else if (left !== amount && left !== 0) this.breaches.push(`${callId} keeps a part of its budget`);
    }
    return net;
  }
}
