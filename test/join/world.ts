import { id, uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { openClaims } from '../../src/adapters/postgres/claims.ts';
import * as Maintenance from '../../src/adapters/postgres/maintenance.ts';
import type { LedgerWriter } from '../../src/ledger/ledger-writer.ts';
import { type OpenLedgerStore, openLedgerStore } from '../ledger/open-ledger-store.ts';
import { type OpenWriter, openWriter } from '../ledger/open-writer.ts';
import type { CallStep, Step } from './history.ts';

const trialUnits = 10;
const claimedUnits = 7;
/** A promotion that the accounts of all histories may redeem, and its amount in micro-dollars. */
const code = 'SPRING';
const codeAmount = 30_000;
const firstOrder = 50_000;
const price = 1_000;
/** More rounds than there are consecutive joins, because returned credit moves along one join per round. */
const roundsMax = 5;
const restartsMax = 5;
const decisionRounds = 200;

/** The test's view of an order: the amount paid, and how much of it was refunded. */
type Order = { id: string; amount: number; account: number; granted: boolean; reversed: number };
/** A grant to an account: a trial, the additional units of a claim, or a promotion. `key` is the key of its posting. */
type CreditGrant = {
  account: number;
  source: string;
  key: string;
  asset: 'usd' | 'unit';
  amount: number;
  ended: boolean;
};
type Call = { id: string; writer: LedgerWriter; cost: number; decided: boolean; ended: boolean };

/** Two processes on one database, in which histories run one after the other. */
export type World = {
  books: OpenLedgerStore;
  /** Runs a history on three new accounts and returns everything that is wrong at its end. */
  live(steps: readonly Step[]): Promise<string[]>;
  end(): Promise<void>;
};

/** @param statementMs the longest time of a statement */
export async function open(statementMs?: number): Promise<World> {
  const books = await openLedgerStore(2, statementMs);
  let nowMs = Date.now();
  await books.sql`SELECT shop.make_promotion(${code}, 'p', 'usd', ${codeAmount}, NULL, NULL, NULL, false, 'test')`;
  const processes = await Promise.all(['a', 'b'].map((name) => openWriter(books.url, name, () => nowMs)));
  const pass = async (ms: number) => {
    nowMs += ms;
    for (const { writer } of processes) writer.tick();
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
  readonly #books: OpenLedgerStore;
  readonly #processes: readonly OpenWriter[];
  readonly #pass: (ms: number) => Promise<void>;
  readonly #names = [id('acc'), id('acc'), id('acc')];
  readonly #mailboxes = [id('mail'), id('mail')];
  /** The account that each account was joined to, according to the test. */
  readonly #parts = [0, 1, 2];
  /** Which mailbox has which account, and which mailboxes received the additional units for which account. */
  readonly #claimed = new Map<number, number>();
  readonly #orders: Order[] = [];
  readonly #calls: Call[] = [];
  readonly #creditGrants: CreditGrant[] = [];
  readonly #found: string[] = [];

  constructor(books: OpenLedgerStore, processes: readonly OpenWriter[], pass: (ms: number) => Promise<void>) {
    this.#books = books;
    this.#processes = processes;
    this.#pass = pass;
  }

  async live(steps: readonly Step[]): Promise<string[]> {
    const { sql } = this.#books;
    for (const at of [0, 1, 2]) {
      await sql`SELECT shop.register(${this.#name(at)}, 'p', ${trialUnits})`;
      this.#give(at, 'trial', `trial:${this.#name(at)}`, 'unit', trialUnits);
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
        ({ ended, writer }) => ended || this.#processes.every((process) => process.writer !== writer),
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
    const { writer } = this.#processes[one.process] as OpenWriter;
    const call: Call = { id: uuidv7(Date.now()), writer, cost: 0, decided: false, ended: false };
    const account = this.#name(one.knows ? this.#root(one.account) : one.account);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#calls.push(call);
    const alive = async () => {
      const { id: callId } = call;
      const held = await writer.hold({
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
      const settled = await writer.settle(held.hold, outcome);
      if (settled.kind !== 'settled') return;
      call.cost = settled.charges.reduce(
        (sum, { amount, lot }) => sum + amount * (lot.asset === 'unit' ? price : 1),
        0,
      );
      if (one.end === 'deliver') writer.delivered(settled.seq);
      if (one.end === 'break off') writer.undelivered(settled.seq, call.id);
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
      case 'redeem':
        return this.#redeem(one.account);
      case 'offer':
        return this.#offer(one.account, one.cents * 10_000);
      case 'grant':
        return this.#grant(one.order);
      case 'reverse':
        return this.#reverse(one.order, one.percent);
      case 'pass':
        await this.#pass(one.ms);
        // The database gets the time that it needs, so that most calls are decided before the next step.
        for (let tries = 0; tries < decisionRounds && this.#calls.some(({ decided }) => !decided); tries++) {
          await Promise.all(this.#processes.map((process) => process.statementsDone()));
          await sql`SELECT`;
        }
        return;
      case 'kill':
        return this.#restart(this.#processes[one.process] as OpenWriter);
      case 'reap':
        await sql`SELECT ledger.reap_silent('0 seconds')`;
        return;
      case 'upkeep':
        return Maintenance.maintain(sql);
    }
  }

  #give(account: number, source: string, key: string, asset: CreditGrant['asset'], amount: number): void {
    this.#creditGrants.push({ account, source, key, asset, amount, ended: false });
  }

  /** A person redeems the code from an account. An account joined to it may have redeemed the code before. */
  async #redeem(account: number): Promise<void> {
    const name = this.#name(account);
    const [row] = await this.#books.sql`SELECT state FROM shop.redeem(${name}, ${code}, '{}', 5, '1 minute')`;
    const root = this.#root(account);
    const had = this.#creditGrants.some(
      (creditGrant) => creditGrant.source === code && this.#root(creditGrant.account) === root,
    );
    if (row?.state !== (had ? 'had' : 'given')) this.#found.push(`code of ${account}: ${row?.state}`);
    if (!had) this.#give(root, code, `promotion:${code}:${this.#name(root)}`, 'usd', codeAmount);
  }

  #join(from: number, to: number): void {
    const given = (root: number) => this.#creditGrants.filter(({ account }) => this.#root(account) === root);
    const had = new Set(given(to).map(({ source }) => source));
    for (const creditGrant of given(from)) creditGrant.ended ||= had.has(creditGrant.source);
    for (const at of [0, 1, 2]) if (this.#parts[at] === from) this.#parts[at] = to;
    for (const [mailbox, at] of this.#claimed) if (at === from) this.#claimed.set(mailbox, to);
  }

  async #claim(account: number, mailbox: number): Promise<void> {
    const claims = openClaims(this.#books.sql);
    const codeDigest = id('code');
    const address = `${this.#mailboxes[mailbox]}@example.com`;
    const begun = await claims.start({
      id: id('clm'),
      account: this.#name(account),
      email: address,
      mailbox: address,
      rules: [],
      codeDigest,
      expiresMs: Date.now() + 60_000,
    });
    const root = this.#root(account);
    const hasPerson = [...this.#claimed.values()].includes(root);
    if (begun.kind !== 'begun') {
      if (begun.kind !== 'claimed' || !hasPerson) this.#found.push(`claim of ${account}: ${begun.kind}`);
      return;
    }
    const done = await claims.complete(
      this.#name(account),
      codeDigest,
      { plan: 'p', units: 0, asset: 'unit', oncePer: [], address: null },
      claimedUnits,
    );
    // An account that was joined without a claim belongs to no person: it is claimed through the account that it was joined to.
    if (root !== account || hasPerson) {
      if (done.kind !== 'taken') this.#found.push(`claim of the part ${account}: ${done.kind}`);
      return;
    }
    const owner = this.#claimed.get(mailbox);
    const remains = owner ?? account;
    if (done.kind !== 'claimed' || done.account !== this.#name(remains))
      this.#found.push(`claim of ${account}: ${JSON.stringify(done)}`);
    if (owner !== undefined) this.#join(account, owner);
    else this.#give(account, 'claimed', `claimed:${address}`, 'unit', claimedUnits);
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
      is_effective: percent > 0,
      reason: null,
    };
    const [row] = await sql<[{ look: number }]>`SELECT shop.begin_reversal_sync(${order.id}) AS look`;
    await sql`SELECT shop.apply_reversals(${order.id}, ${row.look}, ${sql.json([refund])})`;
  }

  /** Drains both processes and cleans up after them. */
  async #end(): Promise<void> {
    const { sql } = this.#books;
    await this.#until(() => this.#processes.every(({ writer }) => writer.ready));
    await this.#soon(Promise.allSettled(this.#processes.map(({ writer }) => writer.drain())));
    await sql`SELECT ledger.reap_silent('0 seconds')`;
    for (let round = 0; round < roundsMax; round++) await Maintenance.maintain(sql);
  }

  async #judge(): Promise<void> {
    const { sql } = this.#books;
    for (const breach of await this.#books.prove()) this.#found.push(breach);
    for (const root of new Set(this.#parts)) await this.#judgeGroup(root);
    for (const at of [0, 1, 2]) {
      const [row] = await sql`SELECT shop.resolve_account(${this.#name(at)}) AS account`;
      if (row?.account !== this.#name(this.#root(at))) this.#found.push(`${at} stands for ${row?.account}`);
    }
    for (const [at, { id: order, account, granted }] of this.#orders.entries()) {
      const [row] = await sql`SELECT account_id FROM shop.purchase WHERE id = ${order}`;
      if (granted && row?.account_id !== this.#name(this.#root(account)))
        this.#found.push(`order ${at} has stayed behind`);
      const [lots] =
        await sql`SELECT sum(k.avail) AS avail, sum(k.clawback_due) AS clawback_due FROM ledger.posting p
        CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) c
        JOIN ledger.lot k ON k.account_id = c.account_id AND k.id = c.id WHERE p.key = ${`purchase:${order}`}`;
      if (Number(lots?.clawback_due) > 0 && Number(lots?.avail) > 0)
        this.#found.push(`order ${at} owes and has`);
    }
    for (const process of this.#processes) await this.#restart(process);
    for (const { id: call, cost } of this.#calls) {
      const net = await this.#net('u.call_id::text', [call]);
      const sum = net.usd + net.unit * price;
      if (sum !== 0 && sum !== cost) this.#found.push(`call ${call} cost ${cost} and took ${sum}`);
    }
  }

  /** Checks that the remaining account has all credit of its members, less spending and refunds, and that no other account has any. */
  async #judgeGroup(root: number): Promise<void> {
    const { sql } = this.#books;
    const members = [0, 1, 2].filter((at) => this.#root(at) === root);
    const names = members.map((at) => this.#name(at));
    const net = await this.#net('u.account_id', names);
    const rows = await sql<{ account_id: string; asset: 'usd' | 'unit'; avail: number; owed: number }[]>`
      SELECT account_id, asset, sum(avail)::bigint AS avail, sum(clawback_due)::bigint AS owed FROM ledger.lot
      WHERE account_id = ANY (${sql.array(names)}) GROUP BY 1, 2`;
    const sum = (asset: 'usd' | 'unit', of: 'avail' | 'owed') =>
      rows.reduce((total, row) => total + (row.asset === asset ? row[of] : 0), 0);
    const mine = this.#orders.filter(({ account, granted }) => granted && members.includes(account));
    const paid = mine.reduce((total, { amount, reversed }) => total + amount - reversed, 0);
    const expected = { usd: paid - net.usd + sum('usd', 'owed'), unit: -net.unit };
    // Of a gift that the person already had, only the part used before the join counts.
    for (const creditGrant of this.#creditGrants.filter(({ account }) => members.includes(account)))
      expected[creditGrant.asset] += creditGrant.ended ? await this.#usedOf(creditGrant) : creditGrant.amount;
    for (const asset of ['usd', 'unit'] as const)
      if (sum(asset, 'avail') !== expected[asset])
        this.#found.push(`${asset}: ${sum(asset, 'avail')} in place of ${expected[asset]}`);
    for (const { account_id, avail } of rows)
      if (account_id !== this.#name(root) && avail !== 0) this.#found.push(`${avail} stayed behind`);
  }

  /** Returns the amounts that calls were charged, without those reversed as undelivered. */
  async #net(column: string, values: string[]): Promise<{ usd: number; unit: number }> {
    const { sql } = this.#books;
    const rows = await sql.unsafe<{ asset: 'usd' | 'unit'; sum: number }[]>(
      `SELECT k.asset, sum(u.amount - coalesce(p.amount, 0))::bigint AS sum FROM ledger.usage u JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id
        LEFT JOIN ledger.posting p ON p.key = 'undelivered:' || u.call_id || ':' || u.draw WHERE ${column} = ANY ($1) GROUP BY 1`,
      [values],
    );
    const of = (asset: 'usd' | 'unit') => rows.find((row) => row.asset === asset)?.sum ?? 0;
    return { usd: of('usd'), unit: of('unit') };
  }

  /** Returns how much of a gift calls used, without reversed amounts, in every account that it moved to. */
  async #usedOf({ key }: CreditGrant): Promise<number> {
    const [row] = await this.#books.sql<[{ used: number }]>`
      SELECT coalesce(sum(u.amount - coalesce(r.amount, 0)), 0)::bigint AS used FROM ledger.posting p
        CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) c
        JOIN ledger.usage u ON u.account_id = c.account_id AND u.lot_id = c.id
        LEFT JOIN ledger.posting r ON r.key = 'undelivered:' || u.call_id || ':' || u.draw WHERE p.key = ${key}`;
    return row.used;
  }

  async #until(isOver: () => boolean): Promise<void> {
    for (let tries = 0; !isOver(); tries++) {
      if (tries > 5_000) throw new Error('the history has not ended after 5,000 rounds');
      await Promise.all(this.#processes.map((process) => process.statementsDone()));
      await this.#pass(10);
      await this.#books.sql`SELECT`;
    }
  }

  /** Starts a new process in place of one. Retries, because simulated time may have ended the first attempt too early. */
  async #restart(process: OpenWriter): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#soon(process.kill());
      } catch (error) {
        if (tries === restartsMax) throw error;
      }
    }
  }

  /** Awaits a promise while simulated time passes. */
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
