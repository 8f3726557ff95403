import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import * as Tickets from '../../src/adapters/postgres/tickets.ts';
import { sha256Hex } from '../../src/kernel/digest.ts';
import { uuidv7 } from '../../src/kernel/id.ts';
import { ofMicro } from '../../src/kernel/money.ts';
import type { Hold, HoldAnswer, Settlement } from '../../src/ledger/hold.ts';
import type { Lane } from '../../src/ledger/lane.ts';
import { type OpenBooks, openBooks } from './open-books.ts';
import { type OpenLane, openLane } from './open-lane.ts';

const runs = 150;
const names = ['a', 'b'];
const accounts = ['ann', 'bob'];

const which = fc.nat(1);
const step = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      process: which,
      account: which,
      price: fc.constantFrom(1_000, 1_000, 7),
      units: fc.integer({ min: 1, max: 12 }),
      used: fc.nat(12),
      key: fc.option(fc.nat(1), { freq: 2 }),
      isSmall: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
      /** How many steps its upstream takes. */
      lasts: fc.nat(3),
      end: fc.constantFrom('deliver' as const, 'deliver' as const, 'keep' as const, 'release' as const),
    }),
  },
  {
    weight: 24,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(50, 250, 1_000) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('kill' as const), process: which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('reap' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('expire' as const), account: which }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type CallStep = Extract<Step, { kind: 'call' }>;

type Call = {
  id: string;
  key: string | null;
  /** Whose answer it gave, by its id. */
  given: string | null;
  account: string;
  lane: Lane;
  held: HoldAnswer | null;
  hold: Hold | null;
  settlement: Settlement | null;
  delivered: boolean;
  ended: boolean;
};

let real: OpenBooks;
let processes: OpenLane[];
/** On connections of their own, which are cut as the lanes' are. */
const ticketSqls: Connection.Connection[] = [];
let tickets: Tickets.OpenTickets;
let nowMs = Date.now();
let run = 0;

beforeAll(async () => {
  real = await openBooks();
  tickets = openTickets();
  processes = await Promise.all(names.map((name) => openLane(real.url, name, () => nowMs)));
});
afterAll(async () => {
  for (const { end } of processes) await end();
  await Promise.all(ticketSqls.map((sql) => sql.end({ timeout: 1 })));
  await real.end();
});

function openTickets(): Tickets.OpenTickets {
  const sql = Connection.open(real.url, 2);
  ticketSqls.push(sql);
  return Tickets.open(sql);
}

/** Lets the machine do its work while the lanes' time goes by. */
async function pass(ms: number): Promise<void> {
  nowMs += ms;
  for (const { lane } of processes) lane.tick();
  await new Promise(setImmediate);
}

async function until(isOver: () => boolean, msMax = 60_000): Promise<boolean> {
  for (const end = nowMs + msMax; !isOver(); ) {
    if (nowMs > end) return false;
    await pass(10);
    await real.sql`SELECT`;
  }
  return true;
}

/** The life of one call, while other steps are taken beside it. */
async function live(call: Call, one: CallStep, upstream: Promise<void>): Promise<void> {
  const { lane } = call;
  const request = {
    callId: call.id,
    account: call.account,
    plans: ['p'],
    price: ofMicro(one.price),
    units: one.units,
  };
  const ticket = call.key && {
    account: call.account,
    key: sha256Hex(call.key),
    request: sha256Hex(''),
    callId: call.id,
    ...lane.writer,
  };
  if (ticket) {
    // Cut off it may be drawn all the same: then nobody gets it before its lane ends.
    const drawn = await tickets.draw(ticket).catch(() => {
      tickets = openTickets();
      return null;
    });
    if (drawn?.kind === 'kept' && drawn.answer.body) call.given = drawn.answer.callId;
    if (drawn?.kind !== 'taken') return;
  }
  const giveUp = async () => {
    if (ticket) await tickets.giveUp(ticket);
  };
  call.held = await lane.hold(request);
  if (call.held.kind !== 'held') return giveUp();
  const { hold } = call.held;
  if (ticket && hold.epoch !== ticket.epoch) {
    lane.release(hold);
    return giveUp();
  }
  call.hold = hold;
  await upstream;
  if (one.end === 'release') {
    lane.release(hold);
    return giveUp();
  }
  const used = Math.min(one.used, one.units);
  const outcome = { units: used, status: 200, service: 's', operation: 'o' };
  const keeping = ticket && { key: ticket.key, headers: [], body: one.isSmall ? Buffer.alloc(9) : null };
  call.settlement = await lane.settle(hold, outcome, keeping || null);
  if (call.settlement.kind === 'refused' && !call.settlement.inDoubt) return giveUp();
  if (call.settlement.kind !== 'settled' || one.end === 'keep') return;
  if (one.isSmall) call.given = call.id;
  lane.delivered(call.settlement.seq);
  call.delivered = true;
}

async function history(steps: readonly Step[]): Promise<void> {
  run += 1;
  const account = (index: number) => `${accounts[index]} ${run}`;
  const given = new Map<string, number>();
  for (const index of [0, 1]) {
    const common = { account: account(index), plan: 'p', expiresMs: Date.now() + 3_600_000 } as const;
    given.set(account(index), 10 * 1_000 + 25_500);
    await real.grant({ ...common, asset: 'unit', kind: 'trial', amount: 10 });
    await real.grant({ ...common, asset: 'usd', kind: 'credit', amount: 15_500, expiresMs: null });
    await real.grant({ ...common, asset: 'usd', kind: 'grant', amount: 10_000 });
  }
  const calls: Call[] = [];
  const upstreams: { steps: number; answer(): void }[] = [];
  for (const one of steps) {
    for (const upstream of upstreams) if (upstream.steps-- === 0) upstream.answer();
    if (one.kind !== 'call') {
      await meddle(one, account);
      continue;
    }
    const { lane } = processes[one.process] as OpenLane;
    const call: Call = {
      id: uuidv7(Date.now()),
      key: one.key === null ? null : `${one.key}`,
      given: null,
      account: account(one.account),
      lane,
      held: null,
      hold: null,
      settlement: null,
      delivered: false,
      ended: false,
    };
    calls.push(call);
    const { promise, resolve } = Promise.withResolvers<void>();
    upstreams.push({ steps: one.lasts, answer: resolve });
    void live(call, one, promise).then(() => {
      call.ended = true;
    });
  }
  for (const { answer } of upstreams) answer();
  const isDecided = ({ ended, lane }: Call) => ended || processes.every((process) => process.lane !== lane);
  // A ticket on a connection that is cut is waited for by the clock on the wall, which is slower here.
  expect(await until(() => calls.every(isDecided), 400_000)).toBe(true);
  for (const process of processes) await ready(process);

  const left = await soon(Promise.allSettled(processes.map(({ lane }) => lane.drain())));
  // Who gave up waiting for the books does not know whether they closed its lane, with all that it settled, or somebody ends it.
  const inDoubt = processes.filter((_, at) => left[at]?.status === 'rejected').map(({ lane }) => lane);
  // Who could not leave in good order is ended by the others.
  await real.sql`SELECT ledger.reap_silent('0 seconds')`;
  expect(await real.sql`SELECT * FROM ledger.lease`).toHaveLength(0);
  for (const [account, sum] of given) expect(await balanceOf(account)).toBe(sum - (await netOf(account)));
  for (const call of calls) await judge(call, inDoubt.includes(call.lane));
  await judgeKeys(calls);
  for (const process of processes) await start(process);
}

/** What a promise gives, while time goes by. */
async function soon<T>(promise: Promise<T>): Promise<T> {
  let over = false;
  const watch = () => {
    over = true;
  };
  promise.then(watch, watch);
  if (!(await until(() => over))) throw new Error('it waits for ever');
  return promise;
}

/** Starts a new process in place of one. Connections of which nothing comes any more are its end too: then it has new ones. */
async function start(process: OpenLane): Promise<void> {
  for (let tries = 1; ; tries++) {
    if (tries % 3 === 0) await soon(process.reconnect());
    const opened = soon(process.kill());
    if (
      await opened.then(
        () => true,
        () => false,
      )
    )
      return;
  }
}

/** Waits for a process that has lost its lane or its connection; one that does not come back is started again. */
async function ready(process: OpenLane): Promise<void> {
  if (!(await until(() => process.lane.ready, 10_000))) await start(process);
}

async function meddle(one: Exclude<Step, CallStep>, account: (index: number) => string): Promise<void> {
  switch (one.kind) {
    case 'pass':
      return pass(one.ms);
    case 'kill':
      return start(processes[one.process] as OpenLane);
    case 'cut':
      await real.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND query ~ '^(SELECT ([*] FROM )?ledger[.](batch|open|close|undeliver|take|give)|listen)'`;
      return;
    case 'reap':
      await real.sql`SELECT ledger.reap_silent('0 seconds')`;
      return;
    case 'expire':
      await real.sql`UPDATE ledger.bucket SET expires_at = clock_timestamp() WHERE account_id = ${account(one.account)} AND kind = 'trial'`;
      await real.sql`SELECT ledger.expire()`;
      return;
  }
}

/** What is left of an account, and what of it has expired, a unit counted as 1,000 micro-dollars. */
async function balanceOf(account: string): Promise<number> {
  const [row] = await real.sql<
    [{ sum: number }]
  >`SELECT (coalesce(sum(s.remaining * CASE s.asset WHEN 'unit' THEN 1000 ELSE 1 END), 0)
      - coalesce((SELECT sum(p.amount) * 1000 FROM ledger.posting p WHERE p.account_id = ${account} AND p.kind = 'expiry'), 0))::bigint AS sum
    FROM ledger.statement(${account}) s`;
  return row.sum;
}

/** What calls were charged for good, by their account or their id. */
async function netOf(owner: string): Promise<number> {
  const [row] = await real.sql<
    [{ sum: number }]
  >`SELECT coalesce(sum((u.amount - coalesce(p.amount, 0)) * CASE k.asset WHEN 'unit' THEN 1000 ELSE 1 END), 0)::bigint AS sum
    FROM ledger.usage u JOIN ledger.bucket k ON k.id = u.bucket_id
      LEFT JOIN ledger.posting p ON p.key = 'undelivered:' || u.call_id || ':' || u.draw
    WHERE u.account_id = ${owner} OR u.call_id::text = ${owner}`;
  return row.sum;
}

async function judge({ id, lane, hold, settlement, delivered }: Call, inDoubt: boolean): Promise<void> {
  const charges = settlement?.kind === 'settled' ? settlement.charges : [];
  const cost = charges.reduce((sum, { lot, amount }) => sum + amount * (lot.asset === 'unit' ? 1_000 : 1), 0);
  const [kept] =
    await real.sql`SELECT sum(u.amount * CASE k.asset WHEN 'unit' THEN 1000 ELSE 1 END)::bigint AS cost
    FROM ledger.kept_answer a JOIN ledger.usage u USING (call_id) LEFT JOIN ledger.bucket k ON k.id = u.bucket_id WHERE a.call_id = ${id} AND a.body IS NOT NULL`;
  // Kept whole, it is given again for what it was charged.
  if (kept?.cost != null) return expect(await netOf(id)).toBe(kept.cost);
  const survived = processes.some((process) => process.lane === lane && process.closedEpoch === hold?.epoch);
  // A lane that was ended by others has its last answers given back: those that had not left, and some that had.
  if (survived) expect(await netOf(id)).toBe(cost);
  else expect(delivered || inDoubt ? [0, cost] : [0]).toContain(await netOf(id));
}

/** Under one key one call is charged, and its answer alone is given. */
async function judgeKeys(calls: readonly Call[]): Promise<void> {
  const keyed = calls.filter(({ key }) => key !== null);
  for (const same of Map.groupBy(keyed, ({ account, key }) => `${account} ${key}`).values()) {
    const charges = await Promise.all(same.map(({ id }) => netOf(id)));
    expect(charges.filter((net) => net > 0).length).toBeLessThanOrEqual(1);
    expect(new Set(same.flatMap(({ given }) => given ?? [])).size).toBeLessThanOrEqual(1);
  }
}

test('two processes on one database keep every promise, whatever happens to them', {
  timeout: 120_000,
}, async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), history), {
    numRuns: runs,
    endOnFailure: true,
  });
  expect(await real.prove()).toEqual([]);
  const [row] =
    await real.sql`SELECT (SELECT count(*) FROM ledger.usage) AS calls, (SELECT count(*) FROM ledger.posting WHERE kind = 'undelivered') AS undelivered,
    (SELECT count(*) FROM ledger.posting WHERE kind = 'expiry') AS expired,
    (SELECT count(*) FROM ledger.kept_answer) AS kept`;
  // Each of these has happened, or the histories are too tame.
  for (const count of [row?.calls, row?.undelivered, row?.expired, row?.kept])
    expect(count).toBeGreaterThan(0);
  for (const { events } of processes) expect(events.map(({ kind }) => kind)).not.toContain('books_broken');
});
