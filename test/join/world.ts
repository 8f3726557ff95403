import * as Claims from '../../src/adapters/postgres/claims.ts';
import * as Upkeep from '../../src/adapters/postgres/upkeep.ts';
import { id, uuidv7 } from '../../src/kernel/id.ts';
import { ofMicro } from '../../src/kernel/money.ts';
import type { Lane } from '../../src/ledger/lane.ts';
import { type OpenBooks, openBooks } from '../ledger/open-books.ts';
import { type OpenLane, openLane } from '../ledger/open-lane.ts';
import type { CallStep, Step } from './history.ts';

const trialUnits = 10;
const claimedUnits = 7;
const firstOrder = 50_000;
const price = 1_000;
/** More rounds than there are joins in a row: what comes back goes one step of its way in each. */
const roundsMax = 5;
const restartsMax = 5;
const answersWait = 200;

/** The order as the test knows it: what was paid, and how much of it has gone back. */
type Order = { id: string; amount: number; account: number; granted: boolean; reversed: number };
type Call = { id: string; lane: Lane; cost: number; decided: boolean; ended: boolean };

/** Two processes on one database, in which histories are lived one after the other. */
export type World = {
  books: OpenBooks;
  /** Lives a history on three new accounts. What is wrong in the end. */
  live(steps: readonly Step[]): Promise<string[]>;
  end(): Promise<void>;
};

export async function open(): Promise<World> {
  const books = await openBooks();
  let nowMs = Date.now();
  const processes = await Promise.all(['a', 'b'].map((name) => openLane(books.url, name, () => nowMs)));
  const pass = async (ms: number) => {
    nowMs += ms;
    for (const { lane } of processes) lane.tick();
    await new Promise(setImmediate);
  };
  return {
    books,
    live: (steps) => new History(books, processes, pass).live(steps),
    async end() {
      for (const { end } of processes) await end();
      await books.end();
    },
  };
}

class History {
  readonly #books: OpenBooks;
  readonly #processes: readonly OpenLane[];
  readonly #pass: (ms: number) => Promise<void>;
  readonly #names = [id('acc'), id('acc'), id('acc')];
  readonly #mailboxes = [id('mail'), id('mail')];
  /** Who each account is a part of, as the test understands it. */
  readonly #parts = [0, 1, 2];
  /** Which mailbox has which account, and which mailboxes were given the further units, where. */
  readonly #claimed = new Map<number, number>();
  readonly #orders: Order[] = [];
  readonly #calls: Call[] = [];
  readonly #bonus: number[] = [];
  readonly #found: string[] = [];

  constructor(books: OpenBooks, processes: readonly OpenLane[], pass: (ms: number) => Promise<void>) {
    this.#books = books;
    this.#processes = processes;
    this.#pass = pass;
  }

