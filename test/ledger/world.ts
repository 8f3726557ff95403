import { ofMicro } from '../../src/kernel/money.ts';
import type { Batch, BatchAnswer, Books } from '../../src/ledger/books.ts';
import {
  budgetPlan,
  type Hold,
  type HoldAnswer,
  type HoldRequest,
  type Settlement,
} from '../../src/ledger/hold.ts';
import type { Lane, LaneEvent } from '../../src/ledger/lane.ts';
import type { Drawn, Ticket, Tickets } from '../../src/ledger/ticket.ts';
import { ModelBooks, type Notice, type Safeguard } from './model-books.ts';

const realSetImmediate = globalThis.setImmediate;
/** Lets every promise that can settle do so: a tick comes when no microtask is left, and needs no turn of the event loop. */
const settled = () => new Promise<void>((resolve) => queueMicrotask(() => process.nextTick(resolve)));

export type LaneClass = typeof Lane;
/** How the books' connection treats a request. */
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
  /** It is given up by its connection when nothing comes: no lane watches over it. */
  bounded: boolean;
};

/** A call waits for the batch under way, then for its own: overdue after 3 s, given up 5 s later, each seen a tick later at most. */
const patienceMsMax = 2 * (3_000 + 5_000 + 2 * 6_000);

const asksMax = 200;

/** One call of a buyer, from its hold to what became of it. */
export type Call = {
  process: Process;
  request: HoldRequest;
  /** Its key, and whether its answer is small enough to be kept. */
  key: string | null;
  isSmall: boolean;
  ticket: Ticket | null;
  /** Why it is not made under its key: another call has it, or the books are out of reach. */
  barred: Exclude<Drawn, { kind: 'taken' }> | { kind: 'lost' } | null;
  held: HoldAnswer | null;
  hold: Hold | null;
  used: number | null;
  settlement: Settlement | null;
  /** Its answer left while its lane still had the epoch of its hold. */
  deliveredInTime: boolean;
  delivered: boolean;
  /** Its answer broke off on its way. */
  lost: boolean;
  released: boolean;
  /** How long its process has run without deciding it. */
  waitedMs: number;
};

function isDecided({ process, barred, held, hold, released, settlement }: Call): boolean {
  return (
    process.dead || barred !== null || (held !== null && (hold === null || released || settlement !== null))
  );
}

/** One process of the shop: its lane, its connection, and what it has not yet heard. */
export class Process {
  readonly name: string;
  readonly lane: Lane;
  readonly tickets: Tickets;
  readonly requests: Request[] = [];
  readonly notices: Notice[] = [];
  readonly events: LaneEvent[] = [];
  readonly immediates: (() => void)[] = [];
  paused = false;
  dead = false;
  /** It has ended in good order. */
  left = false;
  /** Its connection to the books is down: whatever it asks is lost. */
  cut = false;

  constructor(name: string, world: World, laneClass: LaneClass) {
    this.name = name;
    this.tickets = {
      draw: (ticket) => this.#send(() => world.books.draw(ticket), true),
      giveUp: (ticket) => this.#send(() => world.books.giveUp(ticket), true),
    };
    this.lane = new laneClass(
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

  #connection(books: Books): Books {
    const send = this.#send.bind(this);
    return {
      openLane: (lane) => send(() => books.openLane(lane)),
      batch: (batch: Batch) => send<BatchAnswer>(() => books.batch(batch)),
      closeLane: (lane, epoch) => send(() => books.closeLane(lane, epoch)),
      undeliver: (callIds) => send(() => books.undeliver(callIds)),
    };
  }
}

/** Buyers, processes and books without real time: nothing happens but what a test says, in its order. */
export class World {
  nowMs = 1_000_000;
  /** Whatever has happened to a process: an answer, a word of another, a call, a tick. */
  events = 0;
  readonly books: ModelBooks;
  readonly processes: Process[];
  readonly calls: Call[] = [];
  /** Promises that were broken, as they were seen to be. */
  readonly breaches: string[] = [];
  readonly #laneClass: LaneClass;
  /** Copies of requests that were given up by their senders and may still arrive. */
  readonly #late: (() => Promise<unknown>)[] = [];

  constructor(laneClass: LaneClass, names: readonly string[], without: Safeguard | null = null) {
    this.#laneClass = laneClass;
    this.books = new ModelBooks(
      () => this.nowMs,
      (notice) => {
        for (const process of this.processes) process.notices.push(notice);
      },
      without,
    );
    this.processes = names.map((name) => new Process(name, this, laneClass));
  }

  /** Opens every lane. */
  async open(): Promise<void> {
    for (const process of this.processes) await this.#boot(process);
    await this.rounds(1);
  }

