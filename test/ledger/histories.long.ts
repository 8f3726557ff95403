import { sha256Hex } from '@sluice/kernel/digest';
import { uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import * as IdempotencyKeys from '../../src/adapters/postgres/idempotency-keys.ts';
import type { Hold, HoldResult, Settlement } from '../../src/ledger/hold.ts';
import type { LedgerWriter } from '../../src/ledger/ledger-writer.ts';
import { runs } from '../support/runs.ts';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';
import { type OpenWriter, openWriter } from './open-writer.ts';

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
      /** Number of steps that the upstream takes. */
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
  /** The id of the call whose response was returned. */
  given: string | null;
  account: string;
  writer: LedgerWriter;
  held: HoldResult | null;
  hold: Hold | null;
  settlement: Settlement | null;
  delivered: boolean;
  ended: boolean;
};

let real: OpenLedgerStore;
let processes: OpenWriter[];
/** Separate connections, which are cut like those of the writers. */
const idempotencyKeySqls: Connection.Connection[] = [];
let idempotencyKeys: IdempotencyKeys.OpenIdempotencyKeys;
let nowMs = Date.now();
let run = 0;

beforeAll(async () => {
  real = await openLedgerStore();
  idempotencyKeys = openIdempotencyKeys();
  processes = await Promise.all(names.map((name) => openWriter(real.url, name, () => nowMs)));
});
afterAll(async () => {
  for (const { end } of processes) await end();
  await Promise.all(idempotencyKeySqls.map((sql) => sql.end({ timeout: 1 })));
  await real.end();
});

function openIdempotencyKeys(): IdempotencyKeys.OpenIdempotencyKeys {
  const sql = Connection.openConnection(real.url, 2);
  idempotencyKeySqls.push(sql);
  return IdempotencyKeys.openIdempotencyKeys(sql);
}

/** Moves simulated time and lets the event loop run. */
async function pass(ms: number): Promise<void> {
  nowMs += ms;
  for (const { writer } of processes) writer.tick();
  await new Promise(setImmediate);
}

async function until(isOver: () => boolean, msMax = 60_000): Promise<boolean> {
  for (const end = nowMs + msMax; !isOver(); ) {
    if (nowMs > end) return false;
    await Promise.all(processes.map((process) => process.statementsDone()));
    await pass(10);
    await real.sql`SELECT`;
  }
  return true;
}