  async live(steps: readonly Step[]): Promise<string[]> {
    const { sql } = this.#books;
    for (const at of [0, 1, 2]) {
      await sql`SELECT shop.register(${this.#name(at)}, 'p', ${trialUnits})`;
      await this.#offer(at, firstOrder);
      await this.#grant(at);
    }
    const upstreams: { steps: number; answer(): void }[] = [];
    for (const one of steps) {
      for (const upstream of upstreams) if (upstream.steps-- === 0) upstream.answer();
      if (one.kind === 'call') upstreams.push(this.#call(one));
      else await this.#take(one);
    }
    for (const { answer } of upstreams) answer();
    await this.#until(() =>
      this.#calls.every(
        ({ ended, lane }) => ended || this.#processes.every((process) => process.lane !== lane),
      ),
    );
    await this.#end();
    await this.#judge();
    return this.#found;
  }

  #name(at: number): string {
    return this.#names[at] ?? '';
  }

  #root(at: number): number {
    return this.#parts[at] ?? at;
  }

  #call(one: CallStep): { steps: number; answer(): void } {
    const { lane } = this.#processes[one.process] as OpenLane;
    const call: Call = { id: uuidv7(Date.now()), lane, cost: 0, decided: false, ended: false };
    const account = this.#name(one.knows ? this.#root(one.account) : one.account);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#calls.push(call);
    const alive = async () => {
      const { id: callId } = call;
      const held = await lane.hold({
        callId,
        account,
        plans: ['p'],
        price: ofMicro(price),
        units: one.units,
      });
      call.decided = true;
      if (held.kind !== 'held') return;
      await promise;
      const outcome = { units: Math.min(one.used, one.units), status: 200, service: 's', operation: 'o' };
      const settled = await lane.settle(held.hold, outcome);
      if (settled.kind !== 'settled') return;
      call.cost = settled.charges.reduce(
        (sum, { amount, lot }) => sum + amount * (lot.asset === 'unit' ? price : 1),
        0,
      );
      if (one.end === 'deliver') lane.delivered(settled.seq);
      if (one.end === 'break off') lane.undelivered(settled.seq, call.id);
    };
    void alive().finally(() => {
      call.ended = true;
    });
    return { steps: one.lasts, answer: resolve };
  }

  async #take(one: Exclude<Step, CallStep>): Promise<void> {
    const { sql } = this.#books;
    switch (one.kind) {
      case 'join': {
        const [row] =
          await sql`SELECT shop.join_accounts(${this.#name(one.from)}, ${this.#name(one.to)}) AS joined`;
        const can = one.from !== one.to && this.#root(one.from) === one.from && this.#root(one.to) === one.to;
        if (row?.joined !== can) this.#found.push(`join of ${one.from} and ${one.to}: ${row?.joined}`);
        if (can) this.#join(one.from, one.to);
        return;
      }
      case 'claim':
        return this.#claim(one.account, one.mailbox);
      case 'offer':
        return this.#offer(one.account, one.cents * 10_000);
      case 'grant':
        return this.#grant(one.order);
      case 'reverse':
        return this.#reverse(one.order, one.percent);
      case 'pass':
        await this.#pass(one.ms);
        // The database gets the time that it needs, so that most of what was asked before is answered.
        for (let tries = 0; tries < answersWait && this.#calls.some(({ decided }) => !decided); tries++)
          await sql`SELECT`;
        return;
      case 'kill':
        return this.#restart(this.#processes[one.process] as OpenLane);
      case 'reap':
        await sql`SELECT ledger.reap_silent('0 seconds')`;
        return;
      case 'upkeep':
        return Upkeep.run(sql);
    }
  }

  #join(from: number, to: number): void {
    for (const at of [0, 1, 2]) if (this.#parts[at] === from) this.#parts[at] = to;
    for (const [mailbox, at] of this.#claimed) if (at === from) this.#claimed.set(mailbox, to);
  }

  async #claim(account: number, mailbox: number): Promise<void> {
    const claims = Claims.open(this.#books.sql);
    const codeDigest = id('code');
    const address = `${this.#mailboxes[mailbox]}@example.com`;
    const begun = await claims.start({
      id: id('clm'),
      account: this.#name(account),
      email: address,
      mailbox: address,
      block: null,
      codeDigest,
      expiresMs: Date.now() + 60_000,
    });
    const root = this.#root(account);
    const hasPerson = [...this.#claimed.values()].includes(root);
    if (begun.kind !== 'begun') {
      if (begun.kind !== 'claimed' || !hasPerson) this.#found.push(`claim of ${account}: ${begun.kind}`);
      return;
    }
    const done = await claims.complete(this.#name(account), codeDigest, { plan: 'p', units: claimedUnits });
    // What was joined without a person has none: it is claimed through the account that it is a part of.
    if (root !== account || hasPerson) {
      if (done.kind !== 'taken') this.#found.push(`claim of the part ${account}: ${done.kind}`);
      return;
    }
    const owner = this.#claimed.get(mailbox);
    const remains = owner ?? account;
    if (done.kind !== 'claimed' || done.account !== this.#name(remains))
      this.#found.push(`claim of ${account}: ${JSON.stringify(done)}`);
    if (owner === undefined) this.#bonus.push(account);
    else this.#join(account, owner);
    this.#claimed.set(mailbox, remains);
  }

  async #offer(account: number, amount: number): Promise<void> {
    const order = { id: id('pur'), amount, account, granted: false, reversed: 0 };
    this.#orders.push(order);
    await this.#books.sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at)
      VALUES (${order.id}, ${this.#name(account)}, 'p', ${amount}, now() + interval '1 hour')`;
  }

  async #grant(which: number): Promise<void> {
    const order = this.#orders[which];
    if (!order) return;
    const [row] = await this.#books
      .sql`SELECT shop.grant_purchase(${order.id}, ${`pi_${order.id}`}, 'nobody') AS account`;
    if (row?.account !== this.#name(this.#root(order.account)))
      this.#found.push(`order ${which} is ${row?.account}'s`);
    order.granted = true;
  }

  async #reverse(which: number, percent: number): Promise<void> {
    const order = this.#orders[which];
    if (!order?.granted) return;
    const { sql } = this.#books;
    order.reversed = (order.amount * percent) / 100;
    const refund = {
      id: `re_${order.id}`,
      kind: 'refund',
      amount: order.reversed || 1,
      status: 'new',
      counts: percent > 0,
      reason: null,
    };
    const [row] = await sql<[{ look: number }]>`SELECT shop.look_at(${order.id}) AS look`;
    await sql`SELECT shop.write_reversals(${order.id}, ${row.look}, ${sql.json([refund])})`;
  }

  /** Both processes leave in good order, and what they leave is tidied up; then they start anew for the next history. */
  async #end(): Promise<void> {
    const { sql } = this.#books;
    await this.#until(() => this.#processes.every(({ lane }) => lane.ready));
    await this.#soon(Promise.allSettled(this.#processes.map(({ lane }) => lane.drain())));
    await sql`SELECT ledger.reap_silent('0 seconds')`;
    for (let round = 0; round < roundsMax; round++) await Upkeep.run(sql);
  }

  async #judge(): Promise<void> {
    const { sql } = this.#books;
    for (const breach of await this.#books.prove()) this.#found.push(breach);
    for (const root of new Set(this.#parts)) await this.#judgeGroup(root);
    for (const at of [0, 1, 2]) {
      const [row] = await sql`SELECT shop.standing(${this.#name(at)}) AS account`;
      if (row?.account !== this.#name(this.#root(at))) this.#found.push(`${at} stands for ${row?.account}`);
    }
    for (const [at, { id: order, account, granted }] of this.#orders.entries()) {
      const [row] = await sql`SELECT account_id FROM shop.purchase WHERE id = ${order}`;
      if (granted && row?.account_id !== this.#name(this.#root(account)))
        this.#found.push(`order ${at} has stayed behind`);
      const [lots] = await sql`SELECT sum(k.avail) AS avail, sum(k.owed) AS owed FROM ledger.posting p
        CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.bucket_id) c
        JOIN ledger.bucket k ON k.account_id = c.account_id AND k.id = c.id WHERE p.key = ${`purchase:${order}`}`;
      if (Number(lots?.owed) > 0 && Number(lots?.avail) > 0) this.#found.push(`order ${at} owes and has`);
    }
    for (const process of this.#processes) await this.#restart(process);
    for (const { id: call, cost } of this.#calls) {
      const net = await this.#net('u.call_id::text', [call]);
      const sum = net.usd + net.unit * price;
      if (sum !== 0 && sum !== cost) this.#found.push(`call ${call} cost ${cost} and took ${sum}`);
    }
  }

  /** All that was given to the members, less what they spent and what went back, is on the account that remains, and nowhere else. */
  async #judgeGroup(root: number): Promise<void> {
    const { sql } = this.#books;
    const members = [0, 1, 2].filter((at) => this.#root(at) === root);
    const names = members.map((at) => this.#name(at));
    const net = await this.#net('u.account_id', names);
    const rows = await sql<{ account_id: string; asset: 'usd' | 'unit'; avail: number; owed: number }[]>`
      SELECT account_id, asset, sum(avail)::bigint AS avail, sum(owed)::bigint AS owed FROM ledger.bucket
      WHERE account_id = ANY (${sql.array(names)}) GROUP BY 1, 2`;
    const sum = (asset: 'usd' | 'unit', of: 'avail' | 'owed') =>
      rows.reduce((total, row) => total + (row.asset === asset ? row[of] : 0), 0);
    const mine = this.#orders.filter(({ account, granted }) => granted && members.includes(account));
    const paid = mine.reduce((total, { amount, reversed }) => total + amount - reversed, 0);
    const units =
      members.length * trialUnits + this.#bonus.filter((at) => members.includes(at)).length * claimedUnits;
    const expected = { usd: paid - net.usd + sum('usd', 'owed'), unit: units - net.unit };
    for (const asset of ['usd', 'unit'] as const)
      if (sum(asset, 'avail') !== expected[asset])
        this.#found.push(`${asset}: ${sum(asset, 'avail')} in place of ${expected[asset]}`);
    for (const { account_id, avail } of rows)
      if (account_id !== this.#name(root) && avail !== 0) this.#found.push(`${avail} stayed behind`);
  }

  /** What calls were charged for good. */
  async #net(column: string, values: string[]): Promise<{ usd: number; unit: number }> {
    const { sql } = this.#books;
    const rows = await sql.unsafe<{ asset: 'usd' | 'unit'; sum: number }[]>(
      `SELECT k.asset, sum(u.amount - coalesce(p.amount, 0))::bigint AS sum FROM ledger.usage u JOIN ledger.bucket k ON k.account_id = u.account_id AND k.id = u.bucket_id
        LEFT JOIN ledger.posting p ON p.key = 'undelivered:' || u.call_id || ':' || u.draw WHERE ${column} = ANY ($1) GROUP BY 1`,
      [values],
    );
    const of = (asset: 'usd' | 'unit') => rows.find((row) => row.asset === asset)?.sum ?? 0;
    return { usd: of('usd'), unit: of('unit') };
  }

  async #until(isOver: () => boolean): Promise<void> {
    for (let tries = 0; !isOver(); tries++) {
      if (tries > 5_000) throw new Error('it waits for ever');
      await this.#pass(10);
      await this.#books.sql`SELECT`;
    }
  }

  /** Starts a new process in place of one; the test's time may have been too quick for the first try. */
  async #restart(process: OpenLane): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#soon(process.kill());
      } catch (error) {
        if (tries === restartsMax) throw error;
      }
    }
  }

  /** What a promise gives, while time goes by. */
  async #soon<T>(promise: Promise<T>): Promise<T> {
    let over = false;
    const watch = () => {
      over = true;
    };
    promise.then(watch, watch);
    await this.#until(() => over);
    return promise;
  }
}