  async #boot(process: Process): Promise<void> {
    await this.#in(process, () => {
      process.lane.open().catch(() => {
        process.dead = true;
      });
    });
  }

  /** Lets `process` do something, and then what follows from it until its turn of the event loop ends. */
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

  /** Ends the turn of the event loop: what was deferred runs. */
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
      ticket: null,
      barred: null,
      held: null,
      hold: null,
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

  /** As journeys/paid-call.ts does: the ticket first, then the hold, and both of one epoch. */
  async #draw(call: Call, key: string): Promise<void> {
    const { process, request } = call;
    const { account, callId } = request;
    const ticket = { account, key, request: 'r', callId, ...process.lane.writer };
    const drawn: Drawn | { kind: 'lost' } = await process.tickets
      .draw(ticket)
      .catch(() => ({ kind: 'lost' }));
    if (process.dead) return;
    if (drawn.kind !== 'taken') {
      call.barred = drawn;
      // Without its body it is not given: only that it was is said.
      if (drawn.kind === 'kept' && drawn.answer.body) this.#expectCharged(call, drawn.answer.callId);
      return;
    }
    call.ticket = ticket;
    await this.#hold(call);
    const { hold } = call;
    if (hold && hold.epoch === ticket.epoch) return;
    if (hold) process.lane.release(hold);
    call.released = true;
    await process.tickets.giveUp(ticket).catch(() => {});
  }

  async #hold(call: Call): Promise<void> {
    const { process } = call;
    const answer = await process.lane.hold(call.request);
    if (process.dead) return;
    call.held = answer;
    if (answer.kind !== 'held') return;
    call.hold = answer.hold;
    this.#expectCovered();
  }

  /** What is given again was charged, and has not been given back. */
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
    const { key, isSmall, ticket } = call;
    const outcome = { units: used, status: 200, service: 's', operation: 'o' };
    const keeping =
      key === null ? null : { key, headers: [String(used)], body: isSmall ? Buffer.alloc(1) : null };
    await this.#in(process, () => {
      void process.lane.settle(hold, outcome, keeping).then((settlement) => {
        if (process.dead) return;
        call.settlement = settlement;
        if (ticket && settlement.kind === 'refused' && !settlement.inDoubt)
          process.tickets.giveUp(ticket).catch(() => {});
        if (settlement.kind === 'settled') this.#expectBooked(call, settlement);
      });
    });
  }

  async release(call: Call): Promise<void> {
    const { process, hold, ticket } = call;
    call.released = true;
    await this.#in(process, () => {
      if (hold) process.lane.release(hold);
      if (ticket && hold) process.tickets.giveUp(ticket).catch(() => {});
    });
  }

  async deliver(call: Call): Promise<void> {
    const { process, settlement, hold } = call;
    if (settlement?.kind !== 'settled') return;
    call.delivered = true;
    call.deliveredInTime = this.books.lanes.get(process.name)?.epoch === hold?.epoch;
    await this.#in(process, () => process.lane.delivered(settlement.seq));
  }

  /** The answer of a settled call breaks off on its way. */
  async lose(call: Call): Promise<void> {
    const { process, settlement, request } = call;
    if (settlement?.kind !== 'settled' || settlement.seq === 0) return;
    call.lost = true;
    await this.#in(process, () => process.lane.undelivered(settlement.seq, request.callId));
  }

  /** Answers one request of a process, or does not; -1 picks the last. */
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

  /** A copy of a request that was given up arrives after all. */
  async arrive(pick: number): Promise<void> {
    const [run] = this.#late.splice(pick % Math.max(1, this.#late.length), 1);
    await run?.().catch(() => {});
  }

  async hear(process: Process): Promise<void> {
    const notice = process.notices.shift();
    if (!notice) return;
    await this.#in(process, () => {
      if (notice.kind === 'granted') process.lane.touch(notice.account);
      if (notice.kind === 'recall') process.lane.recall(notice.account);
      if (notice.kind === 'returned') process.lane.cameBack(notice.account);
    });
  }

  /** Time passes; whoever is not paused ticks at the end of it, and who failed to open starts again. */
  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    for (const process of [...this.processes]) {
      if (process.paused) continue;
      if (process.dead) await this.kill(process);
      else await this.#in(process, () => process.lane.tick());
      while (process.cut && process.requests.length > 0) await this.answer(process, 0, 'lost');
    }
    for (const call of this.calls) this.#expectPatience(call, ms);
  }

  #expectPatience(call: Call, ms: number): void {
    if (isDecided(call) || call.process.paused) return;
    // What is asked before there is a ticket, its connection bounds.
    if (call.key !== null && call.ticket === null) return;
    call.waitedMs = call.used === null && call.held !== null ? 0 : call.waitedMs + ms;
    if (call.waitedMs > patienceMsMax) this.breaches.push(`${call.request.callId} waits for too long`);
  }

  /** kill -9, and another process of the same name. What was on its way may still arrive. */
  async kill(process: Process): Promise<void> {
    process.dead = true;
    this.#late.push(
      ...process.requests.map(
        ({ run, done }) =>
          () =>
            done ?? run(),
      ),
    );
    const next = new Process(process.name, this, this.#laneClass);
    this.processes.splice(this.processes.indexOf(process), 1, next);
    await this.#boot(next);
  }

  /** A time without faults: everybody runs, hears, and is answered. */
  async rounds(count: number, isOver: () => boolean = () => false, ms = 50): Promise<void> {
    for (let round = 0; round < count && !isOver(); round++) {
      for (const process of [...this.processes]) {
        await this.turn(process);
        // Who asks for ever does it until its patience ends, and time has to pass for that.
        for (let asked = 0; process.requests.length > 0 && asked < asksMax; asked++) {
          await this.answer(process, -1, 'answered');
          await this.turn(process);
        }
        while (process.notices.length > 0) await this.hear(process);
      }
      await this.pass(ms);
    }
  }

  /** Everything comes to its end: calls, connections, lanes. `rest` is what the books say of it before lanes leave. */
  async wind(): Promise<void> {
    for (const process of this.processes) Object.assign(process, { paused: false, cut: false });
    while (this.#late.length > 0) await this.arrive(0);
    const isQuiet = () =>
      this.calls.every(isDecided) &&
      this.processes.every(({ lane, requests }) => lane.ready && requests.length === 0);
    // Long enough for every lane to find that an answer is overdue, and to say that it lives.
    await this.rounds(16, () => false, 250);
    for (let i = 0; i < 40 && !isQuiet(); i++) {
      await this.rounds(10, isQuiet);
      for (const call of this.calls)
        if (call.hold && call.used === null && !call.released && !call.process.dead)
          await this.settle(call, call.request.units);
    }
    if (!isQuiet()) this.breaches.push('something waits for ever');
    for (const call of this.calls)
      if (!call.delivered && !call.lost && !call.process.dead) await this.deliver(call);
  }

  /** Tells a lane to end. Its process ends with it: what that still asks is lost, or arrives when it is gone. */
  async leave(process: Process, rest: 'lost' | 'late' = 'lost'): Promise<void> {
    const end = () => {
      process.left = true;
      const requests = process.requests.splice(0);
      if (rest === 'late') this.#late.push(...requests.map(({ run }) => run));
    };
    await this.#in(process, () => void process.lane.drain().then(end, () => {}));
  }

  /** Ends all lanes in good order. */
  async drain(): Promise<void> {
    const fences = () =>
      this.processes.flatMap(({ events }) => events.filter(({ kind }) => kind === 'fenced')).length;
    const fencesBefore = fences();
    for (const process of this.processes) await this.leave(process);
    await this.rounds(200, () => this.processes.every(({ left }) => left));
    while (this.#late.length > 0) await this.arrive(0);
    for (const { left, name } of this.processes) if (!left) this.breaches.push(`lane ${name} does not end`);
    if (fences() > fencesBefore) this.breaches.push('a lane was fenced by its own end');
    for (const [name, { open }] of this.books.lanes)
      if (open) this.breaches.push(`lane ${name} is open after its end`);
  }

  /** No lot may ever owe more than it was given: to what is on the books, to calls under way, and to what is expired. */
  #expectCovered(): void {
    const owed = new Map<number, number>();
    const owe = (lot: number, amount: number) => owed.set(lot, (owed.get(lot) ?? 0) + amount);
    for (const draws of this.books.usage.values())
      for (const { lot, amount } of draws.values()) owe(lot ?? 0, amount);
    for (const { hold, used, released, settlement, process } of this.calls) {
      const lane = this.books.lanes.get(process.name);
      if (!hold || released || settlement || process.dead || !lane?.open || lane.epoch !== hold.epoch)
        continue;
      if (used === null)
        for (const { lot, amount } of [...hold.draws, ...(hold.cap?.draws ?? [])]) owe(lot.id, amount);
    }
    for (const { bucket, amount } of this.books.postings.values()) owe(bucket, -amount);
    for (const [lot, amount] of owed)
      if (amount > 0) this.breaches.push(`lot ${lot} is overdrawn by ${amount}`);
  }

  #expectBooked({ request }: Call, { charges, cost }: Extract<Settlement, { kind: 'settled' }>): void {
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

  /** What a call was charged for good, in units of its lots. */
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