/** Runs one call while other steps are taken concurrently. */
async function live(call: Call, one: CallStep, upstream: Promise<void>): Promise<void> {
  const { writer } = call;
  const request = {
    callId: call.id,
    account: call.account,
    plans: ['p'],
    price: ofMicro(one.price),
    units: one.units,
  };
  const idempotencyKey = call.key && {
    account: call.account,
    key: sha256Hex(call.key),
    request: sha256Hex(''),
    callId: call.id,
    ...writer.writer,
  };
  if (idempotencyKey) {
    // A statement that was cut off may still acquire the key. Then no other call gets the key before the writer ends.
    const drawn = await idempotencyKeys.claim(idempotencyKey).catch(() => {
      idempotencyKeys = openIdempotencyKeys();
      return null;
    });
    if (drawn?.kind === 'kept' && drawn.response.body) call.given = drawn.response.callId;
    if (drawn?.kind !== 'taken') return;
  }
  const giveUp = async () => {
    if (idempotencyKey) await idempotencyKeys.giveUp(idempotencyKey);
  };
  call.held = await writer.hold(request);
  if (call.held.kind !== 'held') return giveUp();
  const { hold } = call.held;
  if (idempotencyKey && hold.epoch !== idempotencyKey.epoch) {
    writer.release(hold);
    return giveUp();
  }
  call.hold = hold;
  await upstream;
  if (one.end === 'release') {
    writer.release(hold);
    return giveUp();
  }
  const used = Math.min(one.used, one.units);
  const outcome = { units: used, status: 200, service: 's', operation: 'o' };
  const keeping = idempotencyKey && {
    key: idempotencyKey.key,
    headers: [],
    body: one.isSmall ? Buffer.alloc(9) : null,
  };
  call.settlement = await writer.settle(hold, outcome, keeping || null);
  if (call.settlement.kind === 'refused' && !call.settlement.inDoubt) return giveUp();
  if (call.settlement.kind !== 'settled' || one.end === 'keep') return;
  if (one.isSmall) call.given = call.id;
  writer.delivered(call.settlement.seq);
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
    const { writer } = processes[one.process] as OpenWriter;
    const call: Call = {
      id: uuidv7(Date.now()),
      key: one.key === null ? null : `${one.key}`,
      given: null,
      account: account(one.account),
      writer,
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
  const isDecided = ({ ended, writer }: Call) =>
    ended || processes.every((process) => process.writer !== writer);
  // A statement on a cut connection ends by real time, which is slower than simulated time.
  expect(await until(() => calls.every(isDecided), 400_000)).toBe(true);
  for (const process of processes) await ready(process);

  const left = await soon(Promise.allSettled(processes.map(({ writer }) => writer.drain())));
  // A writer whose close timed out may have been closed with all its settlements, or be ended by another process.
  const inDoubt = processes.filter((_, at) => left[at]?.status === 'rejected').map(({ writer }) => writer);
  // The others end a writer that could not close.
  await real.sql`SELECT ledger.reap_silent('0 seconds')`;
  expect(await real.sql`SELECT * FROM ledger.lease`).toHaveLength(0);
  for (const [account, sum] of given) expect(await balanceOf(account)).toBe(sum - (await netOf(account)));
  for (const call of calls) await judge(call, inDoubt.includes(call.writer));
  await judgeKeys(calls);
  for (const process of processes) await start(process);
}

/** Awaits a promise while simulated time passes. */
async function soon<T>(promise: Promise<T>): Promise<T> {
  let over = false;
  const watch = () => {
    over = true;
  };
  promise.then(watch, watch);
  if (!(await until(() => over))) throw new Error('it waits for ever');
  return promise;
}

/** Starts a new process in place of one. After three attempts it gets new connections, because the old ones may be dead. */
async function start(process: OpenWriter): Promise<void> {
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

/** Waits for a process that has lost its writer or its connection, and restarts it when it does not recover. */
async function ready(process: OpenWriter): Promise<void> {
  if (!(await until(() => process.writer.ready, 10_000))) await start(process);
}

async function meddle(one: Exclude<Step, CallStep>, account: (index: number) => string): Promise<void> {
  switch (one.kind) {
    case 'pass':
      return pass(one.ms);
    case 'kill':
      return start(processes[one.process] as OpenWriter);
    case 'cut':
      await real.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND query ~ '^(SELECT ([*] FROM )?ledger[.](batch|open|close|credit|acquire|release)|listen)'`;
      return;
    case 'reap':
      await real.sql`SELECT ledger.reap_silent('0 seconds')`;
      return;
    case 'expire':
      await real.sql`UPDATE ledger.lot SET expires_at = clock_timestamp() WHERE account_id = ${account(one.account)} AND kind = 'trial'`;
      await real.sql`SELECT ledger.expire()`;
      return;
  }
}

/** Returns the balance of an account plus its expired amounts, counting a unit as 1,000 micro-dollars. */
async function balanceOf(account: string): Promise<number> {
  const [row] = await real.sql<
    [{ sum: number }]
  >`SELECT (coalesce(sum(s.remaining * CASE s.asset WHEN 'unit' THEN 1000 ELSE 1 END), 0)
      - coalesce((SELECT sum(p.amount) * 1000 FROM ledger.posting p WHERE p.account_id = ${account} AND p.kind = 'expiry'), 0))::bigint AS sum
    FROM ledger.statement(${account}) s`;
  return row.sum;
}

/** Returns the charges, without reversed ones, by account or call id. */
async function netOf(owner: string): Promise<number> {
  const [row] = await real.sql<
    [{ sum: number }]
  >`SELECT coalesce(sum((u.amount - coalesce(p.amount, 0)) * CASE k.asset WHEN 'unit' THEN 1000 ELSE 1 END), 0)::bigint AS sum
    FROM ledger.usage u JOIN ledger.lot k ON k.id = u.lot_id
      LEFT JOIN ledger.posting p ON p.key = 'undelivered:' || u.call_id || ':' || u.draw
    WHERE u.account_id = ${owner} OR u.call_id::text = ${owner}`;
  return row.sum;
}

async function judge({ id, writer, hold, settlement, delivered }: Call, inDoubt: boolean): Promise<void> {
  const charges = settlement?.kind === 'settled' ? settlement.charges : [];
  const cost = charges.reduce((sum, { lot, amount }) => sum + amount * (lot.asset === 'unit' ? 1_000 : 1), 0);
  const [kept] =
    await real.sql`SELECT sum(u.amount * CASE k.asset WHEN 'unit' THEN 1000 ELSE 1 END)::bigint AS cost
    FROM ledger.stored_response a JOIN ledger.usage u USING (call_id) LEFT JOIN ledger.lot k ON k.id = u.lot_id WHERE a.call_id = ${id} AND a.body IS NOT NULL`;
  // A stored response is returned again, so its charge stays.
  if (kept?.cost != null) return expect(await netOf(id)).toBe(kept.cost);
  const survived = processes.some(
    (process) => process.writer === writer && process.closedEpoch === hold?.epoch,
  );
  // When others ended its writer, the last charges were reversed: those of all undelivered responses, and of some delivered ones.
  if (survived) expect(await netOf(id)).toBe(cost);
  else expect(delivered || inDoubt ? [0, cost] : [0]).toContain(await netOf(id));
}

/** Checks that one key charges one call, and that only its response is returned. */
async function judgeKeys(calls: readonly Call[]): Promise<void> {
  const keyed = calls.filter(({ key }) => key !== null);
  for (const same of Map.groupBy(keyed, ({ account, key }) => `${account} ${key}`).values()) {
    const charges = await Promise.all(same.map(({ id }) => netOf(id)));
    expect(charges.filter((net) => net > 0).length).toBeLessThanOrEqual(1);
    expect(new Set(same.flatMap(({ given }) => given ?? [])).size).toBeLessThanOrEqual(1);
  }
}

test('two processes on one database keep every promise, whatever happens to them', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), history), {
    numRuns: runs(150),
    endOnFailure: true,
  });
  expect(await real.prove()).toEqual([]);
  const [row] =
    await real.sql`SELECT (SELECT count(*) FROM ledger.usage) AS calls, (SELECT count(*) FROM ledger.posting WHERE kind = 'undelivered') AS undelivered,
    (SELECT count(*) FROM ledger.posting WHERE kind = 'expiry') AS expired,
    (SELECT count(*) FROM ledger.stored_response) AS kept`;
  // If one of these never happened, the histories would prove too little.
  for (const count of [row?.calls, row?.undelivered, row?.expired, row?.kept])
    expect(count).toBeGreaterThan(0);
  for (const { events } of processes)
    expect(events.map(({ kind }) => kind)).not.toContain('ledger_inconsistent');
});
